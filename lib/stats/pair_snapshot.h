#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/large_array.h"
#include "stats/feature_map.h"
#include "stats/pair_moments.h"
#include "stats/pair_sums.h"

namespace glimpse {

/// What takes a row of pairs of attribute i, as they are kept, to a PairSnapshot.
struct SnapshotRow {
  double scale;                 ///< of the sums
  double offset;                ///< of the centre of i from its reference
  double inverse_unit;          ///< of i
  const double* offsets;        ///< the same of j = i + 1, …
  const double* inverse_units;  ///< of these
};

/// Writes the weight of each pair and its covariance about the centres, in the attributes' units. What is
/// beyond a float is the largest: a value far out of proportion that came while the copy was being made.
///
/// Without a branch, four pairs at a time: what takes the time is their way from memory. Every version does
/// the same arithmetic in the same order, without fused operations: results are the same to the bit.
using CopySnapshotRow = void (*)(std::span<const PairSums> pairs, const SnapshotRow& row, float* weights,
                                 float* covariances);

/// For every processor.
CopySnapshotRow plain_copy_snapshot_row();
/// The fastest that this processor has.
CopySnapshotRow fastest_copy_snapshot_row();

/// What a PairSnapshot keeps of pairs, between two copies.
struct PairMemory {
  LargeArray<float> weights;
  LargeArray<float> covariances;
  std::size_t bytes() const { return (weights.size() + covariances.size()) * sizeof(float); }
};

/// The part of PairMoments that a solution needs, copied out so that the solver can read it while the moments
/// go on learning. It is the sums of each attribute, of the label and of targets, and two floats of each
/// pair: its weight and its covariance about the attributes' centres.
///
/// The copy is made in slices of whole rows, between which examples may be learned, so that nobody pauses for
/// all of it. begin() takes the attributes, the label and the centres, copy() the pairs row by row. Rows that
/// were copied later know a few examples more. That is harmless: every estimate is a plain ratio of sums over
/// the same examples, and a centre that is off by δ changes a covariance by δ_iδ_j alone. The owner bounds
/// how much is learned meanwhile.
///
/// Where attributes have categories the copy is of features (FeatureMap): the sums that each of these has
/// (feature_sums.h), in its slot. Slots that are no feature are as if never seen.
///
/// Covariances are kept in units of a power of two near each attribute's deviation, so that floats hold them
/// whatever the units of the data; their relative error is 2⁻²⁴.
///
/// Memory: 4·d·(d − 1) + 136·d bytes, kept between copies. Thread-safety: none. begin() and copy() read the
/// moments; between them and the readers somebody else must see to it that one comes after the other.
class PairSnapshot {
 public:
  static std::uint64_t memory_bytes(std::uint64_t dimension) {
    return dimension * (dimension - 1) / 2 * 2 * sizeof(float) + dimension * kBytesAnAttribute;
  }
  /// Of that what does not belong to pairs.
  static constexpr std::size_t kBytesAnAttribute = sizeof(AttributeSums) + 4 * sizeof(double);

  /// Between two copies: exchanges the memory of pairs, of any size, with `memory`. There is nothing to read
  /// then before the next begin().
  void exchange(PairMemory& memory) { std::swap(pairs_, memory); }

  /// Starts a copy of `moments`: about the means where `centred`, else about 0. O(d). Of the features that
  /// there are now, where there are `features`.
  void begin(const PairMoments& moments, bool centred, const FeatureMap& features = {});
  /// Goes on with it, by whole rows, until about `bytes` more were copied; true as soon as all is.
  bool copy(const PairMoments& moments, std::size_t bytes);
  /// Both in one go.
  void take(const PairMoments& moments, bool centred, const FeatureMap& features = {});

  /// Becomes a copy of some slots of `from`, which is whole: `slots`, ascending. `features`: what they are;
  /// none: each a number. O(their number²).
  void select(const PairSnapshot& from, std::span<const std::uint32_t> slots,
              const FeatureMap& features = {});

  /// What a copy has of its label: of another one, which shares the pairs of its moments, it is all that
  /// differs.
  struct LabelSide {
    std::vector<AttributeSums> attributes;
    LabelSums label;
    double label_centre = 0;
  };
  /// After begin(), before anything else is learned: that of the label of `of`, whose pairs are those that
  /// the copy is of. O(d).
  void begin_label(const PairMoments& of, LabelSide& side) const;
  /// The copy is of the other label. As often as one likes once the copy is whole.
  void exchange(LabelSide& side);

