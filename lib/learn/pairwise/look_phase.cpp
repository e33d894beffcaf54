#include "learn/pairwise/look_phase.h"

#include <fmt/core.h>
#include <limits>

namespace glimpse {

namespace {
constexpr std::uint64_t kSinceUnknown = ~std::uint64_t{0};

bool is_by_sums(LookPhase::Cause cause) {
  return cause >= LookPhase::Cause::kSpread && cause != LookPhase::Cause::kUniform;
}

const char* sentence(LookPhase::Cause cause) {
  using Cause = LookPhase::Cause;
  switch (cause) {
    case Cause::kNothingKnown:
      return "uniform: nothing is known of the attributes yet";
    case Cause::kNothingToChoose:
      return "uniform: every example shows all attributes";
    case Cause::kNothingPreferred:
      return "uniform: no attribute varies or explains more than others";
    case Cause::kPrices:
      return "looks go by prices alone (--buying uniform)";
    case Cause::kSpread:
      return "looks go to attributes that vary more; none explains the label yet";
    case Cause::kLabel:
      return "looks go to attributes that vary more or explain more of the label";
    case Cause::kDeviation:
      return "looks go to attributes that vary more";
    case Cause::kScreen:
      return "looks go to attributes that explain the label, and to those that may";
    case Cause::kUniform:
      return "uniform, whatever was learned (--looks uniform)";
  }
  return "";
}
}  // namespace

void LookPhase::planned(const Preference& preference, const SamplingSpread& looks, std::uint64_t examples) {
  const bool is_chance = is_by_sums(preference.cause) && !preference.weights.prefers(preference.looks);
  cause_ = is_chance ? Cause::kNothingPreferred : preference.cause;
  const int phase = is_by_sums(cause_) ? 2 : 1;
  if (phase != phase_) since_ = examples;
  phase_ = phase;
  looks_ = looks;
}

void LookPhase::tell(LearnerReport& report) const {
  report.phase = phase_;
  report.phase_since = since_;
  report.looks = looks_;
  report.phase_reason = fmt::format("phase {}", phase_);
  if (since_ && *since_ > 0) report.phase_reason += fmt::format(" since example {}", *since_);
  report.phase_reason.append(": ").append(sentence(cause_));
}

void LookPhase::save(State& state) const {
  const std::uint64_t numbers[] = {static_cast<std::uint64_t>(phase_), since_.value_or(kSinceUnknown),
                                   static_cast<std::uint64_t>(cause_)};
  state.put_copy<std::uint64_t>("looks.phase", numbers);
}

Status LookPhase::restore(const State& state, const SamplingSpread& looks) {
  looks_ = looks;
  if (state.find("looks.phase") == nullptr) {
    phase_ = looks.prefers(std::numeric_limits<double>::infinity()) ? 2 : 1;
    cause_ = phase_ == 2 ? Cause::kLabel : Cause::kNothingPreferred;
    since_.reset();
    return {};
  }
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("looks.phase", 3));
  if (numbers[0] < 1 || numbers[0] > 2 || numbers[2] > static_cast<std::uint64_t>(Cause::kUniform))
    return failure(ErrorCode::kCorrupt, "looks.phase names phase {} for cause {}", numbers[0], numbers[2]);
  phase_ = static_cast<int>(numbers[0]);
  cause_ = static_cast<Cause>(numbers[2]);
  since_.reset();
  if (numbers[1] != kSinceUnknown) since_ = numbers[1];
  return {};
}

}  // namespace glimpse
