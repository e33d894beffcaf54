#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/state.h"
#include "base/types.h"

namespace glimpse {

/// In which units a learner gets numbers that are very small: powers of two, so that nothing is rounded.
enum class GaugeUnits {
  kOwn,         ///< one for each attribute, and one for the label: for learners that do not depend on units
  kAttributes,  ///< one for each attribute, the label's is 1: for a ball in the label's unit
  kShared,      ///< one for all: for a ball in the unit of the label over the attributes'
  kFixed,       ///< always 1: for steps and moments that are given in the user's units
};

/// What one series of numbers, an attribute's values or the labels, was like so far. 24 bytes.
struct GaugeCell {
  double centre = 0;  ///< a value that was seen, in the unit
  float largest = 0;  ///< max |x − centre| of what was believed, in the unit
  /// x − centre of a value far from all others. kCalm: the least distance of the values left out that
  /// `evidence` counts.
  float doubted = 0;
  std::int16_t exponent = 0;   ///< the unit is 2^−exponent: numbers are multiplied by 2^exponent
  std::uint16_t evidence = 0;  ///< for values left out of an attribute with 255 moves: see ValueGauge
  std::uint8_t moves = 0;      ///< values other than the centre; stays at 255
  std::uint8_t streak = 0;     ///< values beyond the bound in a row
  std::uint8_t equals = 0;     ///< values equal to the centre; stays at 255
  enum class Phase : std::uint8_t { kEmpty, kConstant, kDoubting, kCalm } phase = Phase::kEmpty;
};
static_assert(sizeof(GaugeCell) == 24);

/// Keeps wild and tiny numbers from a learner: bounds the influence of one example, and lets the whole range
/// of a double be learned from. All learners get their values and labels through it.
///
/// Wild numbers. A number further from the centre than T(n)·L is cut to that distance; one 100 times further
/// still is left out as if it were missing. L is the largest distance learned from so far, n the number of
/// values that were not the centre, and T(n) = 2(1 + (24/n)³): hundreds while nearly nothing is known, 2 in
/// the end. What was cut raises L to the bound. Each number left out doubles L; a second one in a row
/// multiplies it by 4, a third by 16, and so on. So honest heavy tails are learned from after a few values,
/// and a change of scale after some ten. The first few values cannot be judged when they come: one that is 16
/// times as far from the others as these are from each other is doubted. When kWitnesses values spoke against
/// it, or six of an attribute where it is 512 times as far, the learner forgets what it knows of the series
/// (Verdict::kBegin). A value that comes again, as 0 does in sparse data, is never doubted. The first label
/// that differs after kWitnesses equal ones is left out: nothing tells yet of what size labels are.
///
/// Many wild numbers. Of an attribute with kMostMoves values other than the centre a number beyond twice the
/// bound, about 4L, is left out, and L stays, unless several come in a row. Each counts kForOne in their
/// favour, each value within L counts 1 against them. At kEnough the numbers from the least of them on are
/// believed. So a tail of 1 % of the values is learned from after eleven of them, and wild values that are .2
/// % of all come to kEnough about once in 11,000 of them.
///
/// Tiny numbers. Squares of numbers below 1e-154 are 0 in a double, and fourth powers below 1e-77. A series
/// that begins with a number below 2^−64 is measured in a unit of about that number. Where it grows beyond
/// 2^100 units it begins again as well. Numbers below 2^−100 units count as 0.
///
/// O(1) a number, no allocation. Thread-safety: none. Memory: 24 bytes a series. OUTLIERS.md has the
/// measurements.
class ValueGauge {
 public:
  /// What to do with a number.
  enum class Verdict : std::uint8_t {
    kBelieve,   ///< learn it
    kCut,       ///< learn it as it is now: it was beyond the bound
    kLeaveOut,  ///< it is wild: as if it were missing
    kBegin,     ///< learn it, but forget all of the series before: that was wild, or in another unit
  };

  static constexpr unsigned kWitnesses = 16;
  static constexpr unsigned kMostMoves = 255;  ///< and equal values, that are counted
  static constexpr unsigned kForOne = 200;
  static constexpr unsigned kEnough = 1200;

  /// After kBegin: whether the number, one of attribute i from before, is one of those to forget.
  bool is_refuted(std::size_t i, double x) const { return is_refuted(cells_[i], x); }
  bool is_refuted_label(double y) const { return is_refuted(label_, y); }
  /// Decides about a number that is doubted, as its example will soon be kept no more: true is kBegin. One
  /// that is not kVeryFar from the others is believed. A label may be refuted by kWitnesses equal ones.
  bool refutes(std::size_t i) { return refutes(cells_[i], false); }
  bool refutes_label() { return refutes(label_, true); }
  /// Whether no number of attribute i from before will be refuted.
  bool is_settled(std::size_t i) const { return is_settled(cells_[i]); }
  bool is_settled_label() const { return is_settled(label_); }

  /// Numbers from `low` to `high`, in the user's units.
  struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
  };

  /// `leaves_out`: false believes all numbers.
  ValueGauge(std::size_t dimension, GaugeUnits units, bool leaves_out)
      : cells_(dimension), units_(units), leaves_out_(leaves_out) {}
  /// Before anything was judged.
  void set_units(GaugeUnits units) { units_ = units; }

  /// Before anything was judged: attribute i has numbers of up to `largest` > 0, as is known from elsewhere.
  void expect(std::size_t i, double largest);

