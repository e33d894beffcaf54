#include "daemon/ingest/file_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/ingest/mapped_window.h"
#include "daemon/support/memory_trouble.h"
#include "data/records/npy_header.h"

namespace glimpse {

namespace {
constexpr std::size_t kFilePiece = std::size_t{256} << 10;
constexpr std::size_t kFileBuffers = 8;  // as many as ReplyWriter lets be on their way, and some
constexpr int kPipeBytes = 1 << 20;      // of the pipe that is read from, where the system allows it
// Rows of a few cache lines are read whole sooner than they are mapped.
constexpr std::size_t kLeastRow = 512;
constexpr std::size_t kMappedBlock = std::size_t{1} << 20;
constexpr std::size_t kMappedBlocks = 8;        // in a window
constexpr off_t kLeastMapped = off_t{1} << 20;  // of a file
// Of mapped rows, which are not read as a whole behind them.
constexpr std::uint64_t kComparedRows = std::uint64_t{32} << 20;
constexpr std::size_t kReplyBytes = 24;  // to a row that asks for a prediction
}  // namespace

Result<std::unique_ptr<FileInput>> FileInput::make(std::unique_ptr<InputSource> source,
                                                   std::shared_ptr<Feed> feed, BlockQueue& queue,
                                                   ReplyWriter& replies, Ended ended) {
  const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) return failure(ErrorCode::kSystem, "--input {}: {}", source->name(), std::strerror(errno));
  return std::unique_ptr<FileInput>(
      new FileInput(std::move(source), wake, std::move(feed), queue, replies, std::move(ended)));
}

FileInput::FileInput(std::unique_ptr<InputSource> source, int wake, std::shared_ptr<Feed> feed,
                     BlockQueue& queue, ReplyWriter& replies, Ended ended)
    : source_(std::move(source)),
      wake_(wake),
      feed_(std::move(feed)),
      queue_(queue),
      replies_(replies),
      ended_(std::move(ended)),
      pool_(kFilePiece, kFileBuffers),
      in_rows_(feed_->position > 0),
      has_sample_(feed_->decide != nullptr),
      position_(feed_->position),
      read_(feed_->fingerprint) {
  await_sample();
}

void FileInput::await_sample() {
  if (has_sample_)
    feed_->send_late = [&replies = replies_](const std::string& lines, std::uint64_t) {
      replies.append(0, lines);
    };
}

FileInput::~FileInput() {
  stop();
  if (thread_.joinable()) thread_.join();
  ::close(wake_);
}

void FileInput::start() {
  thread_ = std::thread([this] { run(); });
}

void FileInput::stop() {
  stopping_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  replies_.wake();
}

void FileInput::run() {
  Status status;
  try {
    status = read_all();
  } catch (const std::bad_alloc&) {  // what was read into is free again
    note_memory_trouble("reading an input ended before its end");
    status = Error{ErrorCode::kUnavailable, "no memory"};  // so short that it takes none
    if_memory_allows("the reason of an input's error was shortened", [&] {
      status = failure(ErrorCode::kUnavailable, "{}: not enough memory to read on; reading stopped there",
                       source_->name());
    });
  }
  source_->close();
  ended_(std::move(status));
}

// A read from a pipe or terminal is woken when stop() wants the thread back.
bool FileInput::wait_readable() {
  if (source_->is_regular() || source_->has_ahead()) return !stopping_;
  pollfd descriptors[] = {{source_->descriptor(), POLLIN, 0}, {wake_, POLLIN, 0}};
  while (!stopping_) {
    if (::poll(descriptors, 2, -1) < 0 && errno != EINTR) return true;
    if (descriptors[0].revents != 0) return !stopping_;
  }
  return false;
}

// `expected`: as ReplyWriter counts.
void FileInput::push(Block block, std::size_t expected) {
  if (!block.feed) block.feed = feed_;
  block.done = [&replies = replies_, expected](BlockResult&& result) {
    replies.append(expected, result.replies);
  };
  if (block.feed == feed_) {
    if (source_->is_addressable()) {
      read_.add(block.bytes.view);
      block.beginning = source_->note_read(position_, block.bytes.view,
                                           block.lost != nullptr ? kComparedRows : InputSource::kCompared);
    }
    position_ += block.bytes.size();
  }
  replies_.expect(expected);
  try {
    queue_.push_blocking(std::move(block));
  } catch (const std::bad_alloc&) {
    replies_.append(expected, {});  // other inputs wait for these replies as well
    throw;
  }
}

