#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/state.h"
#include "base/types.h"
#include "learn/core/learner_report.h"
#include "learn/core/plan.h"
#include "learn/draws/available_draws.h"
#include "learn/options/options.h"

namespace glimpse {

/// The attributes that looks are spent on with --look-at-best, and the plans of them: LOOK_AT_BEST.md.
///
/// A plan is of the best, with a few others in some, or of all attributes as without the option. Which it is
/// is drawn without looking at the example. In a plan of the best inner_product is drawn from these alone
/// (Plan::population): estimates from it are of models that have no other weights. Plan::generation says of
/// which choice it is; 0: of all attributes, and good for any model. Thread-safety: none.
class BestLooks {
 public:
  /// Of plans that are of all attributes, and of looks that go to others beside the best.
  static constexpr double kShare = 0.04;

  explicit BestLooks(const LearnerOptions& options);

  /// nullptr: nothing is chosen, and all are looked at.
  const std::shared_ptr<const std::vector<Attribute>>& set() const { return set_; }
  bool is_on() const { return set_ != nullptr; }
  /// What was chosen by the first `examples`; of nothing, for the reason of `wait`, nothing changes. Whether
  /// it is another set.
  bool adopt(const std::shared_ptr<const std::vector<Attribute>>& set, const BestWait& wait,
             std::uint64_t examples);
  void forget() {
    set_.reset();
    wait_ = {};
  }

  /// Whether estimates from such a plan are of models of now.
  bool tells_of_now(const Plan& plan) const {
    return plan.generation == 0 || (is_on() && plan.generation == generation_);
  }

  /// How many looks of the next plan are for the best at most; 0: it is of all attributes. Draws a number
  /// where it is open.
  std::size_t next(Random& random) const {
    if (!is_on()) return 0;
    if (share_of_all_ + share_of_mixed_ == 0) return budget_;
    const double at = random.uniform();
    return at < share_of_all_ ? 0 : at < share_of_all_ + share_of_mixed_ ? budget_ - others_ : budget_;
  }
  /// Those of the best that are `available` (ascending). Valid until the next call.
  std::span<const Attribute> among(std::span<const Attribute> available);
  /// Draws up to `looks` of `best`, not empty, into plan.inner_product, with their attributes as positions,
  /// by chance(i). O(K·|best|), and O(K) where all are taken.
  template <class Chance>
  void draw(Random& random, std::size_t looks, std::span<const Attribute> best, const Chance& chance,
            Plan& plan) {
    note(plan, best.size());
    if (best.size() <= looks) {
      for (const Attribute i : best) plan.inner_product.push_back({i, 1});
      return;
    }
    draws_.begin();
    for (const Attribute i : best) draws_.add(i, chance(i));
    while (plan.inner_product.size() < looks) {
      const SequentialDraws::Drawn draw = draws_.draw(random);
      plan.inner_product.push_back({draw.attribute, draw.coefficient});
    }
  }
  /// A plan that was drawn from `population` of the best.
  void note(Plan& plan, std::size_t population) const {
    plan.population = population;
    plan.generation = generation_;
  }

  /// With which a draw is attribute i, whose chance in plans of all attributes is `chance`, and of the best
  /// together `chance_of_best`.
  double probability(Attribute i, double chance, double chance_of_best) const;
  /// The spread of probability(), of now.
  void note_spread(const SamplingSpread& spread) { spread_ = spread; }
  /// Phase and set, or what it waits for. `report` has those of the plans of all attributes.
  void tell(LearnerReport& report) const;

  /// "best.attributes", "best.numbers", "best.wait" (lib/checkpoint/FORMAT.md).
  void save(State& state) const;
  /// A set of another number of attributes than is wanted now is forgotten. Errors: kCorrupt.
  Status restore(const State& state, std::size_t dimension);

 private:
  std::size_t wanted_;
  std::size_t budget_;
  double share_of_all_ = 0;    // of plans
  double share_of_mixed_ = 0;  // of plans that have others_ looks at others
  std::size_t others_ = 0;
  std::shared_ptr<const std::vector<Attribute>> set_;
  std::uint64_t since_ = 0;
  BestWait wait_;                 // while nothing is chosen
  std::uint32_t generation_ = 0;  // of the last choice
  SamplingSpread spread_;
  std::vector<Attribute> among_;
  SequentialDraws draws_;
};

}  // namespace glimpse
