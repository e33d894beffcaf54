#include "daemon/ingest/input_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <utility>

#include "base/at_end.h"
#include "daemon/feeds/source_table.h"
#include "data/records/npy_header.h"
#include "data/text/text.h"

namespace glimpse {

Result<std::optional<std::size_t>> ByteStream::read_raw(std::span<char> room) {
  const ssize_t count = offset_ ? ::pread(descriptor_, room.data(), room.size(), static_cast<off_t>(*offset_))
                                : ::read(descriptor_, room.data(), room.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return std::optional<std::size_t>();
  if (count < 0) return failure(ErrorCode::kSystem, "cannot be read: {}", std::strerror(errno));
  if (offset_) *offset_ += static_cast<std::uint64_t>(count);
  return std::optional(static_cast<std::size_t>(count));
}

namespace {
constexpr std::size_t kComparedBytes = std::size_t{256} << 10;
constexpr std::size_t kLookedAt = std::size_t{64} << 10;  // bytes at a time
constexpr int kPatience = 1000;                           // milliseconds until it is said what is waited for
constexpr const char* kAdvice =
    "the file of before goes on where it was under its new name, given first (--input NEW_NAME --input "
    "NAME); "
    "--replaced-input read reads this one from its beginning; the model stays either way";
}  // namespace

Result<std::unique_ptr<InputSource>> InputSource::open(const std::string& path) {
  const bool standard = path == "-";
  // O_NONBLOCK: a FIFO that nobody writes to yet must not keep the other doors shut.
  const int descriptor = standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                  : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return failure(ErrorCode::kSystem, "--input {}: {}", path, std::strerror(errno));
  std::unique_ptr<InputSource> source(new InputSource(descriptor, standard ? "stdin" : path));
  source->is_standard_ = standard;
  if (::fstat(descriptor, &source->status_) < 0) return source->refuse(std::strerror(errno));
  if (S_ISDIR(source->status_.st_mode)) return source->refuse("is a directory");
  if (!standard && source->is_regular()) {
    const std::unique_ptr<char, decltype(&std::free)> canonical(::realpath(path.c_str(), nullptr),
                                                                &std::free);
    if (!canonical) return source->refuse(std::strerror(errno));
    source->address_ = canonical.get();
  }
  if (source->is_regular()) {
    // Better refused now than when its turn comes.
    char first[Decompressor::kMagicBytes];
    const ssize_t count =
        ::pread(descriptor, first, sizeof first, std::max<off_t>(::lseek(descriptor, 0, SEEK_CUR), 0));
    if (count < 0) return source->refuse(std::strerror(errno));
    source->is_compressed_ = Decompressor::for_bytes({first, static_cast<std::size_t>(count)}) != nullptr;
  }
  return source;
}

InputSource::~InputSource() { close(); }

void InputSource::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

// Only a reader that opens the FIFO anew can wait for a writer. The one of before stays open until then, as
// what a writer brought meanwhile would be lost with the last reader.
bool InputSource::read_on() {
  if (!reads_on_) return false;
  const int next = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool is_fifo = next >= 0 && ::fstat(next, &status_) == 0 && S_ISFIFO(status_.st_mode);
  if (!is_fifo) spdlog::warn("{}: is no FIFO any more; nothing more is read from it until a restart", name_);
  if (is_fifo) {
    close();
    descriptor_ = next;
    stream_ = ByteStream(descriptor_);
  } else if (next >= 0) {
    ::close(next);
  }
  return is_fifo;
}

void InputSource::drop_ahead() {
  ahead_ = std::string();
  ahead_used_ = 0;
  stream_ = ByteStream(descriptor_);
}

bool InputSource::was_cut_short() const {
  struct stat now{};
  return is_regular() && ::fstat(descriptor_, &now) == 0 &&
         now.st_size < std::max(status_.st_size, ::lseek(descriptor_, 0, SEEK_CUR));
}

bool InputSource::was_rewritten(std::uint64_t position, const Fingerprint& read) const {
  struct stat now{};
  if (!is_regular() || ::fstat(descriptor_, &now) < 0 ||
      (now.st_mtim.tv_sec == status_.st_mtim.tv_sec && now.st_mtim.tv_nsec == status_.st_mtim.tv_nsec))
    return false;
  if (now.st_size == status_.st_size) return true;
  std::string last;
  if (!is_plain() || !is_addressable() || position == 0) return false;
  const auto found = fingerprint_at(position, last);
  return found && found->value() != read.value();
}

bool InputSource::is_same_as(const InputSource& other) const {
  return (is_regular() || S_ISFIFO(status_.st_mode)) && status_.st_dev == other.status_.st_dev &&
         status_.st_ino == other.status_.st_ino;
}

Result<std::optional<std::size_t>> InputSource::read(std::span<char> room) {
  if (!ahead_.empty()) {
    const std::size_t count = std::min(room.size(), ahead_.size() - ahead_used_);
    std::memcpy(room.data(), ahead_.data() + ahead_used_, count);
    ahead_used_ += count;
    if (ahead_used_ == ahead_.size()) ahead_ = std::string();
    return std::optional(count);
  }
  auto count = stream_.read(room);
  if (!count) return failure(count.error().code, "{}: {}", name_, count.error().message);
  return count;
}

// Of a regular file nothing is taken: it is mapped, or read from its beginning, later.
Status InputSource::look_ahead(std::size_t most, const Enough& enough) {
  std::string bytes = std::move(ahead_);  // of a look before this one
  ahead_.clear();
  bool is_whole = false;
  bool is_told = false;
  ByteStream beginning = ByteStream::from_beginning(descriptor_);
  const AtEnd keep_bytes([&] {
    if (!is_plain()) ahead_ = std::move(bytes);
  });
  for (;;) {
    GLIMPSE_TRY_ASSIGN(const auto fine, enough(bytes, is_whole));
    if (fine || is_whole) break;
    if (bytes.size() >= most)
      return failure(ErrorCode::kInvalidInput, "its first {} bytes have no two lines", bytes.size());
    const std::size_t size = bytes.size();
    bytes.resize(size + std::max(kLookedAt, size));  // so that few looks at all of them are enough
    const std::span<char> room(bytes.data() + size, bytes.size() - size);
    if (!is_regular() && !stream_.has_bytes() && !wait_readable(is_told ? -1 : kPatience)) {
      spdlog::info("{}: waiting for its first records, which show the attributes", name_);
      is_told = true;
      wait_readable(-1);
    }
    const auto count = is_plain() ? beginning.read(room) : stream_.read(room);
    if (!count) return refuse(count.error().message);
    bytes.resize(size + count->value_or(0));
    is_whole = *count == std::size_t{0};
  }
  return {};
}

bool InputSource::wait_readable(int milliseconds) const {
  pollfd one{descriptor_, POLLIN, 0};
  return ::poll(&one, 1, milliseconds) != 0;
}

Error InputSource::refuse(const std::string& why, ErrorCode code) const {
  return failure(code, "--input {}: {}", name_, why);
}

Status InputSource::skip_to(std::uint64_t position) {
  if (is_plain()) {
    if (::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0) return refuse(std::strerror(errno));
    return {};
  }
  ahead_.clear();
  std::string bytes(kComparedBytes, '\0');
  for (std::uint64_t at = 0; at < position;) {
    const auto count =
        stream_.read(std::span(bytes).first(std::min<std::uint64_t>(bytes.size(), position - at)));
    if (!count) return refuse(count.error().message);
    if (*count == std::size_t{0}) return refuse("became shorter while it was examined");
    at += count->value_or(0);
  }
  return {};
}

InputSource::Reading InputSource::read_again(std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t first = is_compressed_ ? 0 : begin;
  return [this, stream = std::make_shared<ByteStream>(ByteStream::from_beginning(descriptor_, first)),
          at = first, begin, end](std::span<char> room) mutable -> Result<std::optional<std::size_t>> {
    const bool is_before = at < begin;  // which only has to be decompressed
    const std::uint64_t left = (is_before ? begin : end) - at;
    if (left == 0) return std::optional(std::size_t{0});
    const auto count = stream->read(room.first(std::min<std::uint64_t>(room.size(), left)));
    if (!count) return failure(count.error().code, "{}: {}", name_, count.error().message);
    at += count->value_or(0);
    return is_before && *count != std::size_t{0} ? std::nullopt : *count;
  };
}

Result<std::string> InputSource::read_at(std::uint64_t position, std::size_t size) const {
  const Reading read = read_again(position, position + size);
  std::string bytes(size, '\0');
  for (std::size_t filled = 0; filled < size;) {
    GLIMPSE_TRY_ASSIGN(const auto count, read(std::span(bytes).subspan(filled)));
    if (count == std::size_t{0} && !is_compressed_) return refuse("became shorter while it was examined");
    if (count == std::size_t{0})
      return refuse(fmt::format("has fewer bytes when decompressed than the {} that the checkpoint had read: "
                                "it was cut short or replaced; {}",
                                position + size, kAdvice),
                    ErrorCode::kCorrupt);
    filled += count.value_or(0);
  }
  return bytes;
}

Result<InputSource::Array> InputSource::array_at(std::uint64_t position, std::size_t row_bytes) const {
  Array array;
  for (std::uint64_t begin = 0;;) {
    GLIMPSE_TRY_ASSIGN(array.header, read_at(begin, std::min<std::uint64_t>(position - begin, kMostHeader)));
    GLIMPSE_TRY_ASSIGN(const auto length, npy_header_length(array.header));
    if (length == 0) return refuse("the .npy header is cut short", ErrorCode::kInvalidInput);
    array.header.resize(length);
    array.rows += npy_rows(array.header);
    const auto rows = npy_rows_bytes(array.header, row_bytes);
    array.end = rows ? std::optional(begin + length + *rows) : std::nullopt;
    if (!array.end || position <= *array.end) return array;
    begin = *array.end;
  }
}

// A reader that resumes in the middle of a file must take it as one that began at the beginning did: the
// first record that can be read tells the format, and may be a header. Of arrays the last that was begun
// counts.
Format InputSource::show_beginning(Feed& feed) const {
  Format format = Format::kAuto;
  const bool is_table = feed.framing.dialect() != nullptr;
  if (feed.framing.has_header() && feed.position > 0)
    if (const auto array = array_at(feed.position, feed.framing.row_bytes()))
      (void)feed.reader->open(array->header);
  if (!feed.framing.is_lines()) return format;
  const Reading read = read_again(0, feed.position);
  RecordFramer framer(feed.framing);
  std::string bytes;
  std::size_t shown = 0;
  for (std::uint64_t at = 0; at < feed.position;) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kComparedBytes);
    const auto count = read(std::span(bytes).subspan(size));
    if (!count) return format;
    bytes.resize(size + count->value_or(0));
    at += count->value_or(0);
    const bool is_end = *count == std::size_t{0} || at == feed.position;
    const auto whole = is_end ? bytes.size() : framer.whole_records(bytes);
    if (!whole) return format;
    RecordCursor cursor(std::string_view(bytes).substr(0, *whole), feed.framing);
    while (const auto record = cursor.next()) {
      const Format detected =
          is_table ? Format::kCsv
                   : detect_format(opening_of(*record, feed.framing.question_fields(), true).line);
      if (detected == Format::kAuto) continue;  // blank, a comment, or the next one tells
      if (format == Format::kAuto) format = detected;
      const Status opened = feed.reader->open(*record);
      // A table may have lines in front of its header, and a header of several records.
      if (opened && is_table && !feed.reader->has_example()) continue;
      if (opened || ++shown == Source::kMostOpening) return format;
    }
    if (is_end) break;
    bytes.erase(0, *whole);
  }
  return format;
}

