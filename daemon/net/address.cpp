#include "daemon/net/address.h"

#include <cstddef>
#include <fmt/format.h>
#include <strings.h>

namespace glimpse {

std::string Address::text() const {
  switch (kind) {
    case Kind::kTcp:
      return (host.find(':') == std::string::npos ? "tcp:" + host : "tcp:[" + host + "]") + ":" + port;
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
  for (const std::string scheme : {"http://", "https://", "tls:"})
    if (::strncasecmp(text.c_str(), scheme.c_str(), scheme.size()) == 0) {
      const std::string bare = text.substr(scheme.size());
      return invalid_option(
          option, text,
          fmt::format("must be an address without {}: --{} {}{}", scheme, option,
                      bare.substr(0, bare.find('/')),
                      scheme == "http://" ? "" : " with --tls-cert FILE and --tls-key FILE"));
    }
  const std::string rest = text.starts_with("tcp:") ? text.substr(4) : text;
  if (rest.starts_with('[') && rest.ends_with(']'))
    return invalid_option(option, text, fmt::format("must have a port: tcp:{}:PORT", rest));
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == rest.size())
    return invalid_option(option, text, "must be tcp:HOST:PORT, unix:PATH or systemd:NAME");
  address.host = rest.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  else if (address.host.find(':') != std::string::npos)
    return invalid_option(option, text, "must have its IPv6 address in brackets, as in tcp:[::1]:PORT");
  address.port = rest.substr(colon + 1);
  const bool digits =
      address.port.find_first_not_of("0123456789") == std::string::npos && address.port.size() <= 5;
  if (!digits || std::stoul(address.port) > 65535)
    return invalid_option(option, text, "a port is a number from 0 to 65535");
  return address;
}

}  // namespace glimpse
