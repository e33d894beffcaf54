#include "daemon/net/connection_count.h"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

namespace glimpse {

namespace {

// What an address is counted as. A client with one IPv6 address usually has the 2^64 of its /64.
std::string counted_as(const std::string& address) {
  namespace ip = boost::asio::ip;
  boost::system::error_code error;
  const ip::address parsed = ip::make_address(address, error);
  if (error || parsed.is_v4()) return address;
  const ip::address_v6 v6 = parsed.to_v6();
  if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
  ip::address_v6::bytes_type bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  return ip::address_v6(bytes, v6.scope_id()).to_string() + "/64";
}

}  // namespace

ConnectionCount::Place ConnectionCount::take(const std::string& address, std::size_t spare,
                                             std::string& why) {
  if (open_ >= limit + spare) {
    ++refused.total;
    why = "--max-connections is reached";
    return nullptr;
  }
  const std::string key = counted_as(address);
  if (!key.empty()) {
    std::size_t& count = of_address_[key];
    if (limit_per_address > 0 && count >= limit_per_address) {
      ++refused.address;
      why = "--max-connections-per-address is reached for " + key;
      return nullptr;
    }
    ++count;
  }
  ++open_;
  return {this, [this, key](const void*) {
            --open_;
            const auto known = of_address_.find(key);
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

void ConnectionCount::note_unread(const std::string& message) {
  ++refused.unread;
  warnings_.warn(message);
}

}  // namespace glimpse