InputBeginning InputSource::note_read(std::uint64_t position, std::string_view bytes, std::uint64_t limit) {
  if (position == 0) {
    XXH3_64bits_reset(hash_.get());
    beginning_ = {};
  }
  if (hash_ && position == beginning_.bytes && position < limit) {
    XXH3_64bits_update(hash_.get(), bytes.data(), bytes.size());
    beginning_ = {position + bytes.size(), XXH3_64bits_digest(hash_.get())};
  }
  return beginning_;
}

// Whether the input begins as the checkpoint says. The bytes between there and the position are hashed as
// well, so that note_read() can go on behind them.
Result<bool> InputSource::begins_as(const Feed& feed) {
  const InputBeginning known = feed.beginning;
  const std::uint64_t end = feed.position < kCompared ? feed.position : known.bytes;
  const Reading read = read_again(0, end);
  std::string bytes(kComparedBytes, '\0');
  for (std::uint64_t at = 0; hash_ && at < end;) {
    const std::uint64_t left = (at < known.bytes ? known.bytes : end) - at;
    GLIMPSE_TRY_ASSIGN(const auto count,
                       read(std::span(bytes).first(std::min<std::uint64_t>(bytes.size(), left))));
    if (count == std::size_t{0}) return false;
    const auto found = note_read(at, std::string_view(bytes).substr(0, count.value_or(0)), end);
    at = found.bytes;
    if (at == known.bytes && found.hash != known.hash) return false;
  }
  return true;
}

