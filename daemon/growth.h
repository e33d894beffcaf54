#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/options/options.h"

namespace glimpse {

/// What a start changes about the state that it goes on from: attributes that are new, behind those that the
/// state has, and another budget. `names` are those of all attributes now, none where nobody says them.
/// Nothing: the state fits as it is, or is of a learner that cannot change so; restoring it then says what to
/// do instead. The log tells what changed, unless `is_quiet`. Errors: of with_more_attributes().
Result<std::optional<State>> grow(const State& state, const LearnerOptions& options,
                                  const std::vector<std::string>& names, bool is_quiet = false);

/// The names that the attributes of `state` have, all of which a header or file gave them, and behind them
/// those of `header` that are not among them. Empty: the state has not all names, or the header not all of
/// the state's.
std::vector<std::string> names_with_new(const State& state, const std::vector<std::string>& header);

}  // namespace glimpse
