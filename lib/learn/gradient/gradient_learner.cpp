#include "learn/gradient/gradient_learner.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

namespace {
constexpr double kLargestRho = 0x1p100;
constexpr double kUsualSpan = 3;  // nearly all values are within 3 times the root of their mean square

std::uint32_t data_draws(const LearnerOptions& options, bool full_information) {
  if (full_information) return static_cast<std::uint32_t>(options.dimension);
  const auto k = static_cast<std::uint32_t>(options.budget);
  if (draws_of(options) == Draws::kPairs) return k;
  const std::uint32_t draws = options.split == Split::kEven ? k / 2 : k - 1;
  return options.budget_cost ? k - PricedSampling::inner_draws(options, k - draws) : draws;
}
}  // namespace

template <class Weights>
GradientLearner<Weights>::GradientLearner(const LearnerOptions& options, const Variant& variant,
                                          const SecondMoments* known)
    : Learner(options),
      dimension_(options.dimension),
      coordinates_(options.dimension + (options.bias ? 1 : 0)),
      pairs_(draws_of(options) == Draws::kPairs),
      centred_(uses_control_variates(options)),
      cautious_(options.step == StepKind::kAuto && (pairs_ || centred_)),
      data_draws_(data_draws(options, variant.full_information)),
      inner_draws_(variant.full_information || pairs_
                       ? data_draws_
                       : static_cast<std::uint32_t>(options.budget) - data_draws_),
      variant_(variant),
      growth_(options.half_life ? std::exp2(1 / static_cast<double>(*options.half_life)) : 1),
      memory_(options.half_life ? static_cast<double>(*options.half_life) / std::numbers::ln2
                                : AutoStep::kForever),
      weights_(coordinates_, radius_of_phase1(options)),
      moments_(options.dimension),
      q_(options.dimension),
      p_(options.dimension),
      phase_(variant.rule, phase1_length(options), options.dimension, options.budget),
      past_models_(options.dimension,
                   variant.full_information ? PastModels::Draws::kAll : PastModels::Draws::kIndependent) {
  if (known != nullptr) {
    keep_own_units();
    for (std::size_t i = 0; i < dimension_; ++i) {
      const Moment& moment = (*known)[i];
      moments_.set(static_cast<Attribute>(i), moment);
      const double largest =
          std::max(kUsualSpan * std::sqrt(moment.second), static_cast<double>(moment.max_abs));
      if (largest > 0) expect_values(i, largest);
    }
  }
  if (options.budget_cost) priced_.emplace(options, data_draws_, inner_draws_, Weights::kMomentPower);
  if (options.step == StepKind::kAdaGrad) squares_ = LargeArray<double>(coordinates_);
  begin();
  const std::size_t most = variant.full_information ? dimension_ : options.budget;
  tickets_.resize(data_draws_);
  descents_.resize(inner_draws_);
  draw_order_.reserve(most);
  draws_.reserve(most);
  if (centred_) deviations_.resize(most);
  shrunk_.resize(most);
  trust_.assign(most, 1);
  changes_.reserve(most + 1);
}

template <class Weights>
void GradientLearner<Weights>::begin() {
  largest_ratio_ = static_cast<double>(variant_.full_information ? 1 : dimension_);
  if (phase_.phase() == 2 || priced_) plan_sampling();
  if (options().step == StepKind::kTheory)
    theory_eta_ = phase_.phase() == 2 ? variant_.theory_phase2(options(), data_draws_, moments_, 0)
                                      : variant_.theory_phase1(options(), data_draws_);
}

// Everything that was learned goes, and the uniform phase begins again. Moments that were given and not
// estimated stay.
template <class Weights>
void GradientLearner<Weights>::forget_everything() {
  if (phase_.rule() != PhaseControl::Rule::kKnown) {
    moments_ = SecondMoments(dimension_);
    q_ = AttributeSampling(dimension_);
    ++q_version_;
  }
  forget_weights();
}

template <class Weights>
void GradientLearner<Weights>::forget_weights() {
  ++generation_;
  weights_ = Weights(coordinates_, radius_of_phase1(options()));
  phase_ = PhaseControl(variant_.rule, phase1_length(options()), dimension_, options().budget);
  auto_step_ = typename Weights::Step();
  unit_trust_ = UnitTrust();
  for (double& square : squares_) square = 0;
  mean_product_ = MeanProduct();
  rho_ = 1;
  label_mean_ = 0;
  label_weight_ = 0;
  past_models_.clear();
  begin_anew();
  begin();
  add_up_weights();
}