Result<Fingerprint> InputSource::fingerprint_at(std::uint64_t position, std::string& last) const {
  const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(position, Fingerprint::kBytes));
  const auto tail = read_at(position - part, part);  // first, as it says how much there is
  if (!tail) return tail.error();
  GLIMPSE_TRY_ASSIGN(const auto head, read_at(0, part));
  last = tail->substr(tail->size() - std::min<std::size_t>(tail->size(), 2));
  return Fingerprint(head, *tail);
}

bool InputSource::was_read(std::uint64_t position, std::uint64_t fingerprint) const {
  if (!is_plain() || !is_addressable() || position == 0 ||
      static_cast<std::uint64_t>(status_.st_size) < position)
    return false;
  std::string last;
  const auto found = fingerprint_at(position, last);
  return found && found->value() == fingerprint;
}

Status InputSource::resume(Feed& feed, const TableSchema& now, bool is_allowed) {
  if (feed.position == 0) return {};
  if (is_plain() && static_cast<std::uint64_t>(status_.st_size) < feed.position)
    return refuse(
        fmt::format("has {} bytes, but the checkpoint had read {}: it was cut short or replaced; {}",
                    status_.st_size, feed.position, kAdvice),
        ErrorCode::kCorrupt);
  std::string last;
  GLIMPSE_TRY_ASSIGN(feed.fingerprint, fingerprint_at(feed.position, last));
  GLIMPSE_TRY_ASSIGN(const bool is_same, begins_as(feed));
  if (!is_same || (feed.known_fingerprint != 0 && feed.known_fingerprint != feed.fingerprint.value()))
    return refuse(
        fmt::format("its first {} bytes are not those that the checkpoint had read: it was replaced or "
                    "changed; {}",
                    feed.position, kAdvice),
        ErrorCode::kCorrupt);
  const Format actual = show_beginning(feed);
  const auto difference = feed.schema ? feed.schema->difference(now, actual) : std::nullopt;
  if (difference && !is_allowed)
    return refuse(
        fmt::format("its first {} bytes were read with {}, and this start asks for {}: the rest would be "
                    "read differently; start with {}, insist with --schema-change allow, or start from "
                    "nothing with --restore never",
                    feed.position, difference->here, difference->there, difference->here),
        ErrorCode::kMismatch);
  if (const Status status = skip_to(feed.position); !status) return status;
  return feed.framing.is_lines() && !last.ends_with(feed.framing.end_of_line()) ? pass_over_rest(feed)
                                                                                : Status();
}

