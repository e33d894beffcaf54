#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "learn/draws/priced_sampling.h"
#include "learn/options/options.h"
#include "learn/planners/gradient_iterates.h"
#include "sampling/sum_tree.h"

namespace glimpse {

/// The distribution p of the inner-product draws: p_j ∝ |w_j|·√M_j (KS15 §5), M_j being that of x − μ with
/// control variates; or plain, p_j ∝ w_j² for ridge (Cesa-Bianchi et al. 2011) and |w_j| for lasso. Weights
/// count without the scale that all share, so that a projection changes nothing here. While w = 0 there is
/// no p. O(log d) a draw, and a change. Memory: 2.3 bytes an attribute (SumTree). Thread-safety: none.
template <class Weights>
class InnerDraws {
 public:
  /// `iterates` must outlive it; `most`: how many draws a plan has at most.
  InnerDraws(const LearnerOptions& options, const GradientIterates<Weights>& iterates, std::uint32_t most);

  /// What can never be bought within `limit`, which must outlive it, is never drawn.
  void keep_within(const PricedSampling& limit) { limit_ = &limit; }

  /// Σ weight(j); 0: there is no p.
  double total() const { return tree_.total(); }
  /// The unnormalised p_j.
  double weight(std::size_t j) const {
    if (limit_ != nullptr && limit_->beyond(j)) return 0;
    const double u = iterates_.unscaled(j);
    if (sampling_ == InnerSampling::kPlain) return Weights::plain_inner_weight(u);
    return std::abs(u) * std::sqrt(iterates_.contribution(j));
  }

  /// Begins `count` draws, the memory of which travels until they are finished. REQUIRES total() > 0.
  void begin_draws(Random& random, std::size_t count);
  /// The attribute of draw r of those begun.
  Attribute finish_draw(std::size_t r) const {
    return static_cast<Attribute>(
        tree_.finish_sample(descents_[r], [this](std::size_t j) { return weight(j); }));
  }
  /// Brings near what a draw of `attribute`, and a change of it, will read.
  void prefetch_attribute(Attribute attribute) const {
    iterates_.prefetch_attribute(attribute);
    tree_.prefetch_path(attribute);
  }

  /// What weight() goes by has changed for `attributes`, strictly ascending.
  void update(std::span<const Attribute> attributes) {
    tree_.update(attributes, [this](std::size_t j) { return weight(j); });
  }
  /// The same for all. O(d).
  void rebuild() {
    tree_.rebuild([this](std::size_t j) { return weight(j); });
  }

  std::size_t memory_bytes() const { return tree_.memory_bytes(); }

 private:
  const GradientIterates<Weights>& iterates_;
  const InnerSampling sampling_;
  const PricedSampling* limit_ = nullptr;
  SumTree tree_;
  std::vector<SumTree::Descent> descents_;  // those begun
};

}  // namespace glimpse
