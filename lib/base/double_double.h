#pragma once

#include <cmath>

namespace glimpse {

/// A running sum kept as an unevaluated pair of doubles, about 106 bits (Dekker 1971; Knuth's TwoSum). Adding
/// and taking away terms 10⁹ times leaves a relative error of some 10⁹·2⁻¹⁰⁴ < 10⁻²² of the largest partial
/// sum. So a norm can be carried along a stream and is never recomputed over all coordinates. Needs strict
/// IEEE arithmetic (no -ffast-math). Thread-safety: that of a value type.
class DoubleDouble {
 public:
  constexpr DoubleDouble() = default;
  constexpr explicit DoubleDouble(double value) : high_(value) {}
  constexpr DoubleDouble(double high, double low) : high_(high), low_(low) {}

  void add(double x) {
    const double sum = high_ + x;
    const double part = sum - high_;
    const double error = (high_ - (sum - part)) + (x - part);
    renormalise(sum, error + low_);
  }

  /// Adds x·y without rounding the product first.
  void add_product(double x, double y) {
    const double product = x * y;
    const double error = std::fma(x, y, -product);
    add(product);
    add(error);
  }

  /// Adds sign·x² without rounding the square first. `sign` is +1 or −1.
  void add_square(double x, double sign) { add_product(sign * x, x); }

  /// Multiplies by a power of two, exactly (while neither part under- or overflows).
  void scale_by_power_of_two(double factor) {
    high_ *= factor;
    low_ *= factor;
  }

  double value() const { return high_ + low_; }
  double high() const { return high_; }
  double low() const { return low_; }

 private:
  void renormalise(double a, double b) {
    high_ = a + b;
    low_ = b - (high_ - a);
  }

  double high_ = 0;
  double low_ = 0;
};

}  // namespace glimpse
