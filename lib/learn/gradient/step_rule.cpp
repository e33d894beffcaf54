#include "learn/gradient/step_rule.h"

#include <cmath>
#include <numbers>

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

namespace {
bool departs_from_papers(const LearnerOptions& options) {
  return draws_of(options) == Draws::kPairs || uses_control_variates(options);
}
}  // namespace

template <class Weights>
StepRule<Weights>::StepRule(const LearnerOptions& options, std::size_t coordinates, std::size_t most)
    : options_(options),
      cautious_(options.step == StepKind::kAuto && departs_from_papers(options)),
      memory_(options.half_life ? static_cast<double>(*options.half_life) / std::numbers::ln2
                                : AutoStep::kForever),
      trust_(most, 1),
      amounts_(most + 1) {
  if (options.step == StepKind::kAdaGrad) squares_ = LargeArray<double>(coordinates);
}

template <class Weights>
double StepRule<Weights>::rate(const GradientTerm& term) const {
  if (options_.step != StepKind::kAdaGrad) return eta_ * term.trust;
  const double squares = squares_with(term);
  if (!std::isfinite(squares)) return NAN;
  return squares > 0 ? eta_ / std::sqrt(squares) : 0;
}

template <class Weights>
typename StepRule<Weights>::Taken StepRule<Weights>::take(std::span<const GradientTerm> terms,
                                                          GradientIterates<Weights>& iterates) {
  for (std::size_t t = 0; t < terms.size(); ++t) {
    amounts_[t] = rate(terms[t]) * terms[t].gradient;
    if (!iterates.accepts_step(terms[t].attribute, amounts_[t])) return Taken::kNone;
  }
  const bool adagrad = options_.step == StepKind::kAdaGrad;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (adagrad) squares_[terms[t].attribute] = squares_with(terms[t]);
    iterates.step(terms[t].attribute, amounts_[t]);
  }
  return iterates.end_step() ? Taken::kAll : Taken::kSome;
}

template <class Weights>
void StepRule<Weights>::begin_phase() {
  auto_step_.begin_phase();
  for (double& square : squares_) square = 0;
}

template <class Weights>
void StepRule<Weights>::forget() {
  begin_phase();
  unit_trust_ = UnitTrust();
}

template <class Weights>
void StepRule<Weights>::save_scales(State& state) const {
  if (cautious_) unit_trust_.save(state);
  if (!squares_.empty()) state.put_copy<double>("gradient.squares", squares_);
}

template <class Weights>
Status StepRule<Weights>::restore_scales(const State& state) {
  if (cautious_) GLIMPSE_TRY(unit_trust_.restore(state));
  if (squares_.empty()) return {};
  GLIMPSE_TRY_ASSIGN(const auto squares, state.get<double>("gradient.squares", squares_.size()));
  for (std::size_t i = 0; i < squares_.size(); ++i) squares_[i] = squares[i];
  return {};
}

template class StepRule<LazyWeights>;
template class StepRule<ExponentiatedWeights>;

}  // namespace glimpse
