#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/types.h"
#include "data/records/example_reader.h"

namespace glimpse {

/// An attribute that occurs more than once, if there is one; `attributes` are sorted for that. O(n) when they
/// ascend, O(n log n) otherwise. Allocates nothing.
std::optional<Attribute> repeated_attribute(std::vector<Attribute>& attributes);

/// Makes one entry, at the place of the first, of all that give the same attribute; its value is their sum,
/// added in order. Costs as above. `scratch` is any vector that the caller keeps, so that nothing is
/// allocated in the long run.
void add_up_repeats(std::vector<Entry>& entries, std::vector<std::uint32_t>& scratch);

}  // namespace glimpse
