#include "learn/products/product_pairwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "learn/core/model_products.h"
#include "learn/evaluation/kept_share.h"
#include "learn/options/pair_products.h"
#include "learn/products/product_evidence.h"
#include "learn/products/product_judge_basis.h"

namespace glimpse {

namespace {
// Between two looks at whether centres are where the means are.
constexpr std::uint64_t kStepsToStale = 16;

ProductSlots slots_at_first(const LearnerOptions& options) {
  const std::size_t places = product_places(options);
  if (places == options.dimension) return {options.dimension, options.products};
  std::vector<Attribute> members(places);
  std::iota(members.begin(), members.end(), Attribute{0});
  return {options.dimension, options.products, std::move(members)};
}
}  // namespace

ProductPairwise::ProductPairwise(const LearnerOptions& options)
    : Pairwise(options),
      sums_(slots_at_first(options)),
      members_(options.dimension, sums_.product_slots().places()),
      values_(options.dimension) {
  if (is_blind(2 * options.products))
    limit_ = JointLimit{options.prices, *options.budget_cost, options.budget};
}

Status ProductPairwise::merge_state(const Learner&, const MergedSlots&) { return refuse_to_merge_products(); }

Outcome ProductPairwise::step(const Plan& plan, std::span<const double> values, double label,
                              double importance) {
  if (is_summable(values, label, importance) &&
      sums_.set_centres(moments_, plan, values, steps() % kStepsToStale == 0))
    spoil_capture();
  const Outcome outcome = Pairwise::step(plan, values, label, importance);
  if (outcome != Outcome::kLearned) return outcome;
  if (forgetting_ != 1) sums_.forget(forgetting_);
  sums_.add(plan, values, label, importance, steps());
  if (members_.has_all()) return outcome;
  const auto seen = sums_.members_seen();
  const auto going_round = std::ranges::count_if(
      seen, [this](const ProductFeatures::Member& member) { return members_.goes_round(member.place); });
  is_round_over_ = members_.add(seen.size(), static_cast<std::size_t>(going_round));
  return outcome;
}

void ProductPairwise::after_example() {
  if (is_round_over_) begin_round();
  const auto judge = past_models_.newest();
  Pairwise::after_example();
  const bool is_another = past_models_.newest() != judge;
  if (is_another) {
    count_entered();
    show_products();
  }
  if ((is_another && entered_ > 0) || is_withheld() != planned_withheld_) plan_sampling();
  planned_withheld_ = is_withheld();
}

bool ProductPairwise::is_current(const ProductSlots& slots, std::size_t slot) const {
  if (slots.has_all_attributes()) return true;
  return std::ranges::all_of(sums_.features().factors(slot), [&](std::uint32_t place) {
    return slots.member(place) == sums_.product_slots().member(place);
  });
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
    for (const std::uint32_t place : sums_.features().factors(slot))
      exponent += units->exponents[sums_.product_slots().member(place)];
    units->exponents[slot] = static_cast<std::int16_t>(exponent);
  }
  return units;
}

void ProductPairwise::forget_everything() {
  sums_.clear();
  members_.clear();
  is_round_over_ = false;
  entered_ = 0;
  Pairwise::forget_everything();
  show_products();
  planned_withheld_ = is_withheld();
}

void ProductPairwise::forget(const ChangeDetector::Rise& rise) {
  const double kept = share_kept(rise, moments_.label());
  if (kept > 0 && kept < 1) sums_.decay(kept);
  Pairwise::forget(rise);
  show_products();
  planned_withheld_ = is_withheld();
}

void ProductPairwise::forget_attribute(Attribute attribute) {
  Pairwise::forget_attribute(attribute);
  sums_.forget_attribute(attribute);
  show_products();
}

double ProductPairwise::mean_of(std::size_t slot) const {
  if (slot < options().dimension) return Pairwise::mean_of(slot);
  return sums_.moments()[slot].mean();
}

