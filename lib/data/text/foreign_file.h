#pragma once

#include <string>
#include <string_view>

namespace glimpse {

/// What an input is that begins with `bytes` and holds no lines of examples, and what to do instead: "this is
/// a zip file, as Excel's .xlsx is: save the table as CSV". Empty: it may be lines. Looks at the first 262
/// bytes.
std::string foreign_file(std::string_view bytes);

}  // namespace glimpse
