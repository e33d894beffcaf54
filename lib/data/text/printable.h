#pragma once

#include <string>
#include <string_view>

namespace glimpse {

/// `text` with everything that could steer a terminal or end a line made visible as \xNN. Names of files,
/// attributes and sources come from others, who must not write to a log or an operator's screen what they
/// like.
std::string printable(std::string_view text);

}  // namespace glimpse
