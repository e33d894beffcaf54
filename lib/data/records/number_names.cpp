#include "data/records/number_names.h"

#include "data/text/text.h"

namespace glimpse {

Status check_number(const AttributeNames& names, std::string_view digits, std::uint64_t index) {
  const auto named = names.find(digits);
  if (!named || *named == index) return {};
  return failure(
      ErrorCode::kInvalidInput,
      "{} is the name of attribute {}, but as a key it is the number of another: give all values as "
      "an array, or name the attribute otherwise in the header or in --attributes",
      quoted(digits), *named);
}

}  // namespace glimpse
