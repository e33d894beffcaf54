#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse::ctl {

/// Where a door of a daemon is, and how to come in.
struct ServerAddress {
  std::string text;  ///< as it was given, for messages
  std::string path;  ///< of the socket; empty for TCP
  std::string host;  ///< without brackets
  std::string port;
  bool is_tls = false;
  bool is_url = false;      ///< http: or https:, which no stream door is
  std::string token;        ///< to be shown there; empty: none
  std::string authorities;  ///< a PEM file of certificates to trust; empty: the system's. For TLS

  bool is_unix() const { return !path.empty(); }
  /// The same place with TLS or without, as one would write it. Not for Unix sockets.
  std::string with_tls(bool tls) const;
};

/// Reads tcp:HOST:PORT (IPv6 as tcp:[::1]:PORT), tls:HOST:PORT, unix:PATH, or a URL http://HOST:PORT or
/// https://HOST:PORT without a path, whose port may be left out. Errors: kInvalidOption, naming `option`.
Result<ServerAddress> parse_server_address(std::string_view text, std::string_view option = "--server");

}  // namespace glimpse::ctl
