#include "learn/draws/plan_blocks.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numbers>

namespace glimpse {

PlanBlocks::PlanBlocks(const LearnerOptions& options)
    : shows_all_(options.budget >= options.dimension),
      most_remembered_(options.half_life ? static_cast<double>(*options.half_life) / std::numbers::ln2
                                         : std::numeric_limits<double>::infinity()) {
  if (options.budget_cost || options.products > 0 || options.drift == Drift::kAuto) return;
  const auto k = static_cast<double>(options.budget);
  const auto d = static_cast<double>(options.dimension);
  if (options.dimension > 1) share_ = std::min(1 / kPlans, k * (k - 1) / (d * (d - 1)));
}

std::uint32_t PlanBlocks::size_after(std::uint64_t examples) const {
  const double remembered = std::min(static_cast<double>(examples), most_remembered_);
  const double most = std::clamp(remembered * share_, 1.0, static_cast<double>(PlanBlock::kMost));
  return std::bit_floor(static_cast<std::uint32_t>(most));
}

// The plan that is there stays good for the block that it was drawn for.
void PlanBlocks::set_block(const PlanBlock& block) {
  is_drawn_ = is_drawn_ && block.is_open() && block.seed == block_.seed;
  block_ = share_ > 0 ? block : PlanBlock();
}

}  // namespace glimpse