Status FileInput::read_mapped() {
  const std::size_t row_bytes = feed_->framing.row_bytes();
  const std::size_t block_bytes = std::max<std::size_t>(kMappedBlock / row_bytes, 1) * row_bytes;
  const std::size_t window_bytes = kMappedBlocks * block_bytes;
  const int descriptor = source_->descriptor();
  std::deque<std::shared_ptr<const MappedWindow>> windows;
  while (replies_.wait_for_room(stopping_) && !stopping_) {
    const off_t position = ::lseek(descriptor, 0, SEEK_CUR);
    struct stat status{};
    if (position < 0 || ::fstat(descriptor, &status) < 0 || status.st_size - position < kLeastMapped) break;
    const std::size_t left =
        announced(static_cast<std::size_t>(status.st_size - position)) / row_bytes * row_bytes;
    if (left == 0) break;
    const auto window =
        MappedWindow::open(descriptor, static_cast<std::uint64_t>(position), std::min(left, window_bytes));
    if (!window) break;
    windows.push_back(window);
    std::string_view rest = window->bytes();
    while (!rest.empty() && replies_.wait_for_room(stopping_) && !stopping_) {
      const std::string_view rows = rest.substr(0, block_bytes);
      window->bring_in(rows);
      Block block;
      block.bytes = Bytes(rows, window);
      block.lost = &window->is_lost();
      push(std::move(block), rows.size() / row_bytes * kReplyBytes);
      rest.remove_prefix(rows.size());
    }
    ::lseek(descriptor, position + static_cast<off_t>(window->bytes().size() - rest.size()), SEEK_SET);
    for (const auto& each : windows)
      if (each->is_lost())
        return failure(ErrorCode::kSystem, "{}: was cut short while it was read", source_->name());
    // On this thread and not on the trainer's, which has better things to do.
    while (windows.size() > 1 && windows.front().use_count() == 1) windows.pop_front();
  }
  return {};
}

// Of a regular file that has one; empty: it is cut short.
Result<std::string> FileInput::header() const {
  std::string bytes(InputSource::kMostHeader, '\0');
  const off_t begin = ::lseek(source_->descriptor(), 0, SEEK_CUR);
  const ssize_t count = ::pread(source_->descriptor(), bytes.data(), InputSource::kMostHeader, begin);
  if (count < 0)
    return failure(ErrorCode::kSystem, "{}: cannot be read: {}", source_->name(), std::strerror(errno));
  bytes.resize(static_cast<std::size_t>(count));
  const auto length = npy_header_length(bytes);
  if (!length) return failure(length.error().code, "{}: {}", source_->name(), length.error().message);
  bytes.resize(*length);
  if (bytes.empty()) return bytes;
  // No row could be read: better to say so once than of each.
  if (const Status status = check_npy_header(bytes, feed_->framing.row_bytes() / sizeof(float)); !status)
    return failure(status.error().code, "{}: {}", source_->name(), status.error().message);
  return bytes;
}

Status FileInput::check_beginning() const {
  if (!source_->is_plain() || !feed_->framing.has_header() || in_rows_) return {};
  const auto bytes = header();
  return bytes ? Status() : Status(bytes.error());
}

// A file's header is a block by itself: what is mapped is rows.
Status FileInput::read_header() {
  GLIMPSE_TRY_ASSIGN(auto bytes, header());
  if (bytes.empty()) return {};  // read as the rest is, which then says so
  const auto kept = std::make_shared<const std::string>(std::move(bytes));
  Block block;
  block.bytes = Bytes(*kept, kept);
  GLIMPSE_TRY(note_header(*kept));
  push(std::move(block), kept->size());
  ::lseek(source_->descriptor(), static_cast<off_t>(kept->size()), SEEK_CUR);
  return {};
}

