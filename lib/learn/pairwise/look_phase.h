#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/state.h"
#include "learn/core/learner_report.h"
#include "sampling/sampling_spread.h"

namespace glimpse {

/// The phase of a learner that plans its looks again and again from its sums: 1 while they prefer no
/// attribute (SamplingSpread::prefers()), 2 after. It may come back to 1, as where the preference of few
/// examples was chance, or all is forgotten. Thread-safety: none.
class LookPhase {
 public:
  /// What the looks go by, or why they go by nothing. Numbers are those of a checkpoint.
  enum class Cause : std::uint8_t {
    kNothingKnown = 0,      ///< no example was learned from since the beginning, or since all was forgotten
    kNothingToChoose = 1,   ///< plans show every attribute
    kNothingPreferred = 2,  ///< all seem to matter alike
    kPrices = 3,            ///< --buying uniform: prices alone, whatever was learned
    kSpread = 4,            ///< what varies; nothing seems to explain the label
    kLabel = 5,             ///< what varies and what seems to explain the label
    kDeviation = 6,         ///< what varies, whatever explains the label
    kScreen = 7,            ///< what explains the label, and what may do so
    kUniform = 8,           ///< --looks uniform: nothing, whatever was learned
  };
  /// What the sums prefer, apart from prices.
  struct Preference {
    Cause cause = Cause::kNothingKnown;  ///< kSpread and above: where `weights` prefer some at all
    SamplingSpread weights;
    double looks = 0;  ///< at each attribute in the mean, that they were planned from
  };

  /// q was planned when so many examples were learned from. `looks`: q itself.
  void planned(const Preference& preference, const SamplingSpread& looks, std::uint64_t examples);

  /// Phase, since when, why, and the spread of q.
  void tell(LearnerReport& report) const;

  /// "looks.phase" (lib/checkpoint/FORMAT.md).
  void save(State& state) const;
  /// Continues from what save() wrote. In a state of an earlier build there is nothing: the phase is what
  /// `looks` says, and since when is not known. Errors: kCorrupt.
  Status restore(const State& state, const SamplingSpread& looks);

 private:
  int phase_ = 1;
  Cause cause_ = Cause::kNothingKnown;
  std::optional<std::uint64_t> since_ = 0;
  SamplingSpread looks_;
};

}  // namespace glimpse
