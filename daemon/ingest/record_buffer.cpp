#include "daemon/ingest/record_buffer.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace glimpse {

struct BufferPool::Kept {
  std::size_t most = 0;
  std::mutex mutex;
  std::vector<std::unique_ptr<char[]>> buffers;  // under mutex; the one used last is last
  std::size_t unused = 0;  // under mutex: how many of them no take() of the window came to
  std::size_t taken = 0;   // under mutex: of the window

  void put(std::unique_ptr<char[]> buffer) {
    const std::lock_guard lock(mutex);
    if (buffers.size() < most) buffers.push_back(std::move(buffer));
  }
  std::unique_ptr<char[]> take() {
    const std::lock_guard lock(mutex);
    std::unique_ptr<char[]> buffer;
    if (!buffers.empty()) {
      buffer = std::move(buffers.back());
      buffers.pop_back();
    }
    unused = std::min(unused, buffers.size());
    if (++taken == BufferPool::kWindow) {
      buffers.erase(buffers.begin(), buffers.begin() + static_cast<std::ptrdiff_t>(unused));
      unused = buffers.size();
      taken = 0;
    }
    return buffer;
  }
};

BufferPool::BufferPool(std::size_t buffer_bytes, std::size_t kept)
    : buffer_bytes_(buffer_bytes), kept_(std::make_shared<Kept>()) {
  kept_->most = kept;
  kept_->buffers.reserve(kept);
}

std::size_t BufferPool::idle() const {
  const std::lock_guard lock(kept_->mutex);
  return kept_->buffers.size();
}

std::shared_ptr<char[]> BufferPool::take() {
  auto buffer = kept_->take();
  if (!buffer) buffer.reset(new char[buffer_bytes_]);  // make_unique would fill it with zeros
  return {buffer.release(), [kept = kept_](char* bytes) { kept->put(std::unique_ptr<char[]>(bytes)); }};
}

std::span<char> RecordBuffer::room() {
  const std::size_t least = pool_.buffer_bytes() / 4;
  if (capacity_ - end_ < least) {
    const std::size_t rest = size();
    const std::size_t wanted = rest < pool_.buffer_bytes() / 2 ? pool_.buffer_bytes() : 2 * rest;
    std::shared_ptr<char[]> next =
        wanted == pool_.buffer_bytes() ? pool_.take() : std::shared_ptr<char[]>(new char[wanted]);
    if (rest > 0) std::memcpy(next.get(), memory_.get() + begin_, rest);
    memory_ = std::move(next);
    capacity_ = wanted;
    begin_ = 0;
    end_ = rest;
  }
  return {memory_.get() + end_, capacity_ - end_};
}

Result<std::optional<Bytes>> RecordBuffer::take_records() {
  if (size() == 0) {
    clear();
    return std::optional<Bytes>();
  }
  GLIMPSE_TRY_ASSIGN(const auto whole, framer_.whole_records({memory_.get() + begin_, size()}));
  if (whole == 0) return std::optional<Bytes>();
  Bytes records{{memory_.get() + begin_, whole}, memory_};
  records.has_quote = framer_.has_quote();
  begin_ += whole;
  return std::optional<Bytes>(std::move(records));
}

Bytes RecordBuffer::take_rest() {
  Bytes rest;
  if (size() > 0) rest = {{memory_.get() + begin_, size()}, memory_};
  memory_.reset();
  capacity_ = begin_ = end_ = 0;
  framer_.reset();
  return rest;
}

}  // namespace glimpse
