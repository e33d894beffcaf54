#include "learn/apple/parent_tree.h"

#include <cmath>

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

}  // namespace glimpse
