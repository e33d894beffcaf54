#include "learn/gauge/value_gauge.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

namespace glimpse {

namespace {

using Phase = GaugeCell::Phase;
using Verdict = ValueGauge::Verdict;

constexpr double kFar = 16;       // times as far as the others are from each other: doubted
constexpr double kVeryFar = 512;  // and so far that kFewWitnesses values are enough against it
constexpr unsigned kFewWitnesses = 6;
constexpr unsigned kKnown = 32;           // moves from which on a value is cut and not left out
constexpr double kGross = 100;            // times the bound: no value at all
constexpr double kDistant = 2;            // times the bound: left out, where kMostMoves values were seen
constexpr unsigned kFewest = 4;           // moves from which on a value can be left out
constexpr unsigned kManyInARow = 4;       // beyond the bound: they are meant
constexpr unsigned kMostStreak = 7;       // 2^(2^7) is more than any float over another
constexpr unsigned kHeldBackMoves = 64;   // as many moves a first label that was left out counts for
constexpr double kSmallestOwn = 0x1p-64;  // a series that begins below it gets a unit
constexpr double kMost = 0x1p100;         // in units: what is more wants another unit
constexpr int kLargestExponent = 1100;

// T(n).
constexpr std::array<double, ValueGauge::kMostMoves + 1> make_tolerances() {
  std::array<double, ValueGauge::kMostMoves + 1> t{};
  for (std::size_t n = 1; n < t.size(); ++n) {
    const double ratio = 24 / static_cast<double>(n);
    t[n] = 2 * (1 + ratio * ratio * ratio);
  }
  return t;
}
constexpr std::array<double, ValueGauge::kMostMoves + 1> kTolerances = make_tolerances();

float to_float(double x) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(x, -kLargest, kLargest));
}

// The smallest float that is not below x ≥ 0.
float at_least(double x) {
  const float rounded = to_float(x);
  return static_cast<double>(rounded) < x ? std::nextafter(rounded, std::numeric_limits<float>::max())
                                          : rounded;
}

void count_one(std::uint8_t& number) {
  if (number < ValueGauge::kMostMoves) ++number;
}

Verdict believe(GaugeCell& cell, double distance) {
  cell.largest = std::max(cell.largest, at_least(distance));
  count_one(cell.moves);
  cell.streak = 0;
  return Verdict::kBelieve;
}

// Each time the bound grows, and the faster the more come in a row.
Verdict leave_out(GaugeCell& cell) {
  cell.largest = to_float(std::ldexp(static_cast<double>(cell.largest), 1 << cell.streak));
  if (cell.streak < kMostStreak) ++cell.streak;
  return Verdict::kLeaveOut;
}

// How many values must speak against a doubted one: fewer where it is far from them, as sparse attributes
// have few. With a label everything is forgotten, so that it is not done lightly.
unsigned witnesses(double doubted, double largest, bool is_label) {
  return !is_label && doubted >= kVeryFar * largest ? kFewWitnesses : ValueGauge::kWitnesses;
}

double tolerance(const GaugeCell& cell) { return kTolerances[cell.moves]; }

bool is_beyond(const GaugeCell& cell, double distance, double largest) {
  return cell.moves >= kFewest && distance > tolerance(cell) * largest;
}

// The largest distance that is not left out of an attribute with kMostMoves.
double farthest(const GaugeCell& cell) {
  return kDistant * tolerance(cell) * static_cast<double>(cell.largest);
}

// Leaves it out, unless there is evidence enough: L then is the least of the distances that were.
bool is_left_out(GaugeCell& cell, double distance) {
  if (cell.streak > 0) {
    leave_out(cell);
  } else {
    cell.streak = 1;
  }
  cell.doubted = cell.evidence == 0 ? to_float(distance) : std::min(cell.doubted, to_float(distance));
  cell.evidence = static_cast<std::uint16_t>(cell.evidence + ValueGauge::kForOne);
  if (cell.evidence < ValueGauge::kEnough) return true;
  cell.largest = std::max(cell.largest, cell.doubted);
  cell.evidence = 0;
  return distance > farthest(cell);
}