// What was learned from a wild value is in the bias and in other weights as well: they begin again, with what
// is known of the other attributes.
template <class Weights>
void GradientLearner<Weights>::forget_attribute(Attribute attribute) {
  if (phase_.rule() != PhaseControl::Rule::kKnown) moments_.set(attribute, Moment());
  forget_weights();
}

// With a half-life: the next iterate counts more. Moments count half of what they saw once in every one,
// except moments that were given.
template <class Weights>
void GradientLearner<Weights>::grow_old() {
  rho_ *= growth_;
  if (rho_ > kLargestRho) {
    weights_.scale_average(1 / kLargestRho);
    mean_product_.scale_average(1 / kLargestRho);
    rho_ /= kLargestRho;
  }
  if (steps() % *options().half_life != 0) return;
  const bool known = phase_.rule() == PhaseControl::Rule::kKnown;
  if (!known) moments_.halve();
  for (Attribute i = 0; i < dimension_; ++i) {
    const double before = unit(i);
    if (known) {
      moments_.lower_largest(i);
    } else {
      moments_.age_largest(i);
    }
    if (const double now = unit(i); now != before) weights_.shrink_unit(i, before, now);
  }
  if (phase_.phase() == 2) plan_sampling();
  rebuild_tree();  // the spread that p goes by depends on the counts
}

template <class Weights>
void GradientLearner<Weights>::after_example() {
  const std::uint64_t n = steps();
  if (options().half_life) grow_old();
  if (options().drift == Drift::kAuto && PastModels::due(n, dimension_, options().budget)) {
    Model present;
    model(present);
    present = inward(std::move(present));
    past_models_.add(present, counts().examples, [this](std::size_t i) { return moments_[i].mean; });
  }
  if (cautious_ && std::has_single_bit(n) && 4 * options().budget * n >= dimension_)
    unit_trust_.pool(moments_);
  switch (phase_.after(n)) {
    case PhaseControl::Action::kNone:
      return;
    case PhaseControl::Action::kReplan:
      plan_sampling();
      return;
    case PhaseControl::Action::kConsider: {
      const MomentWeights weights = moment_weights();
      const double planned = weights.variance_bound();
      if (!PhaseControl::gain_is_certain(planned, weights.uniform_variance())) return;
      phase_.switch_now(n, planned, weights.uniform_variance());
      begin_phase2();
      return;
    }
    case PhaseControl::Action::kSwitch: {
      phase_.switch_now(n, 0, 0);
      begin_phase2();
      return;
    }
  }
}

// Phase 2 starts from phase 1's result, with its own average and step (KS15 §5).
template <class Weights>
void GradientLearner<Weights>::begin_phase2() {
  weights_.restart_from_average(options().radius, [this](std::size_t i) { return unit(i); });
  mean_product_.forget();
  auto_step_.begin_phase();
  for (double& square : squares_) square = 0;
  plan_sampling();
  if (options().step == StepKind::kTheory)
    theory_eta_ = variant_.theory_phase2(options(), data_draws_, moments_, phase_.switched_at());
  add_up_weights();
}

template <class Weights>
double GradientLearner<Weights>::epsilon() const {
  if (options().confidence) return *options().confidence;
  if (phase_.rule() == PhaseControl::Rule::kKnown) return 0;
  const std::uint64_t m1 = phase_.phase() == 2 ? phase_.switched_at() : steps();
  const auto confidence =
      Weights::kMomentPower == MomentPower::kFirst ? theory::lasso_confidence : theory::confidence;
  return confidence(static_cast<double>(dimension_), static_cast<double>(options().budget), options().delta,
                    static_cast<double>(m1));
}

template <class Weights>
void GradientLearner<Weights>::plan_sampling() {
  if (priced_) return plan_costs();
  const MomentWeights weights = moment_weights();
  q_.plan(weights);
  ++q_version_;
  if (options().step == StepKind::kAuto) largest_ratio_ = weights.largest_ratio();
}

template <class Weights>
void GradientLearner<Weights>::add_up_weights() {
  rebuild_tree();
  if (!centred_) return;
  mean_product_.clear();
  for (std::size_t i = 0; i < dimension_; ++i)
    mean_product_.put_in(weights_.unscaled(i, unit(i)), moments_[i].mean);
}

