#pragma once

#include <cstddef>
#include <string>

#include "data/text/text.h"
#include "fuzzing.h"

/// A message that may stand on a terminal, in a log and in JSON: UTF-8 without control characters.
inline void require_shown(const std::string& message) {
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto byte = static_cast<unsigned char>(message[i]);
    require(byte >= 0x20 && byte != 0x7f);
    // U+0080 to U+009F.
    require(byte != 0xc2 || i + 1 == message.size() || static_cast<unsigned char>(message[i + 1]) >= 0xa0);
  }
  require(glimpse::valid_utf8(message) == message);
}
