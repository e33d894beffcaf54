#include "learn/products/product_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glimpse {

namespace {
constexpr const char* kCentres = "products.centres";
constexpr const char* kLooks = "products.looks";
constexpr const char* kMoments = "products.pairs";
constexpr double kStale = 2;  // deviations of the mean from the centre
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
}  // namespace

ProductSums::ProductSums(std::size_t attributes, std::size_t degree)
    : features_(attributes, degree),
      centres_(attributes),
      looks_(attributes),
      frozen_(attributes, kNone),
      moments_(features_.slots()) {}

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
    if (looks_[i] < kLooksBeforeCentre) {
      if (++looks_[i] < kLooksBeforeCentre) continue;
    } else if (look_for_stale) {
      const AttributeSums sums = attributes[i];
      const double away = sums.mean() - centres_[i];
      if (!(away * away > kStale * kStale * sums.variance())) continue;
      forget_attribute(i);
      looks_[i] = kLooksBeforeCentre;
    } else {
      continue;
    }
    set_centre(i, attributes[i].mean());
    is_changed = true;
  }
  return is_changed;
}

void ProductSums::set_centre(Attribute attribute, double centre) {
  centres_[attribute] = centre;
  frozen_[attribute] = centre;
}

// Which were drawn first does not depend on the values.
void ProductSums::choose(const Plan& plan, std::span<const double> values) {
  positions_.clear();
  for (const Draw& draw : plan.inner_product)
    if (positions_.size() < most_factors(features_.product_slots().degree()))
      positions_.push_back(draw.position);
  std::sort(positions_.begin(), positions_.end());
  attributes_.clear();
  values_.clear();
  for (const std::uint32_t position : positions_) {
    attributes_.push_back(plan.attributes[position]);
    values_.push_back(values[position]);
  }
}

void ProductSums::add(const Plan& plan, std::span<const double> values, double label, double importance) {
  if (plan.attributes.size() <= most_factors(features_.product_slots().degree())) {
    features_.expand(plan.attributes, values, frozen_, slots_, slot_values_);
  } else {
    choose(plan, values);
    features_.expand(attributes_, values_, frozen_, slots_, slot_values_);
  }
  moments_.add(slots_, slot_values_, label, importance);
}

void ProductSums::forget_attribute(Attribute attribute) {
  for (std::uint32_t slot = 0; slot < features_.slots(); ++slot)
    if (features_.has_factor(slot, attribute)) moments_.forget_attribute(slot);
  centres_[attribute] = 0;
  looks_[attribute] = 0;
  frozen_[attribute] = kNone;
}

std::size_t ProductSums::memory_bytes() const {
  return features_.monomials().memory_bytes() + PairMoments::memory_bytes(features_.slots()) +
         features_.attributes() * (2 * sizeof(double) + 1);
}

void ProductSums::save(State& state) const {
  state.put_copy<double>(kCentres, centres_);
  state.put_copy<std::uint8_t>(kLooks, looks_);
  moments_.save(state, kMoments);
}

Status ProductSums::restore(const State& state) {
  const auto centres = state.get<double>(kCentres, centres_.size());
  if (!centres) return centres.error();
  const auto looks = state.get<std::uint8_t>(kLooks, looks_.size());
  if (!looks) return looks.error();
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    centres_[i] = (*centres)[i];
    looks_[i] = std::min((*looks)[i], kLooksBeforeCentre);
    frozen_[i] = looks_[i] == kLooksBeforeCentre ? centres_[i] : kNone;
  }
  return moments_.restore(state, kMoments);
}

}  // namespace glimpse
