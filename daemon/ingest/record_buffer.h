#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "daemon/feeds/block.h"
#include "data/records/record_framer.h"

namespace glimpse {

/// Memory to read into that is used again and again: neither taken from the system nor filled with zeros for
/// every read. What take() gives goes back by itself when its last holder lets go, also after the pool's end.
/// Buffers that a rare rush left behind are freed again: those that lay idle while kWindow others were taken.
/// Thread-safety: full.
class BufferPool {
 public:
  static constexpr std::size_t kWindow = 256;

  /// `kept` buffers are kept for later at most; others are freed.
  explicit BufferPool(std::size_t buffer_bytes, std::size_t kept);

  std::size_t buffer_bytes() const { return buffer_bytes_; }
  /// buffer_bytes() of memory, of any content.
  std::shared_ptr<char[]> take();
  /// Buffers that lie ready.
  std::size_t idle() const;

 private:
  struct Kept;

  const std::size_t buffer_bytes_;
  const std::shared_ptr<Kept> kept_;
};

/// What is read from a pipe, file or socket, cut into whole records. The records stay where they were read:
/// views of them keep the memory. Only what is begun of a record at the end of the memory is copied, into
/// the next. It holds memory while bytes wait in it that are no whole record, and between room() and
/// take_records(). Thread-safety: none; the views may be used on any thread.
class RecordBuffer {
 public:
  /// `pool` outlives this.
  RecordBuffer(Framing framing, BufferPool& pool, std::optional<std::uint64_t> left = std::nullopt)
      : framer_(framing, left), pool_(pool) {}

  /// Where to read into; not empty. The caller then says how much of it was filled.
  std::span<char> room();
  void filled(std::size_t count) { end_ += count; }

  /// The whole records so far; nothing when there are none. To be called until there are none. An Error when
  /// a line is over the limit, as RecordFramer says.
  Result<std::optional<Bytes>> take_records();
  /// What was not taken, to look at before it is cut into records.
  std::string_view view() const { return {memory_.get() + begin_, size()}; }
  /// Takes away its first `count` bytes. Before any take_records().
  void drop(std::size_t count) { begin_ += count; }
  /// How what comes is cut. Before any take_records().
  void set_framing(Framing framing) { framer_ = RecordFramer(framing); }
  /// Nothing comes any more: lines that wait for one that tells their format are records. False: none waits.
  bool end_opening() { return framer_.end_opening() && size() > 0; }
  /// The beginning of a record that was not taken.
  std::size_t size() const { return end_ - begin_; }
  /// Takes that; empty where there is none.
  Bytes take_rest();
  void clear() { take_rest(); }

 private:
  RecordFramer framer_;
  BufferPool& pool_;
  std::shared_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace glimpse
