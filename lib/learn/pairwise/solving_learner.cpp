#include "learn/pairwise/solving_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "learn/core/model_products.h"
#include "learn/small_models/small_models.h"

namespace glimpse {

SolvingLearner::SolvingLearner(const LearnerOptions& options, std::size_t pairs)
    : Learner(options),
      moments_(pairs),
      schedule_(options),
      forgetting_(options.half_life ? std::exp2(-1 / static_cast<double>(*options.half_life)) : 1),
      past_models_(options.dimension, PastModels::Draws::kDistinct, &features_),
      guard_(options.half_life.value_or(ModelGuard::kLongest)),
      product_guard_(options.budget_cost.has_value()),
      best_(options),
      blocks_(options) {}

// How many examples share it is known since chances were planned, so that plans drawn ahead are those drawn
// later.
void SolvingLearner::begin_plan(Random& random, Plan& plan) {
  blocks_.next(random, examples_planned_at(next_planning()), plan,
               [this](Random& source, Plan& drawn) { draw_plan(source, drawn); });
}

void SolvingLearner::draw_otherwise() {
  ++plan_version_;
  blocks_.end();
}

// Plans are those of the first label's learner.
double SolvingLearner::design_effect() const {
  const SolvingLearner& drawing = lead() == nullptr ? *this : *static_cast<const SolvingLearner*>(lead());
  return drawing.blocks_.effect_after(examples_planned_at(drawing.next_planning()));
}

bool SolvingLearner::is_summable(std::span<const double> values, double label, double importance) {
  double largest = std::abs(label);
  for (const double value : values)
    if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
  return largest <= kLargestPairTerm && importance <= kLargestPairTerm;
}

// The detectors are fed by what is learned from alone, after which alone they are heard.
void SolvingLearner::judge_unseen(const Plan& plan, std::span<const double> values, double label) {
  judge(plan, values, label, Watch::kOff);
}

// Two draws do, or all of the attributes. Where a limit of cost had a say in every draw but one, no model can
// be judged: then neither is the mean that answered before, which would stand for all of them for ever.
bool SolvingLearner::tells_of_errors(const Plan& plan) const {
  const bool is_of_all = plan.population == 0 && plan.data_point.empty();
  const std::size_t population = is_of_all ? options().dimension : plan.population;
  return plan.inner_product.size() >= std::min<std::size_t>(2, population);
}

void SolvingLearner::judge(const Plan& plan, std::span<const double> values, double label, Watch watch) {
  if (!tells_of_errors(plan) || !best_.tells_of_now(plan)) return;
  const std::optional<PastModels::Classes> of_classes = judged_classes();
  const PastModels::Classes* const classes = of_classes ? &*of_classes : nullptr;
  const double mean_error = classes != nullptr ? error_of_shares(*classes) : error_of_mean(label);
  // Until there is a model it is the mean of the labels, and 0 before the first.
  const bool is_whole = values.size() == options().dimension &&
                        std::ranges::none_of(values, [](double x) { return std::isnan(x); });
  if (past_models_.empty()) return count_loss(mean_error, 1, is_whole);
  const auto judgement = past_models_.judge(plan, values, label, watch, classes);
  const ServedModel& answers = guard_.choice();
  const double earlier_error =
      answers.earlier ? past_models_.squared_error(*answers.earlier, plan, values, label, classes) : 0;
  const PastModel& newest = *past_models_.newest();
  const double linear_error = newest.linear ? past_models_.squared_error(*newest.linear, plan, values, label)
                                            : judgement.squared_error;
  const double newest_error = product_guard_.withholds() ? linear_error : judgement.squared_error;
  const double errors[] = {newest_error, earlier_error, mean_error};  // by Served
  guard_.set_effect(design_effect());
  const double effect = answers.served == Served::kMean ? 1 : design_effect();
  count_loss(errors[static_cast<std::size_t>(answers.served)], effect, is_whole);
  if (is_classifier()) guard_.set_slack(1);
  // A model with products is compared with the linear one of its moment, not with the mean.
  bool has_changed = false;
  if (newest.linear) {
    has_changed = product_guard_.add(judgement.squared_error, linear_error);
  } else if (!knows_class(newest)) {
    has_changed = is_first_of_class() && guard_.acquit();
  } else if (has_usual_class(newest)) {
    const double then = classes != nullptr ? error_of_shares(*classes, newest) : error_of_mean(label, newest);
    has_changed = guard_.add({judgement.squared_error, then}, {earlier_error, mean_error});
    if (has_changed && guard_.served() != Served::kNewest && !has_usual_mix(newest))
      has_changed = !guard_.acquit();
  }
  if (has_changed && !adopted_) solution_.reset();
  if (judgement.rise) note_rise(*judgement.rise);
}

void SolvingLearner::judge_when_due() {
  if (pending_ && steps() >= pending_->judges_from()) use_judge();
  if (!schedule_.is_due(steps(), judged())) return;
  const std::uint64_t from = schedule_.judges_from(steps(), judged());
  JudgeForm form = judge_form();
  form.best.chooses = schedule_.chooses(steps(), judged());
  pending_ = std::make_unique<PendingJudge>(judge_basis(), form, from);
  moments_.add_at_once(pending_->is_copying());
  if (from <= steps()) return use_judge();
  // Nobody else would solve for it before.
  if (!judged_elsewhere_) {
    finish_judges_copy();
    pending_->take()->run({});
    take_memory_back();
  }
}

void SolvingLearner::lend_memory(JudgeBasis& basis) const {
  solve_memory_.exchange(basis.snapshot, basis.solver);
  basis.is_lent = !solved_elsewhere_ || moments_.dimension() <= kJudgesOften;
}

void SolvingLearner::take_memory_back() {
  const std::shared_ptr<JudgeBasis> spent = pending_->spent();
  if (spent) solve_memory_.exchange(spent->snapshot, spent->solver);
}

void SolvingLearner::use_judge() {
  finish_judges_copy();
  const bool withheld = guard_.served() != Served::kNewest;
  std::shared_ptr<const PastModel> model = pending_->model();
  const bool has_changed = best_.adopt(model->best, model->best_wait, counts().examples);
  if (has_changed) {
    // Plans of the best say nothing of what others add to the models of before.
    past_models_.clear();
    guard_.clear();
  }
  guard_.begin(past_models_.newest());
  class_quota_.begin();
  product_guard_.begin();
  past_models_.add(std::move(model));
  take_memory_back();
  judged_basis_.reset();
  pending_.reset();
  if (withheld && !adopted_) solution_.reset();
  if (!has_changed) return;
  drop_solution();
  best_changed();
}

void SolvingLearner::forget_best() {
  if (!best_.is_on()) return;
  best_.forget();
  best_changed();
}

std::vector<bool> SolvingLearner::not_best(const Capture& capture, std::size_t attributes) {
  if (!capture.best) return {};
  std::vector<bool> out(attributes, true);
  for (const Attribute i : *capture.best) out[i] = false;
  return out;
}

void SolvingLearner::keep_for_judge(std::span<const Attribute> attributes) {
  if (!pending_) {
    if (options().budget < PairBatch::kLeastSeen) return;  // none are added later
    // When it changes alone: a capture wants it as well.
    const bool is_near = schedule_.is_near(steps() + 1, judged());
    if (is_near != is_judge_near_) moments_.add_at_once(is_near);
    is_judge_near_ = is_near;
    return;
  }
  if (!pending_->is_copying()) return;
  pending_->keep(moments_, attributes);
  moments_.add_at_once(pending_->is_copying());
}

void SolvingLearner::finish_judges_copy() const {
  if (!pending_ || !pending_->is_copying()) return;
  pending_->finish_copy(moments_);
  moments_.add_at_once(false);
}

void SolvingLearner::forget_moments() {
  if (forgetting_ == 1) return;
  if (moments_.forgets_by_rewriting(forgetting_)) finish_judges_copy();
  moments_.forget(forgetting_);
}

void SolvingLearner::forget_judgements_of(Attribute attribute) {
  judged_basis_.reset();
  if (pending_) pending_->forget_attribute(attribute);
  past_models_.forget_attribute(attribute);
  guard_.forget_attribute(attribute);
}

void SolvingLearner::forget_judgements() {
  judged_basis_.reset();
  if (pending_) moments_.add_at_once(false);
  pending_.reset();
  past_models_.clear();
  guard_.clear();
  class_quota_.begin();
  product_guard_.clear();
}

void SolvingLearner::drop_solution() {
  spoil_capture();
  if (!adopted_) solution_.reset();
}

SolvingLearner::Capture SolvingLearner::now() const {
  return {.origin = {counts().examples, counts().attributes_revealed, counts().missing},
          .choice = guard_.choice(),
          .units = solution_units(),
          .best = best_.set(),
          .steps = steps(),
          .is_stale = false};
}

bool SolvingLearner::is_old(const Capture& capture) const {
  return steps() > capture.steps + capture.steps / kLargestGrowth;
}

void SolvingLearner::wish(const SolutionWish& wish) {
  wish_.add(wish);
  if (!solved_elsewhere_) solution_.reset();
}

const Solution& SolvingLearner::solution(std::uint64_t oldest) const {
  const auto& first = lead() == nullptr ? *this : static_cast<const SolvingLearner&>(*lead());
  if (!adopted_ && !first.are_solved_since(oldest))
    for (std::size_t l = 0; l < first.label_count(); ++l)
      static_cast<const SolvingLearner&>(first.of_label(l)).solve_of_now();
  return *solution_;
}

const Solution& SolvingLearner::newest_solution() const {
  const bool has_all = solution_ && solution_->origin.examples == counts().examples &&
                       solution_->origin.labels_alone == counts().missing;
  return solution(has_all ? 0 : std::numeric_limits<std::uint64_t>::max());
}

bool SolvingLearner::are_solved_since(std::uint64_t oldest) const {
  for (std::size_t l = 0; l < label_count(); ++l) {
    const auto& one = static_cast<const SolvingLearner&>(of_label(l));
    if (!one.solution_ || one.solved_at_ < oldest || one.solved_at_ != solved_at_) return false;
  }
  return true;
}

void SolvingLearner::solve_of_now() const {
  granted_ = std::exchange(wish_, {});
  solution_ = solve_now();
  solved_at_ = learned();
}

const std::shared_ptr<const Solution>& SolvingLearner::recent_solution() const {
  const std::uint64_t n = learned();
  solution(n - n / kSolutionShare);
  return solution_;
}

double SolvingLearner::predict_with(const Model& model, std::span<const Entry> entries) const {
  double sum = model.bias;
  for (const Entry& entry : entries) {
    if (features_.has_indicators(entry.attribute)) sum += indicator_term(model, entry);
    if (!features_.is_category(entry.attribute))
      sum += model.weights[entry.attribute] *
             (std::isnan(entry.value) ? outward(entry.attribute, mean_of(entry.attribute)) : entry.value);
  }
  return sum;
}

// A category that is unknown, or came after the model, has no weight.
double SolvingLearner::indicator_term(const Model& model, const Entry& entry) const {
  double sum = 0;
  if (!std::isnan(entry.value)) {
    for (const double code : features_.codes(entry.attribute, entry.value))
      if (const std::uint32_t slot = features_.indicator(entry.attribute, code); slot < model.weights.size())
        sum += model.weights[slot];
    return sum;
  }
  for (const std::uint32_t slot : features_.indicators(entry.attribute))
    if (slot < model.weights.size()) sum += model.weights[slot] * mean_of(slot);
  return sum;
}

double SolvingLearner::predict(std::span<const Entry> entries) const {
  return finite(predict_with(recent_solution()->model, entries));
}

const PastModel* SolvingLearner::judging() const {
  const ServedModel& answers = guard_.choice();
  if (past_models_.empty() || answers.served == Served::kMean) return nullptr;
  if (answers.earlier) return answers.earlier.get();
  const PastModel& newest = *past_models_.newest();
  return product_guard_.withholds() ? &newest.without_products() : &newest;
}

// A model's moments go when a unit changes: PastModel's without().
std::shared_ptr<const Solution> SolvingLearner::judged_basis() const {
  const PastModel* const model = judging();
  if (model == nullptr || !model->moments) return nullptr;
  if (!judged_basis_ || judged_ != model) {
    auto basis = std::make_shared<Solution>();
    basis->model = model->model();
    basis->moments = *model->moments;
    basis->classes = model->scores;
    basis->class_moments = model->class_moments;
    basis->slots = basis->moments.means.size();
    if (!model->products.empty()) basis->features = options().dimension + count_products(basis->model);
    basis->origin.examples = model->examples;
    basis->outward(solution_units());
    judged_basis_ = std::move(basis);
    judged_ = model;
  }
  return judged_basis_;
}

double SolvingLearner::predict_as_judged(std::span<const Entry> entries) const {
  const PastModel* const model = judging();
  if (model == nullptr) return finite(label_outward(options().bias ? moments_.label().mean() : 0));
  double sum = model->bias;
  for (const Entry& entry : entries) {
    const Attribute i = entry.attribute;
    const bool is_missing = std::isnan(entry.value);
    if (features_.has_indicators(i))
      sum += model->at_centre_of(i, features_) + (is_missing ? 0 : model->term(i, entry.value, features_));
    else
      sum += model->weights[i] * (is_missing ? model->centre[i] : inward(i, entry.value));
  }
  return finite(label_outward(sum));
}

std::shared_ptr<const Model> SolvingLearner::model_of_predictions() const {
  const auto& newest = recent_solution();
  return {newest, &newest->model};
}

std::shared_ptr<const Model> SolvingLearner::shared_model() const {
  newest_solution();
  return {solution_, &solution_->model};
}

std::shared_ptr<const Importances> SolvingLearner::importances() const {
  if (!solution_ || solution_->importances.shares.empty()) return nullptr;
  return {solution_, &solution_->importances};
}

std::shared_ptr<const std::vector<double>> SolvingLearner::weight_errors() const {
  if (!solution_ || solution_->weight_errors.empty()) return nullptr;
  return {solution_, &solution_->weight_errors};
}

LearnerReport SolvingLearner::describe() const {
  LearnerReport report;
  look_phase_.tell(report);
  best_.tell(report);
  if (solution_) report.origin = solution_->origin;
  report.guard = outward(guard_.report());
  for (std::size_t l = 1; l < label_count(); ++l) report.memory_bytes += of_label(l).describe().memory_bytes;
  report.memory_bytes += sums_memory_bytes() + past_models_.memory_bytes() +
                         guard_.memory_bytes(model_slots()) + solve_memory_.bytes() +
                         (pending_ ? pending_->memory_bytes() : 0);
  return report;
}

void SolvingLearner::save_judges(State& state) const {
  past_models_.save(state);
  guard_.save(state);
  class_quota_.save(state);
  product_guard_.save(state);
  best_.save(state);
  if (!pending_) return;
  finish_judges_copy();
  pending_->save(state, !solved_elsewhere_);
}

Status SolvingLearner::restore_judges(const State& state) {
  GLIMPSE_TRY(past_models_.restore(state, model_slots()));
  GLIMPSE_TRY(guard_.restore(state, options().dimension, model_slots()));
  GLIMPSE_TRY(class_quota_.restore(state));
  GLIMPSE_TRY(product_guard_.restore(state));
  GLIMPSE_TRY(best_.restore(state, options().dimension));
  GLIMPSE_TRY_ASSIGN(pending_,
                     PendingJudge::restore(state, judge_form(), options().dimension, model_slots()));
  judged_basis_.reset();
  solution_.reset();
  adopted_ = false;
  spoil_capture();
  return {};
}

// What others solve for: models out of captures, and the models that judge before they are needed.

void SolvingLearner::begin_capture() {
  begin_shared_capture();
  for (std::size_t l = 1; l < label_count(); ++l)
    static_cast<SolvingLearner&>(of_label(l)).begin_shared_capture();
  start_capture();
}

void SolvingLearner::begin_shared_capture() {
  if (!solved_elsewhere_) solve_memory_ = {};  // a capture has its own
  solved_elsewhere_ = true;
  judged_elsewhere_ = true;
  granted_ = std::exchange(wish_, {});
}

void SolvingLearner::adopt(std::shared_ptr<const Solution> solution) {
  for (std::size_t l = 1; l < label_count(); ++l) of_label(l).solving()->adopt(solution->further[l - 1]);
  solution_ = std::move(solution);
  adopted_ = true;
}

std::shared_ptr<SolveAhead> SolvingLearner::take_ahead() {
  if (pending_ && pending_->is_to_be_taken()) return pending_->take();
  for (std::size_t l = 1; l < label_count(); ++l)
    if (of_label(l).solving()->has_ahead()) return of_label(l).solving()->take_ahead();
  return nullptr;
}

bool SolvingLearner::has_ahead() const {
  bool any = pending_ && pending_->is_to_be_taken();
  for (std::size_t l = 1; l < label_count(); ++l)
    any = any || static_cast<const SolvingLearner&>(of_label(l)).has_ahead();
  return any;
}

void SolvingLearner::leave_ahead_to_others() {
  for (std::size_t l = 0; l < label_count(); ++l)
    static_cast<SolvingLearner&>(of_label(l)).judged_elsewhere_ = true;
}

// What SolvingLearner knows of classes.

void SolvingLearner::learn_class(double importance) {
  if (!is_classifier()) return;
  moments_.grow_targets(std::max(classes().size(), class_of_example() + 1));
  moments_.add_to_class(class_of_example(), importance);
}

// Of up to two classes the label is the indicator of the second.
std::optional<PastModels::Classes> SolvingLearner::judged_classes() const {
  const std::size_t classes =
      past_models_.empty() ? moments_.targets() : past_models_.newest()->indicators.size();
  if (!is_classifier() || classes <= 2) return std::nullopt;
  const std::size_t own = class_of_example();
  const std::size_t turn = static_cast<std::size_t>(steps() % (classes - 1));
  // A class that the model does not know has all the others beside it.
  const bool is_known = own < classes;
  return PastModels::Classes{own, is_known ? (own + 1 + turn) % classes : turn,
                             static_cast<double>(is_known ? classes - 1 : classes)};
}

double SolvingLearner::error_of_shares(const PastModels::Classes& classes) const {
  return classes.sum([&](std::size_t c) {
    const double share = options().bias && c < moments_.targets() ? moments_.target(c).mean() : 0;
    const double error = (c == classes.own ? 1 : 0) - share;
    return error * error;
  });
}

double SolvingLearner::error_of_shares(const PastModels::Classes& classes, const PastModel& model) const {
  return classes.sum([&](std::size_t c) {
    const PastModel* const indicator = model.of_class(c);
    const double share = options().bias && indicator != nullptr ? indicator->at_centre : 0;
    const double error = (c == classes.own ? 1 : 0) - share;
    return error * error;
  });
}

// An example of a class that came after a model does not tell whether later ones, which know it, are worse
// than the shares of classes.
bool SolvingLearner::knows_class(const PastModel& model) const {
  return !is_classifier() || !model.scores || class_of_example() < model.scores->classes();
}

bool SolvingLearner::is_first_of_class() const {
  return class_of_example() >= moments_.targets() || !(moments_.target(class_of_example()).sum > 0);
}

bool SolvingLearner::has_usual_class(const PastModel& model) {
  if (!is_classifier() || !model.scores) return true;
  return class_quota_.admits(class_of_example(), model.scores->priors[class_of_example()]);
}

bool SolvingLearner::has_usual_mix(const PastModel& model) const {
  return !is_classifier() || !model.scores || class_quota_.is_balanced(model.scores->priors);
}

LabelSums SolvingLearner::label_of_losses() const {
  const std::size_t classes = moments_.targets();
  LabelSums label = moments_.label();
  if (classes <= 2) return label;
  double variance = 0;
  for (std::size_t c = 0; c < classes; ++c) variance += moments_.target(c).variance() / 2;
  return {0, label.weight, 0, label.weight * variance};
}

std::shared_ptr<const ClassModel> SolvingLearner::class_model() const {
  return is_classifier() ? recent_solution()->classes : nullptr;
}

namespace {

void add_scores(std::span<const double> weights, double value, std::span<double> scores) {
  for (std::size_t c = 0; c < std::min(weights.size(), scores.size()); ++c) scores[c] += weights[c] * value;
}

void begin_scores(const ClassModel& model, std::span<double> scores) {
  std::ranges::fill(scores, kNoScore);
  std::copy_n(model.biases.begin(), std::min(scores.size(), model.classes()), scores.begin());
}

}  // namespace

void SolvingLearner::class_scores(const ClassModel* model, std::span<const Entry> entries,
                                  std::span<double> scores) const {
  const std::shared_ptr<const ClassModel> newest = model == nullptr ? class_model() : nullptr;
  if (model == nullptr) model = newest.get();
  if (model == nullptr) return Learner::class_scores(nullptr, entries, scores);
  begin_scores(*model, scores);
  for (const Entry& entry : entries) {
    const Attribute i = entry.attribute;
    const bool is_missing = std::isnan(entry.value);
    if (!features_.is_category(i)) {
      const double value = is_missing ? outward(i, mean_of(i)) : entry.value;
      add_scores(model->weights_of(i), value, scores);
    }
    if (!features_.has_indicators(i)) continue;
    if (!is_missing) {
      for (const double code : features_.codes(i, entry.value))
        add_scores(model->weights_of(features_.indicator(i, code)), 1, scores);
    } else {
      for (const std::uint32_t slot : features_.indicators(i))
        add_scores(model->weights_of(slot), slot < model->slots() ? mean_of(slot) : 0, scores);
    }
  }
}

void SolvingLearner::judged_class_scores(std::span<const Entry> entries, std::span<double> scores) const {
  const PastModel* const judge = judging();
  // With products there are two classes, and the model of their label.
  if (judge != nullptr && !judge->scores && options().products > 0)
    return scores_of_prediction(predict_as_judged(entries), scores);
  if (labels().empty()) {
    std::ranges::fill(scores, 0.0);
    return;
  }
  if (moments_.targets() < 2) return scores_of_prediction(predict_as_judged(entries), scores);
  if (judge == nullptr || !judge->scores) {
    std::vector<double> counts(scores.size());
    for (std::size_t c = 0; c < std::min(counts.size(), moments_.targets()); ++c)
      counts[c] = moments_.target(c).sum;
    std::ranges::copy(class_priors(counts).biases, scores.begin());
    return;
  }
  const ClassModel& model = *judge->scores;
  begin_scores(model, scores);
  for (const Entry& entry : entries) {
    const Attribute i = entry.attribute;
    const bool is_missing = std::isnan(entry.value);
    if (!features_.is_category(i))
      add_scores(model.weights_of(i), is_missing ? judge->centre[i] : inward(i, entry.value), scores);
    if (!features_.has_indicators(i)) continue;
    if (!is_missing) {
      for (const double code : features_.codes(i, entry.value))
        add_scores(model.weights_of(features_.indicator(i, code)), 1, scores);
    } else {
      for (const std::uint32_t slot : features_.indicators(i))
        if (slot < judge->centre.size()) add_scores(model.weights_of(slot), judge->centre[slot], scores);
    }
  }
}

Status SolvingLearner::check_small_models() const {
  if (options().products > 0)
    return failure(ErrorCode::kUnavailable,
                   "a small model has no products: a daemon without --products chooses its attributes");
  if (is_classifier() && classes().size() > 2)
    return failure(ErrorCode::kUnavailable, "small models are of numbers or two classes, and there are {}",
                   classes().size());
  return {};
}

void SolvingLearner::find_small_models(const PairSnapshot& moments, const Prices* prices,
                                       const std::optional<NormBall>& ball, PairwiseSolver& solver,
                                       const Cancelled& cancelled, Solution& solution) const {
  if (options().products > 0 || moments.targets() > 2) return;
  for (const SmallModelQuestion& question : granted().small_models) {
    auto small = find_small_model(question, moments, prices, ball, solver, cancelled);
    if (!small) return;
    solution.small_models.push_back(std::move(*small));
  }
}

std::shared_ptr<const SmallModel> SolvingLearner::small_model(const SmallModelQuestion& question) const {
  if (!solution_) return nullptr;
  for (const SmallModel& small : solution_->small_models)
    if (small.question == question) return {solution_, &small};
  return nullptr;
}

}  // namespace glimpse