Moment ProductPairwise::feature_moment(std::size_t slot) const {
  if (slot < options().dimension) return Pairwise::feature_moment(slot);
  const AttributeSums& s = sums_.moments()[slot];
  const auto unit = [&](double x) { return product_outward(sums_.product_slots(), slot, x); };
  const double mean = unit(s.mean());
  Moment moment;
  moment.mean = mean;
  moment.second = unit(unit(s.variance())) + mean * mean;
  moment.count = SecondMoments::count_of(s.weight());
  moment.max_abs = static_cast<float>(unit(s.largest));
  return moment;
}

double ProductPairwise::product_outward(const ProductSlots& slots, std::size_t slot, double x) const {
  for (const std::uint32_t place : sums_.features().factors(slot)) x = outward(slots.member(place), x);
  return x;
}

// What is not given is 0, and products of it are of 0 less its centre.
double ProductPairwise::predict_with(const Model& model, std::span<const Entry> entries) const {
  if (model.products.empty()) return Pairwise::predict_with(model, entries);
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
      [&](std::uint32_t slot) {
        return is_current(model.products, slot) ? product_outward(model.products, slot, mean_of(slot)) : 0;
      });
  return sum;
}

// As PastModels judges: a missing value, and the products of it, are at their means.
double ProductPairwise::predict_as_judged(std::span<const Entry> entries) const {
  const PastModel* const model = judging();
  if (model == nullptr || model->products.empty()) return Pairwise::predict_as_judged(entries);
  std::fill(values_.begin(), values_.end(), 0.0);
  for (const Entry& entry : entries) values_[entry.attribute] = inward(entry.attribute, entry.value);
  double sum = model->at_centre;
  for (std::uint32_t slot = 0; slot < model->weights.size(); ++slot) {
    if (model->weights[slot] == 0) continue;
    double value = 1;
    if (slot < values_.size()) {
      value = values_[slot];
    } else {
      for (const std::uint32_t place : sums_.features().factors(slot))
        value *= values_[model->products.member(place)] - model->centres[place];
    }
    if (!std::isnan(value)) sum += model->weights[slot] * (value - model->centre[slot]);
  }
  return finite(label_outward(sum));
}

void ProductPairwise::start_capture() const {
  Pairwise::start_capture();
  copies_products_ = !product_guard_.withholds();
  copied_centres_ = sums_.centres();
  copied_slots_ = sums_.product_slots();
  copied_tried_ = members_.tried();
  if (copies_products_) product_snapshot_.begin(sums_.moments(), true);
}

bool ProductPairwise::capture(std::size_t bytes) {
  if (!Pairwise::capture(bytes)) return false;
  return !copies_products_ || product_snapshot_.copy(sums_.moments(), bytes);
}

std::shared_ptr<const Solution> ProductPairwise::solve_now() const {
  if (moments_.label().weight == 0) {
    auto nothing = no_solution();
    nothing->model.weights.resize(model_slots());
    nothing->model.products = sums_.product_slots();
    nothing->slots = nothing->features = options().dimension;
    return nothing;
  }
  start_capture();
  snapshot_.copy(moments_, std::numeric_limits<std::size_t>::max());
  if (copies_products_) product_snapshot_.copy(sums_.moments(), std::numeric_limits<std::size_t>::max());
  return solve_captured({});
}