// Cuts what is beyond; the bound grows with it. What is out of all proportion is no value at all.
Verdict bound(GaugeCell& cell, double& x, double distance, bool is_label) {
  if (!is_label && cell.moves == ValueGauge::kMostMoves && distance > farthest(cell)) {
    if (is_left_out(cell, distance)) return Verdict::kLeaveOut;
    if (!is_beyond(cell, distance, static_cast<double>(cell.largest))) return believe(cell, distance);
  }
  const double most = tolerance(cell) * static_cast<double>(cell.largest);
  if (cell.moves < kKnown || distance > kGross * most) return leave_out(cell);
  x = cell.centre + std::copysign(most, x - cell.centre);
  believe(cell, most);
  return Verdict::kCut;
}

}  // namespace

Verdict ValueGauge::judge_beside_doubted(GaugeCell& cell, double x, double distance, bool is_label) {
  const double doubted = std::abs(static_cast<double>(cell.doubted));
  const double from_doubted = std::abs(x - cell.centre - static_cast<double>(cell.doubted));
  // Of the first two values nothing tells which is wild, until the third is near the one that was doubted.
  if (cell.largest == 0 && cell.equals == 1 && from_doubted * kFar < doubted) {
    cell.doubted = to_float(cell.centre - x);
    cell.centre = x;
    cell.equals = 2;  // of its size there are two now
    return Verdict::kBelieve;
  }
  if (is_beyond(cell, distance, std::max(doubted, static_cast<double>(cell.largest)))) {
    cell.largest = std::max(cell.largest, at_least(doubted));
    return leave_out(cell);
  }
  if (distance * kFar >= doubted) {
    // Another value is as far: both are believed, unless this one is far from the doubted one as well.
    believe(cell, doubted);
    if (distance > kFar * doubted) {
      cell.doubted = to_float(x - cell.centre);
      return Verdict::kBelieve;
    }
    cell.phase = Phase::kCalm;
    return believe(cell, distance);
  }
  believe(cell, distance);
  if (cell.moves < witnesses(doubted, static_cast<double>(cell.largest), is_label)) return Verdict::kBelieve;
  cell.phase = Phase::kCalm;
  return Verdict::kBegin;
}

Verdict ValueGauge::judge_distance(GaugeCell& cell, double& x, bool is_label) {
  const double distance = std::abs(x - cell.centre);
  if (cell.phase == Phase::kEmpty) {
    cell.centre = x;
    cell.phase = Phase::kConstant;
  }
  if (x == cell.centre) {
    count_one(cell.equals);
    return Verdict::kBelieve;
  }
  const double largest = static_cast<double>(cell.largest);
  switch (cell.phase) {
    case Phase::kEmpty:
      break;
    case Phase::kConstant:
      if (is_label && cell.equals >= kWitnesses) {
        cell.phase = Phase::kCalm;
        cell.moves = kHeldBackMoves;
        cell.largest = at_least(distance);
        return Verdict::kLeaveOut;
      }
      cell.phase = Phase::kDoubting;
      cell.doubted = to_float(x - cell.centre);
      if (cell.equals > 1) return Verdict::kBelieve;  // the centre came again: it is not wild
      cell.doubted = -cell.doubted;
      cell.centre = x;
      return Verdict::kBelieve;
    case Phase::kDoubting:
      return judge_beside_doubted(cell, x, distance, is_label);
    case Phase::kCalm:
      if (distance <= largest) {
        count_one(cell.moves);
        cell.streak = 0;
        if (cell.evidence > 0) --cell.evidence;
        return Verdict::kBelieve;
      }
      if (is_beyond(cell, distance, largest)) return bound(cell, x, distance, is_label);
      if (cell.moves >= kWitnesses || distance <= kFar * largest) return believe(cell, distance);
      cell.phase = Phase::kDoubting;
      cell.doubted = to_float(x - cell.centre);
      return Verdict::kBelieve;
  }
  return Verdict::kBelieve;
}

// With kConstant another unit has begun, in which it is nearly nothing.
bool ValueGauge::is_refuted(const GaugeCell& cell, double x) {
  x = std::ldexp(x, cell.exponent);
  if (cell.phase == Phase::kConstant) return x != 0 && std::abs(x) < kSmallestOwn * std::abs(cell.centre);
  return to_float(x - cell.centre) == cell.doubted;
}

bool ValueGauge::refutes(GaugeCell& cell, bool is_label) {
  if (cell.phase != Phase::kDoubting) return false;
  const bool is_constant = cell.largest == 0;
  if (is_constant && !(is_label && cell.equals >= kWitnesses)) return false;
  cell.phase = Phase::kCalm;
  const float doubted = std::abs(cell.doubted);
  if (static_cast<double>(doubted) >= kVeryFar * static_cast<double>(cell.largest)) return true;
  cell.largest = std::max(cell.largest, doubted);
  return false;
}