// The averaged model of centred attributes, written for the attributes themselves: the iterates are functions
// ȳ + b_τ + ⟨w_τ, x − μ_τ⟩, and so is their average.
template <class Weights>
double GradientLearner<Weights>::intercept() const {
  const double bias = label_offset() + averaged_bias();
  return centred_ ? bias - mean_product_.averaged(weights_.scale()) : bias;
}

template <class Weights>
double GradientLearner<Weights>::predict(std::span<const Entry> entries) const {
  double sum = intercept();
  for (const Entry& entry : entries)
    sum += weights_.averaged(entry.attribute, unit(entry.attribute)) *
           (std::isnan(entry.value) ? moments_[entry.attribute].mean : inward(entry.attribute, entry.value));
  return finite(label_outward(sum));
}

template <class Weights>
void GradientLearner<Weights>::model(Model& model) const {
  model.weights.resize(dimension_);
  for (std::size_t i = 0; i < dimension_; ++i) model.weights[i] = weights_.averaged(i, unit(i));
  model.bias = intercept();
  outward(model);
}

template <class Weights>
SamplingRow GradientLearner<Weights>::sampling_row(Attribute attribute) const {
  return outward(attribute, {moments_[attribute],
                             priced_ ? priced_->probability(attribute) : q_.probability(attribute)});
}

template <class Weights>
std::size_t GradientLearner<Weights>::memory_bytes() const {
  return squares_.size() * sizeof(double) + weights_.memory_bytes() + moments_.memory_bytes() +
         q_.memory_bytes() + p_.memory_bytes() + (priced_ ? priced_->memory_bytes() : 0);
}

template <class Weights>
void GradientLearner<Weights>::save_state(State& state) const {
  weights_.save(state);
  moments_.save(state);
  q_.save(state);
  if (priced_) priced_->save(state);
  phase_.save(state);
  auto_step_.save(state);
  const double scalars[] = {theory_eta_, eta_, label_mean_, label_weight_, largest_ratio_};
  state.put_copy<double>("gradient.scalars", scalars);
  if (options().half_life) state.put_number("gradient.rho", rho_);
  state.put_number("gradient.generation", std::uint64_t{generation_});
  past_models_.save(state);
  if (centred_) mean_product_.save(state);
  if (cautious_) unit_trust_.save(state);
  if (!squares_.empty()) state.put_copy<double>("gradient.squares", squares_);
}

template <class Weights>
Status GradientLearner<Weights>::restore_state(const State& state) {
  if (const Status status = weights_.restore(state); !status) return status;
  if (const Status status = moments_.restore(state); !status) return status;
  if (const Status status = q_.restore(state); !status) return status;
  ++q_version_;
  if (const Status status = phase_.restore(state); !status) return status;
  if (phase_.phase() == 2) weights_.set_radius(options().radius);
  if (const Status status = auto_step_.restore(state); !status) return status;
  const auto scalars = state.get<double>("gradient.scalars", 5);
  if (!scalars) return scalars.error();
  theory_eta_ = (*scalars)[0];
  eta_ = (*scalars)[1];
  label_mean_ = (*scalars)[2];
  label_weight_ = (*scalars)[3];
  largest_ratio_ = (*scalars)[4];
  if (options().half_life) {
    const auto rho = state.get_number<double>("gradient.rho");
    if (!rho) return rho.error();
    rho_ = *rho;
  }
  const auto generation = state.get_number<std::uint64_t>("gradient.generation", 0);
  if (!generation) return generation.error();
  generation_ = static_cast<std::uint32_t>(*generation);
  if (const Status status = past_models_.restore(state); !status) return status;
  if (centred_)
    if (const Status status = mean_product_.restore(state); !status) return status;
  if (cautious_)
    if (const Status status = unit_trust_.restore(state); !status) return status;
  if (!squares_.empty()) {
    const auto squares = state.get<double>("gradient.squares", squares_.size());
    if (!squares) return squares.error();
    for (std::size_t i = 0; i < squares_.size(); ++i) squares_[i] = (*squares)[i];
  }
  if (priced_) {
    const auto same = priced_->restore(state);
    if (!same) return same.error();
    if (!*same) plan_costs();  // prices or the limit are others now
  }
  rebuild_tree();
  return {};
}

template class GradientLearner<LazyWeights>;
template class GradientLearner<ExponentiatedWeights>;

}  // namespace glimpse
