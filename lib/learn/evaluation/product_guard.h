#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// Withholds the products of models that are worse with them than without. Each example judges the newest
/// model of the past before any model learns from it: d_t = (an unbiased estimate of its squared error) −
/// (the same of the linear model of its moment). Products are withheld once Σ d_t is above three of its
/// standard errors, and no longer once it is below minus one of them; both ask for 32 examples. The next
/// model to be judged begins without evidence, and as the one before ended.
///
/// Under a limit of cost plans that show products whole may be rare, or none: products are then withheld from
/// the beginning, until they were judged and found useful: both take two standard errors then.
///
/// Estimates are skewed where few plans show a product whole, so that it takes three. Thread-safety: none.
class ProductGuard {
 public:
  static constexpr std::uint64_t kFewest = 32;

  explicit ProductGuard(bool withholds_at_first = false)
      : withholds_at_first_(withholds_at_first), withholds_(withholds_at_first) {}

  bool withholds() const { return withholds_; }
  /// Another model is judged from now on.
  void begin();
  /// One example's squared errors. What is not finite is not counted. True: withholds() has changed.
  bool add(double with_products, double without);
  /// As at the beginning.
  void clear() { *this = ProductGuard(withholds_at_first_); }

  /// "products.guard", where there is something to save.
  void save(State& state) const;
  /// Errors: kCorrupt.
  Status restore(const State& state);

 private:
  bool withholds_at_first_ = false;
  bool withholds_ = false;
  double count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace glimpse
