#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/helpers.h"
#include "base/large_array.h"
#include "base/state.h"
#include "base/types.h"
#include "stats/pair_batch.h"
#include "stats/pair_sums.h"

namespace glimpse {

/// Sums of further labels, the targets, over the examples of PairMoments, whose attributes have only one
/// label in their own sums. A target may be the indicator of a class: it is 1 for the examples of the class,
/// and an example adds to the sums of its own class alone. So an example of K attributes costs O(K), however
/// many classes there are.
///
/// What is shared by all targets, as how often an attribute was seen, stays in AttributeSums. Sums are in the
/// unit of PairMoments. Memory: 32 bytes an attribute and target. Thread-safety: none.
class TargetSums {
 public:
  /// Of one attribute and target, over the examples in which the attribute was seen, in AttributeSums'
  /// halves.
  struct Cell {
    std::array<double, 2> label = {};    ///< Σ v
    std::array<double, 2> product = {};  ///< Σ u·v

    Cell operator*(double factor) const {
      return {{label[0] * factor, label[1] * factor}, {product[0] * factor, product[1] * factor}};
    }
  };
  /// Over all examples.
  struct Total {
    double sum = 0;     ///< Σ v
    double square = 0;  ///< Σ v²
  };

  static constexpr std::size_t kBytesACell = sizeof(Cell);
  static constexpr std::size_t kDoublesACell = sizeof(Cell) / sizeof(double);

  TargetSums() = default;
  explicit TargetSums(std::size_t dimension) : dimension_(dimension) {}

  /// Targets.
  std::size_t size() const { return cells_.size(); }
  std::size_t dimension() const { return dimension_; }
  std::size_t memory_bytes() const { return cells_.size() * dimension_ * kBytesACell; }

  /// There are `count` targets at least from now on; the new ones were 0 so far.
  void grow(std::size_t count);
  /// An example whose `target` is 1 and all others 0: `offsets` are u of `seen`, `weight` in the unit of the
  /// sums, `half` that of the example. O(K).
  void add(std::size_t target, std::span<const Attribute> seen, std::span<const double> offsets,
           std::size_t half, double weight);

  const Cell& cell(std::size_t i, std::size_t target) const { return cells_[target][i]; }
  const Total& total(std::size_t target) const { return totals_[target]; }

  /// All sums multiplied. O(size()·d).
  void decay(double factor);
  void forget_attribute(std::size_t i);
  /// Adds those of `other`, each multiplied by `ratio`, of attribute i about a reference that is offsets[i]
  /// above ours.
  void merge(const TargetSums& other, double ratio, std::span<const double> offsets);
  /// Under names that begin with `name`; nothing where there are no targets.
  void save(State& state, const std::string& name) const;
  /// Of dimension() attributes; no targets where nothing was saved. Errors: kCorrupt.
  Status restore(const State& state, const std::string& name);

 private:
  std::size_t dimension_ = 0;
  std::vector<std::vector<Cell>> cells_;  // by target
  std::vector<Total> totals_;
};

/// Sums over the examples in which an attribute was seen. u = x − reference, v = label − its reference.
struct AttributeSums {
  double reference = 0;  ///< the first value seen, so that sums stay small in every unit
  double square = 0;     ///< Σ u²
  double cube = 0;       ///< Σ u³
  double fourth = 0;     ///< Σ u⁴
  double largest = 0;    ///< max |x|, aged: see PairMoments
  /// The examples in two halves that know nothing of each other, for what needs a second opinion.
  struct Half {
    double weight = 0;
    double sum = 0;      ///< Σ u
    double label = 0;    ///< Σ v
    double product = 0;  ///< Σ u·v
  };
  std::array<Half, 2> halves;

  double weight() const { return halves[0].weight + halves[1].weight; }
  double sum() const { return halves[0].sum + halves[1].sum; }
  /// The mean of x; the reference while nothing was seen.
  double mean() const { return weight() > 0 ? reference + sum() / weight() : reference; }
  /// The mean of (x − mean)²; 0 while nothing was seen.
  double variance() const;

  /// Every sum multiplied, and the largest value by the root: its square ages as squares do. The reference
  /// stays.
  AttributeSums operator*(double factor) const;
};

/// Sums over all examples.
struct LabelSums {
  double reference = 0;  ///< the first label
  double weight = 0;
  double sum = 0;     ///< Σ v
  double square = 0;  ///< Σ v²

  double mean() const { return weight > 0 ? reference + sum / weight : 0; }
  double variance() const;

