#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "stats/pair_rows.h"
#include "stats/pair_sums.h"

namespace glimpse {

/// Examples whose pairs are added later, many at a time. The pairs of one example lie all over the memory;
/// here each comes from memory once for many of them. Each pair's sums get the same additions in the same
/// order as from AddToPairs, example by example.
///
/// Examples one behind the other that show the same attributes, as plans by the block make them, are a
/// group, which is added once the next example is another one. Where groups are small many are kept, and
/// added row by row: a row stays in the first cache for all of them. While new examples are kept the rows of
/// those before them are added, some for each example, so that none takes much longer than another. Memory:
/// bytes_of(). Thread-safety: none.
class PairBatch {
 public:
  /// Values that are kept at most, and as many while their pairs are being added.
  static constexpr std::size_t kMostValues = std::size_t{1} << 16;
  /// And about so many pairs: all are added within a few milliseconds when somebody must read them.
  static constexpr std::size_t kMostPairs = std::size_t{1} << 21;
  static constexpr std::size_t kLeastSeen = 12;  ///< attributes of an example
  /// Examples of a group that is not worth to be kept for the sake of its rows.
  static constexpr std::size_t kDense = 8;

  /// Whether it is worth while for `seen` attributes an example: where their pairs are many, and those of all
  /// `dimension` do not fit into a second cache.
  static bool is_worthwhile(std::size_t dimension, std::size_t seen);
  /// Of a batch that was used.
  static std::uint64_t bytes_of(std::uint64_t dimension) {
    return kMostValues * (2 * (sizeof(SeenAttribute) + sizeof(double)) + sizeof(RowVisit)) +
           2 * (kMostValues / kLeastSeen) * (sizeof(SeenGroup) + sizeof(double)) +
           dimension * sizeof(std::uint32_t);
  }

  bool empty() const { return kept_.groups.empty() && adding_.groups.empty(); }

  /// Takes an example, as AddToPairs takes them, and adds pairs of others; `at_once`: more of
  /// them, so that soon there are no others than a few. `pairs` are those of `dimension` attributes as
  /// pair_row() says, always the same. REQUIRES: is_worthwhile(). No allocation, once it was full.
  void keep(std::span<const Attribute> attributes, std::span<const double> u, double weight, PairSums* pairs,
            std::size_t dimension, bool at_once = false);
  /// Adds about as many of what was kept as had `visits` of rows; true when nothing is left.
  bool settle_some(PairSums* pairs, std::size_t dimension, std::size_t visits);
  /// Adds all that was kept, and keeps nothing.
  void settle(PairSums* pairs, std::size_t dimension);
  void clear();

 private:
  struct Kept {
    std::vector<SeenAttribute> attributes;  // group after group
    std::vector<double> u;                  // with SeenValues::kBehind more
    std::vector<double> weights;            // of each example
    std::vector<SeenGroup> groups;
    std::size_t values = 0;  // of u
    std::size_t visits = 0;  // of rows by groups
    std::size_t pairs = 0;   // of examples

    bool is_dense() const { return weights.size() >= kDense * groups.size(); }
    SeenValues seen() const { return {groups.data(), attributes.data(), u.data(), weights.data()}; }
    void reserve();
    void clear();
  };

  bool continues_group(std::span<const Attribute> attributes) const;
  void begin_group(PairSums* pairs, std::size_t dimension, bool is_full, bool at_once);
  void add_groups(PairSums* pairs, std::size_t dimension);
  void begin_adding(std::size_t dimension);
  void begin_rows(std::size_t dimension);
  void add_some(PairSums* pairs, std::size_t dimension, std::size_t visits);
  void add_rows(PairSums* pairs, std::size_t dimension, std::size_t visits);

  AddToRow add_to_row_ = fastest_add_to_row();
  AddGroup add_group_ = fastest_add_group();
  Kept kept_;                        // its last group may grow
  Kept adding_;                      // what is being added
  std::size_t next_group_ = 0;       // of it, where it is added group by group
  std::vector<RowVisit> by_row_;     // its, row after row
  std::vector<std::uint32_t> ends_;  // of each row's visits; none: it is added group by group
  std::size_t next_row_ = 0;
};

}  // namespace glimpse
