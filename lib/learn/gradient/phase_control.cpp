#include "learn/gradient/phase_control.h"

#include <bit>
#include <fmt/core.h>

namespace glimpse {

namespace {
constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint64_t kFirstConsidered = 32;

// The next of 2, 3, 4, 6, 8, 12, 16, … above n ≥ 2.
std::uint64_t next_half_power(std::uint64_t n) {
  const std::uint64_t power = std::bit_floor(n);
  return n < power + power / 2 ? power + power / 2 : 2 * power;
}
}  // namespace

PhaseControl::PhaseControl(Rule rule, std::optional<std::uint64_t> length, std::size_t dimension,
                           std::size_t budget)
    : rule_(rule), length_(length.value_or(0)) {
  switch (rule) {
    case Rule::kUniform:
      next_ = kNever;
      break;
    case Rule::kKnown:
      phase_ = 2;
      next_ = kNever;  // what is known needs no new plan
      break;
    case Rule::kFixed:
      next_ = length_;
      break;
    case Rule::kAuto: {
      const std::uint64_t most_unseen = dimension / (4 * (budget > 0 ? budget : 1));
      next_ = next_half_power(most_unseen > kFirstConsidered ? most_unseen : kFirstConsidered - 1);
      break;
    }
  }
}

PhaseControl::Action PhaseControl::after(std::uint64_t examples) {
  if (examples < next_) return Action::kNone;
  if (phase_ == 2) {
    next_ = 2 * examples;
    return Action::kReplan;
  }
  if (rule_ == Rule::kFixed) return Action::kSwitch;
  next_ = next_half_power(examples);
  return Action::kConsider;
}

void PhaseControl::switch_now(std::uint64_t examples, double planned, double uniform) {
  phase_ = 2;
  switched_at_ = examples;
  next_ = 2 * examples;
  planned_ = planned;
  uniform_ = uniform;
}

std::string PhaseControl::explain(const std::string& uniform) const {
  switch (rule_) {
    case Rule::kUniform:
      return "this algorithm has one phase: " + uniform;
    case Rule::kKnown:
      return "phase 2 from the first example: the moments were given";
    case Rule::kFixed:
      if (phase_ == 1)
        return fmt::format("phase 1: uniform draws for the first {} examples, as configured", length_);
      return fmt::format("phase 2 since example {}, as configured", switched_at_);
    case Rule::kAuto:
      if (phase_ == 1) return "phase 1: the second moments are not known well enough yet to gain from them";
      return fmt::format(
          "phase 2 since example {}: drawing by the moments has at most {:.2f} of the variance of drawing "
          "uniformly",
          switched_at_, planned_ / uniform_);
  }
  return {};
}

void PhaseControl::save(State& state) const {
  const std::uint64_t counts[] = {phase_, switched_at_, next_};
  state.put_copy<std::uint64_t>("phase.counts", counts);
  const double variances[] = {planned_, uniform_};
  state.put_copy<double>("phase.variances", variances);
}

Status PhaseControl::restore(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("phase.counts", 3));
  GLIMPSE_TRY_ASSIGN(const auto variances, state.get<double>("phase.variances", 2));
  if (counts[0] < 1 || counts[0] > 2)
    return failure(ErrorCode::kCorrupt, "phase.counts names phase {}", counts[0]);
  phase_ = static_cast<std::uint8_t>(counts[0]);
  switched_at_ = counts[1];
  next_ = counts[2];
  planned_ = variances[0];
  uniform_ = variances[1];
  return {};
}

}  // namespace glimpse
