#include "learn/gradient/gradient_learner.h"

#include <algorithm>
#include <cmath>

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

namespace {
constexpr double kUsualSpan = 3;  // nearly all values are within 3 times the root of their mean square

std::size_t most_attributes(const LearnerOptions& options, PlanKind kind) {
  return kind == PlanKind::kEverything ? options.dimension : options.budget;
}
}  // namespace

template <class Weights>
GradientLearner<Weights>::GradientLearner(const LearnerOptions& options, const Variant& variant,
                                          const SecondMoments* known)
    : Learner(options),
      variant_(variant),
      kind_(plan_kind(options, variant.full_information)),
      iterates_(this->options(), most_attributes(options, kind_)),
      planner_(make_planner(kind_, this->options(), iterates_)),
      phase_(variant.rule, phase1_length(options), options.dimension, options.budget),
      estimate_(options, kind_, most_attributes(options, kind_)),
      step_(this->options(), iterates_.coordinates(), most_attributes(options, kind_)),
      past_models_(options.dimension, kind_ == PlanKind::kEverything ? PastModels::Draws::kAll
                                                                     : PastModels::Draws::kIndependent) {
  if (known != nullptr) {
    keep_own_units();
    for (std::size_t i = 0; i < options.dimension; ++i) {
      const Moment& moment = (*known)[i];
      iterates_.set_moment(static_cast<Attribute>(i), moment);
      const double largest =
          std::max(kUsualSpan * std::sqrt(moment.second), static_cast<double>(moment.max_abs));
      if (largest > 0) expect_values(i, largest);
    }
  }
  plan_phase();
}

// What a phase begins with: q, and the step of its theorem.
template <class Weights>
void GradientLearner<Weights>::plan_phase() {
  plan_sampling();
  if (!step_.is_theory()) return;
  const double k = draw_counts(options(), kind_).data_point;
  step_.set_theory(phase_.phase() == 2
                       ? variant_.theory_phase2(options(), k, iterates_.moments(), phase_.switched_at())
                       : variant_.theory_phase1(options(), k));
}

template <class Weights>
void GradientLearner<Weights>::finish_plan(Random& random, Plan& plan) {
  planner_->finish(random, plan);
  complete(plan);
}

template <class Weights>
Status GradientLearner<Weights>::plan_among(Random& random, std::span<const Attribute> available,
                                            Plan& plan) {
  GLIMPSE_TRY(planner_->plan_among(random, available, plan));
  complete(plan);
  return {};
}

// What a plan of forgotten weights says of the present ones: the draws of the data point serve the inner
// product as well, as those of pairs always do. Separate ones give a gradient that is not unbiased.
template <class Weights>
const Plan& GradientLearner<Weights>::renewed(const Plan& plan) {
  renewed_ = plan;
  renewed_.inner_product.clear();
  renewed_.centres.clear();
  for (const Draw& draw : plan.data_point)
    renewed_.inner_product.push_back(
        {draw.position, draw.coefficient * iterates_.weight(plan.attributes[draw.position])});
  complete(renewed_);
  return renewed_;
}

template <class Weights>
Outcome GradientLearner<Weights>::step(const Plan& plan, std::span<const double> values, double label,
                                       double importance) {
  if (plan.generation != generation_) return step(renewed(plan), values, label, importance);
  if (!estimate_.fits(plan) || !iterates_.fits(plan)) return Outcome::kDiverged;
  if (!past_models_.empty())
    if (const auto rise = past_models_.judge(plan, values, label, watch()).rise) note_rise(*rise);
  iterates_.count_iterate();
  const Revealed revealed = iterates_.reveal(
      plan, values, [this](std::size_t a, const Moment& moment) { step_.note_moment(a, moment); });
  const std::span<const double> trust = step_.trust();
  estimate_.collect(plan, revealed, trust, label, importance);
  count_loss(estimate_.squared_error(), 1, kind_ == PlanKind::kEverything);
  step_.choose(phase_.phase(), planner_->draws_an_example(), [&] {
    StepFacts facts = estimate_.facts(plan, revealed, trust, options().bias);
    facts.largest_second = planner_->largest_second();
    facts.coordinates = iterates_.coordinates();
    facts.importance = importance;
    return facts;
  });
  if (options().bias) estimate_.add_bias(static_cast<Attribute>(iterates_.dimension()), importance);
  const auto taken = step_.take(estimate_.terms(), iterates_);
  iterates_.put_back(plan);
  if (taken == StepRule<Weights>::Taken::kAll) {
    add_up_weights();
  } else {
    planner_->update(plan.attributes);
  }
  iterates_.count_label(label, importance);
  return taken == StepRule<Weights>::Taken::kNone ? Outcome::kDiverged : Outcome::kLearned;
}

