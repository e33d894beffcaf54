#pragma once

#include <string>
#include <string_view>

#include "manual/description.h"

namespace glimpse::manual {

/// The page in mdoc(7), as man and mandoc read it. `date` is what stands at its foot: "May 1, 2026".
std::string mdoc(const Page& page, std::string_view date);

/// Text of mdoc: paragraphs become lines of at most 78 bytes that end with each sentence; indented lines stay
/// as they are.
std::string mdoc_text(std::string_view text);

}  // namespace glimpse::manual
