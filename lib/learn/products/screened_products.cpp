#include "learn/products/screened_products.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "learn/core/model_products.h"
#include "learn/covariance/reselect.h"
#include "learn/covariance/settled_attributes.h"
#include "learn/evaluation/kept_share.h"
#include "learn/inference/conditioning.h"
#include "learn/options/pair_products.h"
#include "learn/products/placed_moments.h"
#include "learn/products/product_evidence.h"
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

// Which attributes have products, and how often they are looked at.

namespace {
constexpr double kLooksBeforeMember = 16;     // its mean then becomes its centre
constexpr double kStaleCentre = 2;            // deviations of the mean from the centre
constexpr std::size_t kPlacesThatMatter = 3;  // one place in so many is for those that matter alone
constexpr double kPromises = 2;               // n·E[ρ²] above which a product is tried
constexpr double kPromisesStill = 0.5;        // and below which it is no longer
constexpr double kPromisesMuch = 6;           // above which an attribute is looked at more often
constexpr std::size_t kActiveOfTrial = 4;  // one active attribute in so many may be so for a promise alone …
constexpr std::size_t kActiveOfTrialAtLeast =
    16;                                    // … where there are places, and in so many where there are none
constexpr double kMemberCounts = 2;        // how much more another has to matter to take its place
constexpr double kLooksOfTrial = 64;       // of a product, before it is held against its promise
constexpr double kShareOfTrial = 0.5;      // of the looks that it was promised by
constexpr double kHolds = 2;               // deviations
constexpr double kLooksOfMagnitudes = 16;  // over the root of what they explain
constexpr double kHoldsAmongMany = 4;      // deviations of the largest product with any member
constexpr double kShareOfWeighted = 0.7;   // of active looks, for attributes of products with weights
constexpr double kShareOfTried = 0.1;      // of active looks, for the other members, once …
constexpr double kLooksBeforeShares = 64;  // … each attribute was looked at so often in the mean
}  // namespace

// Products begin about the centre that they had, or about the mean so far.
double ScreenedProducts::centre_for(Attribute attribute) const {
  const double mean = screen_.mean(attribute);
  const auto at = std::ranges::lower_bound(members_, attribute);
  if (at == members_.end() || *at != attribute) return mean;
  const auto place = static_cast<std::size_t>(at - members_.begin());
  if (!sums_->has_centre(place)) return mean;
  const double away = mean - sums_->centres()[place];
  const bool is_stale = away * away > kStaleCentre * kStaleCentre * screen_.variance(attribute);
  return is_stale ? mean : sums_->centres()[place];
}

bool ScreenedProducts::take(Attribute attribute, Choice& choice) const {
  if (choice.members.size() == most_members_ || choice.is_member[attribute]) return false;
  if (!(screen_.weight(attribute) >= kLooksBeforeMember) || !(screen_.variance(attribute) > 0)) return false;
  choice.members.push_back(attribute);
  choice.is_member[attribute] = true;
  return true;
}

void ScreenedProducts::take_those_of_products(Choice& choice) const {
  const auto& judge = past_models_.newest();
  if (!judge || !judge->linear) return;
  const ProductSlots& slots = judge->products;
  slots.for_each([&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    if (judge->weights[slot] == 0) return;
    take(slots.member(i), choice);
    take(slots.member(j), choice);
    if (k != ProductSlots::kNone) take(slots.member(k), choice);
  });
}

// The share of the label that it explains in the newest linear model, or alone where that does not know it.
double ScreenedProducts::worth_alone(Attribute attribute) const {
  const auto& judge = past_models_.newest();
  const double variance = moments_.label().variance();
  if (judge && variance > 0) {
    const double weight = judge->without_products().weights[attribute];
    if (weight != 0) return weight * weight * screen_.variance(attribute) / variance;
  }
  const AttributeScreen::Estimate estimate = screen_.estimate(attribute);
  return estimate.weight * estimate.explained > kPromises ? estimate.explained : 0;
}

