#include "learn/apple/apple.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <numeric>
#include <utility>

#include "learn/apple/epochs.h"
#include "learn/apple/parent_tree.h"

namespace glimpse {

bool PastWeights::due(std::uint64_t examples) {
  constexpr std::uint64_t kFewest = 32;
  return examples >= kFewest && std::has_single_bit(examples);
}

void PastWeights::add(std::vector<double> weights, double bias) {
  models_[1] = std::move(models_[0]);
  models_[0] = {std::move(weights), bias, {}};
}

void PastWeights::forget(const std::function<bool(std::uint32_t)>& is_gone) {
  for (Watched& model : models_) {
    for (std::uint32_t slot = 0; slot < model.weights.size(); ++slot)
      if (is_gone(slot)) model.weights[slot] = 0;
    model.detector = {};
  }
}

std::optional<ChangeDetector::Rise> PastWeights::judge(std::span<const FeatureValue> features, double label) {
  std::optional<ChangeDetector::Rise> rise;
  for (Watched& model : models_) {
    if (model.weights.empty()) continue;
    double error = model.bias - label;
    for (const FeatureValue& feature : features)
      if (feature.slot < model.weights.size()) error += model.weights[feature.slot] * feature.value;
    const auto risen = model.detector.add(error * error);
    if (!rise) rise = risen;
  }
  return rise;
}

void PastWeights::save(State& state, std::size_t slots) const {
  for (std::size_t k = 0; k < models_.size() && !models_[k].weights.empty(); ++k) {
    const std::string name = fmt::format("past.{}", k);
    const auto room = state.put<double>(name + ".weights", slots);
    const auto end = std::copy(models_[k].weights.begin(), models_[k].weights.end(), room.begin());
    std::fill(end, room.end(), 0.0);
    state.put_number(name + ".at_centre", models_[k].bias);
    models_[k].detector.save(state, (name + ".detector").c_str());
  }
}

Status PastWeights::restore(const State& state, std::size_t slots) {
  clear();
  for (std::size_t k = 0; k < models_.size(); ++k) {
    const std::string name = fmt::format("past.{}", k);
    if (state.find(name + ".weights") == nullptr) return {};
    GLIMPSE_TRY_ASSIGN(const auto weights, state.get<double>(name + ".weights", slots));
    GLIMPSE_TRY_ASSIGN(const auto bias, state.get_number<double>(name + ".at_centre"));
    models_[k].weights.assign(weights.begin(), weights.end());
    models_[k].bias = bias;
    GLIMPSE_TRY(models_[k].detector.restore(state, (name + ".detector").c_str()));
  }
  return {};
}

namespace {

constexpr double kLargestBaseWeight = 1e300;  // in the user's units; what is more counts as that

NormalisedSteps::Options steps_of(const LearnerOptions& options) {
  NormalisedSteps::Options steps;
  if (options.step == StepKind::kNumber) steps.rate = options.step_number;
  steps.bias = options.bias;
  if (options.half_life) steps.half_life = static_cast<double>(*options.half_life);
  return steps;
}

}  // namespace

Apple::Apple(const LearnerOptions& options)
    : Learner(options),
      tree_(options.dimension, options.max_features),
      steps_taken_(options.dimension, steps_of(options)),
      moments_(options.dimension) {}

void Apple::begin_plan(Random&, Plan& plan) {
  plan.clear();
  plan.attributes.resize(options().dimension);
  std::iota(plan.attributes.begin(), plan.attributes.end(), Attribute{0});
}

Status Apple::plan_among(Random&, std::span<const Attribute> available, Plan& plan) {
  plan.clear();
  plan.attributes.assign(available.begin(), available.end());
  return {};
}

Outcome Apple::step(const Plan& plan, std::span<const double> values, double label, double importance) {
  given_.clear();
  for (std::size_t a = 0; a < values.size(); ++a)
    if (values[a] != 0) given_.push_back({plan.attributes[a], values[a]});
  tree_.expand(given_, features_of_);
  if (!past_.empty())
    if (const auto rise = past_.judge(features_of_, label)) note_rise(*rise);
  for (const Entry& entry : given_) moments_.update(entry.attribute, entry.value);
  entries_ += given_.size();
  ++examples_;
  const bool is_taken = steps_taken_.learn(features_of_, label, importance);
  const double error = steps_taken_.prediction_before() - label;
  count_loss(error * error, 1, true);
  return is_taken ? Outcome::kLearned : Outcome::kDiverged;
}

void Apple::after_example() {
  if (options().half_life && steps() % *options().half_life == 0) {
    moments_.halve();
    entries_ /= 2;
    examples_ /= 2;
  }
  if (ends_epoch(steps(), options().horizon)) expand();
  if (options().drift != Drift::kAuto || !PastWeights::due(steps())) return;
  std::vector<double> weights(tree_.slots());
  for (std::uint32_t slot = 0; slot < weights.size(); ++slot) weights[slot] = steps_taken_.weight(slot);
  past_.add(std::move(weights), steps_taken_.bias());
}

// Values that are all 0 or one other number c have x² = c·x.
void Apple::expand() {
  const auto is_idempotent = [this](Attribute i) {
    const Moment& moment = moments_[i];
    return moment.mean * moment.mean == moment.second;
  };
  const double given =
      static_cast<double>(entries_) / static_cast<double>(std::max<std::uint64_t>(examples_, 1));
  const double most =
      std::min(std::pow(given, options().expansion_exponent), static_cast<double>(options().max_features));
  const auto count = static_cast<std::size_t>(std::max(most, 1.0));
  for (const std::uint32_t slot : choose_parents(tree_, steps_taken_, count, options().fallback_parent))
    tree_.make_parent(slot, is_idempotent);
  ++expansions_;
}

double Apple::mean_of(Attribute i) const {
  const Moment& moment = moments_[i];
  const double share =
      static_cast<double>(moment.count) / static_cast<double>(std::max<std::uint64_t>(examples_, 1));
  return moment.mean * std::min(share, 1.0);
}

// Of a question, in the learner's units.
void Apple::find_features(std::span<const Entry> entries) const {
  given_.clear();
  for (const Entry& entry : entries) {
    const double value =
        std::isnan(entry.value) ? mean_of(entry.attribute) : inward(entry.attribute, entry.value);
    if (value != 0) given_.push_back({entry.attribute, value});
  }
  tree_.expand_known(given_, features_of_);
}

double Apple::predict(std::span<const Entry> entries) const {
  find_features(entries);
  return finite(label_outward(steps_taken_.predict(features_of_)));
}

// The exponent of a weight's unit: what it is multiplied by in the user's.
int Apple::unit_of(std::uint32_t slot) const {
  int sum = -gauge().label_exponent();
  for (const Attribute i : tree_.monomials().factors(slot)) sum += gauge().exponent(i);
  return sum;
}

double Apple::predict_with(const Model& model, std::span<const Entry> entries) const {
  find_features(entries);
  double sum = gauge().plain() ? model.bias : std::ldexp(model.bias, gauge().label_exponent());
  for (const FeatureValue& feature : features_of_) {
    if (feature.slot >= model.weights.size()) continue;  // it came later
    const double weight = model.weights[feature.slot];
    sum += (gauge().plain() ? weight : std::ldexp(weight, -unit_of(feature.slot))) *
           steps_taken_.within_scale(feature);
  }
  return label_outward(sum);
}

void Apple::model(Model& model) const {
  model.weights.resize(tree_.slots());
  const auto bounded = [](double x) { return std::clamp(x, -kLargestBaseWeight, kLargestBaseWeight); };
  for (std::uint32_t slot = 0; slot < model.weights.size(); ++slot) {
    const double weight = steps_taken_.weight(slot);
    model.weights[slot] =
        bounded(gauge().plain() || weight == 0 ? weight : std::ldexp(weight, unit_of(slot)));
  }
  model.bias = bounded(label_outward(steps_taken_.bias()));
}

SamplingRow Apple::sampling_row(Attribute attribute) const {
  Moment moment = moments_[attribute];
  if (moment.count > 0) {
    const double share = std::min(
        1.0, static_cast<double>(moment.count) / static_cast<double>(std::max<std::uint64_t>(examples_, 1)));
    moment.mean *= share;
    moment.second *= share;
    moment.count = SecondMoments::count_of(static_cast<double>(examples_));
  }
  return outward(attribute, {moment, 1 / static_cast<double>(options().dimension)});
}

Moment Apple::feature_moment(std::size_t slot) const {
  if (slot < options().dimension) return sampling_row(static_cast<Attribute>(slot)).moment;
  const auto product = static_cast<std::uint32_t>(slot);
  Moment moment;
  if (!steps_taken_.has_seen(product)) return moment;
  const int unit = -unit_of(product) - gauge().label_exponent();
  moment.mean = std::ldexp(steps_taken_.mean(product), unit);
  moment.second = std::ldexp(steps_taken_.mean_square(product), 2 * unit);
  moment.count = SecondMoments::count_of(static_cast<double>(examples_));
  return moment;
}

LearnerReport Apple::describe() const {
  LearnerReport report;
  const std::size_t parents = tree_.parents().size();
  const std::size_t products = tree_.monomials().products();
  report.phase_reason = fmt::format(
      "this algorithm has one phase: it looks at all that an example gives; it has found {} product{} of "
      "attributes with {} parent{}, in {} expansion{}",
      products, products == 1 ? "" : "s", parents, parents == 1 ? "" : "s", expansions_,
      expansions_ == 1 ? "" : "s");
  report.looks = {.ratio = 1,
                  .effective = static_cast<double>(options().dimension),
                  .possible = static_cast<double>(options().dimension)};
  report.step_size = std::ldexp(steps_taken_.step_size(), -gauge().label_exponent());
  report.origin = all_examples();
  report.memory_bytes = tree_.memory_bytes() + steps_taken_.memory_bytes() + moments_.memory_bytes() +
                        past_.memory_bytes() + given_.capacity() * sizeof(Entry) +
                        features_of_.capacity() * sizeof(FeatureValue);
  report.expansion = {{products, parents, expansions_, tree_.monomials().lacking()}};
  return report;
}

void Apple::forget_everything() {
  tree_.clear();
  steps_taken_.clear();
  moments_ = SecondMoments(options().dimension);
  entries_ = examples_ = expansions_ = 0;
  past_.clear();
  restart_steps();
}

bool Apple::has_factor(std::uint32_t slot, Attribute i) const {
  const auto factors = tree_.monomials().factors(slot);
  return std::binary_search(factors.begin(), factors.end(), i);
}

// A wild value is 1 in the unit of its own feature, and no step goes beyond the label: the weights of other
// features have hardly been touched by it, and stay. So does the tree.
void Apple::forget_attribute(Attribute attribute) {
  const auto is_gone = [&](std::uint32_t slot) { return has_factor(slot, attribute); };
  steps_taken_.forget(attribute);
  for (auto slot = static_cast<std::uint32_t>(options().dimension); slot < tree_.slots(); ++slot)
    if (is_gone(slot)) steps_taken_.forget(slot);
  moments_.set(attribute, {});
  past_.forget(is_gone);
}

void Apple::save_state(State& state) const {
  moments_.save(state);
  tree_.save(state);
  steps_taken_.save(state, tree_.slots());
  const std::uint64_t counts[] = {entries_, examples_, expansions_};
  state.put_copy<std::uint64_t>("expansion.counts", counts);
  past_.save(state, tree_.slots());
}

Status Apple::restore_state(const State& state) {
  GLIMPSE_TRY(moments_.restore(state));
  GLIMPSE_TRY(tree_.restore(state));
  GLIMPSE_TRY(steps_taken_.restore(state, tree_.slots()));
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("expansion.counts", 3));
  entries_ = counts[0];
  examples_ = counts[1];
  expansions_ = counts[2];
  return past_.restore(state, tree_.slots());
}

}  // namespace glimpse
