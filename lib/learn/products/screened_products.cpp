#include "learn/products/screened_products.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/core/model_products.h"
#include "learn/covariance/settled_attributes.h"
#include "learn/evaluation/kept_share.h"
#include "learn/options/pair_products.h"
#include "learn/products/placed_model.h"
#include "learn/products/product_judge_basis.h"

namespace glimpse {

ScreenedProducts::ScreenedProducts(const LearnerOptions& options)
    : ScreenedPairwise(options), most_members_(product_places(options)), product_screen_(options.dimension) {
  values_.reserve(most_members_);
}

std::size_t ScreenedProducts::model_slots() const {
  return std::max(features_.room(), options().dimension + product_features(options()));
}

Status ScreenedProducts::merge_state(const Learner&, const MergedSlots&) {
  return refuse_to_merge_products();
}

Outcome ScreenedProducts::step(const Plan& plan, std::span<const double> values, double label,
                               double importance) {
  if (!is_summable(values, label, importance)) return Outcome::kDiverged;
  if (forgetting_ < 1) {
    if (sums_) sums_->forget(forgetting_);
    product_screen_.forget(forgetting_);
  }
  if (sums_) add_products(plan, values, label, importance);
  product_screen_.add(plan, values, rest_of_label(plan, values, label), importance, [this](Attribute i) {
    return screen_.weight(i) > 0 ? screen_.mean(i) : std::numeric_limits<double>::quiet_NaN();
  });
  return ScreenedPairwise::step(plan, values, label, importance);
}

// What is left of the label by the newest linear model, in what was seen of the example.
double ScreenedProducts::rest_of_label(const Plan& plan, std::span<const double> values, double label) const {
  const std::shared_ptr<const PastModel>& judge = past_models_.newest();
  if (!judge) return label - moments_.label().mean();
  const PastModel& linear = judge->without_products();
  double rest = label - linear.at_centre;
  for (std::size_t a = 0; a < values.size(); ++a)
    if (!std::isnan(values[a]))
      rest -= linear.weights[plan.attributes[a]] * (values[a] - linear.centre[plan.attributes[a]]);
  return rest;
}

void ScreenedProducts::add_products(const Plan& plan, std::span<const double> values, double label,
                                    double importance) {
  placed_plan_.clear();
  placed_values_.clear();
  // Draws are in the order in which they were made, positions in that of the attributes.
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) {
    const std::uint32_t place = slot_[plan.attributes[a]];
    if (place == kInactive) continue;
    placed_plan_.attributes.push_back(place);
    placed_values_.push_back(values[a]);
  }
  for (const Draw& draw : plan.inner_product) {
    const std::uint32_t place = slot_[plan.attributes[draw.position]];
    if (place == kInactive) continue;
    const auto at = std::ranges::lower_bound(placed_plan_.attributes, place);
    placed_plan_.inner_product.push_back(
        {static_cast<std::uint32_t>(at - placed_plan_.attributes.begin()), draw.coefficient});
  }
  sums_->add(placed_plan_, placed_values_, label, importance, steps());
}

void ScreenedProducts::after_example() {
  const auto judge = past_models_.newest();
  ScreenedPairwise::after_example();
  if (past_models_.newest() == judge) return;
  count_entered();
  if (entered_ > 0) review();
}

void ScreenedProducts::count_entered() {
  const auto& judge = past_models_.newest();
  entered_ = judge && judge->linear ? count_products(judge->model()) : 0;
}

LearnerReport ScreenedProducts::describe() const {
  LearnerReport report = ScreenedPairwise::describe();
  report.expansion = {{.products = entered_}};
  return report;
}

void ScreenedProducts::forget_everything() {
  sums_.reset();
  members_.clear();
  placed_.clear();
  product_screen_.clear();
  tried_ = 0;
  entered_ = 0;
  ScreenedPairwise::forget_everything();
}

void ScreenedProducts::forget(const ChangeDetector::Rise& rise) {
  const double kept = share_kept(rise, moments_.label());
  if (kept > 0 && kept < 1) {
    if (sums_) sums_->decay(kept);
    product_screen_.decay(kept);
  }
  ScreenedPairwise::forget(rise);
}

void ScreenedProducts::forget_attribute(Attribute attribute) {
  if (sums_ && slot_[attribute] != kInactive) sums_->forget_attribute(slot_[attribute]);
  product_screen_.forget_attribute(attribute);
  ScreenedPairwise::forget_attribute(attribute);
}

