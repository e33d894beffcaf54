#include "glimpsectl/client/server_address.h"

#include <cstdint>
#include <fmt/format.h>
#include <sys/un.h>

#include "base/numbers.h"

namespace glimpse::ctl {

namespace {

// How addresses begin that name a host.
struct Scheme {
  std::string_view prefix;
  bool is_tls;
  bool is_url;
  std::string_view port;  // where none is given; empty: it must be
};
constexpr Scheme kSchemes[] = {{"tcp:", false, false, ""},
                               {"tls:", true, false, ""},
                               {"http://", false, true, "80"},
                               {"https://", true, true, "443"}};

const Scheme* scheme_of(std::string_view text) {
  for (const Scheme& scheme : kSchemes)
    if (text.starts_with(scheme.prefix)) return &scheme;
  return nullptr;
}

}  // namespace

std::string ServerAddress::with_tls(bool tls) const {
  const std::string_view prefix = is_url ? (tls ? "https://" : "http://") : (tls ? "tls:" : "tcp:");
  const bool six = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}{}:{}", prefix, six ? "[" : "", host, six ? "]" : "", port);
}

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

  const Scheme* scheme = scheme_of(text);
  const std::string_view before_port = text.substr(0, text.rfind(':'));
  const bool is_bare = before_port.size() < text.size() &&
                       (before_port.find(':') == std::string_view::npos || before_port.starts_with('['));
  if (scheme == nullptr && is_bare) {  // HOST:PORT, as --http takes it
    scheme = kSchemes;
    rest = text;
  } else if (scheme != nullptr) {
    rest.remove_prefix(scheme->prefix.size());
  }
  if (scheme == nullptr) return refused("must be tcp:HOST:PORT, tls:HOST:PORT or unix:PATH");
  const std::string whole = fmt::format("must be {}HOST:PORT", scheme->prefix);
  address.is_tls = scheme->is_tls;
  address.is_url = scheme->is_url;
  if (scheme->is_url && rest.ends_with('/')) rest.remove_suffix(1);
  if (scheme->is_url && rest.find_first_of("/?#@") != std::string_view::npos)
    return refused(whole + ", without a path or a user");
  auto colon = rest.rfind(':');
  if (scheme->is_url && (colon == std::string_view::npos || rest.ends_with(']'))) colon = rest.size();
  if (colon == std::string_view::npos || colon == 0) return refused(whole);
  std::string_view host = rest.substr(0, colon);
  const std::string_view port = colon == rest.size() ? scheme->port : rest.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return refused(fmt::format("must have its IPv6 address in brackets, as in {}[::1]:PORT", scheme->prefix));
  }
  if (host.empty()) return refused(whole);
  if (whole_text_as<std::uint16_t>(port).value_or(0) == 0) return refused("must have a port from 1 to 65535");
  address.host = host;
  address.port = port;
  return address;
}

}  // namespace glimpse::ctl
