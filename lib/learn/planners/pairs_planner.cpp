#include "learn/planners/pairs_planner.h"

#include <bit>

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

template <class Weights>
PairsPlanner<Weights>::PairsPlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates)
    : Base(options, iterates, draw_counts(options, PlanKind::kPairs)) {
  Base::bound_factor_ = 2;  // r ≥ ½q
}

template <class Weights>
std::uint32_t PairsPlanner<Weights>::toss(Random& random) const {
  std::uint32_t count = counts_.data_point;
  if (!(p_.total() > 0)) return count;
  for (std::uint32_t tossed = 0; tossed < counts_.data_point; tossed += 64) {
    const std::uint32_t left = counts_.data_point - tossed;
    const std::uint64_t coins = random.bits();
    count -= static_cast<std::uint32_t>(std::popcount(left < 64 ? coins >> (64 - left) : coins));
  }
  return count;
}

template <class Weights>
void PairsPlanner<Weights>::begin(Random& random, Plan& plan) {
  plan.clear();
  Base::begin_from_q(random, toss(random), plan);
}

// The draws from p that are left to make of the K, and every draw's share of r, whichever it came from.
template <class Weights>
void PairsPlanner<Weights>::draw(Random& random, Plan&) {
  const double total = p_.total();
  const std::size_t from_q = draws_.size();
  const std::size_t from_p = counts_.data_point - from_q;
  p_.begin_draws(random, from_p);
  for (std::size_t r = 0; r < from_p; ++r) {
    const Attribute j = p_.finish_draw(r);
    q_.prefetch_probability(j);
    draws_.push_back({j, 0});
  }
  for (std::size_t r = from_q; r < draws_.size(); ++r)
    draws_[r].probability = q_.probability(draws_[r].attribute);
  for (const LevelTable::Draw& draw : draws_) {
    if (total > 0) {
      add_pair(draw.attribute, draw.probability, total);
    } else {
      builder_.add_data_point(draw.attribute, 1 / (counts_.data_point * draw.probability));
    }
  }
}

// q and p with the same ratios among the available attributes as among all. Where these weigh nothing in p,
// there is no r but q.
template <class Weights>
Status PairsPlanner<Weights>::draw_among(Random& random, std::span<const Attribute> available, Plan&) {
  Base::weigh(available);
  if (!(among_p_.total() > 0)) {
    Base::separate_among(random, available);
    return {};
  }
  for (std::uint32_t r = 0; r < counts_.data_point; ++r) {
    const Attribute i = available[(random.below(2) == 0 ? among_q_ : among_p_).sample(random)];
    add_pair(i, q_.probability(i) / among_q_.total(), among_p_.total());
  }
  return {};
}

template class PairsPlanner<LazyWeights>;
template class PairsPlanner<ExponentiatedWeights>;

}  // namespace glimpse
