#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/state.h"
#include "learn/apple/expansion.h"
#include "learn/apple/normalised_steps.h"
#include "learn/apple/parent_tree.h"
#include "learn/core/learner.h"
#include "stats/change_detector.h"

namespace glimpse {

/// Models that stay as they were, for --drift auto: the loss of one rises only if the stream changes. The two
/// newest are kept, each with a ChangeDetector, as PastModels has them; features that came later have no
/// weight in them. Memory: 8 bytes a slot of each. Thread-safety: none.
class PastWeights {
 public:
  /// Whether a model should come behind so many examples: at powers of two from 32 on.
  static bool due(std::uint64_t examples);

  bool empty() const { return models_[0].weights.empty(); }
  /// From now on the newest: `weights` of slots, and a bias.
  void add(std::vector<double> weights, double bias);
  /// The slots for which `is_gone` is true have no weight any more. Its detectors begin again. O(slots).
  void forget(const std::function<bool(std::uint32_t)>& is_gone);
  void clear() { models_ = {}; }

  /// An example that none of the models has learned from. O(features).
  std::optional<ChangeDetector::Rise> judge(std::span<const FeatureValue> features, double label);

  std::size_t memory_bytes() const {
    return (models_[0].weights.capacity() + models_[1].weights.capacity()) * sizeof(double);
  }
  /// "past.0.*" and "past.1.*", of `slots` slots.
  void save(State& state, std::size_t slots) const;
  Status restore(const State& state, std::size_t slots);

 private:
  struct Watched {
    std::vector<double> weights;  // empty: there is none
    double bias = 0;
    ChangeDetector detector;
  };
  std::array<Watched, 2> models_;  // the newest first
};

/// Adaptive polynomial expansion (ABHLT14, Algorithm 1): a linear model of the attributes and of products of
/// them, which it finds while it learns. At the end of each epoch (epochs.h) the ⌊s^α⌋ features with the
/// largest weights become parents, s being the mean number of attributes of an example that are not 0, and α
/// --expansion-exponent. From then on the products of a parent with each attribute are features as well.
///
/// Full information: it learns from all that an example gives, and what it does not give is 0. An example
/// costs O(its features), whatever d is: ParentTree, NormalisedSteps. The model is an average of iterates or
/// the present one, as the authors' program has it: what had the least progressive loss.
///
/// A missing value: the example is not learned from, as by all learners of whole examples. In predictions it
/// counts as the attribute's mean.
///
/// Weights have slots: those below d are attributes' own, and the products' are behind (Monomials).
/// Memory: 80 bytes an attribute that was seen, about 150 a product. See Learner for thread-safety.
class Apple final : public Learner {
 public:
  /// `options` that validate() accepts.
  explicit Apple(const LearnerOptions& options);

  bool learns_from_entries() const override { return true; }
  /// Every attribute: for those who cannot say which are 0. O(d).
  void begin_plan(Random& random, Plan& plan) override;
  Status plan_among(Random& random, std::span<const Attribute> available, Plan& plan) override;
  double predict(std::span<const Entry> entries) const override;
  double predict_with(const Model& model, std::span<const Entry> entries) const override;
  /// One weight a slot.
  void model(Model& model) const override;
  const Monomials* products() const override { return &tree_.monomials(); }
  /// Of all examples, in which an attribute that was not given was 0. The probability is 1/d, as of all who
  /// draw nothing.
  SamplingRow sampling_row(Attribute attribute) const override;
  Moment feature_moment(std::size_t slot) const override;
  LearnerReport describe() const override;

 protected:
  Outcome step(const Plan& plan, std::span<const double> values, double label, double importance) override;
  void after_example() override;
  double smallest_importance() const override { return NormalisedSteps::kLeastImportance; }
  void forget(const ChangeDetector::Rise&) override { forget_everything(); }
  void forget_everything() override;
  void forget_attribute(Attribute attribute) override;
  void save_state(State& state) const override;
  Status restore_state(const State& state) override;

 private:
  double mean_of(Attribute i) const;
  void find_features(std::span<const Entry> entries) const;
  void expand();
  int unit_of(std::uint32_t slot) const;
  bool has_factor(std::uint32_t slot, Attribute i) const;

  ParentTree tree_;
  NormalisedSteps steps_taken_;
  SecondMoments moments_;       // of values other than 0
  std::uint64_t entries_ = 0;   // values other than 0, of …
  std::uint64_t examples_ = 0;  // … so many examples
  std::uint64_t expansions_ = 0;
  PastWeights past_;  // with --drift auto

  mutable std::vector<Entry> given_;               // of the present example or question
  mutable std::vector<FeatureValue> features_of_;  // and its features
};

}  // namespace glimpse
