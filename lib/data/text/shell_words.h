#pragma once

#include <string>
#include <string_view>

namespace glimpse {

/// `text` as a word of a shell's command: as it is, or in single quotes, "'my file.csv'".
std::string shell_word(std::string_view text);
/// The same behind an option: " temp", " 'last name'", or "=#3", where a shell begins no comment.
std::string shell_argument(std::string_view text);

}  // namespace glimpse
