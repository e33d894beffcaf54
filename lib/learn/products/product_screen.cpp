#include "learn/products/product_screen.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <limits>
#include <utility>

#include "learn/products/product_features.h"

namespace glimpse {

namespace {
constexpr const char* kPartners = "products.partners";
constexpr const char* kPartnerCentres = "products.partner_centres";
constexpr const char* kRests = "products.rests";
constexpr double kLargestRest = 1e100;  // its square, weighed, is a number
constexpr std::size_t kRestDoubles = 3;

constexpr const char* kMagnitudes = "products.magnitudes";

std::string screen_name(std::size_t k) { return fmt::format("products.screen.{}", k); }

void add_label(LabelSums& sums, double label, double importance) {
  sums.weight += importance;
  sums.sum += importance * label;
  sums.square += importance * label * label;
}

// About 0.
LabelSums sums_of(const double* numbers) { return {0, numbers[0], numbers[1], numbers[2]}; }
}  // namespace

void ProductScreen::set_partners(std::span<const Partner> partners) {
  std::vector<Watched> next;
  for (const Partner& partner : partners) {
    const auto old = std::ranges::find(partners_, partner.attribute,
                                       [](const Watched& watched) { return watched.of.attribute; });
    if (old != partners_.end()) {
      next.push_back(std::move(*old));
    } else {
      next.push_back({partner, {}, AttributeScreen(dimension_)});
    }
  }
  partners_ = std::move(next);
}

bool ProductScreen::has_partner(Attribute attribute) const {
  return std::ranges::any_of(
      partners_, [attribute](const Watched& watched) { return watched.of.attribute == attribute; });
}

void ProductScreen::add(std::span<const Attribute> attributes, std::span<const double> values, double rest,
                        double importance) {
  products_.resize(values.size());
  for (std::size_t a = 0; a < products_.size(); ++a) {
    const double magnitude = std::abs(about_[a]);
    products_[a] =
        magnitude <= ProductFeatures::kLargestProduct ? magnitude : std::numeric_limits<double>::quiet_NaN();
  }
  rest = std::clamp(rest, -kLargestRest, kLargestRest);
  magnitudes_.add(attributes, products_, std::abs(rest), importance);
  add_label(sizes_, std::abs(rest), importance);
  add_label(rests_, rest, importance);
  for (Watched& partner : partners_) {
    const auto at = std::ranges::lower_bound(attributes, partner.of.attribute);
    if (at == attributes.end() || *at != partner.of.attribute) continue;
    const auto position = static_cast<std::size_t>(at - attributes.begin());
    const double factor = values[position] - partner.of.centre;
    if (std::isnan(factor)) continue;
    for (std::size_t a = 0; a < products_.size(); ++a) {
      const double product = factor * about_[a];
      products_[a] = std::abs(product) <= ProductFeatures::kLargestProduct
                         ? product
                         : std::numeric_limits<double>::quiet_NaN();
    }
    products_[position] = std::numeric_limits<double>::quiet_NaN();  // squares are tried with the members
    partner.screen.add(attributes, products_, rest, importance);
    add_label(partner.rests, rest, importance);
  }
}

void ProductScreen::forget(double factor) {
  rests_ = rests_ * factor;
  sizes_ = sizes_ * factor;
  magnitudes_.forget(factor, sizes_.weight);
  for (Watched& partner : partners_) {
    partner.rests = partner.rests * factor;
    partner.screen.forget(factor, partner.rests.weight);
  }
}

void ProductScreen::decay(double factor) {
  magnitudes_.decay(factor, sizes_.weight);
  sizes_ = sizes_ * factor;
  rests_ = rests_ * factor;
  for (Watched& partner : partners_) {
    partner.screen.decay(factor, partner.rests.weight);
    partner.rests = partner.rests * factor;
  }
}

void ProductScreen::forget_attribute(Attribute attribute) {
  std::erase_if(partners_, [&](const Watched& partner) { return partner.of.attribute == attribute; });
  forget_products(attribute);
  forget_magnitude(attribute);
}

void ProductScreen::forget_products(Attribute attribute) {
  for (Watched& partner : partners_) partner.screen.forget_attribute(attribute);
}

void ProductScreen::clear() {
  partners_.clear();
  magnitudes_ = AttributeScreen(dimension_);
  sizes_ = {};
  rests_ = {};
}

void ProductScreen::fit() {
  if (sizes_.weight > 0) magnitudes_.fit(sizes_, true);
  for (Watched& partner : partners_)
    if (partner.rests.weight > 0) partner.screen.fit(partner.rests, true);
}

AttributeScreen::Estimate ProductScreen::estimate(Attribute attribute) const {
  AttributeScreen::Estimate best;
  for (const Watched& partner : partners_) {
    if (!(partner.screen.weight(attribute) > 0)) continue;
    const AttributeScreen::Estimate estimate = partner.screen.estimate(attribute);
    if (estimate.explained > best.explained) best = estimate;
  }
  return best;
}

AttributeScreen::Estimate ProductScreen::estimate_of_magnitudes(Attribute attribute) const {
  return magnitudes_.weight(attribute) > 0 ? magnitudes_.estimate(attribute) : AttributeScreen::Estimate();
}

double ProductScreen::rest_variance() const {
  return rests_.weight > 0 ? rests_.variance() : std::numeric_limits<double>::quiet_NaN();
}

void ProductScreen::save(State& state) const {
  std::vector<double> rests;
  const auto put = [&](const LabelSums& sums) {
    rests.insert(rests.end(), {sums.weight, sums.sum, sums.square});
  };
  put(rests_);
  put(sizes_);
  magnitudes_.save(state, kMagnitudes);
  std::vector<std::uint32_t> attributes;
  std::vector<double> centres;
  for (std::size_t k = 0; k < partners_.size(); ++k) {
    const Watched& partner = partners_[k];
    attributes.push_back(partner.of.attribute);
    centres.push_back(partner.of.centre);
    put(partner.rests);
    partner.screen.save(state, screen_name(k));
  }
  state.put_copy<double>(kRests, rests);
  if (partners_.empty()) return;
  state.put_copy<std::uint32_t>(kPartners, attributes);
  state.put_copy<double>(kPartnerCentres, centres);
}

Status ProductScreen::restore(const State& state) {
  clear();
  std::span<const std::uint32_t> attributes;
  std::span<const double> centres;
  if (state.find(kPartners) != nullptr) {
    GLIMPSE_TRY_ASSIGN(attributes, state.get<std::uint32_t>(kPartners, State::kAnyCount));
    const bool ascends = std::ranges::adjacent_find(attributes, std::greater_equal<>()) == attributes.end();
    if (!ascends || attributes.size() > kMostPartners ||
        (!attributes.empty() && attributes.back() >= dimension_))
      return failure(ErrorCode::kCorrupt, "{} is no set of at most {} attributes below {}", kPartners,
                     kMostPartners, dimension_);
    GLIMPSE_TRY_ASSIGN(centres, state.get<double>(kPartnerCentres, attributes.size()));
  }
  GLIMPSE_TRY_ASSIGN(const auto rests, state.get<double>(kRests, kRestDoubles * (2 + attributes.size())));
  rests_ = sums_of(rests.data());
  sizes_ = sums_of(rests.data() + kRestDoubles);
  GLIMPSE_TRY(magnitudes_.restore(state, kMagnitudes));
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    partners_.push_back({{attributes[k], centres[k]},
                         sums_of(rests.data() + kRestDoubles * (2 + k)),
                         AttributeScreen(dimension_)});
    GLIMPSE_TRY(partners_.back().screen.restore(state, screen_name(k)));
  }
  return {};
}

}  // namespace glimpse
