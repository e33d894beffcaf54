#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace glimpse {

/// The labels of a plan, each once it was told. Thread-safety: none. Of one label it has no memory of its
/// own.
class ToldLabels {
 public:
  /// There are `count` ≥ 1 of them, and none was told. Allocates where there were fewer before.
  void begin(std::size_t count) {
    first_ = kNotTold;
    further_.assign(count - 1, kNotTold);
  }

  std::size_t size() const { return 1 + further_.size(); }
  /// Label l < size(); none: it was not told.
  std::optional<double> operator[](std::size_t l) const {
    const double label = l == 0 ? first_ : further_[l - 1];
    return std::isnan(label) ? std::nullopt : std::optional(label);
  }
  /// Takes the place of what was told before. `label` is a number.
  void tell(std::size_t l, double label) { (l == 0 ? first_ : further_[l - 1]) = label; }

  bool are_all_told() const { return !std::isnan(first_) && std::ranges::none_of(further_, is_nan); }
  bool is_any_told() const { return !std::isnan(first_) || !std::ranges::all_of(further_, is_nan); }

  /// The first one, and the others in their order; NaN: not told. As checkpoints have them.
  double first() const { return first_; }
  std::span<const double> further() const { return further_; }
  /// `further`: as many as further().
  void restore(double first, std::span<const double> further) {
    first_ = first;
    std::ranges::copy(further, further_.begin());
  }

 private:
  static constexpr double kNotTold = std::numeric_limits<double>::quiet_NaN();
  static bool is_nan(double value) { return std::isnan(value); }

  double first_ = kNotTold;
  std::vector<double> further_;
};

}  // namespace glimpse