// The first of them are partners: what explains something with one of these is looked for.
void ScreenedProducts::take_those_that_matter(Choice& choice) {
  std::vector<std::pair<double, Attribute>> order;
  for (const Attribute i : active_) {
    const double worth = worth_alone(i);
    if (worth > 0) order.emplace_back(-worth * (product_screen_.has_partner(i) ? kMemberCounts : 1), i);
  }
  std::ranges::sort(order);
  std::vector<ProductScreen::Partner> partners;
  std::size_t left = std::max<std::size_t>(most_members_ / kPlacesThatMatter, 1);
  for (const auto& [key, i] : order) {
    if (left == 0) break;
    const bool is_taken = take(i, choice);
    if (!is_taken && !choice.is_member[i]) continue;
    --left;
    if (partners.size() < ProductScreen::kMostPartners) partners.push_back({i, centre_for(i)});
  }
  std::ranges::sort(partners, {}, &ProductScreen::Partner::attribute);
  product_screen_.set_partners(partners);
}

// What was tried with as many looks as it was promised by, more or less, and explains nothing then.
void ScreenedProducts::forget_broken_promises(const Choice& choice) {
  if (!sums_) return;
  const auto& judge = past_models_.newest();
  std::vector<double> weights(active_.size());
  for (std::size_t s = 0; judge && s < weights.size(); ++s)
    weights[s] = judge->without_products().weights[active_[s]];
  const double rest = product_screen_.rest_variance();
  const double noise = std::isnan(rest) ? moments_.label().variance() : rest;
  const ProductSlots& slots = sums_->product_slots();
  const std::vector<double> deviates = rough_evidence(sums_->moments(), slots, weights, noise);
  std::vector<Attribute> broken;  // by their magnitudes
  std::size_t promising = 0;
  for (std::uint32_t place = 0; place < members_.size(); ++place) {
    if (choice.is_member[members_[place]]) continue;
    const Trial partners = trial_with_partners(place, deviates);
    if (partners.is_over && !partners.holds) {
      product_screen_.forget_products(members_[place]);
      promises_[members_[place]] = promise_of(members_[place]);
    }
    const Trial others = trial_with_members(place, deviates);
    if (others.is_over && !others.holds) broken.push_back(members_[place]);
  }
  for (Attribute i = 0; i < options().dimension; ++i)
    if (!choice.is_member[i] && promises_[i].above(kPromises) > 0) ++promising;
  if (promising <= choice.places_of_trial) return;
  for (const Attribute i : broken) {
    product_screen_.forget_magnitude(i);
    promises_[i] = promise_of(i);
  }
}

ScreenedProducts::Trial ScreenedProducts::trial_with_partners(std::uint32_t place,
                                                              std::span<const double> deviates) const {
  const ProductSlots& slots = sums_->product_slots();
  const double counts = sums_->moments().examples_a_weight();
  const double looks =
      std::max(kLooksOfTrial, kShareOfTrial * product_screen_.estimate(members_[place]).weight);
  Trial trial;
  for (std::size_t k = 0; k < product_screen_.partners(); ++k) {
    const auto at = std::ranges::lower_bound(members_, product_screen_.partner(k));
    if (at == members_.end() || *at != product_screen_.partner(k)) continue;
    const auto other = static_cast<std::uint32_t>(at - members_.begin());
    const std::uint32_t slot = slots.of(std::min(place, other), std::max(place, other));
    const bool is_seen = counts * sums_->moments()[slot].weight() >= looks;
    trial.is_over = trial.is_over || is_seen;
    trial.holds = trial.holds || !is_seen || std::abs(deviates[slot - slots.attributes()]) > kHolds;
  }
  return trial;
}

// Where magnitudes explain m of each other, products of two explain about √(2.5·m) of what is left: a quarter
// of a standard error of it is known after 16/√m looks.
ScreenedProducts::Trial ScreenedProducts::trial_with_members(std::uint32_t place,
                                                             std::span<const double> deviates) const {
  const AttributeScreen::Estimate estimate = product_screen_.estimate_of_magnitudes(members_[place]);
  if (!(estimate.weight * estimate.explained > kPromisesStill)) return {};
  const ProductSlots& slots = sums_->product_slots();
  const double counts = sums_->moments().examples_a_weight();
  const double looks = std::max(kLooksOfTrial, kLooksOfMagnitudes / std::sqrt(estimate.explained));
  std::size_t seen = 0;
  Trial trial;
  for (std::uint32_t other = 0; other < members_.size(); ++other) {
    const std::uint32_t slot = slots.of(std::min(place, other), std::max(place, other));
    seen += counts * sums_->moments()[slot].weight() >= looks ? 1 : 0;
    trial.holds = trial.holds || std::abs(deviates[slot - slots.attributes()]) > kHoldsAmongMany;
  }
  trial.is_over = 2 * seen > members_.size();
  trial.holds = trial.holds || !trial.is_over;
  return trial;
}

