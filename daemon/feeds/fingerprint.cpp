#include "daemon/feeds/fingerprint.h"

#include <algorithm>
#include <xxhash.h>

namespace glimpse {

void Fingerprint::add(std::string_view bytes) {
  head_ += bytes.substr(0, kBytes - head_.size());
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), kBytes));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), kBytes));
}

std::uint64_t Fingerprint::value() const {
  const std::string both = head_ + tail_;
  return std::max<std::uint64_t>(XXH3_64bits(both.data(), both.size()), 1);
}

}  // namespace glimpse
