#include "learn/products/product_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.h"
#include "learn/core/past_model.h"
#include "learn/covariance/reselect.h"

namespace glimpse {

namespace {
constexpr const char* kCentres = "products.centres";
constexpr const char* kLooks = "products.looks";
constexpr const char* kMembers = "products.members";
constexpr const char* kMoments = "products.pairs";
constexpr double kStale = 2;  // deviations of the mean from the centre
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
}  // namespace

ProductSums::ProductSums(const ProductSlots& slots)
    : features_(slots),
      centres_(slots.places()),
      looks_(slots.attributes()),
      frozen_(slots.places(), kNone),
      moments_(features_.slots()) {}

ProductSums::ProductSums(const ProductSlots& slots, std::vector<double> centres, const PairMoments& before,
                         std::span<const std::size_t> from)
    : features_(slots),
      centres_(std::move(centres)),
      looks_(slots.attributes(), kLooksBeforeCentre),
      frozen_(centres_),
      moments_(reselect(before, from)) {}

void ProductSums::clear() {
  std::fill(centres_.begin(), centres_.end(), 0.0);
  std::fill(looks_.begin(), looks_.end(), std::uint8_t{0});
  std::fill(frozen_.begin(), frozen_.end(), kNone);
  moments_ = PairMoments(features_.slots());
}

bool ProductSums::set_centres(const PairMoments& attributes, const Plan& plan, std::span<const double> values,
                              bool look_for_stale) {
  bool is_changed = false;
  for (std::size_t a = 0; a < values.size(); ++a) {
    if (std::isnan(values[a])) continue;
    const Attribute i = plan.attributes[a];
    const bool was_due = looks_[i] < kLooksBeforeCentre;
    if (was_due && ++looks_[i] < kLooksBeforeCentre) continue;
    if (!was_due && !look_for_stale) continue;
    const std::uint32_t place = product_slots().place(i);
    if (place == ProductSlots::kNone) continue;
    if (!was_due) {
      const AttributeSums sums = attributes[i];
      const double away = sums.mean() - centres_[place];
      if (!(away * away > kStale * kStale * sums.variance())) continue;
      forget_attribute(i);
      looks_[i] = kLooksBeforeCentre;
    }
    set_centre(place, attributes[i].mean());
    is_changed = true;
  }
  return is_changed;
}

void ProductSums::set_centre(std::size_t place, double centre) {
  centres_[place] = centre;
  frozen_[place] = centre;
}

// Neither which were drawn first depends on the values, nor what comes behind them. With prices only some of
// a plan's attributes are drawn from all; the others are what else the money buys, and come in an order that
// changes from example to example.
void ProductSums::choose(const Plan& plan, std::span<const double> values, std::uint64_t example) {
  positions_.clear();
  is_first_.assign(plan.attributes.size(), 0);
  std::size_t room[] = {kMostOthers, most_factors(product_slots().degree())};
  const auto take = [&](std::uint32_t position) {
    const bool is_member = product_slots().place(plan.attributes[position]) != ProductSlots::kNone;
    if (room[is_member ? 1 : 0] == 0) return;
    --room[is_member ? 1 : 0];
    positions_.push_back(position);
  };
  for (const auto* draws : {&plan.data_point, &plan.inner_product})
    for (const Draw& draw : *draws) {
      is_first_[draw.position] = 1;
      take(draw.position);
    }
  if (plan.data_point.size() + plan.inner_product.size() < plan.attributes.size()) {
    others_.clear();
    for (std::uint32_t position = 0; position < is_first_.size(); ++position)
      if (is_first_[position] == 0) others_.push_back(position);
    Random random(example);
    for (std::size_t left = others_.size(); left > 0 && room[0] + room[1] > 0; --left) {
      std::swap(others_[random.below(left)], others_[left - 1]);
      take(others_[left - 1]);
    }
  }
  std::sort(positions_.begin(), positions_.end());
  attributes_.clear();
  values_.clear();
  for (const std::uint32_t position : positions_) {
    attributes_.push_back(plan.attributes[position]);
    values_.push_back(values[position]);
  }
}

void ProductSums::find_members(std::span<const Attribute> attributes) {
  members_.clear();
  for (std::uint32_t a = 0; a < attributes.size(); ++a)
    if (const std::uint32_t place = product_slots().place(attributes[a]); place != ProductSlots::kNone)
      members_.push_back({place, a});
  if (!product_slots().has_all_attributes()) std::ranges::sort(members_, {}, &ProductFeatures::Member::place);
}

void ProductSums::add(const Plan& plan, std::span<const double> values, double label, double importance,
                      std::uint64_t example) {
  std::span<const Attribute> attributes = plan.attributes;
  if (attributes.size() > most_factors(product_slots().degree())) {
    choose(plan, values, example);
    attributes = attributes_;
    values = values_;
  }
  find_members(attributes);
  features_.expand(attributes, values, members_, frozen_, slots_, slot_values_);
  moments_.add(slots_, slot_values_, label, importance);
}

void ProductSums::forget_products(std::size_t place) {
  for (std::size_t slot = features_.attributes(); slot < features_.slots(); ++slot)
    if (features_.has_factor(slot, static_cast<std::uint32_t>(place)))
      moments_.forget_attribute(static_cast<Attribute>(slot));
  centres_[place] = 0;
  frozen_[place] = kNone;
}

void ProductSums::forget_attribute(Attribute attribute) {
  moments_.forget_attribute(attribute);
  if (const std::uint32_t place = product_slots().place(attribute); place != ProductSlots::kNone)
    forget_products(place);
  looks_[attribute] = 0;
}

void ProductSums::replace(std::size_t place, Attribute attribute, const PairMoments& attributes) {
  forget_products(place);
  features_.replace(place, attribute);
  if (looks_[attribute] == kLooksBeforeCentre) set_centre(place, attributes[attribute].mean());
}

std::size_t ProductSums::memory_bytes() const {
  return PairMoments::memory_bytes(features_.slots()) + features_.attributes() +
         product_slots().places() * 2 * sizeof(double) +
         (features_.slots() - features_.attributes()) * 3 * sizeof(std::uint32_t);
}

void ProductSums::save(State& state) const {
  state.put_copy<double>(kCentres, centres_);
  state.put_copy<std::uint8_t>(kLooks, looks_);
  if (!product_slots().has_all_attributes())
    state.put_copy<std::uint32_t>(kMembers, product_slots().members());
  moments_.save(state, kMoments);
}

Status ProductSums::restore(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto centres, state.get<double>(kCentres, State::kAnyCount));
  if (centres.size() != centres_.size())
    return failure(ErrorCode::kMismatch,
                   "the state has products of {} attributes at a time, and --pair-memory has room for those "
                   "of {}: start with the --pair-memory that it was made with",
                   centres.size(), centres_.size());
  GLIMPSE_TRY_ASSIGN(const auto looks, state.get<std::uint8_t>(kLooks, looks_.size()));
  if (!product_slots().has_all_attributes()) {
    GLIMPSE_TRY_ASSIGN(const auto saved, state.get<std::uint32_t>(kMembers, product_slots().places()));
    std::vector<Attribute> members(saved.begin(), saved.end());
    GLIMPSE_TRY(check_members(members, features_.attributes(), "products"));
    for (std::size_t place = 0; place < members.size(); ++place) features_.replace(place, members[place]);
  }
  for (std::size_t i = 0; i < looks_.size(); ++i) looks_[i] = std::min(looks[i], kLooksBeforeCentre);
  for (std::size_t place = 0; place < centres_.size(); ++place) {
    centres_[place] = centres[place];
    const bool is_frozen = looks_[product_slots().member(place)] == kLooksBeforeCentre;
    frozen_[place] = is_frozen ? centres_[place] : kNone;
  }
  return moments_.restore(state, kMoments);
}

}  // namespace glimpse