// That of the screens of products whose promise is clearest.
ScreenedProducts::Promise ScreenedProducts::promise_of(Attribute attribute) const {
  Promise promise;
  for (const AttributeScreen::Estimate& estimate :
       {product_screen_.estimate(attribute), product_screen_.estimate_of_magnitudes(attribute)}) {
    const auto clear = static_cast<float>(estimate.weight * estimate.explained);
    if (clear > promise.clear) promise = {clear, static_cast<float>(estimate.explained)};
  }
  return promise;
}

void ScreenedProducts::read_promises() {
  promises_.resize(options().dimension);
  for (Attribute i = 0; i < options().dimension; ++i) promises_[i] = promise_of(i);
}

// Those that explain something alone come first, except on a few places.
std::size_t ScreenedProducts::places_of_trial() const {
  const std::size_t limit = active_limit(options());
  std::size_t alone = 0;
  for (Attribute i = 0; i < options().dimension; ++i) {
    const AttributeScreen::Estimate estimate = screen_.estimate(i);
    alone += estimate.weight * estimate.explained > kPromises ? 1 : 0;
  }
  const std::size_t free = limit - std::min(alone, limit);
  return std::min(limit / kActiveOfTrial, std::max(free, limit / kActiveOfTrialAtLeast));
}

void ScreenedProducts::take_promising(Choice& choice) const {
  std::vector<std::pair<double, Attribute>> order;
  for (Attribute i = 0; i < options().dimension; ++i) {
    if (choice.is_member[i]) continue;
    const bool stays = std::ranges::binary_search(members_, i);
    const double promise = promises_[i].above(stays ? kPromisesStill : kPromises);
    if (promise > 0) order.emplace_back(-promise * (stays ? kMemberCounts : 1), i);
  }
  const std::size_t most = std::min(order.size(), 2 * most_members_);  // some may have no centre yet
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(most));
  std::size_t left = choice.places_of_trial;
  for (std::size_t k = 0; k < most && left > 0; ++k)
    if (take(order[k].second, choice)) --left;
}

void ScreenedProducts::take_others(Choice& choice) const {
  std::vector<std::pair<double, Attribute>> order;
  for (const Attribute i : active_) {
    if (choice.is_member[i]) continue;
    const bool stays = std::ranges::binary_search(members_, i);
    const double worth = worth_alone(i);
    if (worth > 0 || active_.size() == options().dimension)
      order.emplace_back(-worth * (stays ? kMemberCounts : 1), i);
  }
  std::ranges::sort(order);
  for (const auto& [key, i] : order) take(i, choice);
}

double ScreenedProducts::promise_in_products(Attribute attribute) const {
  return promises_[attribute].above(kPromisesMuch);
}

std::vector<Attribute> ScreenedProducts::choose_members() {
  product_screen_.fit();
  Choice choice{{}, std::vector<bool>(options().dimension), places_of_trial()};
  take_those_of_products(choice);
  take_those_that_matter(choice);
  read_promises();
  forget_broken_promises(choice);
  take_promising(choice);
  take_others(choice);
  std::ranges::sort(choice.members);
  chosen_ = std::move(choice.members);
  return chosen_;
}

ProductSlots ScreenedProducts::slots_of_members(std::span<const Attribute> members) const {
  std::vector<Attribute> places;
  for (const Attribute i : members) places.push_back(slot_[i]);
  return {active_.size(), options().products, std::move(places)};
}

// What each slot of `slots`, of chosen_ about `centres`, goes on with: a slot of sums_, or kNewSlot.
std::vector<std::size_t> ScreenedProducts::slots_before(const ProductSlots& slots,
                                                        std::span<const double> centres) const {
  std::vector<std::size_t> from(slots.all(), kNewSlot);
  if (!sums_) return from;
  const ProductSlots& before = sums_->product_slots();
  for (std::size_t s = 0; s < active_.size(); ++s) {
    const auto at = std::ranges::lower_bound(placed_, active_[s]);
    if (at != placed_.end() && *at == active_[s]) from[s] = static_cast<std::size_t>(at - placed_.begin());
  }
  std::vector<std::uint32_t> places(chosen_.size(), ProductSlots::kNone);
  for (std::size_t place = 0; place < places.size(); ++place) {
    const auto at = std::ranges::lower_bound(members_, chosen_[place]);
    if (at == members_.end() || *at != chosen_[place]) continue;
    const auto old = static_cast<std::uint32_t>(at - members_.begin());
    if (sums_->has_centre(old) && sums_->centres()[old] == centres[place]) places[place] = old;
  }
  slots.for_each([&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    if (places[i] == ProductSlots::kNone || places[j] == ProductSlots::kNone) return;
    if (k == ProductSlots::kNone) {
      from[slot] = before.of(places[i], places[j]);
    } else if (places[k] != ProductSlots::kNone) {
      from[slot] = before.of(places[i], places[j], places[k]);
    }
  });
  return from;
}

