#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "learn/options/options.h"

namespace glimpse {

/// Whether options.budget_cost is something that the algorithm can plan within. The Error (kInvalidOption)
/// names option, value and constraint as on the command line. O(d).
Status validate_budget_cost(const LearnerOptions& options);

/// The attributes that no plan within options.budget_cost ever holds, ascending. For pairwise they are those
/// that cost more than the limit. For the first-order learners they are those that cost more than half of it,
/// as no product of two such attributes could be bought. Empty without a limit. O(d).
std::vector<Attribute> beyond_budget(const LearnerOptions& options);

/// The others.
std::vector<Attribute> within_budget(const LearnerOptions& options);

/// A number that differs where prices, the limit or `buying` do; 0 without a limit. What was planned under
/// another number is planned again. O(d).
std::uint64_t price_fingerprint(const LearnerOptions& options);

}  // namespace glimpse
