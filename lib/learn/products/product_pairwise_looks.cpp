// Which attributes have products, and how often they are looked at.

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/core/model_products.h"
#include "learn/products/product_evidence.h"
#include "learn/products/product_pairwise.h"

namespace glimpse {

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
