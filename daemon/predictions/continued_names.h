#pragma once

#include "base/result.h"
#include "data/records/attribute_names.h"

namespace glimpse {

/// Whether `now` goes on from `before`: each attribute that had a name has it still, and each word has its
/// code. Then a record that is read with `now` is understood by a model that was learned with `before`. What
/// is new is nothing to that model. Errors (kMismatch) name the first difference. O(names and words).
Status check_continued(const AttributeNames& before, const AttributeNames& now);

}  // namespace glimpse