// What is wrong with the first is reported as a record.
Status FileInput::note_header(std::string_view header) {
  const std::size_t row = feed_->framing.row_bytes();
  const Status status = check_npy_header(header, row / sizeof(float));
  if (std::exchange(in_rows_, true) && !status)
    return failure(ErrorCode::kCorrupt, "{}: behind {} rows: {}", source_->name(), rows_,
                   status.error().message);
  rows_ += status ? npy_rows(header) : 0;
  const auto rows = npy_rows_bytes(header, row);
  end_ = rows ? std::optional(position_ + header.size() + *rows) : std::nullopt;
  return {};
}

// How many of the next bytes are of the rows that a header says; all where there is none.
std::size_t FileInput::announced(std::size_t size) const {
  return end_ ? static_cast<std::size_t>(std::min<std::uint64_t>(size, *end_ - std::min(position_, *end_)))
              : size;
}

Status FileInput::push_read(Bytes bytes) {
  const std::size_t whole = bytes.size();
  const bool at_header = feed_->framing.has_header() && (!in_rows_ || end_ == position_);
  const auto header = at_header ? npy_header_length(bytes.view) : Result<std::size_t>(std::size_t{0});
  if (header && *header == whole)
    GLIMPSE_TRY(note_header(bytes.view));  // which comes alone
  else
    bytes.view = bytes.view.substr(0, announced(whole));
  const std::size_t size = bytes.size();
  Block block;
  block.bytes = std::move(bytes);
  block.marks = marker_.mark(*feed_, block.bytes.view);
  block.lengths = LineMarker::measure(*feed_, block.bytes.view);
  if (size > 0) push(std::move(block), size);
  if (size == whole) return {};
  return failure(ErrorCode::kCorrupt,
                 "{}: has more behind the {} rows that its .npy header says, of which nothing is read: what "
                 "stands there must be another array, with a header of its own, as numpy.save writes it",
                 source_->name(), rows_);
}

Status FileInput::take_end(RecordBuffer& buffer) {
  if (source_->was_cut_short())
    return failure(ErrorCode::kSystem, "{}: was cut short while it was read", source_->name());
  if (source_->was_rewritten(position_, read_))
    spdlog::warn(
        "{}: was overwritten while it was read: records of its old and of its new contents may have been "
        "learned; write a new file, and rename it",
        source_->name());
  const bool is_amid_row = buffer.size() > 0 && !feed_->framing.is_lines() && source_->comes_again() &&
                           (in_rows_ || !feed_->framing.has_header()) && announced(1) > 0;
  const bool waits = source_->waits_for_line_end() && feed_->framing.is_lines();
  if (waits && buffer.end_opening()) GLIMPSE_TRY(push_records(buffer, 0));
  const bool is_left = buffer.size() > 0 && waits;
  if (is_left)
    spdlog::warn(
        "{}: its last line, of {} bytes, has not ended; it is left for a later start (--last-line wait)",
        source_->name(), buffer.size());
  else if (buffer.size() > 0 && !is_amid_row)
    if (const Status status = push_read(buffer.take_rest()); !status) return status;
  if (const std::uint64_t row = feed_->framing.row_bytes(); end_ && position_ < *end_)
    return failure(ErrorCode::kCorrupt, "{}: ends after {} of the {} rows that its .npy header says",
                   source_->name(), rows_ - (*end_ - position_ + row - 1) / row, rows_);
  if (is_amid_row)
    return failure(ErrorCode::kCorrupt,
                   "{}: ends within a row, after {} of its {} bytes; a later start reads it once it is whole",
                   source_->name(), buffer.size(), feed_->framing.row_bytes());
  return {};
}

// The next writer of a FIFO may begin with a header, as another file would.
void FileInput::begin_next_table() {
  auto next = std::make_shared<Feed>();
  next->door = feed_->door;
  next->framing = feed_->framing;
  next->replies = feed_->replies;
  next->begin_table = feed_->begin_table;
  feed_ = std::move(next);
  await_sample();
  position_ = 0;
  in_rows_ = false;
  rows_ = 0;
  end_.reset();
}

