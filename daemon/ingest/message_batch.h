#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "daemon/feeds/block.h"
#include "daemon/ingest/record_buffer.h"
#include "data/records/record_framer.h"

namespace glimpse {

/// Messages of one partition, gathered into a block. A message holds whole records: lines, of which the last
/// need not end with a newline, or rows; of npy a whole array. One that does not, or that has a line over the
/// limit, is refused as a whole, and so are its records. Thread-safety: none.
class MessageBatch {
 public:
  /// `framing`: of the format (framing_of()); npy's header is taken off, so that rows are left. `pool`
  /// outlives this.
  MessageBatch(Framing framing, BufferPool& pool) : framing_(framing), pool_(&pool) {}

  /// Copies the records. Offsets ascend, and have gaps at times.
  void add(std::string_view value, std::uint64_t offset);
  void add_tombstone(std::uint64_t offset);

  bool empty() const { return messages_.empty(); }
  /// Of the records so far.
  std::size_t bytes() const { return size_; }
  /// A block of all that was added, which may have no bytes; the batch is empty then. Without feed and marks.
  Block take();

 private:
  void refuse(std::uint64_t offset, std::string why, bool is_oversized = false);
  void append(std::string_view records, bool ends_line);

  Framing framing_;
  BufferPool* pool_;
  std::shared_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::vector<BlockMessage> messages_;
};

}  // namespace glimpse
