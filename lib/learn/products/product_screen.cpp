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
constexpr std::size_t kRestDoubles = 3;

std::string screen_name(std::size_t k) { return fmt::format("products.screen.{}", k); }
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
    partner.rests.weight += importance;
    partner.rests.sum += importance * rest;
    partner.rests.square += importance * rest * rest;
  }
}

void ProductScreen::forget(double factor) {
  for (Watched& partner : partners_) {
    partner.rests = partner.rests * factor;
    partner.screen.forget(factor, partner.rests.weight);
  }
}

void ProductScreen::decay(double factor) {
  for (Watched& partner : partners_) {
    partner.screen.decay(factor, partner.rests.weight);
    partner.rests = partner.rests * factor;
  }
}

void ProductScreen::forget_attribute(Attribute attribute) {
  std::erase_if(partners_, [&](const Watched& partner) { return partner.of.attribute == attribute; });
  for (Watched& partner : partners_) partner.screen.forget_attribute(attribute);
}

void ProductScreen::fit() {
  for (Watched& partner : partners_) partner.screen.fit(partner.rests, true);
}

AttributeScreen::Estimate ProductScreen::estimate(Attribute attribute) const {
  AttributeScreen::Estimate best;
  for (const Watched& partner : partners_) {
    if (partner.of.attribute == attribute || !(partner.rests.weight > 0)) continue;
    const AttributeScreen::Estimate estimate = partner.screen.estimate(attribute);
    if (estimate.explained > best.explained) best = estimate;
  }
  return best;
}

double ProductScreen::rest_variance() const {
  double weight = 0;
  double sum = 0;
  for (const Watched& partner : partners_) {
    weight += partner.rests.weight;
    sum += partner.rests.weight * partner.rests.variance();
  }
  return weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
}

void ProductScreen::save(State& state) const {
  if (partners_.empty()) return;
  std::vector<std::uint32_t> attributes;
  std::vector<double> centres;
  std::vector<double> rests;
  for (std::size_t k = 0; k < partners_.size(); ++k) {
    const Watched& partner = partners_[k];
    attributes.push_back(partner.of.attribute);
    centres.push_back(partner.of.centre);
    rests.insert(rests.end(), {partner.rests.weight, partner.rests.sum, partner.rests.square});
    partner.screen.save(state, screen_name(k));
  }
  state.put_copy<std::uint32_t>(kPartners, attributes);
  state.put_copy<double>(kPartnerCentres, centres);
  state.put_copy<double>(kRests, rests);
}

Status ProductScreen::restore(const State& state) {
  clear();
  if (state.find(kPartners) == nullptr) return {};
  const auto attributes = state.get<std::uint32_t>(kPartners, State::kAnyCount);
  if (!attributes) return attributes.error();
  const bool ascends = std::ranges::adjacent_find(*attributes, std::greater_equal<>()) == attributes->end();
  if (!ascends || attributes->size() > kMostPartners ||
      (!attributes->empty() && attributes->back() >= dimension_))
    return failure(ErrorCode::kCorrupt, "{} is no set of at most {} attributes below {}", kPartners,
                   kMostPartners, dimension_);
  const auto centres = state.get<double>(kPartnerCentres, attributes->size());
  if (!centres) return centres.error();
  const auto rests = state.get<double>(kRests, kRestDoubles * attributes->size());
  if (!rests) return rests.error();
  for (std::size_t k = 0; k < attributes->size(); ++k) {
    const double* const rest = rests->data() + kRestDoubles * k;
    partners_.push_back(
        {{(*attributes)[k], (*centres)[k]}, {0, rest[0], rest[1], rest[2]}, AttributeScreen(dimension_)});
    if (const Status status = partners_.back().screen.restore(state, screen_name(k)); !status) return status;
  }
  return {};
}

}  // namespace glimpse