std::shared_ptr<const Solution> ProductPairwise::solve_captured(const Cancelled& cancelled) const {
  const ProductSolver::Basis basis{snapshot_,
                                   copies_products_ ? &product_snapshot_ : nullptr,
                                   copied_slots_,
                                   copied_centres_,
                                   captured_.units.get(),
                                   copied_tried_,
                                   limit_ ? &*limit_ : nullptr};
  auto solution = std::make_shared<Solution>();
  product_solver_.solve(basis, solution->model, cancelled);
  if (cancelled && cancelled()) return nullptr;
  solution->serve(captured_.choice, snapshot_.label_centre());
  if (solution->model.products.empty()) {  // the mean
    solution->model.products = copied_slots_;
    solution->model.centres = copied_centres_;
  }
  if (!solution->withheld) solution->importances = product_solver_.importances(basis, solution->model);
  if (!solution->withheld && granted().weight_errors)
    solution->weight_errors = product_solver_.weight_errors(basis, cancelled);
  if (cancelled && cancelled()) return nullptr;
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
  basis->product_slots = sums_.product_slots();
  basis->tried = members_.tried();
  basis->means.resize(model_slots());
  for (std::size_t i = 0; i < basis->means.size(); ++i) basis->means[i] = mean_of(i);
  basis->products.take(sums_.moments(), true);
  basis->centres = sums_.centres();
  basis->units = solution_units();
  basis->limit = limit_;
  return basis;
}

void ProductPairwise::covariances(const TargetMoments& about, std::span<const Attribute> rows,
                                  std::span<const Attribute> columns, std::span<double> out) const {
  if (about.means.size() == options().dimension) return Pairwise::covariances(about, rows, columns, out);
  glimpse::covariances(sums_.moments(), features_, about, rows, columns, out);
  if (about.products == sums_.product_slots()) return;
  // Of members that have gone nothing is known any more.
  const auto is_known = [&](std::size_t slot) {
    return slot < options().dimension || is_current(about.products, slot);
  };
  std::size_t cell = 0;
  for (const Attribute i : rows)
    for (const Attribute j : columns) {
      if (i != j && !(is_known(i) && is_known(j))) out[cell] = 0;
      ++cell;
    }
}

std::size_t ProductPairwise::sums_memory_bytes() const {
  return Pairwise::sums_memory_bytes() + sums_.memory_bytes() +
         (has_copy_ && copies_products_ ? PairSnapshot::memory_bytes(model_slots()) : 0);
}

void ProductPairwise::save_state(State& state) const {
  sums_.save(state);
  members_.save(state);
  Pairwise::save_state(state);
}

Status ProductPairwise::restore_state(const State& state) {
  if (state.find("screened.sampling") != nullptr)
    return failure(
        ErrorCode::kMismatch,
        "the state has products of some attributes at a time, and --pair-memory has room for those of all: "
        "start with the --pair-memory that it was made with");
  GLIMPSE_TRY(sums_.restore(state));
  // Models of the past have other members at most: as many of them, and as many slots.
  for (const char* const name : {"past.0", "past.1", "guard.earlier", "judge.model"}) {
    const Tensor* const centres = state.find(std::string(name) + ".centres");
    const Tensor* const weights = state.find(std::string(name) + ".weights");
    if (centres == nullptr) continue;
    if (centres->count() != sums_.product_slots().places() || weights == nullptr ||
        weights->count() != model_slots())
      return failure(ErrorCode::kCorrupt, "the arrays of '{}' are not of {} attributes that have products",
                     name, sums_.product_slots().places());
  }
  GLIMPSE_TRY(members_.restore(state));
  GLIMPSE_TRY(Pairwise::restore_state(state));
  count_entered();
  show_products();
  planned_withheld_ = is_withheld();
  return {};
}

// Which attributes have products, and how often they are looked at.

namespace {
// Of looks, for the attributes of products that have weights.
constexpr double kShareOfProducts = 0.7;
// Of looks, for those that are tried, once each attribute was looked at so often in the mean.
constexpr double kShareOfRound = 0.05;
constexpr double kLooksBeforeRounds = 64;
}  // namespace

// Where hardly any draws are free of a limit of cost, nothing else tells whether products harm.
void ProductPairwise::show_products() {
  if (!limit_) return;
  const auto& judge = past_models_.newest();
  std::vector<Attribute> attributes;
  if (judge && judge->linear)
    for_each_product(judge->model(), [&](std::uint32_t, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
      for (const std::uint32_t place : {i, j, k})
        if (place != ProductSlots::kNone) attributes.push_back(judge->products.member(place));
    });
  std::ranges::sort(attributes);
  attributes.erase(std::ranges::unique(attributes).begin(), attributes.end());
  show_together(attributes);
}

