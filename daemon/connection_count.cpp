#include "daemon/connection_count.h"

#include <algorithm>

namespace glimpse {

ConnectionCount::Place ConnectionCount::take(const std::string& address, std::size_t spare,
                                             std::string& why) {
  if (open_ >= limit + spare) {
    ++refused.total;
    why = "--max-connections is reached";
    return nullptr;
  }
  if (!address.empty()) {
    std::size_t& count = of_address_[address];
    if (limit_per_address > 0 && count >= limit_per_address) {
      ++refused.address;
      why = "--max-connections-per-address is reached for " + address;
      return nullptr;
    }
    ++count;
  }
  ++open_;
  return {this, [this, address](const void*) {
            --open_;
            const auto known = of_address_.find(address);
            if (known != of_address_.end() && --known->second == 0) of_address_.erase(known);
          }};
}

void ConnectionCount::note_timeout(const std::string& message) {
  ++refused.timeout;
  warnings_.warn(message);
}

void ConnectionCount::note_malformed(const std::string& message) {
  ++refused.malformed;
  warnings_.warn(message);
}

bool ConnectionCount::hold(std::size_t& held, std::size_t bytes) {
  const std::size_t others = unfinished_ - held;
  if (bytes > held && bytes > unfinished_limit - std::min(unfinished_limit, others)) return false;
  unfinished_ = others + bytes;
  held = bytes;
  return true;
}

}  // namespace glimpse
