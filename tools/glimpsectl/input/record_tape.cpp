#include "glimpsectl/input/record_tape.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "data/first_records.h"
#include "data/records/npy_header.h"

namespace glimpse::ctl {

Result<ByteTape> ByteTape::open(const std::string& name) {
  const int descriptor =
      name == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (descriptor < 0 || ::fstat(descriptor, &status) < 0)
    return failure(ErrorCode::kSystem, "'{}' cannot be opened: {}", name, std::strerror(errno));
  ByteTape tape(descriptor, S_ISREG(status.st_mode), name);
  tape.size_ = status.st_size;
  tape.written_ = status.st_mtim;
  if (S_ISDIR(status.st_mode)) return failure(ErrorCode::kSystem, "'{}' is a directory", name);
  return tape;
}

ByteTape::ByteTape(ByteTape&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      is_file_(other.is_file_),
      size_(other.size_),
      written_(other.written_),
      at_end_(other.at_end_),
      name_(std::move(other.name_)),
      kept_(std::move(other.kept_)),
      kept_from_(other.kept_from_) {}

ByteTape::~ByteTape() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ByteTape::was_touched() const {
  struct stat here{};
  struct stat there{};
  if (!is_file_ || ::fstat(descriptor_, &here) < 0) return false;
  const bool is_there = name_ == "-" || (::stat(name_.c_str(), &there) == 0 && there.st_ino == here.st_ino &&
                                         there.st_dev == here.st_dev);
  return !is_there || here.st_size != size_ || here.st_mtim.tv_sec != written_.tv_sec ||
         here.st_mtim.tv_nsec != written_.tv_nsec;
}

Error ByteTape::unreadable() const {
  return failure(ErrorCode::kSystem, "'{}' cannot be read: {}", name_, std::strerror(errno));
}

Result<std::size_t> ByteTape::read_at(std::uint64_t offset, std::span<char> bytes) {
  if (is_file_) {
    for (;;) {
      const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return unreadable();
    }
  }
  if (offset < kept_from_)
    return failure(ErrorCode::kUnavailable,
                   "'{}' is a pipe, and what the daemon lost was not kept: it was durable once", name_);
  while (offset >= kept_from_ + kept_.size() && !at_end_) {
    constexpr std::size_t kPiece = std::size_t{256} << 10;
    const std::size_t before = kept_.size();
    kept_.resize(before + kPiece);
    const ssize_t count = ::read(descriptor_, kept_.data() + before, kPiece);
    kept_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno != EINTR) return unreadable();
    at_end_ = count == 0;
  }
  const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(offset - kept_from_, kept_.size()));
  const std::size_t count = std::min(bytes.size(), kept_.size() - at);
  std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(at), count, bytes.begin());
  return count;
}

void ByteTape::forget(std::uint64_t offset) {
  if (is_file_ || offset <= kept_from_) return;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(offset - kept_from_, kept_.size()));
  kept_.erase(0, count);
  kept_from_ += count;
}

bool ByteTape::waits(std::uint64_t offset) const {
  if (is_file_ || at_end_ || offset < kept_from_ + kept_.size()) return false;
  pollfd readable{descriptor_, POLLIN, 0};
  return ::poll(&readable, 1, 0) == 0;
}

namespace {

// By its first bytes, which no line of text begins with; empty: by neither.
std::string_view packed_by(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return "gzip";
  return bytes.starts_with("\x28\xb5\x2f\xfd") ? "zstd" : "";
}

// Nothing: more bytes are needed.
std::optional<bool> begins_with_header(std::string_view bytes, bool is_whole, std::string_view format) {
  if (format == "npy") return true;
  if (format == "f32" || format == "svmlight" || format == "vw" || format == "ndjson") return false;
  constexpr SampleLimits kShown{.records = 3};  // of a pipe no more is waited for
  const auto first =
      read_first_messages(bytes, is_whole, format == "csv" ? Format::kCsv : Format::kAuto, {}, kShown, {});
  if (first && !*first && !is_whole && bytes.size() < RecordTape::kMostRecord) return std::nullopt;
  return first && *first && (*first)->has_header && !(*first)->begins_otherwise;
}

}  // namespace

RecordTape::RecordTape(ByteTape bytes, std::string format, std::size_t dimension)
    : bytes_(std::move(bytes)),
      format_(std::move(format)),
      row_bytes_(format_ == "f32" ? (dimension + 1) * sizeof(float) : 0) {}

// Of the next records.
Framing RecordTape::framing() const {
  if (row_bytes_ == 0) return Framing::lines(kMostRecord);
  return format_ == "npy" && at_.records == 0 ? Framing::npy_rows(row_bytes_) : Framing::rows(row_bytes_);
}

// Of buffer_, which begins at at_; 0: more bytes are needed.
Result<std::size_t> RecordTape::whole_records(bool at_end) {
  if (format_ == "npy" && at_.records == 0) {
    const auto length = npy_header_length(buffer_);
    if (!length || *length == 0) return length;
    const std::string_view header = std::string_view(buffer_).substr(0, *length);
    GLIMPSE_TRY_ASSIGN(const auto columns, npy_columns(header));
    GLIMPSE_TRY(check_npy_header(header, columns));
    if (columns > kMostRecord / sizeof(float))
      return failure(ErrorCode::kTooLarge, "a row of {} columns is longer than {} bytes", columns,
                     kMostRecord);
    row_bytes_ = columns * sizeof(float);
    rows_ = npy_rows(header);
    return *length;
  }
  if (row_bytes_ > 0) return buffer_.size() / row_bytes_ * row_bytes_;
  if (at_.records == 0)
    if (const std::string_view program = packed_by(buffer_); !program.empty())
      return failure(ErrorCode::kInvalidInput,
                     "it is packed by {0}, and its records cannot be counted so: unpack it before, as in "
                     "{0} -dc FILE | glimpsectl send - …",
                     program);
  if (at_end && !buffer_.ends_with('\n')) {
    buffer_ += '\n';
    has_ended_line_ = true;
  }
  const std::size_t newline = buffer_.rfind('\n');
  return newline == std::string::npos ? 0 : newline + 1;
}

