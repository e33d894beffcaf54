// Which attributes have products, and how often they are looked at.

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "learn/core/model_products.h"
#include "learn/covariance/reselect.h"
#include "learn/products/product_evidence.h"
#include "learn/products/screened_products.h"

namespace glimpse {

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

}  // namespace glimpse
