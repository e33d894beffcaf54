#pragma once

#include <string>

#include "manual/description.h"

namespace glimpse::manual {

/// What bash sources to complete the program's options, commands, and values of which it knows the words.
std::string bash_completion(const Page& page);

/// The same for zsh, as a function that compinit finds.
std::string zsh_completion(const Page& page);

/// What a shell offers for a value that has no words.
enum class Offered { kNothing, kFiles, kFolders };
Offered offered_for(const OptionRow& option);

}  // namespace glimpse::manual