  LabelSums operator*(double factor) const {
    return {reference, weight * factor, sum * factor, square * factor};
  }
};

/// Second moments of every pair of attributes, of each attribute with the label, and of both alone, from
/// examples of which a few attributes were seen: what a linear model is solved from.
///
/// Everything is a sum about fixed references, the first values seen. So any centring can be had afterwards,
/// exactly: co_moment() about any two points. Two learners' moments merge into those of the union of their
/// streams, up to rounding; examples may come in any order, and are forgotten by a common factor.
///
/// Forgetting costs nothing an example: the old sums stay, and new examples count for more. What a new one
/// counts is the unit. Sums are given in units of it, so that an example of importance 1 counts 1 when it
/// comes and less with every forget(). A unit beyond 2¹⁰⁰ is brought back near 1, with all sums, by a power
/// of two, which rounds nothing. The largest values age as deviations do: what is forgotten to a quarter
/// counts half of its size. Sums that have decayed to less than 2^−64 of all examples remembered are as if
/// nothing had been seen: the next value is again a first one.
///
/// Where examples show many attributes their pairs are added later, many examples at a time (PairBatch): what
/// is kept is the same to the bit. A read of pairs first adds those that wait. So reading writes, too.
///
/// Of several labels of the same examples one has the pairs, and the moments of the others, which are made of
/// those, share them: everything that changes pairs is done by the one, and the others do the same for
/// themselves.
///
/// Memory: 16·d·(d − 1) + 104·d bytes, 104·d where pairs are shared, 32·d for each target, and two megabytes
/// where pairs are added later. Cost: O(K²) for an example of which K attributes were seen; no allocation
/// once K attributes were seen. Thread-safety: none.
class PairMoments {
 public:
  PairMoments() = default;
  explicit PairMoments(std::size_t dimension);
  /// Of another label, and without pairs of its own: they are those of `pairs`, which outlives this. What is
  /// said of pairs is only true while both have the same dimension and have seen the same examples.
  PairMoments(std::size_t dimension, const PairMoments& pairs);
  /// Whose pairs they are; nullptr: its own.
  const PairMoments* shared_pairs() const { return shared_; }

  /// 2⁶⁴ − 1 where 64 bits do not hold it.
  static std::uint64_t memory_bytes(std::uint64_t dimension) {
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 29;
    if (dimension > kLargest) return ~std::uint64_t{0};
    return dimension * (dimension - 1) / 2 * sizeof(PairSums) + dimension * sizeof(AttributeSums);
  }
  /// The largest dimension whose moments fit into `bytes`.
  static std::uint64_t largest_dimension(std::uint64_t bytes);

  std::size_t dimension() const { return attributes_.size(); }

  /// One example: attributes ascend strictly; a value of NaN was not seen. `weight` > 0: its importance.
  /// Sums are about weight·u⁴ · 2¹⁰⁰ at most, which a double must hold.
  void add(std::span<const Attribute> attributes, std::span<const double> values, double label,
           double weight);

  /// Of the example that was just added, for what it is: one of class `target` < targets(). O(K).
  void add_to_class(std::size_t target, double weight) {
    targets_.add(target, seen_, offsets_, (examples_ - 1) & 1, weight * unit_);
  }
  /// Further labels: the indicators of classes, of which an example adds to one. None in the beginning.
  std::size_t targets() const { return targets_.size(); }
  void grow_targets(std::size_t count) { targets_.grow(count); }
  /// What operator[] and label() have of the label, for a target in its place.
  TargetSums::Cell target_cell(std::size_t i, std::size_t target) const {
    return targets_.cell(i, target) * scale_;
  }
  LabelSums target(std::size_t target) const;

  /// Brings the sums of these attributes near, and of their pairs where add() needs them at once, before it
  /// is called with them.
  void prefetch_pairs(std::span<const Attribute> attributes) const;