// The last line was read without its end. Its rest is no line of its own.
Status InputSource::pass_over_rest(Feed& feed) {
  constexpr std::size_t kShown = 40;  // bytes
  std::string bytes(kComparedBytes, '\0');
  std::string shown;
  std::uint64_t passed = 0;
  ByteStream plain(descriptor_);  // what may be mapped must leave nothing in stream_
  for (bool has_ended = false; !has_ended;) {
    const auto count = (is_plain() ? plain : stream_).read(bytes);
    if (!count) return refuse(count.error().message);
    if (count->value_or(0) == 0) break;
    const std::string_view piece = std::string_view(bytes).substr(0, **count);
    const std::size_t line = feed.framing.find(feed.framing.line_end(), piece);
    has_ended = line != std::string_view::npos;
    const std::string_view rest = piece.substr(0, has_ended ? line + feed.framing.unit() : line);
    shown += rest.substr(0, kShown - std::min(kShown, shown.size()));
    feed.fingerprint.add(rest);
    note_read(feed.position + passed, rest);
    passed += rest.size();
    ahead_ = piece.substr(rest.size());
  }
  feed.position += passed;
  const bool is_blank = shown.find_first_not_of(" \t\r\n") == std::string::npos;
  if (is_plain()) {
    ahead_.clear();
    ::lseek(descriptor_, static_cast<off_t>(feed.position), SEEK_SET);
  }
  if (!is_blank)
    spdlog::warn(
        "{}: line {} was read before it ended, and the file went on within it: the other {} bytes of that "
        "line, {}, are skipped; --last-line wait reads a line once it has ended",
        name_, feed.records, passed, in_quotes(shown));
  return {};
}

}  // namespace glimpse
