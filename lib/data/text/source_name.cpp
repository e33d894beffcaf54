#include "data/text/source_name.h"

#include <algorithm>

#include "data/text/text.h"

namespace glimpse {

Status check_source_name(std::string_view what, std::string_view name) {
  constexpr std::string_view kConstraint = "printable ASCII characters without blanks and '='";
  if (name.empty() || name.size() > kMostSourceName)
    return failure(ErrorCode::kInvalidInput, "{} {} has {} characters; a name has 1 to {}, {}", what,
                   in_quotes(name), name.size(), kMostSourceName, kConstraint);
  const auto* const bad =
      std::find_if(name.begin(), name.end(), [](char c) { return c <= ' ' || c > '~' || c == '='; });
  if (bad != name.end())
    return failure(ErrorCode::kInvalidInput, "{} {}: character {} cannot be in a name, which has {}", what,
                   in_quotes(name), bad - name.begin() + 1, kConstraint);
  return {};
}

}  // namespace glimpse
