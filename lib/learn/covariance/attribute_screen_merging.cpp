#include <algorithm>

#include "learn/covariance/attribute_screen.h"

// Two screens of disjoint examples become one.

namespace glimpse {

// The moments about our reference: with u' = u + δ and v' = v + offset.
void AttributeScreen::merge(const AttributeScreen& other, std::span<const Attribute> attributes,
                            double offset) {
  const double ratio = unit_ * other.scale_;
  while (classes_.size() < other.classes_.size()) classes_.emplace_back(dimension());
  for (std::size_t i = 0; i < other.dimension(); ++i) {
    const Sums theirs = other.sums_[i] * ratio;
    if (!(theirs.weight > 0)) continue;
    const std::size_t mine = attributes.empty() ? i : attributes[i];
    Sums& ours = sums_[mine];
    if (!(ours.weight > 0)) ours.reference = theirs.reference;
    const double du = theirs.reference - ours.reference;
    ours.square += theirs.square + 2 * du * theirs.sum + theirs.weight * du * du;
    ours.product += theirs.product + offset * theirs.sum + du * theirs.label + theirs.weight * du * offset;
    ours.sum += theirs.sum + theirs.weight * du;
    ours.label += theirs.label + theirs.weight * offset;
    ours.weight += theirs.weight;
    ours.largest = std::max(ours.largest, theirs.largest);
    for (std::size_t c = 0; c < other.classes_.size(); ++c) {
      const ClassSums& of_class = other.classes_[c][i];
      classes_[c][mine].count += ratio * of_class.count;
      classes_[c][mine].product += ratio * (of_class.product + du * of_class.count);
    }
  }
}

void AttributeScreen::renumber_classes(std::span<const std::size_t> classes, double reference) {
  constexpr std::size_t kOwnSums = 2;  // classes from here on have them
  const std::vector<std::vector<ClassSums>> before = std::move(classes_);
  classes_.clear();
  for (std::size_t c = kOwnSums; c < classes.size(); ++c) classes_.emplace_back(dimension());
  for (std::size_t i = 0; i < dimension(); ++i) {
    Sums& sums = sums_[i];
    ClassSums second{sums.label + reference * sums.weight, sums.product + reference * sums.sum};
    ClassSums first{sums.weight - second.count, sums.sum - second.product};
    for (const std::vector<ClassSums>& row : before) {
      first.count -= row[i].count;
      first.product -= row[i].product;
    }
    const auto known = [&](std::size_t c) -> ClassSums {
      const std::size_t was = c < classes.size() ? classes[c] : before.size() + kOwnSums;
      if (was == 0) return first;
      if (was == 1) return second;
      return was - kOwnSums < before.size() ? before[was - kOwnSums][i] : ClassSums();
    };
    for (std::size_t c = 0; c < classes_.size(); ++c) classes_[c][i] = known(c + kOwnSums);
    sums.label = known(1).count;
    sums.product = known(1).product;
  }
}

}  // namespace glimpse
