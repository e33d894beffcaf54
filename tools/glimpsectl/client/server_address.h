#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse::ctl {

/// Where a door of a daemon is.
struct ServerAddress {
  std::string text;  ///< as it was given, for messages
  std::string path;  ///< of the socket; empty for TCP
  std::string host;  ///< without brackets
  std::string port;
  std::string token;  ///< to be shown there; empty: none

  bool is_unix() const { return !path.empty(); }
};

/// Reads tcp:HOST:PORT (IPv6 as tcp:[::1]:PORT) or unix:PATH. Errors: kInvalidOption, naming `option`.
Result<ServerAddress> parse_server_address(std::string_view text, std::string_view option = "--server");

}  // namespace glimpse::ctl
