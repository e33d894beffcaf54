#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/state.h"
#include "learn/core/plan.h"
#include "learn/options/prices.h"
#include "learn/plans/told_labels.h"

namespace glimpse {

/// What a plan is called by those who buy its attributes: unique for as long as the stream lives. The upper
/// 24 bits are those of the process that gave it out, so that a plan of a process that died before it was
/// kept is never taken for another; the lower 40 count.
using PlanId = std::uint64_t;

/// "3f9a2b-1842".
std::string format_plan_id(PlanId id);
/// None when it is no such text.
std::optional<PlanId> parse_plan_id(std::string_view text);

/// What became of a plan.
enum class PlanFate : std::uint8_t {
  kLearned,
  kNotLearned,  ///< answered, but nothing could be learned from the answer
  kExpired,
  kAbandoned,
};

/// A plan that was given out and waits for its answer, which may come in two parts.
struct OpenPlan {
  PlanId id = 0;
  double expires_at = 0;  ///< seconds since 1970
  Money cost = 0;         ///< of all its attributes
  Plan plan;
  std::vector<double> values;  ///< one an attribute, once they were told; NaN: refused
  ToldLabels labels;           ///< those that were told
  double importance = 1;
};

/// The plans that are out, and for a while what became of those that no longer are.
///
/// At most `limit` plans are open, and the fates and labels of the last `limit` closed ones are remembered.
/// So an answer that comes twice is told apart from one to a plan that there never was, and from one with
/// another label. Forgetting a fate is harmless, as only an open plan is ever learned from. Memory: for each
/// open plan about 150 bytes, 4 for each attribute, 16 for each draw, and 8 for each value told before its
/// label; 88 for each fate; 8 for each label but the first. Time is what the caller says it is, so that it
/// has no part in learning. Every call takes O(1), except expire(), list() and save(). Opening and closing
/// plans allocates nothing once as many were open. Thread-safety: none.
class PlanBook {
 public:
  /// `process`: any 24 bits that no other process had. `labels`: how many a plan is told, from 1.
  PlanBook(std::size_t limit, std::uint32_t process, std::size_t labels = 1)
      : limit_(limit), process_(process), label_count_(labels) {}

  /// How many plans were given out, and what became of them.
  struct Counts {
    std::uint64_t given = 0;  ///< all plans; each is still open or counted below
    std::uint64_t learned = 0;
    std::uint64_t not_learned = 0;
    std::uint64_t expired = 0;
    std::uint64_t abandoned = 0;
  };

  std::size_t open() const { return open_; }
  std::size_t limit() const { return limit_; }
  bool full() const { return open() >= limit_; }
  const Counts& counts() const { return counts_; }
  /// Of all open plans together.
  std::uint64_t open_attributes() const { return open_attributes_; }
  Money open_cost() const { return open_cost_ > ~Money{0} ? ~Money{0} : static_cast<Money>(open_cost_); }

  /// Opens a plan: `plan` is copied into memory that is used again. REQUIRES !full().
  const OpenPlan& give(const Plan& plan, Money cost, double expires_at);
  /// The open plan called `id`, or nullptr. Valid until a plan is opened or closed.
  OpenPlan* find(PlanId id);
  /// What became of a plan that is not open; none: not known, or no longer.
  std::optional<PlanFate> fate(PlanId id) const;
  /// The labels that were told of a plan that is not open; nullptr: it is not known, or no longer. Until a
  /// plan is closed.
  const ToldLabels* told_labels(PlanId id) const;
  /// REQUIRES that it is open.
  void close(PlanId id, PlanFate fate);
  /// Closes every plan whose time has come. O(those, and the logarithm of the rest for each).
  void expire(double now);

  /// The open plans whose number is above `after`, in the order in which they were given, at most `most`.
  /// O(n + most log most) with n plans in the book, and no look at those that are left out.
  std::vector<const OpenPlan*> list(PlanId after, std::size_t most) const;
  /// Calls take(plan) for each open plan, in no certain order. O(n) with n plans in the book.
  template <class Take>
  void each_open(const Take& take) const {
    for (const auto& [id, slot] : index_)
      if (slot < kClosed) take(slots_[slot]);
  }

  /// `clock_shift`: seconds that are added to when plans expire, where the clock of `state` is another one.
  /// `now`: the time, by the clock of this.
  void save(State& state, double clock_shift = 0, double now = 0) const;
  /// Plans keep their names; new ones are given by this process. More plans than the limit are kept, but no
  /// more are opened. After an Error (kCorrupt) the book must not be used.
  /// `clock_shift`: as in save(), and taken off again. No plan lives on for longer than when it was saved,
  /// whatever time it is `now`.
  Status restore(const State& state, std::size_t dimension, double clock_shift = 0, double now = 0);

 private:
  struct Due {
    double time;
    PlanId id;
    bool operator<(const Due& other) const {  // the earliest is the heap's front
      return time != other.time ? time > other.time : id > other.id;
    }
  };

  // What is remembered of a closed plan.
  struct Closed {
    PlanId id = 0;
    ToldLabels labels;
    PlanFate fate = PlanFate::kLearned;
  };

  static constexpr std::uint32_t kClosed = std::uint32_t{1} << 31;
  bool is_open(PlanId id) const {
    const auto at = index_.find(id);
    return at != index_.end() && at->second < kClosed;
  }

  OpenPlan& enter(PlanId id, const Plan& plan, Money cost, double expires_at);
  const Closed* closed(PlanId id) const;
  Closed& remember(PlanId id, PlanFate fate);
  Status restore_closed(const State& state);
  void add_due(double time, PlanId id);

  std::size_t limit_;
  std::uint32_t process_;
  std::size_t label_count_;
  std::uint64_t next_number_ = 1;
  Counts counts_;
  std::uint64_t open_attributes_ = 0;
  __extension__ using Sum = unsigned __int128;  // of many plans of the dearest attributes
  Sum open_cost_ = 0;

  std::size_t open_ = 0;
  std::deque<OpenPlan> slots_;
  std::vector<std::uint32_t> free_;
  // The place in slots_, or kClosed and that in remembered_.
  boost::unordered_flat_map<PlanId, std::uint32_t> index_;
  std::vector<Due> due_;  // a heap; plans closed otherwise stay in it until it is tidied

  std::vector<Closed> remembered_;  // a ring
  std::size_t oldest_ = 0;          // of it, once it is full
};

}  // namespace glimpse