Status FileInput::ask_again() {
  const Feed& again = *feed_->again;
  const auto read = source_->read_again(again.position, feed_->position);
  std::optional<std::uint64_t> left;
  if (again.framing.has_header() && again.position > 0) {
    GLIMPSE_TRY_ASSIGN(const auto array, source_->array_at(again.position, again.framing.row_bytes()));
    if (array.end) left = *array.end - again.position;
  }
  RecordBuffer buffer(again.position > 0 ? again.framing.behind_header() : again.framing, pool_, left);
  while (replies_.wait_for_room(stopping_)) {
    GLIMPSE_TRY_ASSIGN(const auto count, read(buffer.room()));
    const bool at_end = count == std::size_t{0};
    buffer.filled(count.value_or(0));
    for (;;) {
      auto records = buffer.take_records();
      if (!records) return failure(records.error().code, "{}: {}", source_->name(), records.error().message);
      Block block;
      block.feed = feed_->again;
      block.bytes = *records ? std::move(**records) : at_end ? buffer.take_rest() : Bytes();
      const std::size_t size = block.bytes.size();
      if (size == 0) break;
      push(std::move(block), size);
    }
    if (at_end) break;
  }
  return {};
}

Status FileInput::read_all() {
  if (feed_->again)
    if (const Status status = ask_again(); !status) return status;
  const Framing framing = feed_->framing;
  const bool has_header = source_->is_regular() && framing.has_header();
  if (has_header && in_rows_) {  // it was read before
    GLIMPSE_TRY_ASSIGN(const auto array, source_->array_at(position_, framing.row_bytes()));
    rows_ = array.rows;
    end_ = array.end;
  } else if (has_header && source_->is_plain()) {
    if (const Status status = read_header(); !status) return status;
  }
  if (source_->is_plain() && !framing.is_lines() && (in_rows_ || !framing.has_header()) &&
      framing.row_bytes() >= kLeastRow)
    if (const Status status = read_mapped(); !status) return status;
  const auto left = end_ ? std::optional(*end_ - position_) : std::nullopt;
  RecordBuffer buffer(in_rows_ ? framing.behind_header() : framing, pool_, left);
  ::fcntl(source_->descriptor(), F_SETPIPE_SZ, kPipeBytes);  // fails, without harm, where it is no pipe
  Status first_failure;  // of a writer of a FIFO; the next ones are read all the same
  while (replies_.wait_for_room(stopping_) && wait_readable()) {
    const auto count = source_->read(buffer.room());
    if (count && !*count) continue;
    const bool is_end = count && **count == 0;
    const Status status = !count   ? Status(count.error())
                          : is_end ? take_end(buffer)
                                   : push_records(buffer, **count);
    if (status && !is_end) continue;
    if (has_sample_) {  // its last records may wait for more
      Block end;
      end.is_last = true;
      push(std::move(end), 0);
    }
    if (!status && (!source_->reads_on() || status.error().code == ErrorCode::kSystem)) return status;
    if (!status && !is_end) pass_over_writer(buffer.room());
    note_writer(status);
    if (first_failure) first_failure = status;
    if (!source_->read_on()) return first_failure;
    begin_next_table();
    buffer.clear();
    buffer.set_framing(feed_->framing);
  }
  return first_failure;
}

// The bytes that were read into the buffer's room.
Status FileInput::push_records(RecordBuffer& buffer, std::size_t count) {
  buffer.filled(count);
  for (;;) {
    auto records = buffer.take_records();
    if (!records)
      return failure(records.error().code, "{}: {}{}", source_->name(), records.error().message,
                     source_->reads_on() ? "" : "; reading stopped there");
    if (!*records) return {};
    GLIMPSE_TRY(push_read(std::move(**records)));
  }
}

// What its writers of now still bring into a FIFO is not read.
void FileInput::pass_over_writer(std::span<char> room) {
  source_->drop_ahead();
  while (wait_readable()) {
    const ssize_t count = ::read(source_->descriptor(), room.data(), room.size());
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

// How a writer of a FIFO ended: a failure shows until one has ended well.
void FileInput::note_writer(const Status& status) {
  if (!status)
    spdlog::error(
        "{}; what comes behind that from this writer is passed over, and what its next writers "
        "bring is read",
        status.error().message);
  if (status && !has_failed_) return;
  has_failed_ = !status;
  if_memory_allows("/readyz and metrics do not show that a FIFO's writer failed", [&] {
    queue_.post(
        [source = feed_->door, why = status ? std::string() : status.error().message](StreamProcessor&) {
          source->failure = why;
          if (!why.empty()) ++source->parse_errors;
        });
  });
}

}  // namespace glimpse
