#include "learn/apple/parent_choice.h"

#include <algorithm>
#include <optional>

namespace glimpse {

namespace {

struct Candidate {
  double worth;
  std::uint32_t slot;
};

bool is_before(const Candidate& a, const Candidate& b) {
  return a.worth > b.worth || (a.worth == b.worth && a.slot < b.slot);
}

// Of the lowest degree, and of these the first, that is not among those chosen.
std::optional<std::uint32_t> lowest(const ParentTree& tree, const NormalisedSteps& steps,
                                    const std::vector<std::uint32_t>& chosen) {
  std::optional<std::uint32_t> found;
  std::size_t degree = Monomials::kMostFactors;
  for (std::uint32_t slot = 0; slot < tree.slots() && degree > 1; ++slot) {
    if (!steps.has_seen(slot) || !tree.may_be_parent(slot) || std::ranges::count(chosen, slot) > 0) continue;
    const std::size_t its = tree.monomials().factors(slot).size();
    if (its >= degree) continue;
    found = slot;
    degree = its;
  }
  return found;
}

}  // namespace

std::vector<std::uint32_t> choose_parents(const ParentTree& tree, const NormalisedSteps& steps,
                                          std::size_t count, bool fallback) {
  std::vector<std::uint32_t> chosen;
  if (count == 0) return chosen;
  std::vector<Candidate> candidates;
  for (std::uint32_t slot = 0; slot < tree.slots(); ++slot)
    if (const double worth = steps.worth(slot); worth > 0 && tree.may_be_parent(slot))
      candidates.push_back({worth, slot});
  const std::size_t by_weight = std::min(fallback ? count - 1 : count, candidates.size());
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(by_weight);
  std::partial_sort(candidates.begin(), end, candidates.end(), is_before);
  for (auto at = candidates.begin(); at != end; ++at) chosen.push_back(at->slot);
  if (fallback)
    if (const auto slot = lowest(tree, steps, chosen)) chosen.push_back(*slot);
  return chosen;
}

}  // namespace glimpse
