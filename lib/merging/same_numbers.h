#pragma once

#include <memory>

#include "base/result.h"
#include "data/records/attribute_names.h"
#include "learn/core/learner.h"
#include "learn/core/merging.h"

namespace glimpse {

/// A learner and what its numbers mean.
struct NamedLearner {
  std::unique_ptr<Learner> learner;
  AttributeNames names;
};

/// What the numbers of `other` are in `into`, whose names grow by those that it does not have: attributes,
/// words of attributes and classes are matched by name. Where only one of them names attributes they are
/// matched by number. Attributes that neither has seen have whatever numbers are left. A function of both
/// alone: what is new gets numbers in the order that it has in `other`. Errors (kMismatch): there is no
/// number left, an attribute has a name here and only a number there, or labels are words and numbers. `into`
/// must not be used after one. O(d + words).
Result<Numbering> same_numbers(NamedLearner& into, const NamedLearner& other);

}  // namespace glimpse
