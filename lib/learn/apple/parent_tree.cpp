#include "learn/apple/parent_tree.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace glimpse {

namespace {

bool is_usable(double value) {
  constexpr double kLeast = 1e-290;
  constexpr double kMost = 1e290;
  const double size = std::abs(value);
  return size >= kLeast && size <= kMost;
}

}  // namespace

ParentTree::ParentTree(std::size_t attributes, std::size_t most_products)
    : monomials_(attributes, most_products), own_((attributes + kBits - 1) / kBits) {}

// Breadth first: active_ grows while it is walked over.
template <class Find>
void ParentTree::walk(std::span<const Entry> entries, std::vector<FeatureValue>& features,
                      const Find& find) const {
  features.clear();
  active_.clear();
  const auto visit = [&](const FeatureValue& feature) {
    features.push_back(feature);
    if (is_parent(feature.slot)) active_.push_back(feature);
  };
  for (const Entry& entry : entries)
    if (is_usable(entry.value)) visit({entry.attribute, entry.value});
  for (std::size_t at = 0; at < active_.size(); ++at) {
    const FeatureValue parent = active_[at];
    for (const Entry& entry : entries) monomials_.prefetch_way(parent.slot, entry.attribute);
    for (const Entry& entry : entries) {
      const double value = parent.value * entry.value;
      if (!is_usable(value)) continue;
      const std::uint32_t slot = find(parent.slot, entry.attribute);
      if (slot < Monomials::kElsewhere) visit({slot, value});
    }
  }
}

void ParentTree::expand(std::span<const Entry> entries, std::vector<FeatureValue>& features) {
  walk(entries, features, [this](std::uint32_t slot, Attribute i) { return monomials_.add(slot, i); });
}

void ParentTree::expand_known(std::span<const Entry> entries, std::vector<FeatureValue>& features) const {
  walk(entries, features, [this](std::uint32_t slot, Attribute i) { return monomials_.find(slot, i); });
}

void ParentTree::make_parent(std::uint32_t slot, const std::function<bool(Attribute)>& is_idempotent) {
  const auto factors = monomials_.factors(slot);
  std::uint32_t closed = 0;
  for (std::size_t k = 0; k < factors.size(); ++k)
    if (is_idempotent(factors[k])) closed |= std::uint32_t{1} << k;
  add_parent(slot, closed);
}

void ParentTree::add_parent(std::uint32_t slot, std::uint32_t closed) {
  const auto factors = monomials_.factors(slot);
  for (std::size_t k = 0; k < factors.size(); ++k)
    if ((closed >> k & 1) != 0) monomials_.close(slot, factors[k]);
  parents_.push_back(slot);
  closed_.push_back(closed);
  if (slot < monomials_.attributes()) {
    own_[slot / kBits] |= std::uint64_t{1} << slot % kBits;
    return;
  }
  const std::size_t at = slot - monomials_.attributes();
  if (at >= products_.size()) products_.resize(monomials_.products());
  products_[at] = 1;
}

void ParentTree::clear() {
  for (const std::uint32_t slot : parents_)
    if (slot < monomials_.attributes()) own_[slot / kBits] = 0;
  monomials_.clear();
  parents_.clear();
  closed_.clear();
  products_.clear();
}

std::size_t ParentTree::memory_bytes() const {
  return monomials_.memory_bytes() + own_.size() * sizeof(std::uint64_t) + products_.capacity() +
         (parents_.capacity() + closed_.capacity()) * sizeof(std::uint32_t);
}

void ParentTree::save(State& state) const {
  monomials_.save(state);
  state.put_copy<std::uint32_t>("expansion.parents", parents_);
  state.put_copy<std::uint32_t>("expansion.closed", closed_);
}

Status ParentTree::restore(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto parents, state.get<std::uint32_t>("expansion.parents"));
  GLIMPSE_TRY_ASSIGN(const auto closed, state.get<std::uint32_t>("expansion.closed", parents.size()));
  clear();
  GLIMPSE_TRY(monomials_.restore(state));
  for (std::size_t k = 0; k < parents.size(); ++k) add_parent(parents[k], closed[k]);
  return {};
}

namespace {

struct Parent {
  double worth;
  std::uint32_t slot;
};

bool is_before(const Parent& a, const Parent& b) {
  return a.worth > b.worth || (a.worth == b.worth && a.slot < b.slot);
}

// Of the lowest degree, and of these the first, that is not among those chosen.
std::optional<std::uint32_t> lowest(const ParentTree& tree, const NormalisedSteps& steps,
                                    const std::vector<std::uint32_t>& chosen) {
  std::optional<std::uint32_t> found;
  std::size_t degree = Monomials::kMostFactors;
  for (std::uint32_t slot = 0; slot < tree.slots() && degree > 1; ++slot) {
    if (!steps.has_seen(slot) || !tree.may_be_parent(slot) || std::ranges::count(chosen, slot) > 0) continue;
    const std::size_t its = tree.monomials().factors(slot).size();
    if (its >= degree) continue;
    found = slot;
    degree = its;
  }
  return found;
}

}  // namespace

std::vector<std::uint32_t> choose_parents(const ParentTree& tree, const NormalisedSteps& steps,
                                          std::size_t count, bool fallback) {
  return choose_parents(tree, steps, [&](std::uint32_t slot) { return steps.worth(slot); }, count, fallback);
}

std::vector<std::uint32_t> choose_parents(const ParentTree& tree, const NormalisedSteps& steps,
                                          const ParentOrder& order, std::size_t count, bool fallback) {
  std::vector<std::uint32_t> chosen;
  if (count == 0) return chosen;
  std::vector<Parent> candidates;
  for (std::uint32_t slot = 0; slot < tree.slots(); ++slot)
    if (const double worth = order(slot); worth > 0 && tree.may_be_parent(slot))
      candidates.push_back({worth, slot});
  const std::size_t by_weight = std::min(fallback ? count - 1 : count, candidates.size());
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(by_weight);
  std::partial_sort(candidates.begin(), end, candidates.end(), is_before);
  for (auto at = candidates.begin(); at != end; ++at) chosen.push_back(at->slot);
  if (fallback)
    if (const auto slot = lowest(tree, steps, chosen)) chosen.push_back(*slot);
  return chosen;
}

}  // namespace glimpse
