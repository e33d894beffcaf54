#include "full_expansion.h"

#include <cmath>
#include <utility>

namespace glimpse {

namespace {

constexpr double kLargest = 1e290;  // as ParentTree has it
constexpr double kSmallest = 1e-290;

}  // namespace

FullExpansion::FullExpansion(unsigned degree, std::vector<bool> idempotent, std::size_t most)
    : degree_(degree), idempotent_(std::move(idempotent)), monomials_(idempotent_.size(), most) {}

// Level by level: a product is its prefix by one more attribute, no less than its last. So each is met once.
template <class Find>
void FullExpansion::enumerate(std::span<const Entry> entries, std::vector<FeatureValue>& features,
                              const Find& find) const {
  features.clear();
  level_.clear();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    features.push_back({entries[i].attribute, entries[i].value});
    level_.push_back({entries[i].attribute, entries[i].value, i});
  }
  for (unsigned degree = 2; degree <= degree_; ++degree) {
    next_.clear();
    for (const Pending& prefix : level_) {
      const Attribute last = entries[prefix.last].attribute;
      for (std::size_t i = prefix.last + (idempotent_[last] ? 1 : 0); i < entries.size(); ++i) {
        const double value = prefix.value * entries[i].value;
        if (!(std::abs(value) >= kSmallest && std::abs(value) <= kLargest)) continue;
        const std::uint32_t slot = find(prefix.slot, entries[i].attribute);
        if (slot == Monomials::kNone) continue;
        features.push_back({slot, value});
        next_.push_back({slot, value, i});
      }
    }
    std::swap(level_, next_);
  }
}

void FullExpansion::expand(std::span<const Entry> entries, std::vector<FeatureValue>& features) {
  enumerate(entries, features, [this](std::uint32_t slot, Attribute i) { return monomials_.add(slot, i); });
}

void FullExpansion::expand_known(std::span<const Entry> entries, std::vector<FeatureValue>& features) const {
  enumerate(entries, features, [this](std::uint32_t slot, Attribute i) { return monomials_.find(slot, i); });
}

}  // namespace glimpse
