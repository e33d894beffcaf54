#include <algorithm>
#include <fmt/format.h>

#include "learn/gauge/value_gauge.h"

// Two gauges of disjoint examples become one.

namespace glimpse {

namespace {

using Phase = GaugeCell::Phase;

bool has_only_zeros(const GaugeCell& cell) {
  return cell.phase == Phase::kEmpty ||
         (cell.phase == Phase::kConstant && cell.centre == 0 && cell.moves == 0);
}

// The smallest float that is not below x ≥ 0.
float float_above(double x) {
  const auto rounded =
      static_cast<float>(std::min(x, static_cast<double>(std::numeric_limits<float>::max())));
  return static_cast<double>(rounded) < x ? std::nextafter(rounded, std::numeric_limits<float>::max())
                                          : rounded;
}

std::uint8_t counted(unsigned number) {
  return static_cast<std::uint8_t>(std::min(number, ValueGauge::kMostMoves));
}

// How far the value that a cell doubts is from `centre`; 0: it doubts none.
double distance_of_doubted(const GaugeCell& cell, double centre) {
  if (cell.phase != Phase::kDoubting) return 0;
  return std::abs(cell.centre + static_cast<double>(cell.doubted) - centre);
}

// Of the same unit. A value that one of them doubts counts for the range while too few are known to tell, and
// where it is not far outside.
GaugeCell together(const GaugeCell& a, const GaugeCell& b, bool leaves_out) {
  constexpr double kFar = 16;
  if (b.phase == Phase::kEmpty) return a;
  if (a.phase == Phase::kEmpty) return b;
  GaugeCell cell;
  cell.centre = a.centre;
  cell.exponent = a.exponent;
  const double apart = std::abs(b.centre - a.centre);
  cell.equals = counted(unsigned{a.equals} + (apart > 0 ? 0U : unsigned{b.equals}));
  cell.moves =
      counted(unsigned{a.moves} + unsigned{b.moves} + (apart > 0 ? std::max(1U, unsigned{b.equals}) : 0U));
  cell.largest =
      float_above(std::max(static_cast<double>(a.largest), apart + static_cast<double>(b.largest)));
  for (const GaugeCell* const part : {&a, &b}) {
    const double doubted = distance_of_doubted(*part, cell.centre);
    if (cell.moves < ValueGauge::kWitnesses || doubted <= kFar * static_cast<double>(cell.largest))
      cell.largest = std::max(cell.largest, float_above(doubted));
  }
  cell.phase = leaves_out && cell.moves > 0 ? Phase::kCalm : Phase::kConstant;
  return cell;
}

}  // namespace

Status ValueGauge::merge(const ValueGauge& other, std::span<const Attribute> attributes) {
  if (units_ == GaugeUnits::kShared && other.has_shared_) {
    if (has_shared_ && label_.exponent != other.label_.exponent)
      return failure(ErrorCode::kMismatch,
                     "the numbers of one are in units of 2^{}, those of the other in units of 2^{}, as one "
                     "began with numbers below 2^-64: such learners cannot be merged",
                     -label_.exponent, -other.label_.exponent);
    has_shared_ = true;
    for (std::size_t i = 0; i <= cells_.size(); ++i) cell_at(i).exponent = other.label_.exponent;
  }
  for (std::size_t i = 0; i <= other.cells_.size(); ++i) {
    const bool is_label = i == other.cells_.size();
    const std::size_t mine = is_label ? cells_.size() : attributes.empty() ? i : attributes[i];
    GaugeCell theirs = other.cell_at(i);
    GaugeCell& ours = cell_at(mine);
    if (has_only_zeros(theirs)) theirs.exponent = ours.exponent;
    if (has_only_zeros(ours)) ours.exponent = theirs.exponent;
    if (ours.exponent != theirs.exponent)
      return failure(
          ErrorCode::kMismatch,
          "{} has units of 2^{} in one learner and of 2^{} in the other, as it began with a number "
          "below 2^-64 there: such learners cannot be merged",
          is_label ? std::string("the label") : fmt::format("attribute {}", mine), -ours.exponent,
          -theirs.exponent);
    ours = together(ours, theirs, leaves_out_);
  }
  plain_ = true;
  for (std::size_t i = 0; i <= cells_.size(); ++i) plain_ = plain_ && cell_at(i).exponent == 0;
  return {};
}

}  // namespace glimpse