void ScreenedProducts::follow_active() {
  if (chosen_.empty()) {
    if (sums_) drop_solution();
    sums_.reset();
    members_.clear();
    placed_.clear();
    return;
  }
  std::vector<double> centres;
  for (const Attribute i : chosen_) centres.push_back(centre_for(i));
  const ProductSlots slots = slots_of_members(chosen_);
  const std::vector<std::size_t> from = slots_before(slots, centres);
  const auto begun =
      std::count(from.begin() + static_cast<std::ptrdiff_t>(slots.attributes()), from.end(), kNewSlot);
  if (begun == 0 && members_ == chosen_ && placed_ == active_) return;
  tried_ += static_cast<double>(begun);
  const PairMoments nothing;
  ProductSums next(slots, std::move(centres), sums_ ? sums_->moments() : nothing, from);
  sums_ = std::move(next);
  members_ = chosen_;
  placed_ = active_;
  drop_solution();
}

void ScreenedProducts::prefer(std::span<float> worth) const {
  double total = 0;
  for (const Attribute i : active_) total += static_cast<double>(worth[i]);
  if (!sums_ || !(total > 0)) return;
  const double looks = static_cast<double>(steps()) * static_cast<double>(options().budget) /
                       static_cast<double>(options().dimension);
  if (looks >= kLooksBeforeShares) prefer_tried(worth, total);
  prefer_products(worth, total);
}

// A share goes to the members that promise something, or to all of them if none does.
void ScreenedProducts::prefer_tried(std::span<float> worth, double total) const {
  std::vector<Attribute> tried;
  for (const Attribute i : members_)
    if (promises_[i].above(kPromises) > 0) tried.push_back(i);
  if (tried.empty()) tried = members_;
  const double share = kShareOfTried * total / static_cast<double>(tried.size());
  for (const Attribute i : active_) worth[i] *= static_cast<float>(1 - kShareOfTried);
  for (const Attribute i : tried) worth[i] += static_cast<float>(share);
}

// A share goes to the attributes of the products that the newest judge has, by what these add to its
// predictions. So products are seen whole that would hardly ever be seen by chance.
void ScreenedProducts::prefer_products(std::span<float> worth, double total) const {
  const auto& judge = past_models_.newest();
  if (!judge || !judge->linear) return;
  const ProductSlots& slots = judge->products;
  std::vector<double> of_members(members_.size());
  slots.for_each([&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
    if (judge->weights[slot] == 0) return;
    const std::uint32_t now = slot_now(slots, i, j, k);
    if (now == ProductSlots::kNone) return;
    const double square = judge->weights[slot] * judge->weights[slot] * sums_->moments()[now].variance();
    std::uint32_t last = ProductSlots::kNone;
    for (const std::uint32_t place : sums_->features().factors(now))
      if (place != last) of_members[last = place] += square;
  });
  double sum = 0;
  for (double& x : of_members) sum += x = std::sqrt(x);
  if (!(sum > 0)) return;
  for (const Attribute i : active_) worth[i] *= static_cast<float>(1 - kShareOfWeighted);
  for (std::size_t place = 0; place < members_.size(); ++place)
    worth[members_[place]] += static_cast<float>(kShareOfWeighted * total * of_members[place] / sum);
}

// What is told of a part of an example.

ProductSolver::Basis ScreenedProducts::copied_basis(const Copy& copy) const {
  return {copy.snapshot,   &product_snapshot_,  copied_slots_,
          copied_centres_, copied_units_.get(), copied_tried_};
}