std::uint32_t ScreenedProducts::slot_now(const ProductSlots& slots, std::uint32_t i, std::uint32_t j,
                                         std::uint32_t k) const {
  if (!sums_) return ProductSlots::kNone;
  const auto place_of = [&](std::uint32_t place) {
    const auto at = std::ranges::lower_bound(members_, slots.member(place));
    if (at == members_.end() || *at != slots.member(place)) return ProductSlots::kNone;
    return static_cast<std::uint32_t>(at - members_.begin());
  };
  const std::uint32_t first = place_of(i);
  const std::uint32_t second = place_of(j);
  if (first == ProductSlots::kNone || second == ProductSlots::kNone) return ProductSlots::kNone;
  if (k == ProductSlots::kNone) return sums_->product_slots().of(first, second);
  const std::uint32_t third = place_of(k);
  return third == ProductSlots::kNone ? third : sums_->product_slots().of(first, second, third);
}

Moment ScreenedProducts::feature_moment(std::size_t slot) const {
  if (slot < options().dimension) return ScreenedPairwise::feature_moment(slot);
  Moment moment;
  if (held_solution() == nullptr) return moment;
  const ProductSlots& slots = held_solution()->model.products;
  slots.for_each([&](std::uint32_t product, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    if (product != slot) return;
    const std::uint32_t now = slot_now(slots, i, j, k);
    if (now == ProductSlots::kNone) return;
    const auto unit = [&](double x) {
      x = outward(slots.member(j), outward(slots.member(i), x));
      return k == ProductSlots::kNone ? x : outward(slots.member(k), x);
    };
    const AttributeSums& s = sums_->moments()[now];
    moment.mean = unit(s.mean());
    moment.second = unit(unit(s.variance())) + moment.mean * moment.mean;
    moment.count = SecondMoments::count_of(s.weight());
    moment.max_abs = static_cast<float>(unit(s.largest));
  });
  return moment;
}

void ScreenedProducts::read_values(const ProductSlots& slots, std::span<const Entry> entries) const {
  values_.assign(slots.places(), 0.0);
  for (const Entry& entry : entries)
    if (const std::uint32_t place = slots.place(entry.attribute); place != ProductSlots::kNone)
      values_[place] = entry.value;
}

// What is not given is 0, and products of it are of 0 less its centre.
double ScreenedProducts::predict_with(const Model& model, std::span<const Entry> entries) const {
  const double linear = ScreenedPairwise::predict_with(model, entries);
  if (model.products.empty()) return linear;
  read_values(model.products, entries);
  double sum = linear;
  for_each_product(model, [&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    double product = (values_[i] - model.centres[i]) * (values_[j] - model.centres[j]);
    if (k != ProductSlots::kNone) product *= values_[k] - model.centres[k];
    if (std::isnan(product)) {
      const std::uint32_t now = slot_now(model.products, i, j, k);
      product = now == ProductSlots::kNone ? 0 : sums_->moments()[now].mean();
      product = outward(model.products.member(j), outward(model.products.member(i), product));
      if (k != ProductSlots::kNone) product = outward(model.products.member(k), product);
    }
    sum += model.weights[slot] * product;
  });
  return sum;
}

// As PastModels judges: a missing value, and the products of it, are at their means.
double ScreenedProducts::predict_as_judged(std::span<const Entry> entries) const {
  const PastModel* const model = judging();
  if (model == nullptr || model->products.empty()) return ScreenedPairwise::predict_as_judged(entries);
  double sum = model->bias;
  values_.assign(model->products.places(), 0.0);
  for (const Entry& entry : entries) {
    const Attribute i = entry.attribute;
    const double value = inward(i, entry.value);
    sum += model->weights[i] * (std::isnan(value) ? model->centre[i] : value);
    if (const std::uint32_t place = model->products.place(i); place != ProductSlots::kNone)
      values_[place] = value;
  }
  model->products.for_each([&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    if (model->weights[slot] == 0) return;
    double product = (values_[i] - model->centres[i]) * (values_[j] - model->centres[j]);
    if (k != ProductSlots::kNone) product *= values_[k] - model->centres[k];
    sum += model->weights[slot] * (std::isnan(product) ? model->centre[slot] : product);
  });
  return finite(label_outward(sum));
}

// Of attributes and products by place.
std::shared_ptr<const SolutionUnits> ScreenedProducts::placed_units() const {
  const auto all = solution_units();
  if (!all) return all;
  auto units = std::make_shared<SolutionUnits>();
  units->label = all->label;
  for (const Attribute i : active_) units->exponents.push_back(all->exponents[i]);
  sums_->product_slots().for_each([&](std::uint32_t, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    int exponent = all->exponents[members_[i]] + all->exponents[members_[j]];
    if (k != ProductSlots::kNone) exponent += all->exponents[members_[k]];
    units->exponents.push_back(static_cast<std::int16_t>(exponent));
  });
  return units;
}

