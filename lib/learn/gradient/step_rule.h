#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/state.h"
#include "learn/gradient/gradient_estimate.h"
#include "learn/iterates/unit_trust.h"
#include "learn/options/options.h"
#include "learn/planners/gradient_iterates.h"
#include "stats/second_moments.h"

namespace glimpse {

/// How far a gradient learner goes against g̃. η by --step:
///
///  - auto: the Weights' anytime step (AutoStep, ExponentiatedStep), attributes in units of s_i.
///  - theory: what the algorithm's theorem says of the phase (step_size.h); the learner sets it.
///  - a number: the user's; phase 1 may have one of its own.
///  - adagrad: η_i = η/√Σ g̃_i² (Duchi, Hazan & Singer 2011; KS14, appendix A).
///
/// With auto, and pairs or control variates, units are not trusted at once (UnitTrust), and a phase warms up.
/// η is in the unit of a weight over that of its gradient. A step that would leave the range of numbers is
/// not taken. O(K) an example. Memory: 8 bytes a coordinate with adagrad. Thread-safety: none.
template <class Weights>
class StepRule {
 public:
  /// What take() has done.
  enum class Taken {
    kNone,  ///< the step would leave the range of numbers
    kSome,  ///< the terms' weights have changed
    kAll,   ///< and with them every unscaled weight
  };

  /// `options` must outlive it; `coordinates`: d and the bias; `most`: how many attributes a plan has at
  /// most.
  StepRule(const LearnerOptions& options, std::size_t coordinates, std::size_t most);

  bool is_theory() const { return options_.step == StepKind::kTheory; }
  void set_theory(double eta) { theory_eta_ = eta; }
  /// The last η; 0 before.
  double eta() const { return eta_; }

  /// Attribute a of the plan has these moments by now. O(1).
  void note_moment(std::size_t a, const Moment& moment) {
    if (cautious_) trust_[a] = unit_trust_(moment);
  }
  /// What the steps of the plan's attributes are multiplied by, after note_moment() of each.
  std::span<const double> trust() const { return trust_; }
  /// Fixes η of the present example. facts(): the StepFacts except warm_up; only the auto step calls it.
  template <class Facts>
  void choose(int phase, double draws_an_example, const Facts& facts) {
    switch (options_.step) {
      case StepKind::kAuto:
        choose_auto(facts(), draws_an_example);
        return;
      case StepKind::kTheory:
        eta_ = theory_eta_;
        return;
      case StepKind::kNumber:
      case StepKind::kAdaGrad:
        eta_ = phase == 1 ? options_.phase1_step.value_or(options_.step_number) : options_.step_number;
        return;
    }
  }
  Taken take(std::span<const GradientTerm> terms, GradientIterates<Weights>& iterates);

  /// After `examples`. O(d) when their number has doubled.
  void after_example(std::uint64_t examples, const SecondMoments& moments) {
    if (cautious_ && std::has_single_bit(examples) && 4 * options_.budget * examples >= options_.dimension)
      unit_trust_.pool(moments);
  }
  /// The squared gradients of other steps are among those of adagrad.
  void add_squares(const StepRule& other, std::span<const Attribute> attributes) {
    for (std::size_t i = 0; i < squares_.size(); ++i)
      squares_[i < attributes.size() ? attributes[i] : i] += other.squares_[i];
  }
  void begin_phase();
  /// As at the beginning.
  void forget();

  std::size_t memory_bytes() const { return squares_.size() * sizeof(double); }

  /// The auto step's means; the rest is saved by itself, where it stands in a checkpoint.
  void save(State& state) const { auto_step_.save(state); }
  Status restore(const State& state) { return auto_step_.restore(state); }
  double theory_eta() const { return theory_eta_; }
  void restore_etas(double theory, double last) {
    theory_eta_ = theory;
    eta_ = last;
  }
  /// What it knows of units and of past gradients.
  void save_scales(State& state) const;
  Status restore_scales(const State& state);

 private:
  static constexpr double kReveals = 2;  // of each attribute, on average, until V of AutoStep is known

  void choose_auto(StepFacts facts, double draws_an_example) {
    facts.warm_up = cautious_ ? kReveals * static_cast<double>(options_.dimension) / draws_an_example : 0;
    eta_ = auto_step_.next(facts, memory_);
  }
  // Σ g̃_i² with that of the term.
  double squares_with(const GradientTerm& term) const {
    return squares_[term.attribute] + term.gradient * term.gradient;
  }
  // η_i; NaN when the gradient is too large to be squared.
  double rate(const GradientTerm& term) const;

  const LearnerOptions& options_;
  const bool cautious_;  // units are not trusted at once
  const double memory_;  // over how many examples the auto step's means reach back
  typename Weights::Step auto_step_;
  UnitTrust unit_trust_;
  LargeArray<double> squares_;  // Σ g̃_i², for adagrad
  double theory_eta_ = 0;
  double eta_ = 0;
  std::vector<double> trust_;    // 1 where all units are trusted
  std::vector<double> amounts_;  // η_i·g̃_i of the present terms
};

}  // namespace glimpse
