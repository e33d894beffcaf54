#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/state.h"

namespace glimpse {

/// When a learner leaves the uniform phase, and when q is planned again after that. Decisions fall at fixed
/// example counts only, so that the same stream makes the same decisions whatever the timing.
///
/// The `auto` rule. The excess-risk bounds of KS15 (Theorems 3.1–3.4) grow with the second moment of x̃:
/// d·ΣM_i/k for uniform draws, Σ(M_i/q_i)/k for others; lasso's (Theorems 4.1–4.5) with the largest of its
/// coordinates, d·max M_i/k and max(M_i/q_i)/k. So the uniform phase ends as soon as even an upper
/// confidence bound on the latter, MomentWeights::variance_bound(), is below 90 % of the former; where
/// nothing can be gained (ρ near 1) it never ends. The theory's own condition, K·m₁ ≫ d²·ln(2d/δ), asks for
/// millions of examples on MNIST. See PHASES.md for what the rule does on real sets and why its constants do
/// not matter much. It is asked at powers of two and the points half-way between, from d/(4K) examples on:
/// before, most attributes were never seen. That makes its O(d) cost O(K) an example at most.
///
/// After the switch the moments go on improving from what the plans reveal, and q is planned again each time
/// the example count has doubled. Thread-safety: none.
class PhaseControl {
 public:
  /// When phase 2 begins.
  enum class Rule : std::uint8_t {
    kUniform,  ///< never leaves phase 1 (AERR)
    kKnown,    ///< phase 2 from the first example (DDAERR: the moments are known)
    kFixed,    ///< after a given number of examples
    kAuto,     ///< when the moments are known well enough to gain
  };
  enum class Action { kNone, kConsider, kSwitch, kReplan };

  PhaseControl() = default;
  /// `length`: m₁, for kFixed.
  PhaseControl(Rule rule, std::optional<std::uint64_t> length, std::size_t dimension, std::size_t budget);

  /// What is due after `examples` were learned from in all, those of importance 0 not counted. kConsider:
  /// call switch_now() if gain_is_certain().
  Action after(std::uint64_t examples);

  /// The `auto` rule on the two variances.
  static bool gain_is_certain(double planned_bound, double uniform) {
    return planned_bound < kGain * uniform;
  }

  /// Phase 2 begins after `examples`.
  void switch_now(std::uint64_t examples, double planned, double uniform);

  int phase() const { return phase_; }
  Rule rule() const { return rule_; }
  /// The example count at which phase 2 began.
  std::uint64_t switched_at() const { return switched_at_; }
  /// One sentence: which phase, since when, and why. `uniform`: how attributes are drawn in phase 1.
  std::string explain(const std::string& uniform) const;

  void save(State& state) const;
  Status restore(const State& state);

 private:
  static constexpr double kGain = 0.9;

  Rule rule_ = Rule::kUniform;
  std::uint64_t length_ = 0;
  std::uint64_t next_ = 0;  // the example count at which something is due
  std::uint8_t phase_ = 1;
  std::uint64_t switched_at_ = 0;
  double planned_ = 0;  // the two variances at the switch, or at the last time it was considered
  double uniform_ = 0;
};

}  // namespace glimpse
