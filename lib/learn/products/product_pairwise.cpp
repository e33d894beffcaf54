#include "learn/products/product_pairwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/evaluation/kept_share.h"
#include "learn/products/product_judge_basis.h"

namespace glimpse {

namespace {
// Between two looks at whether centres are where the means are.
constexpr std::uint64_t kStepsToStale = 16;
// Of looks, for the attributes of products that have weights.
constexpr double kShareOfProducts = 0.7;
}  // namespace

ProductPairwise::ProductPairwise(const LearnerOptions& options)
    : Pairwise(options), sums_(options.dimension, options.products), values_(options.dimension) {}

Outcome ProductPairwise::step(const Plan& plan, std::span<const double> values, double label,
                              double importance) {
  if (is_summable(values, label, importance) &&
      sums_.set_centres(moments_, plan, values, steps() % kStepsToStale == 0))
    spoil_capture();
  const Outcome outcome = Pairwise::step(plan, values, label, importance);
  if (outcome != Outcome::kLearned) return outcome;
  if (forgetting_ != 1) sums_.forget(forgetting_);
  sums_.add(plan, values, label, importance);
  return outcome;
}

void ProductPairwise::after_example() {
  const auto judge = past_models_.newest();
  Pairwise::after_example();
  if (past_models_.newest() == judge) return;
  count_entered();
  if (entered_ > 0) plan_sampling();
}

void ProductPairwise::count_entered() {
  const auto& judge = past_models_.newest();
  entered_ = judge && judge->linear ? count_products(judge->model()) : 0;
}

LearnerReport ProductPairwise::describe() const {
  LearnerReport report = Pairwise::describe();
  report.expansion = {{.products = entered_}};
  return report;
}

std::shared_ptr<const SolutionUnits> ProductPairwise::solution_units() const {
  const auto attributes = Pairwise::solution_units();
  if (!attributes) return attributes;
  auto units = std::make_shared<SolutionUnits>(*attributes);
  units->exponents.resize(model_slots());
  for (auto slot = static_cast<std::uint32_t>(options().dimension); slot < model_slots(); ++slot) {
    int exponent = 0;
    for (const Attribute i : sums_.features().factors(slot)) exponent += units->exponents[i];
    units->exponents[slot] = static_cast<std::int16_t>(exponent);
  }
  return units;
}

// A share of the looks goes to the attributes of the products that the newest judge has, by what these add to
// its predictions. So products are seen whole that would hardly ever be seen by chance.
void ProductPairwise::prefer(std::span<double> weights) const {
  const auto& model = past_models_.newest();
  if (!model || !model->linear) return;
  std::vector<double> worth(weights.size());
  for (auto slot = static_cast<std::uint32_t>(weights.size()); slot < model->weights.size(); ++slot) {
    const double weight = model->weights[slot];
    if (weight == 0) continue;
    const double square = weight * weight * sums_.moments()[slot].variance();
    Attribute last = kNoAttribute;
    for (const Attribute i : sums_.features().factors(slot))
      if (i != last) worth[last = i] += square;
  }
  double total = 0;
  for (double& x : worth) total += x = std::sqrt(x);
  if (!(total > 0)) return;
  const double factor = kShareOfProducts * static_cast<double>(weights.size()) / total;
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = (1 - kShareOfProducts) * weights[i] + factor * worth[i];
}

void ProductPairwise::forget_everything() {
  sums_.clear();
  entered_ = 0;
  Pairwise::forget_everything();
}

void ProductPairwise::forget(const ChangeDetector::Rise& rise) {
  const double kept = share_kept(rise, moments_.label());
  if (kept > 0 && kept < 1) sums_.decay(kept);
  Pairwise::forget(rise);
}

void ProductPairwise::forget_attribute(Attribute attribute) {
  Pairwise::forget_attribute(attribute);
  for (auto slot = static_cast<std::uint32_t>(options().dimension); slot < model_slots(); ++slot)
    if (sums_.features().has_factor(slot, attribute)) forget_judgements_of(slot);
  sums_.forget_attribute(attribute);
}

double ProductPairwise::mean_of(std::size_t slot) const {
  if (slot < options().dimension) return Pairwise::mean_of(slot);
  return sums_.moments()[slot].mean();
}

Moment ProductPairwise::feature_moment(std::size_t slot) const {
  if (slot < options().dimension) return Pairwise::feature_moment(slot);
  const AttributeSums& s = sums_.moments()[slot];
  const auto unit = [&](double x) { return product_outward(static_cast<std::uint32_t>(slot), x); };
  const double mean = unit(s.mean());
  Moment moment;
  moment.mean = mean;
  moment.second = unit(unit(s.variance())) + mean * mean;
  moment.count = SecondMoments::count_of(s.weight());
  moment.max_abs = static_cast<float>(unit(s.largest));
  return moment;
}

double ProductPairwise::product_outward(std::uint32_t slot, double x) const {
  for (const Attribute i : sums_.features().factors(slot)) x = outward(i, x);
  return x;
}

// What is not given is 0, and products of it are of 0 less its centre.
double ProductPairwise::predict_with(const Model& model, std::span<const Entry> entries) const {
  if (model.centres.empty()) return Pairwise::predict_with(model, entries);
  std::fill(values_.begin(), values_.end(), 0.0);
  double sum = model.bias;
  for (const Entry& entry : entries) {
    const bool is_missing = std::isnan(entry.value);
    values_[entry.attribute] = entry.value;
    sum += model.weights[entry.attribute] *
           (is_missing ? outward(entry.attribute, mean_of(entry.attribute)) : entry.value);
  }
  sum += sum_of_products(
      model, [this](std::size_t i) { return values_[i]; },
      [this](std::uint32_t slot) { return product_outward(slot, mean_of(slot)); });
  return sum;
}

// As PastModels judges: a missing value, and the products of it, are at their means.
double ProductPairwise::predict_as_judged(std::span<const Entry> entries) const {
  const PastModel* const model = judging();
  if (model == nullptr || model->centres.empty()) return Pairwise::predict_as_judged(entries);
  std::fill(values_.begin(), values_.end(), 0.0);
  for (const Entry& entry : entries) values_[entry.attribute] = inward(entry.attribute, entry.value);
  double sum = model->at_centre;
  for (std::uint32_t slot = 0; slot < model->weights.size(); ++slot) {
    if (model->weights[slot] == 0) continue;
    double value = 1;
    if (slot < values_.size()) {
      value = values_[slot];
    } else {
      for (const Attribute i : sums_.features().factors(slot)) value *= values_[i] - model->centres[i];
    }
    if (!std::isnan(value)) sum += model->weights[slot] * (value - model->centre[slot]);
  }
  return finite(label_outward(sum));
}

void ProductPairwise::start_capture() const {
  Pairwise::start_capture();
  copies_products_ = !product_guard_.withholds();
  copied_centres_ = sums_.centres();
  if (copies_products_) product_snapshot_.begin(sums_.moments(), true);
}

bool ProductPairwise::capture(std::size_t bytes) {
  if (!Pairwise::capture(bytes)) return false;
  return !copies_products_ || product_snapshot_.copy(sums_.moments(), bytes);
}

std::shared_ptr<const Solution> ProductPairwise::solve_now() const {
  if (steps() == 0) {
    auto nothing = no_solution();
    nothing->model.weights.resize(model_slots());
    nothing->slots = nothing->features = options().dimension;
    return nothing;
  }
  start_capture();
  snapshot_.copy(moments_, std::numeric_limits<std::size_t>::max());
  if (copies_products_) product_snapshot_.copy(sums_.moments(), std::numeric_limits<std::size_t>::max());
  return solve_captured({});
}

std::shared_ptr<const Solution> ProductPairwise::solve_captured(const Cancelled& cancelled) const {
  const ProductSolver::Basis basis{snapshot_, copies_products_ ? &product_snapshot_ : nullptr, model_slots(),
                                   copied_centres_, captured_.units.get()};
  auto solution = std::make_shared<Solution>();
  product_solver_.solve(basis, solution->model, cancelled);
  if (cancelled && cancelled()) return nullptr;
  solution->serve(captured_.choice, snapshot_.label_centre());
  solution->model.centres = copied_centres_;  // the mean has none
  if (!solution->withheld) solution->importances = product_solver_.importances(basis, solution->model);
  product_solver_.describe(basis, solution->model, solution->withheld != nullptr, solution->moments);
  solution->slots = solution->moments.means.size();
  solution->features = options().dimension + count_products(solution->model);
  solution->origin = captured_.origin;
  solution->outward(captured_.units);
  return solution;
}

std::unique_ptr<JudgeBasis> ProductPairwise::judge_basis() const {
  auto basis = std::make_unique<ProductJudgeBasis>();
  basis->examples = counts().examples;
  basis->snapshot.begin(moments_, true);
  basis->slots = model_slots();
  basis->means.resize(model_slots());
  for (std::size_t i = 0; i < basis->means.size(); ++i) basis->means[i] = mean_of(i);
  basis->products.take(sums_.moments(), true);
  basis->centres = sums_.centres();
  basis->units = solution_units();
  return basis;
}

void ProductPairwise::covariances(const TargetMoments& about, std::span<const Attribute> rows,
                                  std::span<const Attribute> columns, std::span<double> out) const {
  if (about.means.size() == options().dimension) return Pairwise::covariances(about, rows, columns, out);
  glimpse::covariances(sums_.moments(), features_, about, rows, columns, out);
}

std::size_t ProductPairwise::sums_memory_bytes() const {
  return Pairwise::sums_memory_bytes() + sums_.memory_bytes() +
         (has_copy_ && copies_products_ ? PairSnapshot::memory_bytes(model_slots()) : 0);
}

void ProductPairwise::save_state(State& state) const {
  sums_.save(state);
  Pairwise::save_state(state);
}

Status ProductPairwise::restore_state(const State& state) {
  if (const Status status = sums_.restore(state); !status) return status;
  if (const Status status = Pairwise::restore_state(state); !status) return status;
  count_entered();
  return {};
}

}  // namespace glimpse
