#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "learn/core/plan.h"
#include "learn/draws/available_draws.h"
#include "learn/draws/moment_weights.h"
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

/// What the plans of a gradient learner are made of.
enum class PlanKind : std::uint8_t {
  kSeparate,    ///< SeparatePlanner: a set of draws for each part
  kPairs,       ///< PairsPlanner: all draws serve both
  kPriced,      ///< PricedPlanner: separate sets within a limit of cost
  kEverything,  ///< EverythingPlanner: no draws
};
PlanKind plan_kind(const LearnerOptions& options, bool full_information);

/// How many draws a plan has at most. With pairs all K count in both; without draws all d attributes do.
struct DrawCounts {
  std::uint32_t data_point;     ///< k_x
  std::uint32_t inner_product;  ///< k_p
};
DrawCounts draw_counts(const LearnerOptions& options, PlanKind kind);
/// How many draws of an example of phase 1 are uniform: k_x, or with pairs half of all, in the mean.
double count_of_uniform_draws(const LearnerOptions& options, PlanKind kind);

/// Makes the plans of a gradient learner: which attributes an example reveals, and by what their values are
/// multiplied, so that x̃ and φ̃ of GradientEstimate are unbiased (KS15, Algorithm 1; DRAWS.md). Those from q,
/// the distribution of the data-point draws, may be made before the examples between are there; those from p
/// (InnerDraws) hang on the weights. q is uniform until it is planned by the moments.
///
/// Plans hold draws and positions alone: offset, centres and generation are the learner's to add.
/// A plan costs O(K log d). Memory: 5 bytes an attribute for q, from phase 2 on, and 2.3 for p.
/// Thread-safety: none.
template <class Weights>
class GradientPlanner {
 public:
  virtual ~GradientPlanner() = default;
  GradientPlanner(const GradientPlanner&) = delete;
  GradientPlanner& operator=(const GradientPlanner&) = delete;

  /// As Learner's plan_version(), begin_plan(), finish_plan() and plan_among().
  virtual std::optional<std::uint64_t> version() const { return std::nullopt; }
  virtual void begin(Random& random, Plan& plan);
  void finish(Random& random, Plan& plan) {
    draws_.clear();
    for (std::size_t r = 0; r < plan.attributes.size(); ++r)
      draws_.push_back({plan.attributes[r], plan.data_point[r].coefficient});
    builder_.begin(plan);
    draw(random, plan);
    builder_.finish();
  }
  Status plan_among(Random& random, std::span<const Attribute> available, Plan& plan);

  /// The uniform phase begins, or prices have changed in it. Where no prices count q stays as it is: forget()
  /// makes it uniform.
  virtual void begin_uniform_phase();
  /// q by the moments. O(d).
  virtual void plan_by(const MomentWeights& weights);
  /// q is uniform again.
  void forget();

  /// The weights of `attributes`, strictly ascending, have changed, or their moments. O(|attributes| log d).
  virtual void update(std::span<const Attribute> attributes) { p_.update(attributes); }
  /// The same for all. O(d).
  void rebuild() { p_.rebuild(); }

  /// How many draws a plan has, or in the mean.
  double draws_an_example() const { return draws_an_example_; }
  /// The share of the data-point draws that fall on `attribute`.
  virtual double probability(Attribute attribute) const { return q_.probability(attribute); }
  /// A bound on max_i E[x̃_i²], attributes in the units of the step: max_i M_i/(k_x q_i) + 1.
  double largest_second() const { return bound_factor_ * largest_ratio_ / bound_draws_ + 1; }
  /// max_i M_i/q_i, as a checkpoint holds it.
  double largest_ratio() const { return largest_ratio_; }
  void restore_largest_ratio(double ratio) { largest_ratio_ = ratio; }

  virtual std::size_t memory_bytes() const { return q_.memory_bytes() + p_.memory_bytes(); }
  virtual void save(State& state) const { q_.save(state); }
  /// Whether q is what was saved; otherwise it must be planned again. rebuild() is to be called in any case.
  virtual Result<bool> restore(const State& state);

 protected:
  // `counts`: of the draws that it makes.
  GradientPlanner(const LearnerOptions& options, const GradientIterates<Weights>& iterates,
                  const DrawCounts& counts);

  // Makes `count` draws from q, for finish() to take up. All are begun before the first is finished: at large
  // d each waits for memory of its own, and so they wait together.
  void begin_from_q(Random& random, std::uint32_t count, Plan& plan) {
    for (std::uint32_t r = 0; r < count; ++r) tickets_[r] = q_.begin_sample(random);
    for (std::uint32_t r = 0; r < count; ++r) {
      const LevelTable::Draw draw = q_.finish_sample(tickets_[r]);
      p_.prefetch_attribute(draw.attribute);
      plan.attributes.push_back(draw.attribute);
      plan.data_point.push_back({0, draw.probability});
    }
  }
  // While q and, with pairs, whether there is a p stay the same.
  std::uint64_t version_of_q() const { return 2 * q_version_ + (p_.total() > 0 ? 1 : 0); }
  // Puts draws into the plan that builder_ has begun: from all attributes, or from `available` alone.
  virtual void draw(Random& random, Plan& plan) = 0;
  virtual Status draw_among(Random& random, std::span<const Attribute> available, Plan& plan) = 0;
  // The inner-product draw of j, one that p gives with probability weight(j)/total.
  void add_inner_draw(Attribute j, double total) {
    builder_.add_inner_product(j, iterates_.weight(j) * total / (counts_.inner_product * p_.weight(j)));
  }
  // Fills among_p_, and among_q_ as well.
  void weigh_by_p(std::span<const Attribute> available);
  void weigh(std::span<const Attribute> available);
  // After weigh(): the two sets, with the same ratios among the available attributes as among all.
  void separate_among(Random& random, std::span<const Attribute> available);

  const GradientIterates<Weights>& iterates_;
  const DrawCounts counts_;
  const bool bounds_ratio_;  // the step asks for largest_second()
  AttributeSampling q_;
  InnerDraws<Weights> p_;
  PlanBuilder builder_;
  std::vector<LevelTable::Draw> draws_;  // those from q, and with pairs those from p
  RunningSums among_q_;                  // of the attributes that are available for the present plan
  RunningSums among_p_;
  double largest_ratio_;  // max_i M_i/q_i
  double draws_an_example_;
  // The bound on max_i E[x̃_i²] is bound_factor_·largest_ratio_/bound_draws_ + 1.
  double bound_factor_ = 1;
  double bound_draws_;

 private:
  std::uint64_t q_version_ = 0;              // grows when q is planned again
  std::vector<LevelTable::Ticket> tickets_;  // draws from q that are begun
};

/// The planner of a kind. `options` and `iterates` must outlive it.
template <class Weights>
std::unique_ptr<GradientPlanner<Weights>> make_planner(PlanKind kind, const LearnerOptions& options,
                                                       const GradientIterates<Weights>& iterates);

}  // namespace glimpse
