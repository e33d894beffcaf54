#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "stats/pair_rows.h"
#include "stats/pair_sums.h"

namespace glimpse {

/// Examples whose pairs are added later, many at a time and row by row. A row of pairs then comes from memory
/// once for all of them and stays in the first cache. The pairs of one example lie all over the memory. Each
/// pair's sums get the same additions in the same order as from AddToPairs, example by example.
///
/// While new examples are kept the rows of those before them are added, some for each example, so that none
/// takes much longer than another. Memory: bytes_of(). Thread-safety: none.
class PairBatch {
 public:
  /// Values that are kept at most, and as many while their pairs are being added.
  static constexpr std::size_t kMostValues = std::size_t{1} << 16;
  /// And about so many pairs: all are added within a few milliseconds when somebody must read them.
  static constexpr std::size_t kMostPairs = std::size_t{1} << 21;
  static constexpr std::size_t kLeastSeen = 12;  ///< attributes of an example

  /// Whether it is worth while for `seen` attributes an example: where their pairs are many, and those of all
  /// `dimension` do not fit into a second cache.
  static bool is_worthwhile(std::size_t dimension, std::size_t seen);
  /// Of a batch that was used.
  static std::uint64_t bytes_of(std::uint64_t dimension) {
    return kMostValues * (2 * (sizeof(SeenAttribute) + sizeof(double)) + sizeof(RowVisit)) +
           2 * kMostValues / kLeastSeen * sizeof(SeenExample) + dimension * sizeof(std::uint32_t);
  }

  bool empty() const { return kept_.visits == 0 && next_row_ == ends_.size(); }

  /// Takes an example, as AddToPairs takes them, and adds pairs of others. `pairs` are those of `dimension`
  /// attributes as pair_row() says, always the same. REQUIRES: is_worthwhile(). No allocation, once it was
  /// full.
  void keep(std::span<const Attribute> attributes, std::span<const double> u, double weight, PairSums* pairs,
            std::size_t dimension);
  /// Adds about as many of what was kept as had `visits` of rows; true when nothing is left.
  bool settle_some(PairSums* pairs, std::size_t dimension, std::size_t visits);
  /// Adds all that was kept, and keeps nothing.
  void settle(PairSums* pairs, std::size_t dimension);
  void clear();

 private:
  struct Kept {
    std::vector<SeenAttribute> attributes;  // example after example
    std::vector<double> u;
    std::vector<SeenExample> examples;
    std::size_t visits = 0;  // of rows
    std::size_t pairs = 0;
  };

  void begin_rows(std::size_t dimension);
  void add_rows(PairSums* pairs, std::size_t dimension, std::size_t visits);

  AddToRow add_to_row_ = fastest_add_to_row();
  Kept kept_;
  Kept adding_;                      // whose rows from next_row_ on are to be added
  std::vector<RowVisit> by_row_;     // its, row after row
  std::vector<std::uint32_t> ends_;  // of each row's visits; none: nothing is being added
  std::size_t next_row_ = 0;
};

}  // namespace glimpse
