#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace glimpse {

/// Where to listen.
struct Address {
  enum class Kind : std::uint8_t { kTcp, kUnix, kSystemd };
  Kind kind = Kind::kTcp;
  std::string host;  ///< tcp: a name or number; unix: the path; systemd: the descriptors' name
  std::string port;  ///< tcp

  std::string text() const;  ///< as parse_address() reads it
  bool operator==(const Address&) const = default;
};

/// "tcp:HOST:PORT", "HOST:PORT", "unix:PATH" or "systemd:NAME". `option` is named in errors.
Result<Address> parse_address(const std::string& option, const std::string& text);

}  // namespace glimpse
