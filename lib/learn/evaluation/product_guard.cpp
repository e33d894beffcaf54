#include "learn/evaluation/product_guard.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

namespace {
constexpr double kHarmful = 3;  // standard errors above the linear model's
constexpr double kUseful = 1;   // and below it
constexpr double kCertain = 2;  // both, of products that are withheld at first
}  // namespace

void ProductGuard::begin() {
  count_ = 0;
  sum_ = 0;
  squares_ = 0;
}

bool ProductGuard::add(double with_products, double without) {
  const double difference = with_products - without;
  const double square = difference * difference;
  if (!std::isfinite(squares_ + square)) return false;
  ++count_;
  sum_ += difference;
  squares_ += square;
  if (count_ < static_cast<double>(kFewest)) return false;
  const double deviation =
      std::sqrt(std::max(squares_ - sum_ * sum_ / count_, 0.0) * (count_ / (count_ - 1)));
  const bool before = withholds_;
  if (sum_ > (withholds_at_first_ ? kCertain : kHarmful) * deviation) withholds_ = true;
  if (sum_ < -(withholds_at_first_ ? kCertain : kUseful) * deviation) withholds_ = false;
  return withholds_ != before;
}

void ProductGuard::save(State& state) const {
  if (count_ == 0 && withholds_ == withholds_at_first_) return;
  const double numbers[] = {withholds_ ? 1.0 : 0.0, count_, sum_, squares_};
  state.put_copy<double>("products.guard", numbers);
}

Status ProductGuard::restore(const State& state) {
  clear();
  if (state.find("products.guard") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>("products.guard", 4));
  if (!(numbers[1] >= 0) || !(numbers[3] >= 0))
    return failure(ErrorCode::kCorrupt, "products.guard has {} examples and {} squares, must be 0 or more",
                   numbers[1], numbers[3]);
  withholds_ = numbers[0] != 0;
  count_ = numbers[1];
  sum_ = numbers[2];
  squares_ = numbers[3];
  return {};
}

}  // namespace glimpse