void ScreenedProducts::start_product_copy() const {
  copied_means_.resize(options().dimension);
  copied_variances_.resize(options().dimension);
  for (Attribute i = 0; i < options().dimension; ++i) {
    copied_means_[i] = screen_.mean(i);
    copied_variances_[i] = screen_.variance(i);
  }
  copies_products_ = sums_ && !product_guard_.withholds();
  if (!copies_products_) return;
  copied_centres_ = sums_->centres();
  copied_slots_ = sums_->product_slots();
  copied_tried_ = tried_;
  copied_units_ = placed_units();
  product_snapshot_.begin(sums_->moments(), true);
}

void ScreenedProducts::start_capture() const {
  ScreenedPairwise::start_capture();
  start_product_copy();
}

bool ScreenedProducts::capture(std::size_t bytes) {
  if (!ScreenedPairwise::capture(bytes)) return false;
  return !copies_products_ || product_snapshot_.copy(sums_->moments(), bytes);
}

std::shared_ptr<const Solution> ScreenedProducts::solve_now() const {
  start_product_copy();
  if (copies_products_) product_snapshot_.copy(sums_->moments(), std::numeric_limits<std::size_t>::max());
  return ScreenedPairwise::solve_now();
}

std::shared_ptr<const Solution> ScreenedProducts::solve_copy(Copy& copy, const Cancelled& cancelled) const {
  if (!copies_products_) return ScreenedPairwise::solve_copy(copy, cancelled);
  copy.snapshot.leave_out(too_young(copy.ages));
  product_snapshot_.leave_out(with_products(too_young(copy.ages), product_snapshot_.dimension()));
  const ProductSolver::Basis basis = copied_basis(copy);
  product_solver_.solve(basis, copy.slot_model, cancelled);
  if (cancelled && cancelled()) return nullptr;
  auto solution = std::make_shared<Solution>();
  solution->model = unplaced(copy.slot_model, copy.active, options().dimension);
  if (product_solver_.entered() == 0) drop_products(solution->model);
  if (copy.capture.choice.served == Served::kNewest) {
    solution->importances = product_solver_.importances(basis, copy.slot_model);
    if (granted().weight_errors) solution->weight_errors = product_solver_.weight_errors(basis, cancelled);
    for (auto* array :
         {&solution->importances.shares, &solution->importances.errors, &solution->weight_errors}) {
      if (array->empty()) continue;
      *array = unplaced(*array, copy.active, options().dimension, std::nan(""));
      array->resize(solution->model.weights.size());
    }
  }
  if (cancelled && cancelled()) return nullptr;
  solution->origin = copy.capture.origin;
  solution->serve(copy.capture.choice, copy.snapshot.label_centre());
  Model& model = solution->model;
  model.weights.resize(model.products.empty() ? options().dimension : model.products.all());
  complete(copy, *solution);
  solution->outward(copy.capture.units);
  return solution;
}

std::unique_ptr<JudgeBasis> ScreenedProducts::judge_basis() const {
  if (!sums_) return ScreenedPairwise::judge_basis();
  auto basis = std::make_unique<ProductJudgeBasis>();
  basis->examples = counts().examples;
  basis->snapshot.begin(moments_, true, places_);
  basis->features = features_;
  basis->active = active_;
  basis->ages = ages();
  basis->product_slots = sums_->product_slots();
  basis->tried = tried_;
  for (Attribute i = 0; i < options().dimension; ++i) basis->means.push_back(mean_of(i));
  const PairMoments& moments = sums_->moments();
  for (std::size_t slot = active_.size(); slot < moments.dimension(); ++slot)
    basis->means.push_back(moments[slot].mean());
  basis->products.take(moments, true);
  basis->products.leave_out(with_products(too_young(basis->ages), moments.dimension()));
  basis->centres = sums_->centres();
  basis->units = placed_units();
  return basis;
}

std::size_t ScreenedProducts::sums_memory_bytes() const {
  return ScreenedPairwise::sums_memory_bytes() + product_screen_.memory_bytes() +
         promises_.capacity() * sizeof(Promise) + 2 * copied_means_.size() * sizeof(double) +
         (sums_ ? sums_->memory_bytes() : 0) + PairSnapshot::memory_bytes(product_snapshot_.dimension());
}

}  // namespace glimpse