// Everything that was learned goes, and the uniform phase begins again. Moments that were given and not
// estimated stay.
template <class Weights>
void GradientLearner<Weights>::forget_everything() {
  if (phase_.rule() != PhaseControl::Rule::kKnown) {
    iterates_.forget_moments();
    planner_->forget();
  }
  forget_weights();
}

// The first prediction is the mean then, and the first step is as small as later ones.
template <class Weights>
bool GradientLearner<Weights>::expect_label(double mean) {
  if (options().bias) iterates_.expect_label(mean);
  return options().bias;
}

template <class Weights>
void GradientLearner<Weights>::forget_weights() {
  ++generation_;
  iterates_.forget_weights();
  phase_ = PhaseControl(variant_.rule, phase1_length(options()), options().dimension, options().budget);
  if (has_two_phases(options().algorithm)) phase_since_ = counts().examples;
  step_.forget();
  past_models_.clear();
  restart_steps();
  plan_phase();
  add_up_weights();
}

// What was learned from a wild value is in the bias and in other weights as well: they begin again, with what
// is known of the other attributes.
template <class Weights>
void GradientLearner<Weights>::forget_attribute(Attribute attribute) {
  if (phase_.rule() != PhaseControl::Rule::kKnown) iterates_.set_moment(attribute, Moment());
  forget_weights();
}

// With a half-life: the next iterate counts more. Moments count half of what they saw once in every one,
// except moments that were given.
template <class Weights>
void GradientLearner<Weights>::grow_old() {
  iterates_.grow_rho();
  if (steps() % *options().half_life != 0) return;
  iterates_.age(phase_.rule() == PhaseControl::Rule::kKnown);
  if (phase_.phase() == 2) plan_sampling();
  planner_->rebuild();  // the spread that p goes by depends on the counts
}