  /// Before the numbers of each example: a shared unit is chosen by the first that has any. `values` may hold
  /// NaN.
  void begin_example(std::span<const double> values, double label) {
    if (units_ == GaugeUnits::kShared && !has_shared_) choose_shared(values, label);
  }
  /// Judges a finite number |x| ≤ 1e30 of attribute i, and makes `x` what the learner is to get.
  Verdict judge(std::size_t i, double& x) { return judge_cell(cells_[i], x, false); }
  /// The same of a label.
  Verdict judge_label(double& y) { return judge_cell(label_, y, true); }
  /// Whether judge() would believe the number, leave it as it is, and do no more than count it: so it is with
  /// nearly all. If all numbers of an example are such, count() and count_label() do what judging would.
  bool is_ordinary(std::size_t i, double x) const { return is_ordinary(cells_[i], x); }
  bool is_ordinary_label(double y) const { return leaves_out_ && is_ordinary(label_, y); }
  void count(std::size_t i, double x) { count(cells_[i], x); }
  /// Attribute i is as before its first value.
  void forget(std::size_t i) { cells_[i] = GaugeCell(); }
  void prefetch_attribute(Attribute i) const { prefetch(&cells_[i]); }
  /// Whether count() would change nothing, as there were so many already.
  bool is_counted(std::size_t i, double x) const { return is_counted(cells_[i], x); }
  void count_label(double y) { count(label_, y); }
  /// The values of attribute i that judge() would not leave out, where it has seen kMostMoves; all before.
  Range trusted(std::size_t i) const;
  /// A shared unit has become too small for the number judged last: nothing that was learned is in the right
  /// unit. The learner forgets everything, clear() is called, and the example is judged again.
  bool begins_again() const { return begins_again_; }

  /// All numbers are the user's own: no unit is in use.
  bool plain() const { return plain_; }
  /// Where labels are, if they are 16 times as far from 0 as from each other.
  std::optional<Range> label_origin() const;
  /// The learner gets the user's numbers times 2^exponent.
  int exponent(std::size_t i) const { return cells_[i].exponent; }
  int label_exponent() const { return label_.exponent; }

  /// Everything is as at the beginning, but for what is known from elsewhere. O(d).
  void clear();
  std::size_t memory_bytes() const { return cells_.size() * sizeof(GaugeCell); }

  /// Adds what `other`, of the same options, knows of other examples; its attribute i is attributes[i] here,
  /// without attributes i. What is doubted or counted against a bound is so no longer. An Error (kMismatch)
  /// where a series is in other units there: it began below 2^−64 there or here alone. O(d).
  Status merge(const ValueGauge& other, std::span<const Attribute> attributes);

  void save(State& state) const;
  /// Checkpoints of earlier builds have none: every series begins.
  Status restore(const State& state);
  /// What restore() asks of a state of `n` cells, that of the label among them.
  static Status check(const State& state, std::size_t n);
  /// label_exponent() of what is saved there; 0 where nothing is.
  static int label_exponent(const State& state);

 private:
  static constexpr double kLeast = 0x1p-100;  // in units: what is less is 0

  // Both without branches: of sparse or noisy values a branch would be guessed wrong about every other time,
  // and the cells of an example are then read one after the other. Comparisons by ≤ need no case of NaN.
  static bool is_ordinary(const GaugeCell& cell, double x) {
    const double distance = std::abs(x - cell.centre);
    const double size = std::abs(x);
    const bool is_in_unit = (cell.exponent == 0) & ((size >= kLeast) | (size <= 0));
    const bool is_centre = (distance <= 0) & (cell.phase != GaugeCell::Phase::kEmpty);
    const bool is_calm = (cell.phase == GaugeCell::Phase::kCalm) & (cell.streak == 0) & (cell.evidence == 0);
    return is_in_unit & (is_centre | (is_calm & (distance <= static_cast<double>(cell.largest))));
  }
  static bool is_counted(const GaugeCell& cell, double x) {
    const bool is_centre = std::abs(x - cell.centre) <= 0;
    return (is_centre & (cell.equals == kMostMoves)) | (!is_centre & (cell.moves == kMostMoves));
  }
  static void count(GaugeCell& cell, double x) {
    const bool is_centre = std::abs(x - cell.centre) <= 0;
    cell.equals = static_cast<std::uint8_t>(cell.equals + (is_centre & (cell.equals < kMostMoves)));
    cell.moves = static_cast<std::uint8_t>(cell.moves + (!is_centre & (cell.moves < kMostMoves)));
  }
  static bool is_settled(const GaugeCell& cell) {
    return cell.phase == GaugeCell::Phase::kCalm && cell.moves >= kWitnesses;
  }
  static bool is_refuted(const GaugeCell& cell, double x);
  static bool refutes(GaugeCell& cell, bool is_label);
  Verdict judge_cell(GaugeCell& cell, double& x, bool is_label);
  static Verdict note_only(GaugeCell& cell, double x);
  Verdict judge_distance(GaugeCell& cell, double& x, bool is_label);
  Verdict judge_beside_doubted(GaugeCell& cell, double x, double distance, bool is_label);
  void choose_shared(std::span<const double> values, double label);
  const GaugeCell& cell_at(std::size_t i) const { return i < cells_.size() ? cells_[i] : label_; }
  GaugeCell& cell_at(std::size_t i) { return i < cells_.size() ? cells_[i] : label_; }

  LargeArray<GaugeCell> cells_;
  GaugeCell label_;
  GaugeUnits units_ = GaugeUnits::kFixed;
  bool leaves_out_ = true;
  bool has_expected_ = false;
  bool has_shared_ = false;  // the exponent of all was chosen, with kShared
  bool begins_again_ = false;
  bool plain_ = true;
};

}  // namespace glimpse
