#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/helpers.h"
#include "base/types.h"
#include "stats/pair_rows.h"
#include "stats/pair_sums.h"

namespace glimpse {

/// Examples whose pairs are added later, of which those that follow each other and show the same attributes
/// are a group. Not more than kMostValues values.
struct KeptPairs {
  static constexpr std::size_t kMostValues = std::size_t{1} << 16;
  static constexpr std::size_t kLeastSeen = 12;  ///< attributes of an example
  /// Examples of a group that is not worth to be kept for the sake of its rows.
  static constexpr std::size_t kDense = 8;

  std::vector<SeenAttribute> attributes;  ///< group after group
  std::vector<double> u;                  ///< with SeenValues::kBehind more
  std::vector<double> weights;            ///< of each example
  std::vector<SeenGroup> groups;
  std::size_t values = 0;  ///< of u
  std::size_t visits = 0;  ///< of rows by groups
  std::size_t pairs = 0;   ///< of examples

  bool empty() const { return groups.empty(); }
  bool is_dense() const { return weights.size() >= kDense * groups.size(); }
  SeenValues seen() const { return {groups.data(), attributes.data(), u.data(), weights.data()}; }
  /// Takes all the memory that it ever needs.
  void reserve();
  void clear();
};

/// Adds the pairs of such examples, row by row. A part is some rows. One thread adds a row, in the examples'
/// order. So the sums do not depend on which thread does which part.
///
/// Thread-safety: help() may be called by any thread at any time; the other members are for one thread.
class PairWork final : public SharedWork {
 public:
  /// Of a work that was used, less what it adds.
  static std::uint64_t bytes_of(std::uint64_t dimension) {
    return KeptPairs::kMostValues * sizeof(RowVisit) + 2 * dimension * sizeof(std::uint32_t);
  }

  /// Takes `kept`, and leaves nothing there but memory. `pairs` are those of `dimension` attributes as
  /// pair_row() says; they must stay until is_done(). REQUIRES: is_done(). Throws std::bad_alloc, and then
  /// has taken nothing; not once a work of as many attributes was begun.
  void begin(KeptPairs& kept, PairSums* pairs, std::size_t dimension);
  /// Nothing was begun, or every part is done. Takes a lock while something is.
  bool is_done();
  std::size_t parts() const { return parts_; }
  /// Parts that were begun by now, or a few less.
  std::size_t begun() const { return begun_.load(std::memory_order_relaxed); }
  /// Does parts until they had so many visits or none is left to begin.
  void add_some(std::size_t visits);
  /// Does all parts that were not begun, and waits for the others.
  void finish();

  bool help() override;

 private:
  struct Part {
    std::size_t first_row = 0;
    std::size_t end_row = 0;
  };

  bool begin_part(Part& part);
  std::size_t add(const Part& part);
  void end_part();

  AddToRow add_to_row_ = fastest_add_to_row();
  // Unchanged while parts are there to be begun or are under way:
  KeptPairs adding_;
  PairSums* pairs_ = nullptr;
  std::size_t dimension_ = 0;
  std::vector<RowVisit> by_row_;     // row after row
  std::vector<std::uint32_t> ends_;  // of each row's visits
  std::vector<std::uint32_t> rows_;  // with which each part ends
  std::size_t parts_ = 0;
  bool is_used_ = false;  // something was begun and is not known to be done

  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t next_ = 0;               // under mutex_: part to be begun
  std::size_t open_ = 0;               // under mutex_: parts that may be begun, parts_ or 0
  std::size_t running_ = 0;            // under mutex_
  std::atomic<std::size_t> begun_{0};  // next_
};

/// Examples whose pairs are added later, many at a time. The pairs of one example lie all over the memory;
/// here each comes from memory once for many of them. Each pair's sums get the same additions in the same
/// order as from AddToPairs, example by example.
///
/// Examples one behind the other that show the same attributes, as plans by the block make them, are a
/// group, which is added once the next example is another one. Where groups are small many are kept, and
/// added row by row (PairWork): a row stays in the first cache for all of them. While new examples are kept
/// the rows of those before them are added, some for each few examples, so that no example takes much longer
/// than another. Where there are helpers full batches are added so, and they may do any part. Moves as
/// LargeArray does: what is moved to gives what it had. Memory: bytes_of(). Thread-safety: none; helpers
/// touch the pairs until empty().
class PairBatch {
 public:
  /// Values that are kept at most, and as many while their pairs are being added.
  static constexpr std::size_t kMostValues = KeptPairs::kMostValues;
  /// And about so many pairs: all are added within a few milliseconds when somebody must read them.
  static constexpr std::size_t kMostPairs = std::size_t{1} << 21;
  static constexpr std::size_t kLeastSeen = KeptPairs::kLeastSeen;  ///< attributes of an example

  PairBatch() = default;
  /// As clear(): no helper touches the pairs afterwards.
  ~PairBatch() { clear(); }
  PairBatch(PairBatch&& other) noexcept { *this = std::move(other); }
  /// All but the helpers.
  PairBatch& operator=(PairBatch&& other) noexcept;
  PairBatch(const PairBatch&) = delete;
  PairBatch& operator=(const PairBatch&) = delete;

  /// Whether it is worth while for `seen` attributes an example: where their pairs are many, and those of all
  /// `dimension` do not fit into a second cache.
  static bool is_worthwhile(std::size_t dimension, std::size_t seen);
  /// Of a batch that was used.
  static std::uint64_t bytes_of(std::uint64_t dimension) {
    return kMostValues * 2 * (sizeof(SeenAttribute) + sizeof(double)) +
           2 * (kMostValues / kLeastSeen) * (sizeof(SeenGroup) + sizeof(double)) +
           PairWork::bytes_of(dimension);
  }

  /// Who helps from now on; nullptr: nobody. The sums are the same to the bit.
  void set_helpers(std::shared_ptr<Helpers> helpers) { helpers_ = std::move(helpers); }

  /// Every pair is added.
  bool empty() const { return kept_.empty() && (!work_ || work_->is_done()); }

  /// Takes an example, as AddToPairs takes them, and adds pairs of others; `at_once`: more of
  /// them, so that soon there are no others than a few. `pairs` are those of `dimension` attributes as
  /// pair_row() says, always the same. REQUIRES: is_worthwhile(). No allocation, once it was full.
  void keep(std::span<const Attribute> attributes, std::span<const double> u, double weight, PairSums* pairs,
            std::size_t dimension, bool at_once = false);
  /// Adds about as many of what was kept as had `visits` of rows; true when nothing is left.
  bool settle_some(PairSums* pairs, std::size_t dimension, std::size_t visits);
  /// Adds all that was kept, and keeps nothing.
  void settle(PairSums* pairs, std::size_t dimension);
  /// Forgets what is kept. What is being added is added whole.
  void clear();

 private:
  bool continues_group(std::span<const Attribute> attributes) const;
  void begin_group(PairSums* pairs, std::size_t dimension, bool is_full, bool at_once);
  bool goes_by_groups(bool at_once) const;
  void add_groups(PairSums* pairs, std::size_t dimension);
  void begin_work(PairSums* pairs, std::size_t dimension);
  void keep_pace();

  AddGroup add_group_ = fastest_add_group();
  KeptPairs kept_;                  // its last group may grow
  std::shared_ptr<PairWork> work_;  // those before; nullptr: there never were any
  std::shared_ptr<Helpers> helpers_;
};

}  // namespace glimpse