// The model may be another than the one that was solved for, of other attributes and products.
void ScreenedProducts::complete(Copy& copy, Solution& solution) const {
  const Model& model = solution.model;
  solution.slots = model.weights.size();
  solution.features = options().dimension + count_products(model);
  if (copy.active.empty() || !(copy.snapshot.label().weight > 0)) {
    solution.moments = no_moments(model.weights.size());
    solution.moments.products = model.products;
    if (copy.snapshot.label().weight > 0) solution.moments.noise = copy.snapshot.label().variance();
    return;
  }
  const PastModel* const earlier = solution.choice.earlier.get();
  const std::span<const double> centre =
      earlier != nullptr ? std::span<const double>(earlier->centre) : std::span<const double>();
  const bool is_other = solution.withheld != nullptr;
  TargetMoments described;
  if (copies_products_) {
    const PlacedSlots places(model, copy.active, copy.snapshot, copied_slots_, copied_centres_);
    product_solver_.describe(copied_basis(copy), places.placed(), is_other, described);
    solution.moments = places.unplaced(described, copied_means_, copied_variances_, centre);
    return;
  }
  const PlacedSlots places(model, copy.active, copy.snapshot);
  if (is_other) copy.solver.replace(copy.snapshot, places.placed());
  copy.solver.describe(copy.snapshot, places.placed(), described);
  solution.moments = places.unplaced(described, copied_means_, copied_variances_, centre);
}

std::uint32_t ScreenedProducts::place_now(const ProductSlots& slots, std::uint32_t slot) const {
  if (slot < options().dimension) return slot_[slot];
  const auto [i, j, k] = slots.factors(slot);
  const std::uint32_t now = slot_now(slots, i, j, k);
  return now == ProductSlots::kNone ? kInactive : now;
}

void ScreenedProducts::covariances(const TargetMoments& about, std::span<const Attribute> rows,
                                   std::span<const Attribute> columns, std::span<double> out) const {
  const bool has_products = about.means.size() > options().dimension && sums_;
  const PairMoments& moments = has_products ? sums_->moments() : moments_;
  std::vector<std::uint32_t> places;
  for (const Attribute j : columns) places.push_back(place_now(about.products, j));
  std::size_t cell = 0;
  for (const Attribute i : rows) {
    const std::uint32_t row = place_now(about.products, i);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Attribute j = columns[c];
      const std::uint32_t column = places[c];
      double& covariance_here = out[cell++];
      if (i == j || row == kInactive || column == kInactive || row == column) {
        covariance_here = i == j ? about.variances[i] : 0;
        continue;
      }
      const bool is_in_order = row < column;
      const auto [first, second] = std::minmax(row, column);
      const double sum = moments.co_moment(first, second, about.means[is_in_order ? i : j],
                                           about.means[is_in_order ? j : i]);
      covariance_here = covariance(about, i, j, sum, moments.pair(first, second).weight);
    }
  }
}

void ScreenedProducts::save_state(State& state) const {
  ScreenedPairwise::save_state(state);
  product_screen_.save(state);
  state.put_number("products.tried", tried_);
  if (sums_) sums_->save(state);
}

Status ScreenedProducts::restore_state(const State& state) {
  sums_.reset();
  members_.clear();
  placed_.clear();
  if (state.find("pairwise.sampling") != nullptr)
    return failure(ErrorCode::kMismatch,
                   "the state has products of all attributes, and --pair-memory has room for those of {}: "
                   "start with the --pair-memory that it was made with",
                   most_members_);
  GLIMPSE_TRY(ScreenedPairwise::restore_state(state));
  GLIMPSE_TRY(product_screen_.restore(state));
  GLIMPSE_TRY_ASSIGN(const auto tried, state.get_number<double>("products.tried", 0.0));
  if (!(tried >= 0)) return failure(ErrorCode::kCorrupt, "products.tried is {}, must be 0 or more", tried);
  tried_ = tried;
  GLIMPSE_TRY(restore_members(state));
  count_entered();
  return {};
}

Status ScreenedProducts::restore_members(const State& state) {
  if (state.find("products.members") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto places, state.get<std::uint32_t>("products.members", State::kAnyCount));
  const bool ascends = std::ranges::adjacent_find(places, std::greater_equal<>()) == places.end();
  if (places.empty() || !ascends || places.back() >= active_.size())
    return failure(ErrorCode::kCorrupt, "products.members is no set of {} active attributes", active_.size());
  if (places.size() > most_members_)
    return failure(ErrorCode::kMismatch,
                   "the state has products of {} attributes at a time, and --pair-memory has room for those "
                   "of {}: start with the --pair-memory that it was made with",
                   places.size(), most_members_);
  for (const std::uint32_t place : places) members_.push_back(active_[place]);
  placed_ = active_;
  sums_.emplace(slots_of_members(members_));
  return sums_->restore(state);
}

}  // namespace glimpse
