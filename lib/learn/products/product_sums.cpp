#include "learn/products/product_sums.h"

#include <algorithm>
#include <utility>

namespace glimpse {

namespace {
constexpr const char* kCentres = "products.centres";
constexpr const char* kMoments = "products.pairs";
}  // namespace

void ProductSums::open(std::vector<double> centres) {
  centres_ = std::move(centres);
  moments_ = PairMoments(features_.slots());
}

void ProductSums::close() {
  centres_.clear();
  moments_ = PairMoments();
}

// Which were drawn first does not depend on the values.
void ProductSums::choose(const Plan& plan, std::span<const double> values) {
  positions_.clear();
  for (const Draw& draw : plan.inner_product)
    if (positions_.size() < kMostFactors) positions_.push_back(draw.position);
  std::sort(positions_.begin(), positions_.end());
  attributes_.clear();
  values_.clear();
  for (const std::uint32_t position : positions_) {
    attributes_.push_back(plan.attributes[position]);
    values_.push_back(values[position]);
  }
}

void ProductSums::add(const Plan& plan, std::span<const double> values, double label, double importance) {
  if (plan.attributes.size() <= kMostFactors) {
    features_.expand(plan.attributes, values, centres_, slots_, slot_values_);
  } else {
    choose(plan, values);
    features_.expand(attributes_, values_, centres_, slots_, slot_values_);
  }
  moments_.add(slots_, slot_values_, label, importance);
}

void ProductSums::forget_attribute(Attribute attribute) {
  if (!is_open()) return;
  for (std::uint32_t slot = 0; slot < features_.slots(); ++slot)
    if (features_.has_factor(slot, attribute)) moments_.forget_attribute(slot);
}

std::size_t ProductSums::memory_bytes() const {
  return features_.monomials().memory_bytes() +
         (is_open() ? PairMoments::memory_bytes(features_.slots()) : 0);
}

void ProductSums::save(State& state) const {
  if (!is_open()) return;
  state.put_copy<double>(kCentres, centres_);
  moments_.save(state, kMoments);
}

Status ProductSums::restore(const State& state) {
  close();
  if (state.find(kCentres) == nullptr) return {};
  const auto centres = state.get<double>(kCentres, features_.attributes());
  if (!centres) return centres.error();
  open({centres->begin(), centres->end()});
  return moments_.restore(state, kMoments);
}

}  // namespace glimpse