Result<RecordTape::Piece> RecordTape::next() {
  buffer_.clear();
  std::size_t wanted = kPiece;
  for (;;) {
    const std::size_t before = buffer_.size();
    buffer_.resize(wanted);
    GLIMPSE_TRY_ASSIGN(const auto count,
                       bytes_.read_at(at_.offset + before, {buffer_.data() + before, wanted - before}));
    buffer_.resize(before + count);
    const bool at_end = count == 0;
    if (at_end && buffer_.empty()) {
      look_for_header({}, true);
      return Piece{};
    }
    const std::uint64_t read = buffer_.size();
    GLIMPSE_TRY_ASSIGN(const auto length, whole_records(at_end));
    if (length > 0) {
      Piece piece;
      piece.bytes = std::string_view(buffer_).substr(0, length);
      look_for_header(piece.bytes, at_end);
      RecordCursor cursor(piece.bytes, framing());
      for (; const auto record = cursor.next(); ++piece.records)
        at_.contents = contents_with(at_.contents, *record);
      at_.records += piece.records;
      at_.offset += std::min<std::uint64_t>(length, read);
      return piece;
    }
    if (at_end)
      return failure(ErrorCode::kInvalidInput, "the input ends amid record {}, after {} bytes of it",
                     at_.records + 1, buffer_.size());
    if (buffer_.size() >= kMostRecord)
      return failure(ErrorCode::kTooLarge, "record {} is longer than {} bytes", at_.records + 1, kMostRecord);
    wanted = std::max(buffer_.size() + kPiece, wanted);
  }
}

// In the first lines, of which a slow pipe brings one at a time. `bytes` begin at at_.
void RecordTape::look_for_header(std::string_view bytes, bool at_end) {
  if (is_header_known_ || at_.offset > beginning_.size()) return;
  beginning_.resize(at_.offset);  // some may be read again
  beginning_ += bytes;
  const auto found = begins_with_header(beginning_, at_end, format_);
  // A table's first line alone tells what it seems to be.
  has_header_ = found ? *found : *begins_with_header(beginning_, true, format_);
  is_header_known_ = found.has_value();
  if (is_header_known_) beginning_ = {};
}

Status RecordTape::check_end() const {
  if (!rows_ || at_.records == *rows_ + 1) return {};
  return failure(ErrorCode::kInvalidInput, "the array has {} rows, and its .npy header says {}",
                 at_.records - 1, *rows_);
}

// Brings `place`, which is not behind it, to record `records`; changes at_ on the way.
Status RecordTape::walk(Place& place, std::uint64_t records) {
  at_ = place;
  while (at_.records < records) {
    const Place before = at_;
    GLIMPSE_TRY_ASSIGN(const auto piece, next());
    if (piece.bytes.empty()) break;
    if (at_.records <= records) continue;
    at_ = before;
    RecordCursor cursor(piece.bytes, framing());
    for (; at_.records < records; ++at_.records) at_.contents = contents_with(at_.contents, *cursor.next());
    at_.offset += cursor.position();
  }
  if (at_.records < records)
    return failure(ErrorCode::kInvalidInput,
                   "it has fewer records than the {} that were received before: it was cut short, replaced "
                   "or rotated since they were sent; send it as another source (--source)",
                   without_header(records));
  place = at_;
  return {};
}

Status RecordTape::seek(std::uint64_t records) {
  if (records < floor_.records)
    return failure(ErrorCode::kInvalidInput, "the daemon has {} records, but {} were durable", records,
                   floor_.records);
  Place place = records >= at_.records ? at_ : floor_;
  return walk(place, records);
}

Status RecordTape::forget(std::uint64_t records) {
  if (bytes_.is_file() || records <= floor_.records || records > at_.records) return {};
  const Place now = at_;
  const Status status = walk(floor_, records);
  at_ = now;
  if (status) bytes_.forget(floor_.offset);
  return status;
}

namespace {

// How many bytes of `lines` make a message: up to the last newline that fits, else the first line.
std::size_t lines_of_message(std::string_view lines, std::size_t most) {
  // The newline at the end is not sent.
  if (lines.size() - 1 <= most) return lines.size();
  const std::size_t last = lines.rfind('\n', most);
  return (last == std::string_view::npos ? lines.find('\n', most) : last) + 1;
}

}  // namespace

std::string_view RecordMessages::take(std::string_view& records) {
  if (row_bytes_ == 0) {
    const std::size_t length = lines_of_message(records, most_);
    // Behind a line without content it stays, as a reader takes the last one for an end.
    const bool ends_empty = length > 1 && records[length - 2] == '\n';
    const std::string_view message = records.substr(0, ends_empty ? length : length - 1);
    records.remove_prefix(length);
    return message;
  }
  const std::size_t rows = std::clamp<std::size_t>(most_ / row_bytes_, 1, records.size() / row_bytes_);
  const std::string_view message = records.substr(0, rows * row_bytes_);
  records.remove_prefix(message.size());
  if (!as_npy_) return message;
  array_ = npy_header(rows, row_bytes_ / sizeof(float));
  array_ += message;
  return array_;
}

}  // namespace glimpse::ctl
