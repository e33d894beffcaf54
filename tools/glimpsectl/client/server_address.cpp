#include "glimpsectl/client/server_address.h"

#include <cstdint>
#include <sys/un.h>

#include "base/numbers.h"

namespace glimpse::ctl {

Result<ServerAddress> parse_server_address(std::string_view text, std::string_view option) {
  const auto refused = [&](std::string_view constraint) {
    return failure(ErrorCode::kInvalidOption, "{} '{}' {}", option, text, constraint);
  };
  ServerAddress address;
  address.text = text;
  std::string_view rest = text;

  if (rest.starts_with("unix:")) {
    rest.remove_prefix(5);
    if (rest.empty()) return refused("must name a path after unix:");
    if (rest.size() >= sizeof(sockaddr_un::sun_path))
      return refused(fmt::format("has a path of {} bytes; sockets allow {}", rest.size(),
                                 sizeof(sockaddr_un::sun_path) - 1));
    address.path = rest;
    return address;
  }

  if (!rest.starts_with("tcp:")) return refused("must be tcp:HOST:PORT or unix:PATH");
  rest.remove_prefix(4);
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return refused("must be tcp:HOST:PORT");
  std::string_view host = rest.substr(0, colon);
  const std::string_view port = rest.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return refused("must have its IPv6 address in brackets, as in tcp:[::1]:PORT");
  }
  if (host.empty()) return refused("must be tcp:HOST:PORT");
  if (whole_text_as<std::uint16_t>(port).value_or(0) == 0) return refused("must have a port from 1 to 65535");
  address.host = host;
  address.port = port;
  return address;
}

}  // namespace glimpse::ctl
