#pragma once

#include <cctype>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace glimpse::ctl {

/// `text` as a value in the query of a path.
inline std::string as_query_value(std::string_view text) {
  std::string value;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.')
      value += c;
    else
      value += fmt::format("%{:02X}", byte);
  }
  return value;
}

}  // namespace glimpse::ctl
