#include "daemon/ingest/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace glimpse {

namespace {
constexpr std::size_t kRawBytes = std::size_t{64} << 10;
}

ByteStream ByteStream::from_beginning(int descriptor, std::uint64_t plain_from) {
  ByteStream stream(descriptor);
  stream.offset_ = plain_from;
  stream.is_decided_ = plain_from > 0;
  return stream;
}

Result<std::optional<std::size_t>> ByteStream::read_raw(std::span<char> room) {
  const ssize_t count = offset_ ? ::pread(descriptor_, room.data(), room.size(), static_cast<off_t>(*offset_))
                                : ::read(descriptor_, room.data(), room.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return std::optional<std::size_t>();
  if (count < 0) return failure(ErrorCode::kSystem, "cannot be read: {}", std::strerror(errno));
  if (offset_) *offset_ += static_cast<std::uint64_t>(count);
  return std::optional(static_cast<std::size_t>(count));
}

// Into raw_, behind what is there.
Result<std::optional<std::size_t>> ByteStream::read_more() {
  raw_.erase(0, std::exchange(used_, 0));
  const std::size_t size = raw_.size();
  raw_.resize(size + kRawBytes);
  const auto count = read_raw({raw_.data() + size, kRawBytes});
  raw_.resize(size + (count && *count ? **count : 0));
  return count;
}

Result<std::optional<std::size_t>> ByteStream::read(std::span<char> room) {
  while (!is_decided_) {
    const auto count = read_more();
    if (!count || !*count) return count;
    is_decided_ = **count == 0 || raw_.size() >= Decompressor::kMagicBytes;
    if (is_decided_) decompressor_ = Decompressor::for_bytes(raw_);
  }
  if (decompressor_) return decompress(room);
  if (used_ == raw_.size()) return read_raw(room);
  const std::size_t count = std::min(room.size(), raw_.size() - used_);
  std::memcpy(room.data(), raw_.data() + used_, count);
  used_ += count;
  if (used_ == raw_.size()) {
    raw_ = std::string();
    used_ = 0;
  }
  return std::optional(count);
}

Result<std::optional<std::size_t>> ByteStream::decompress(std::span<char> room) {
  for (;;) {
    if (needs_more_) {
      const auto count = read_more();
      if (!count || !*count) return count;
      if (**count == 0 && !decompressor_->is_whole())
        return failure(ErrorCode::kCorrupt, "ends amid its {} data: it is cut short", decompressor_->name());
      if (**count == 0) return count;
    }
    const auto step = decompressor_->decompress(std::string_view(raw_).substr(used_), room);
    if (!step) return step.error();
    used_ += step->consumed;
    needs_more_ = step->needs_input;
    if (step->produced > 0) return std::optional(step->produced);
  }
}

}  // namespace glimpse
