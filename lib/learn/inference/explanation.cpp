#include "learn/inference/explanation.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

namespace {

// Equal amounts by their slots: the order is the same each time.
bool is_larger(const Explanation::Part& a, const Explanation::Part& b) {
  const double x = std::abs(a.amount);
  const double y = std::abs(b.amount);
  return x != y ? x > y : a.slot < b.slot;
}

}  // namespace

void Explanation::keep(std::size_t top) {
  const std::size_t kept = std::min(top, parts.size());
  std::partial_sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(kept), parts.end(), is_larger);
  for (std::size_t p = kept; p < parts.size(); ++p) rest += parts[p].amount;
  parts.resize(kept);
}

Explanation explain(const Solution& solution, std::span<const Entry> known,
                    const PartialPrediction& prediction, std::size_t top) {
  const TargetMoments& moments = solution.moments;
  Explanation result;
  result.at_means = solution.label_outward(solution.label_inward(solution.model.bias) + moments.expected);
  double known_mean = 0;  // Σ_known w_iμ_i
  for (const auto& [slot, value] : known) {
    const double w = solution.weight_inward(slot);
    const double amount = solution.label_outward(w * (solution.inward(slot, value) - moments.means[slot]));
    known_mean += w * moments.means[slot];
    // A weight that is beyond a double in these units may make it nothing.
    if (amount != 0 && !std::isnan(amount)) result.parts.push_back({slot, value, amount});
  }
  result.keep(top);
  if (prediction.known() < solution.feature_count())
    result.unknown = solution.label_outward(prediction.expected_rest() - (moments.expected - known_mean));
  result.prediction = prediction.prediction();
  result.unknown_variance = prediction.variance();
  return result;
}

}  // namespace glimpse
