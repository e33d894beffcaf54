#include "daemon/net/address.h"

#include <cstddef>

namespace glimpse {

std::string Address::text() const {
  switch (kind) {
    case Kind::kTcp:
      return "tcp:" + host + ":" + port;
    case Kind::kUnix:
      return "unix:" + host;
    case Kind::kSystemd:
      return "systemd:" + host;
  }
  return {};
}

Result<Address> parse_address(const std::string& option, const std::string& text) {
  Address address;
  if (text.starts_with("unix:") || text.starts_with("systemd:")) {
    const bool is_unix = text.starts_with("unix:");
    address.kind = is_unix ? Address::Kind::kUnix : Address::Kind::kSystemd;
    address.host = text.substr(text.find(':') + 1);
    if (address.host.empty()) return invalid_option(option, text, "names nothing after the colon");
    if (is_unix && address.host.size() > 107)
      return invalid_option(option, text, "a socket's path is at most 107 bytes long");
    return address;
  }
  const std::string rest = text.starts_with("tcp:") ? text.substr(4) : text;
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == rest.size())
    return invalid_option(option, text, "must be tcp:HOST:PORT, unix:PATH or systemd:NAME");
  address.host = rest.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  address.port = rest.substr(colon + 1);
  const bool digits =
      address.port.find_first_not_of("0123456789") == std::string::npos && address.port.size() <= 5;
  if (!digits || std::stoul(address.port) > 65535)
    return invalid_option(option, text, "a port is a number from 0 to 65535");
  return address;
}

}  // namespace glimpse