template <class Weights>
void GradientLearner<Weights>::after_example() {
  const std::uint64_t n = steps();
  if (options().half_life) grow_old();
  if (options().drift == Drift::kAuto && PastModels::due(n, options().dimension, options().budget)) {
    Model present;
    write_model(present);
    present = inward(std::move(present));
    past_models_.add(present, counts().examples, [this](std::size_t i) { return iterates_.moment(i).mean; });
  }
  step_.after_example(n, iterates_.moments());
  switch (phase_.after(n)) {
    case PhaseControl::Action::kNone:
      return;
    case PhaseControl::Action::kReplan:
      plan_sampling();
      return;
    case PhaseControl::Action::kConsider: {
      const MomentWeights weights = iterates_.moment_weights(epsilon());
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
  phase_since_ = counts().examples;
  iterates_.begin_phase2();
  step_.begin_phase();
  plan_phase();
  add_up_weights();
}

template <class Weights>
double GradientLearner<Weights>::epsilon() const {
  if (options().confidence) return *options().confidence;
  if (phase_.rule() == PhaseControl::Rule::kKnown) return 0;
  const std::uint64_t m1 = phase_.phase() == 2 ? phase_.switched_at() : steps();
  const auto confidence =
      Weights::kMomentPower == MomentPower::kFirst ? theory::lasso_confidence : theory::confidence;
  return confidence(static_cast<double>(options().dimension), count_of_uniform_draws(options(), kind_),
                    options().delta, static_cast<double>(m1));
}

template <class Weights>
void GradientLearner<Weights>::plan_sampling() {
  if (phase_.phase() == 2) {
    planner_->plan_by(iterates_.moment_weights(epsilon()));
  } else {
    planner_->begin_uniform_phase();
  }
  measure_looks();
}

template <class Weights>
void GradientLearner<Weights>::measure_looks() {
  looks_ = spread_of(options().dimension, [this](Attribute i) { return planner_->probability(i); });
}

template <class Weights>
void GradientLearner<Weights>::add_up_weights() {
  planner_->rebuild();
  iterates_.add_up();
}

template <class Weights>
double GradientLearner<Weights>::predict(std::span<const Entry> entries) const {
  if (waits_for_origin()) return label_spread().mean();
  double sum = iterates_.intercept();
  for (const Entry& entry : entries)
    sum += iterates_.averaged(entry.attribute) * (std::isnan(entry.value)
                                                      ? iterates_.moment(entry.attribute).mean
                                                      : inward(entry.attribute, entry.value));
  return finite(label_outward(sum));
}

template <class Weights>
void GradientLearner<Weights>::model(Model& model) const {
  waits_for_origin() ? model_of_mean(model) : write_model(model);
}

template <class Weights>
void GradientLearner<Weights>::write_model(Model& model) const {
  model.weights.resize(iterates_.dimension());
  for (std::size_t i = 0; i < model.weights.size(); ++i) model.weights[i] = iterates_.averaged(i);
  model.bias = iterates_.intercept();
  outward(model);
}

template <class Weights>
SamplingRow GradientLearner<Weights>::sampling_row(Attribute attribute) const {
  return outward(attribute, {iterates_.moment(attribute), planner_->probability(attribute)});
}

template <class Weights>
std::string GradientLearner<Weights>::uniform_draws() const {
  switch (kind_) {
    case PlanKind::kEverything:
      return "it looks at all attributes of each example";
    case PlanKind::kPriced:
      return "its data-point draws go by prices alone, those of the inner product by the weights";
    default:
      return "its data-point draws are uniform, those of the inner product go by the weights";
  }
}

template <class Weights>
LearnerReport GradientLearner<Weights>::describe() const {
  LearnerReport report;
  report.phase = phase_.phase();
  report.phase_since = phase_since_;
  report.phase_reason = phase_.explain(uniform_draws());
  report.looks = looks_;
  report.step_size = step_.eta();
  report.origin = all_examples();
  report.memory_bytes = iterates_.memory_bytes() + step_.memory_bytes() + planner_->memory_bytes();
  return report;
}

template <class Weights>
Status GradientLearner<Weights>::merge_state(const Learner& other, const MergedSlots& slots) {
  const auto& theirs = static_cast<const GradientLearner&>(other);
  if (options().budget_cost)
    return failure(ErrorCode::kUnavailable, "--budget-cost: learners under a limit of cost are not merged");
  ++generation_;
  past_models_.clear();
  step_.add_squares(theirs.step_, slots.attributes);
  const bool is_behind = phase_.phase() < theirs.phase_.phase() || steps() == 0;
  if (is_behind) {
    phase_ = theirs.phase_;
    phase_since_ = theirs.phase_since_;
    if (phase_.phase() == 2) iterates_.restore_phase2();
    State state;
    state.begin();
    theirs.step_.save(state);
    theirs.step_.save_scales(state);
    state.finish();
    GLIMPSE_TRY(step_.restore(state));
  }
  iterates_.mix(theirs.iterates_, slots.attributes);
  return {};
}

template <class Weights>
void GradientLearner<Weights>::after_merging() {
  plan_phase();
  add_up_weights();
}

template <class Weights>
void GradientLearner<Weights>::save_state(State& state) const {
  iterates_.save(state);
  planner_->save(state);
  phase_.save(state);
  state.put_number("phase.since", phase_since_);
  step_.save(state);
  const double scalars[] = {step_.theory_eta(), step_.eta(), iterates_.label_mean(), iterates_.label_weight(),
                            planner_->largest_ratio()};
  state.put_copy<double>("gradient.scalars", scalars);
  iterates_.save_rho(state);
  state.put_number("gradient.generation", std::uint64_t{generation_});
  past_models_.save(state);
  iterates_.save_centring(state);
  step_.save_scales(state);
}

template <class Weights>
Status GradientLearner<Weights>::restore_state(const State& state) {
  GLIMPSE_TRY(iterates_.restore(state));
  GLIMPSE_TRY_ASSIGN(const auto same_sampling, planner_->restore(state));
  GLIMPSE_TRY(phase_.restore(state));
  GLIMPSE_TRY_ASSIGN(phase_since_, state.get_number<std::uint64_t>("phase.since", phase_.switched_at()));
  if (phase_.phase() == 2) iterates_.restore_phase2();
  GLIMPSE_TRY(step_.restore(state));
  GLIMPSE_TRY_ASSIGN(const auto scalars, state.get<double>("gradient.scalars", 5));
  step_.restore_etas(scalars[0], scalars[1]);
  iterates_.restore_label(scalars[2], scalars[3]);
  planner_->restore_largest_ratio(scalars[4]);
  GLIMPSE_TRY(iterates_.restore_rho(state));
  GLIMPSE_TRY_ASSIGN(const auto generation, state.get_number<std::uint64_t>("gradient.generation", 0));
  generation_ = static_cast<std::uint32_t>(generation);
  GLIMPSE_TRY(past_models_.restore(state));
  GLIMPSE_TRY(iterates_.restore_centring(state));
  GLIMPSE_TRY(step_.restore_scales(state));
  if (!same_sampling) plan_sampling();
  measure_looks();
  planner_->rebuild();
  return {};
}

template class GradientLearner<LazyWeights>;
template class GradientLearner<ExponentiatedWeights>;

}  // namespace glimpse
