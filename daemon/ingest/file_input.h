#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "daemon/ingest/input_source.h"
#include "daemon/ingest/line_marker.h"
#include "daemon/ingest/record_buffer.h"
#include "daemon/ingest/reply_writer.h"
#include "daemon/training/block_queue.h"

namespace glimpse {

/// Standard input or a file, read on a thread of its own: the system's readiness notification refuses regular
/// files, and a blocking read overlaps with learning as well. The thread waits while the queue is full, or
/// while nobody takes the replies. At the end of the input a last line without newline counts as a line,
/// unless InputSource::waits_for_line_end(). Rows of a fixed size in a regular file are not read but mapped,
/// so that of each only what is revealed is ever touched; what is appended meanwhile is read. Thread-safety:
/// start(), stop() and the destructor from one thread.
class FileInput {
 public:
  /// How it ended; an error: reading failed, a line passed the limit, or there was no memory to read into
  /// (kUnavailable).
  using Ended = std::function<void(Status)>;

  /// Reads `source` from where it stands.
  static Result<std::unique_ptr<FileInput>> make(std::unique_ptr<InputSource> source,
                                                 std::shared_ptr<Feed> feed, BlockQueue& queue,
                                                 ReplyWriter& replies, Ended ended);
  ~FileInput();

  void start();
  const InputSource& source() const { return *source_; }
  /// Whether a regular file begins as its format does, as far as that can be told before start(). Errors: as
  /// reading it would end.
  Status check_beginning() const;
  /// Stops reading soon; what was read is queued.
  void stop();

 private:
  FileInput(std::unique_ptr<InputSource> source, int wake, std::shared_ptr<Feed> feed, BlockQueue& queue,
            ReplyWriter& replies, Ended ended);
  void run();
  Status read_all();
  Result<std::string> header() const;
  Status read_header();
  /// Before the rest is read: the questions that the checkpoint has behind it (Feed::again).
  Status ask_again();
  Status read_mapped();
  bool wait_readable();
  Status note_header(std::string_view header);
  std::size_t announced(std::size_t size) const;
  Status push_read(Bytes bytes);
  Status push_records(RecordBuffer& buffer, std::size_t count);
  void await_sample();
  Status take_end(RecordBuffer& buffer);
  void pass_over_writer(std::span<char> room);
  void note_writer(const Status& status);
  void push(Block block, std::size_t expected_bytes);
  void begin_next_table();

  const std::unique_ptr<InputSource> source_;
  const int wake_;  // an eventfd that stop() raises
  std::shared_ptr<Feed> feed_;
  BlockQueue& queue_;
  ReplyWriter& replies_;
  const Ended ended_;
  BufferPool pool_;
  LineMarker marker_;
  bool in_rows_;                      // behind the header, where the format has one
  const bool has_sample_;             // the last of its records may wait for more
  std::uint64_t position_;            // of the input's bytes, where what is pushed next begins
  Fingerprint read_;                  // of the bytes before it, where the input is addressable
  std::uint64_t rows_ = 0;            // that headers said
  std::optional<std::uint64_t> end_;  // where these end
  bool has_failed_ = false;           // the newest writer of a FIFO
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace glimpse