// Whether a series has more than zeros decides when its unit may be chosen. How large its numbers are is for
// a run to come that bounds them.
ValueGauge::Verdict ValueGauge::note_only(GaugeCell& cell, double x) {
  if (cell.phase == Phase::kEmpty || cell.centre == 0) cell.centre = x;
  cell.phase = Phase::kConstant;
  if (x == cell.centre) return Verdict::kBelieve;
  return believe(cell, std::abs(x - cell.centre));
}

Verdict ValueGauge::judge_cell(GaugeCell& cell, double& x, bool is_label) {
  const double given = x;
  const bool has_unit = units_ == GaugeUnits::kOwn || (units_ == GaugeUnits::kAttributes && !is_label);
  const bool only_zeros = cell.phase == Phase::kEmpty || (cell.phase == Phase::kConstant && cell.centre == 0);
  if (has_unit && only_zeros && x != 0 && std::abs(x) < kSmallestOwn) {
    cell.exponent = static_cast<std::int16_t>(-std::ilogb(x));
    plain_ = false;
  }
  if (cell.exponent != 0) x = std::ldexp(x, cell.exponent);
  if (std::abs(x) < kLeast) x = 0;
  const Verdict verdict = leaves_out_ ? judge_distance(cell, x, is_label) : note_only(cell, x);
  if (!(std::abs(x) > kMost)) return verdict;
  // Beyond what the unit allows no bound grows: after a few in a row another unit it is.
  if (verdict == Verdict::kLeaveOut && cell.streak < kManyInARow) return verdict;
  if (units_ == GaugeUnits::kShared) {
    begins_again_ = true;
    return Verdict::kBegin;
  }
  cell = GaugeCell();
  x = given;
  judge_cell(cell, x, is_label);
  return Verdict::kBegin;
}

std::optional<ValueGauge::Range> ValueGauge::label_origin() const {
  const auto largest = static_cast<double>(label_.largest > 0 ? label_.largest : std::abs(label_.doubted));
  if (largest == 0 || std::abs(label_.centre) < kFar * largest || label_.exponent != 0) return std::nullopt;
  return Range{label_.centre - largest, label_.centre + largest};
}

ValueGauge::Range ValueGauge::trusted(std::size_t i) const {
  const GaugeCell& cell = cells_[i];
  if (!leaves_out_ || cell.phase != Phase::kCalm || cell.moves < kMostMoves) return {};
  const double distance = farthest(cell);
  if (cell.exponent == 0)
    return {cell.centre - distance, cell.centre + distance};  // for each value predicted from
  return {std::ldexp(cell.centre - distance, -cell.exponent),
          std::ldexp(cell.centre + distance, -cell.exponent)};
}

void ValueGauge::expect(std::size_t i, double largest) {
  has_expected_ = true;
  cells_[i].phase = Phase::kCalm;
  cells_[i].moves = kMostMoves;
  cells_[i].largest = at_least(largest);
}

void ValueGauge::choose_shared(std::span<const double> values, double label) {
  double largest = std::abs(label);
  for (const double value : values)
    if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
  if (largest == 0) return;
  has_shared_ = true;
  if (largest >= kSmallestOwn) return;
  const auto exponent = static_cast<std::int16_t>(-std::ilogb(largest));
  for (GaugeCell& cell : cells_) cell.exponent = exponent;
  label_.exponent = exponent;
  plain_ = false;
}

void ValueGauge::clear() {
  for (GaugeCell& cell : cells_)
    if (!has_expected_) cell = GaugeCell();
  label_ = GaugeCell();
  has_shared_ = false;
  begins_again_ = false;
  plain_ = true;
}

void ValueGauge::save(State& state) const {
  const std::size_t n = cells_.size() + 1;  // the label is last
  const auto centres = state.put<double>("gauge.centres", n);
  for (std::size_t i = 0; i < n; ++i) centres[i] = cell_at(i).centre;
  const auto distances = state.put<float>("gauge.distances", 2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    distances[2 * i] = cell_at(i).largest;
    distances[2 * i + 1] = cell_at(i).doubted;
  }
  const auto counts = state.put<std::uint8_t>("gauge.counts", 4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const GaugeCell& cell = cell_at(i);
    counts[4 * i] = static_cast<std::uint8_t>(cell.phase);
    counts[4 * i + 1] = cell.equals;
    counts[4 * i + 2] = cell.moves;
    counts[4 * i + 3] = cell.streak;
  }
  const auto exponents = state.put<std::uint32_t>("gauge.exponents", n);
  for (std::size_t i = 0; i < n; ++i) exponents[i] = static_cast<std::uint32_t>(cell_at(i).exponent);
  const auto evidence = state.put<std::uint32_t>("gauge.evidence", n);
  for (std::size_t i = 0; i < n; ++i) evidence[i] = cell_at(i).evidence;
  state.put_number("gauge.shared", std::uint64_t{has_shared_});
}