  AttributeSums operator[](std::size_t i) const { return attributes_[i] * scale_; }
  /// max |x| of attribute i, aged.
  double largest(std::size_t i) const { return attributes_[i].largest * root_scale_; }
  LabelSums label() const { return label_ * scale_; }
  /// What an importance of 1 is worth in examples where importances differ: what is known is that of
  /// (Σ w)²/Σ w² examples of equal importance (Kish's effective sample size), not of Σ w. 1 where all are
  /// equal: then w examples of importance 1 are meant. Between the two, the mean m > 1 of the importances
  /// counts as m^(e¹⁶), where e = (Σ w)²/(N·Σ w²).
  double evenness() const;
  /// (Σ w)²/Σ w² over Σ w: what a weight of 1 is worth in examples, were all importances alike. 1 before the
  /// first.
  double examples_a_weight() const;
  /// i < j.
  PairSums pair(std::size_t i, std::size_t j) const { return cell(i, j) * scale_; }
  /// The sums of (i, j) for j = i + 1, … as they are kept: unit() times those of pair().
  std::span<const PairSums> row(std::size_t i) const {
    if (shared_ != nullptr) return shared_->row(i);
    settle();
    return std::span<const PairSums>(pairs_).subspan(pair_row(i, dimension()) + i + 1, dimension() - i - 1);
  }
  /// The first value seen of attribute i: u = x − reference.
  double reference(std::size_t i) const { return attributes_[i].reference; }
  /// Whether pairs are to be added at once from now on, as somebody is about to read many. Those that were to
  /// be added later are so with the next examples, a few with each, and by settle_some(): nobody waits for
  /// all.
  void add_at_once(bool wanted) const { (shared_ != nullptr ? shared_->at_once_ : at_once_) = wanted; }
  /// Who helps to add them from now on; nullptr: nobody. They are the same to the bit. What is moved to keeps
  /// its own.
  void set_helpers(std::shared_ptr<Helpers> helpers) { batch_.set_helpers(std::move(helpers)); }
  /// Adds some of them, which takes about as long as to copy `bytes` of pairs; true when none is left.
  bool settle_some(std::size_t bytes) const {
    if (shared_ != nullptr) return shared_->settle_some(bytes);
    return batch_.settle_some(pairs_.data(), attributes_.size(), bytes / 64);
  }
  /// Adds the pairs that were to be added later.
  void settle() const {
    if (shared_ != nullptr) return shared_->settle();
    batch_.settle(pairs_.data(), attributes_.size());
  }

  /// Σ (x_i − a)(x_j − b) over the examples in which both were seen, from the pair's sums; i < j.
  double co_moment(std::size_t i, std::size_t j, double a, double b) const {
    const PairSums& s = cell(i, j);
    const double da = a - attributes_[i].reference;
    const double db = b - attributes_[j].reference;
    return scale_ * (s.product - db * s.first - da * s.second + s.weight * da * db);
  }
  /// Σ (x_i − a)(label − c) over one half of the examples in which i was seen.
  double label_co_moment(std::size_t i, std::size_t half, double a, double c) const {
    const AttributeSums::Half& s = attributes_[i].halves[half];
    const double da = a - attributes_[i].reference;
    const double dc = c - label_.reference;
    return scale_ * (s.product - dc * s.sum - da * s.label + s.weight * da * dc);
  }

  /// Adds the examples that `other` has seen, each for what it counts there now; the same dimension. O(d²).
  /// Of a label that shares its pairs, all but these.
  void merge(const PairMoments& other);
  /// The label is the indicator of this target from now on, in the sums so far as well; one that is not among
  /// targets() was 0 throughout. O(d).
  void label_by_target(std::size_t target);
  /// Multiplies what was seen so far by `factor`, 0 < factor ≤ 1. O(d²).
  void decay(double factor);
  /// The same for every example: with 2^(−1/N) before each, one that is N examples old counts half. O(1),
  /// and O(d²) once in a hundred halvings.
  void forget(double factor);
  /// Whether forget() would rewrite the sums.
  bool forgets_by_rewriting(double factor) const;
  /// What an example of importance 1 adds to the sums as they are kept: 1 until the first forget().
  double unit() const { return unit_; }
  /// Attribute i and its pairs are as if it had never been seen. O(d).
  void forget_attribute(std::size_t i);
  /// Becomes a copy of `other`, which has the same dimension. O(d²), no allocation.
  void copy_from(const PairMoments& other);

  void save(State& state, std::string_view name = "pairs") const;
  Status restore(const State& state, std::string_view name = "pairs");

 private:
  void set_unit(double unit);
  const PairSums& cell(std::size_t i, std::size_t j) const {
    if (shared_ != nullptr) return shared_->cell(i, j);
    if (!batch_.empty()) settle();
    return pairs_[pair_row(i, attributes_.size()) + j];
  }

  const PairMoments* shared_ = nullptr;
  mutable LargeArray<PairSums> pairs_;
  mutable PairBatch batch_;  // examples whose pairs are not in pairs_ yet
  mutable bool at_once_ = false;
  LargeArray<AttributeSums> attributes_;
  TargetSums targets_;
  LabelSums label_;
  double counted_ = 0;          // examples, each counted once: label_.weight where every importance is 1
  double squared_ = 0;          // their importances, squared
  std::uint64_t examples_ = 0;  // tells the halves apart
  double unit_ = 1;             // 1 ≤ unit_ ≤ kLargestUnit
  double scale_ = 1;            // 1/unit_
  double root_scale_ = 1;       // √scale_
  double root_unit_ = 1;        // √unit_

  AddToPairs add_to_pairs_ = fastest_add_to_pairs();
  // Of the present example, what was seen.
  std::vector<Attribute> seen_;
  std::vector<double> offsets_;  // u
};

}  // namespace glimpse