// The judge is a function of the examples alone, and so is what is tried next.
void ProductPairwise::begin_round() {
  members_.next_round(
      sums_.product_slots(), worth_of_members(),
      [this](std::size_t place, Attribute attribute) { sums_.replace(place, attribute, moments_); });
  is_round_over_ = false;
  spoil_capture();
  plan_sampling();
}

ProductMembers::Worth ProductPairwise::worth_of_members() const {
  const ProductSlots& slots = sums_.product_slots();
  ProductMembers::Worth worth;
  worth.products.assign(slots.places(), 0);
  const std::shared_ptr<const PastModel>& judge = past_models_.newest();
  std::vector<double> weights(options().dimension);
  double noise = moments_.label().variance();
  if (judge) {
    const PastModel& linear = judge->without_products();
    std::copy_n(linear.weights.begin(), weights.size(), weights.begin());
    worth.attributes.resize(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      worth.attributes[i] = weights[i] * weights[i] * moments_[i].variance();
    if (linear.moments) noise = std::min(noise, linear.moments->noise);
    for (std::size_t slot = weights.size(); judge->linear && slot < judge->weights.size(); ++slot) {
      if (judge->weights[slot] == 0 || !is_current(judge->products, slot)) continue;
      for (const std::uint32_t place : sums_.features().factors(slot)) worth.products[place] = 1;
    }
  }
  worth.promise.assign(slots.places(), 0);
  const std::vector<double> deviates = rough_evidence(sums_.moments(), slots, weights, noise);
  for (std::size_t m = 0; m < deviates.size(); ++m)
    for (const std::uint32_t place : sums_.features().factors(slots.attributes() + m))
      worth.promise[place] = std::max(worth.promise[place], std::abs(deviates[m]));
  return worth;
}

// A share of the looks goes to the attributes of the products that the newest judge has, by what these add to
// its predictions. So products are seen whole that would hardly ever be seen by chance.
// Where some are tried they get a share as well: what goes round is seldom looked at else.
void ProductPairwise::prefer(std::span<double> weights) const {
  prefer_products(weights);
  const double looks = static_cast<double>(steps()) * static_cast<double>(options().budget) /
                       static_cast<double>(options().dimension);
  if (members_.has_all() || !(looks >= kLooksBeforeRounds)) return;
  const ProductSlots& slots = sums_.product_slots();
  std::vector<Attribute> tried;
  for (std::size_t place = 0; place < slots.places(); ++place)
    if (members_.goes_round(place)) tried.push_back(slots.member(place));
  if (tried.empty()) return;
  for (double& weight : weights) weight *= 1 - kShareOfRound;
  const double share =
      kShareOfRound * static_cast<double>(weights.size()) / static_cast<double>(tried.size());
  for (const Attribute i : tried) weights[i] += share;
}

void ProductPairwise::prefer_products(std::span<double> weights) const {
  const auto& model = past_models_.newest();
  if (!model || !model->linear || is_withheld()) return;
  std::vector<double> worth(weights.size());
  for (auto slot = static_cast<std::uint32_t>(weights.size()); slot < model->weights.size(); ++slot) {
    const double weight = model->weights[slot];
    if (weight == 0 || !is_current(model->products, slot)) continue;
    const double square = weight * weight * sums_.moments()[slot].variance();
    std::uint32_t last = ProductSlots::kNone;
    for (const std::uint32_t place : sums_.features().factors(slot))
      if (place != last) worth[model->products.member(last = place)] += square;
  }
  double total = 0;
  for (double& x : worth) total += x = std::sqrt(x);
  if (!(total > 0)) return;
  const double factor = kShareOfProducts * static_cast<double>(weights.size()) / total;
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = (1 - kShareOfProducts) * weights[i] + factor * worth[i];
}

}  // namespace glimpse
