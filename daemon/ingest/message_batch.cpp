#include "daemon/ingest/message_batch.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "data/records/npy_header.h"

namespace glimpse {

namespace {
constexpr std::size_t kLeastShare = 4;  // of a buffer that is filled; what fills less is copied out of it

// The length of the longest line without its end.
std::size_t longest_line(std::string_view lines) {
  std::size_t longest = 0;
  while (!lines.empty()) {
    const std::size_t length = length_of_line(lines);
    longest = std::max(longest, length);
    lines.remove_prefix(std::min(length + 1, lines.size()));
  }
  return longest;
}
}  // namespace

void MessageBatch::add(std::string_view value, std::uint64_t offset) {
  if (framing_.is_lines()) {
    const std::size_t most = framing_.max_line_bytes();
    if (value.size() > most)
      if (const std::size_t longest = longest_line(value); longest > most)
        return refuse(offset,
                      fmt::format("the message has a line of {} bytes, over the limit of {} bytes "
                                  "(--max-line); none of it is learned",
                                  longest, most),
                      true);
    append(value, !value.ends_with(framing_.end_of_line()));
  } else {
    if (framing_.has_header()) {
      const auto length = npy_header_length(value);
      if (!length) return refuse(offset, length.error().message);
      if (*length == 0) return refuse(offset, "the message ends amid numpy's header");
      const Status fits = check_npy_header(value.substr(0, *length), framing_.row_bytes() / sizeof(float));
      if (!fits) return refuse(offset, fits.error().message);
      const std::uint64_t rows = npy_rows(value.substr(0, *length));
      value.remove_prefix(*length);
      if (value.size() / framing_.row_bytes() != rows)
        return refuse(
            offset, fmt::format("the message has {} rows, and its .npy header says {}; none of it is learned",
                                value.size() / framing_.row_bytes(), rows));
    }
    if (value.size() % framing_.row_bytes() != 0)
      return refuse(offset, fmt::format("the message has {} bytes of rows, which is no whole number of rows "
                                        "of {} bytes; none of it is learned",
                                        value.size(), framing_.row_bytes()));
    append(value, false);
  }
  messages_.push_back({size_, offset, false, nullptr});
}

void MessageBatch::add_tombstone(std::uint64_t offset) {
  messages_.push_back({size_, offset, true, nullptr});
}

void MessageBatch::refuse(std::uint64_t offset, std::string why, bool is_oversized) {
  messages_.push_back(
      {size_, offset, false, std::make_shared<const std::string>(std::move(why)), is_oversized});
}

void MessageBatch::append(std::string_view records, bool ends_line) {
  const std::size_t wanted = size_ + records.size() + framing_.unit();
  if (wanted > capacity_) {
    const std::size_t usual = pool_->buffer_bytes();
    const std::size_t larger = std::max(wanted, std::min(2 * capacity_, wanted + usual));
    std::shared_ptr<char[]> next =
        wanted <= usual ? pool_->take() : std::shared_ptr<char[]>(new char[larger]);
    if (size_ > 0) std::memcpy(next.get(), memory_.get(), size_);
    memory_ = std::move(next);
    capacity_ = wanted <= usual ? usual : larger;
  }
  if (!records.empty()) std::memcpy(memory_.get() + size_, records.data(), records.size());
  size_ += records.size();
  if (!ends_line) return;
  const std::string end = framing_.end_of_line();
  std::memcpy(memory_.get() + size_, end.data(), end.size());
  size_ += end.size();
}

Block MessageBatch::take() {
  Block block;
  // A block that waits to be learned counts by its bytes, so it must not hold many more.
  if (size_ < capacity_ / kLeastShare)
    block.bytes = Bytes(std::string(memory_.get(), size_));
  else
    block.bytes = {{memory_.get(), size_}, memory_};
  block.messages = std::make_shared<const std::vector<BlockMessage>>(std::exchange(messages_, {}));
  if (block.bytes.memory == memory_) memory_.reset();
  if (memory_ == nullptr) capacity_ = 0;
  size_ = 0;
  return block;
}

}  // namespace glimpse