int ValueGauge::label_exponent(const State& state) {
  const auto exponents = state.get<std::uint32_t>("gauge.exponents");
  return exponents && !exponents->empty() ? static_cast<std::int16_t>(exponents->back()) : 0;
}

Status ValueGauge::check(const State& state, std::size_t n) {
  GLIMPSE_TRY_ASSIGN(const auto centres, state.get<double>("gauge.centres", n));
  GLIMPSE_TRY_ASSIGN(const auto distances, state.get<float>("gauge.distances", 2 * n));
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint8_t>("gauge.counts", 4 * n));
  GLIMPSE_TRY_ASSIGN(const auto exponents, state.get<std::uint32_t>("gauge.exponents", n));
  GLIMPSE_TRY(state.get_number<std::uint64_t>("gauge.shared"));
  if (state.find("gauge.evidence") != nullptr) {  // checkpoints of earlier builds have none
    GLIMPSE_TRY_ASSIGN(const auto evidence, state.get<std::uint32_t>("gauge.evidence", n));
    for (const std::uint32_t number : evidence)
      if (number >= kEnough)
        return failure(ErrorCode::kCorrupt, "gauge.evidence holds {}, must be below {}", number, kEnough);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double centre = centres[i];
    const float largest = distances[2 * i];
    const float doubted = distances[2 * i + 1];
    const bool is_sound =
        std::abs(centre) <= kMost && largest >= 0 && std::isfinite(largest) && std::isfinite(doubted);
    if (!is_sound)
      return failure(ErrorCode::kCorrupt,
                     "gauge.centres and gauge.distances: the values of {} lie {} and {} from {}",
                     i + 1 < n ? fmt::format("attribute {}", i) : "the label", largest, doubted, centre);
    const std::uint8_t phase = counts[4 * i];
    if (phase > static_cast<std::uint8_t>(Phase::kCalm) || counts[4 * i + 3] > kMostStreak ||
        exponents[i] > kLargestExponent)
      return failure(ErrorCode::kCorrupt, "gauge.counts and gauge.exponents hold {}, {} and {}", phase,
                     counts[4 * i + 3], exponents[i]);
  }
  return {};
}

Status ValueGauge::restore(const State& state) {
  if (state.find("gauge.centres") == nullptr) return {};
  clear();
  const std::size_t n = cells_.size() + 1;
  GLIMPSE_TRY(check(state, n));
  const auto centres = state.get<double>("gauge.centres", n);
  const auto distances = state.get<float>("gauge.distances", 2 * n);
  const auto counts = state.get<std::uint8_t>("gauge.counts", 4 * n);
  const auto exponents = state.get<std::uint32_t>("gauge.exponents", n);
  const auto evidence = state.get<std::uint32_t>("gauge.evidence", n);
  has_shared_ = *state.get_number<std::uint64_t>("gauge.shared") != 0;
  for (std::size_t i = 0; i < n; ++i) {
    GaugeCell& cell = cell_at(i);
    cell.centre = (*centres)[i];
    cell.largest = (*distances)[2 * i];
    cell.doubted = (*distances)[2 * i + 1];
    cell.phase = static_cast<Phase>((*counts)[4 * i]);
    cell.equals = (*counts)[4 * i + 1];
    cell.moves = (*counts)[4 * i + 2];
    cell.streak = (*counts)[4 * i + 3];
    cell.exponent = static_cast<std::int16_t>((*exponents)[i]);
    if (evidence) cell.evidence = static_cast<std::uint16_t>((*evidence)[i]);
    // Of a run that noted only.
    if (leaves_out_ && cell.phase == Phase::kConstant && cell.moves > 0) cell.phase = Phase::kCalm;
    if (cell.exponent != 0) plain_ = false;
  }
  return {};
}

// Two gauges of disjoint examples become one.

namespace {

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
