#include "learn/gradient/step_rule.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

namespace {
constexpr double kReveals = 2;  // of each attribute, on average, until the auto step's V is taken to be known

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
      trust_(most, 1) {
  if (options.step == StepKind::kAdaGrad) squares_ = LargeArray<double>(coordinates);
  amounts_.reserve(most + 1);
}

template <class Weights>
std::span<const double> StepRule<Weights>::trust(const Plan& plan, const SecondMoments& moments) {
  if (cautious_)
    for (std::size_t a = 0; a < plan.attributes.size(); ++a)
      trust_[a] = unit_trust_(moments[plan.attributes[a]]);
  return trust_;
}

template <class Weights>
void StepRule<Weights>::choose_auto(StepFacts facts, double draws_an_example) {
  facts.warm_up = cautious_ ? kReveals * static_cast<double>(options_.dimension) / draws_an_example : 0;
  eta_ = auto_step_.next(facts, memory_);
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
  amounts_.clear();
  for (const GradientTerm& term : terms) {
    amounts_.push_back(rate(term) * term.gradient);
    if (!iterates.accepts_step(term.attribute, amounts_.back())) return Taken::kNone;
  }
  const bool adagrad = options_.step == StepKind::kAdaGrad;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (adagrad) squares_[terms[t].attribute] = squares_with(terms[t]);
    iterates.step(terms[t].attribute, amounts_[t]);
  }
  return iterates.end_step() ? Taken::kAll : Taken::kSome;
}

template <class Weights>
void StepRule<Weights>::after_example(std::uint64_t examples, const SecondMoments& moments) {
  if (cautious_ && std::has_single_bit(examples) && 4 * options_.budget * examples >= options_.dimension)
    unit_trust_.pool(moments);
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
  if (cautious_)
    if (const Status status = unit_trust_.restore(state); !status) return status;
  if (squares_.empty()) return {};
  const auto squares = state.get<double>("gradient.squares", squares_.size());
  if (!squares) return squares.error();
  for (std::size_t i = 0; i < squares_.size(); ++i) squares_[i] = (*squares)[i];
  return {};
}

template class StepRule<LazyWeights>;
template class StepRule<ExponentiatedWeights>;

}  // namespace glimpse