  /// After a whole copy: those attributes i with out[i] count as never seen, alone and with others. O(d) for
  /// each of them.
  void leave_out(const std::vector<bool>& out);

  std::size_t dimension() const { return attributes_.size(); }
  /// What the slots are; of no attributes where each is one number.
  const FeatureMap& features() const { return features_; }
  const AttributeSums& operator[](std::size_t i) const { return attributes_[i]; }
  std::span<const AttributeSums> attributes() const { return attributes_; }
  const LabelSums& label() const { return label_; }
  /// The mean of attribute i when the copy began, or 0.
  double centre(std::size_t i) const { return centre_[i]; }
  /// The same of the label.
  double label_centre() const { return label_centre_; }

  /// What a weight of 1 is in examples, were all importances alike: PairMoments::examples_a_weight().
  double examples_a_weight() const { return examples_a_weight_; }

  /// How many examples showed both, each counted with its importance and the moments' evenness(); i < j.
  double weight(std::size_t i, std::size_t j) const {
    return static_cast<double>(pairs_.weights[row(i) + j]);
  }
  /// Σ (x_i − centre_i)(x_j − centre_j) over those examples; i < j.
  double co_moment(std::size_t i, std::size_t j) const {
    return static_cast<double>(pairs_.covariances[row(i) + j]) * weight(i, j) * (unit_[i] * unit_[j]);
  }
  /// Row i: weight(i, j) for j = i + 1, …
  std::span<const float> weights(std::size_t i) const {
    return std::span<const float>(pairs_.weights).subspan(row(i) + i + 1, attributes_.size() - i - 1);
  }
  /// Row i: co_moment(i, j)/(weight(i, j)·unit(i)·unit(j)) for j = i + 1, …
  std::span<const float> covariances(std::size_t i) const {
    return std::span<const float>(pairs_.covariances).subspan(row(i) + i + 1, attributes_.size() - i - 1);
  }
  /// Of covariances(): a power of two.
  double unit(std::size_t i) const { return unit_[i]; }
  std::span<const double> units() const { return unit_; }
  /// Σ (x_i − centre_i)(label − its centre) over one half of the examples in which i was seen.
  double label_co_moment(std::size_t i, std::size_t half) const;

  /// Further labels: PairMoments::targets(). The same of these, about the means where the copy is.
  std::size_t targets() const { return targets_.size(); }
  const LabelSums& target(std::size_t target) const { return targets_[target].sums; }
  double target_centre(std::size_t target) const { return centred_ ? targets_[target].sums.mean() : 0; }
  double target_co_moment(std::size_t i, std::size_t half, std::size_t target) const;

 protected:
  struct Target {
    LabelSums sums;
    std::vector<TargetSums::Cell> cells;  ///< by slot
  };
  /// Room for the pairs of d attributes, and for what is kept of each.
  void make_room(std::size_t dimension);
  /// Centres and units, by the sums of attributes and label.
  void set_centres(bool centred);
  /// The sums of a slot as they are kept here.
  AttributeSums sums_of(const PairMoments& moments, std::size_t i) const;
  /// What takes the sums of pairs as they are kept from the references to the centres; of attributes from
  /// `first` on.
  void set_offsets(const PairMoments& moments, std::size_t first);
  /// REQUIRES: set_offsets().
  void copy_row(const PairMoments& moments, std::size_t i);
  /// The same where there are categories.
  void copy_features(const PairMoments& moments, std::size_t i);

 private:
  friend class FrozenSnapshot;

  // pairs_.weights[row(i) + j] is that of (i, j), i < j.
  std::size_t row(std::size_t i) const { return i * (2 * attributes_.size() - i - 1) / 2 - i - 1; }

  CopySnapshotRow copy_row_ = fastest_copy_snapshot_row();
  PairMemory pairs_;              // covariances in units of unit_[i]·unit_[j]
  double evenness_ = 1;           // of the moments when the copy began
  double examples_a_weight_ = 1;  // the same, of weights here
  std::vector<AttributeSums> attributes_;
  std::vector<double> centre_;
  std::vector<double> unit_;  // powers of two
  std::vector<double> inverse_unit_;
  // In the present slice:
  std::vector<double> offset_;  // of the centres from the references
  double scale_ = 1;            // of the sums as they are kept
  LabelSums label_;
  double label_centre_ = 0;
  bool centred_ = true;
  std::vector<Target> targets_;
  std::size_t next_row_ = 0;
  FeatureMap features_;  // when the copy began
};

}  // namespace glimpse
