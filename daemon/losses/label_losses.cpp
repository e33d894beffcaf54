#include "daemon/losses/label_losses.h"

#include <cstdint>
#include <fmt/format.h>

#include "learn/options/options.h"

namespace glimpse {

void LabelLosses::save(State& state, const std::string& name) const {
  if (losses_.empty()) return;
  state.put_number(name + ".labels", std::uint64_t{losses_.size()});
  for (std::size_t l = 0; l < losses_.size(); ++l)
    losses_[l].save(state, fmt::format("{}.label{}", name, l + 1));
}

Status LabelLosses::restore(const State& state, const std::string& name) {
  losses_.clear();
  const auto count = state.get_number<std::uint64_t>(name + ".labels", std::uint64_t{0});
  if (!count) return count.error();
  if (*count >= LearnerOptions::kMostLabels)
    return failure(ErrorCode::kCorrupt, "{}.labels is {}, must be below {}", name, *count,
                   LearnerOptions::kMostLabels);
  losses_.resize(*count);
  for (std::size_t l = 0; l < losses_.size(); ++l)
    if (const Status status = losses_[l].restore(state, fmt::format("{}.label{}", name, l + 1)); !status)
      return status;
  return {};
}

}  // namespace glimpse
