#include "learn/pairwise/solving_learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "learn/pairwise/pairwise_rules.h"

namespace glimpse {

SolvingLearner::SolvingLearner(const LearnerOptions& options, std::size_t pairs)
    : Learner(options),
      moments_(pairs),
      forgetting_(options.half_life ? std::exp2(-1 / static_cast<double>(*options.half_life)) : 1),
      past_models_(options.dimension, PastModels::Draws::kDistinct, &features_),
      guard_(options.half_life.value_or(ModelGuard::kLongest)) {}

double SolvingLearner::smallest_importance() const { return kSmallestPairImportance; }

bool SolvingLearner::is_summable(std::span<const double> values, double label, double importance) {
  double largest = std::abs(label);
  for (const double value : values)
    if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
  return largest <= kLargestPairTerm && importance <= kLargestPairTerm;
}

// The detectors are fed by what is learned from alone, after which alone they are heard.
void SolvingLearner::judge_unseen(const Plan& plan, std::span<const double> values, double label) {
  judge(plan, values, label, false);
}

void SolvingLearner::judge(const Plan& plan, std::span<const double> values, double label, bool watch) {
  const double error = label - (options().bias ? moments_.label().mean() : 0);
  const double mean_error = error * error;
  // Until there is a model it is the mean of the labels, and 0 before the first.
  if (past_models_.empty()) return count_loss(mean_error);
  if (plan.inner_product.empty()) return;  // the limit of cost had a say in every draw
  const auto judgement = past_models_.judge(plan, values, label, watch);
  const ServedModel& answers = guard_.choice();
  const double earlier_error =
      answers.earlier ? past_models_.squared_error(*answers.earlier, plan, values, label) : 0;
  const double errors[] = {judgement.squared_error, earlier_error, mean_error};  // by Served
  count_loss(errors[static_cast<std::size_t>(answers.served)]);
  if (guard_.add(judgement.squared_error, mean_error, earlier_error) && !adopted_) solution_.reset();
  if (judgement.rise) note_rise(*judgement.rise);
}

void SolvingLearner::judge_when_due() {
  if (!PastModels::due(steps(), options().dimension, options().budget, judged())) return;
  if (!judges_itself()) return;
  // The memory of a copy that others solve from is not to be touched; and with --drift auto judges are the
  // same wherever solutions come from.
  make_judge(solved_elsewhere_ || options().drift == Drift::kAuto);
}

// Otherwise solutions that come from elsewhere judge.
bool SolvingLearner::judges_itself() const {
  return !solved_elsewhere_ || options().drift == Drift::kAuto || judged() <= kLargestJudge;
}

void SolvingLearner::add_judge(const Model& model, std::uint64_t examples) {
  const bool withheld = guard_.served() != Served::kNewest;
  guard_.begin(past_models_.newest());
  past_models_.add(model, examples, [this](std::size_t i) { return mean_of(i); });
  if (withheld && !adopted_) solution_.reset();
}

void SolvingLearner::forget_judgements_of(Attribute attribute) {
  past_models_.forget_attribute(attribute);
  guard_.forget_attribute(attribute);
}

void SolvingLearner::forget_judgements() {
  past_models_.clear();
  guard_.clear();
}

void SolvingLearner::drop_solution() {
  spoil_capture();
  if (!adopted_) solution_.reset();
}

SolvingLearner::Capture SolvingLearner::now() const {
  return {.origin = {counts().examples, counts().attributes_revealed},
          .choice = guard_.choice(),
          .units = solution_units(),
          .steps = steps(),
          .is_stale = false};
}

bool SolvingLearner::is_old(const Capture& capture) const {
  return steps() > capture.steps + capture.steps / kLargestGrowth;
}

void SolvingLearner::begin_capture() {
  solved_elsewhere_ = true;
  start_capture();
}

void SolvingLearner::adopt(std::shared_ptr<const Solution> solution) {
  solution_ = std::move(solution);
  adopted_ = true;
  if (!judges_itself() && past_models_.awaits(solution_->origin.examples, options().budget))
    add_judge(inward(solution_->newest()), solution_->origin.examples);
}

const Solution& SolvingLearner::solution(std::uint64_t oldest) const {
  if (adopted_ || (solution_ && solved_at_ >= oldest)) return *solution_;
  solution_ = solve_now();
  solved_at_ = steps();
  return *solution_;
}

const std::shared_ptr<const Solution>& SolvingLearner::recent_solution() const {
  const std::uint64_t n = steps();
  solution(n - n / kSolutionShare);
  return solution_;
}

double SolvingLearner::predict_with(const Model& model, std::span<const Entry> entries) const {
  double sum = model.bias;
  for (const Entry& entry : entries) {
    if (features_.is_category(entry.attribute))
      sum += category_term(model, entry);
    else
      sum += model.weights[entry.attribute] *
             (std::isnan(entry.value) ? outward(entry.attribute, mean_of(entry.attribute)) : entry.value);
  }
  return sum;
}

// A category that is unknown, or came after the model, has no weight.
double SolvingLearner::category_term(const Model& model, const Entry& entry) const {
  if (!std::isnan(entry.value)) {
    const std::uint32_t slot = features_.indicator(entry.attribute, entry.value);
    return slot < model.weights.size() ? model.weights[slot] : 0;
  }
  double mean = 0;
  for (const std::uint32_t slot : features_.indicators(entry.attribute))
    if (slot < model.weights.size()) mean += model.weights[slot] * mean_of(slot);
  return mean;
}

double SolvingLearner::predict(std::span<const Entry> entries) const {
  return finite(predict_with(recent_solution()->model, entries));
}

std::shared_ptr<const Model> SolvingLearner::model_of_predictions() const {
  const auto& newest = recent_solution();
  return {newest, &newest->model};
}

std::shared_ptr<const Model> SolvingLearner::shared_model() const {
  solution(steps());
  return {solution_, &solution_->model};
}

std::shared_ptr<const Importances> SolvingLearner::importances() const {
  if (!solution_ || solution_->importances.shares.empty()) return nullptr;
  return {solution_, &solution_->importances};
}

LearnerReport SolvingLearner::describe() const {
  LearnerReport report;
  look_phase_.tell(report);
  if (solution_) report.origin = solution_->origin;
  report.guard = outward(guard_.report());
  report.memory_bytes =
      sums_memory_bytes() + past_models_.memory_bytes() + guard_.memory_bytes(features_.room());
  return report;
}

void SolvingLearner::save_judges(State& state) const {
  past_models_.save(state);
  guard_.save(state);
}

Status SolvingLearner::restore_judges(const State& state) {
  if (const Status status = past_models_.restore(state); !status) return status;
  if (const Status status = guard_.restore(state, options().dimension, features_.room()); !status)
    return status;
  solution_.reset();
  adopted_ = false;
  spoil_capture();
  return {};
}

}  // namespace glimpse
