#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// What the numbers of a saved array can be, by its name: learners compute no others, and could not go on
/// from others. An Error (kCorrupt) that names the array, the number and its place: it is not finite, or
/// beyond the limits that learners keep. O(the array's numbers). Thread-safety: a pure function.
Status check_limits(const Tensor& tensor);

/// Arrays that are only reported, of which nothing is learned: a number in one of them that check_limits()
/// refuses is no reason to save nothing. They, and the arrays that belong to them, become as if there was
/// nothing to report yet. Returns their names.
std::vector<std::string> reset_reports(State& state);

}  // namespace glimpse
