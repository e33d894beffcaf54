#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "learn/core/learner.h"

namespace glimpse {

/// Whether Learner::begin_plan() makes whole plans, whose attributes finish_plan() leaves as they are: values
/// may be read for them long before.
bool begins_whole_plans(const Learner& learner);

/// Begins the plans of the next examples before these are there, as far as they do not depend on the examples
/// between (Learner::begin_plan). So the memory that they will need is on its way meanwhile. Plans are begun
/// from one sequence of random numbers and finished from another: what is given out is to the bit what plans
/// begun and finished one at a time are. Rows of a fixed size are brought near for the plans ahead
/// (ExampleReader::prefetch). Of lines of text the values are read on other threads, for plans that are begun
/// further ahead: reach(). Cost: as plan(). Thread-safety: none.
class PlanAhead {
 public:
  static constexpr std::size_t kMost = 8;  ///< without reach()

  /// What learner.begin_plan(random, …) and learner.finish_plan(inner, …) would draw now; valid until the
  /// next call but one of a member. Where one of them throws, nothing was drawn.
  const Plan& next(Learner& learner, Random& random, Random& inner);

  /// How many plans are begun beyond the one that next() gave, and the last of them (REQUIRES: there is one).
  std::size_t size() const { return size_; }
  const Plan& last() const { return ring_[(first_ + size_ - 1) % ring_.size()].plan; }

  /// Begins plans until `count` are ahead, where begins_whole_plans(); else it does nothing. How many are
  /// ahead then. Allocates for more than ever before. What next() gave before must not be used any more.
  std::size_t reach(Learner& learner, Random& random, std::size_t count);
  /// Plan i of those ahead, i < size(); 0 is the one that next() gives if is_next().
  const Plan& ahead(std::size_t i) const { return ring_[(first_ + i) % ring_.size()].plan; }
  /// Counts the plans that were begun: no two have the same.
  std::uint64_t number(std::size_t i) const { return ring_[(first_ + i) % ring_.size()].number; }
  /// Whether next() will give that plan.
  bool is_next(const Learner& learner, std::uint64_t number) const {
    return size_ > 0 && ring_[first_].number == number && learner.plan_version() == version_;
  }

  /// Forgets the plans that were not given out: `random` and the learner, that of next(), are as if they had
  /// not been begun. Before anybody else draws from it.
  void give_back(Learner& learner, Random& random);
  /// The plan that next() gave last was not used: it, and those ahead, are as if they had not been drawn.
  /// REQUIRES: nobody drew from either sequence since.
  void put_back(Learner& learner, Random& random, Random& inner);
  /// The state that `random` would have after give_back(), and the learner's block of plans.
  Random::State state(const Random& random) const {
    return size_ > 0 ? ring_[first_].before : random.state();
  }
  PlanBlock block(const Learner& learner) const;

 private:
  struct Begun {
    Plan plan;
    Random::State before{};  // of the random numbers
    PlanBlock block;         // before it
    std::uint64_t number = 0;
  };
  void begin(Learner& learner, Random& random);
  void note_version(Learner& learner, Random& random);

  std::vector<Begun> ring_ = std::vector<Begun>(kMost + 1);  // one is with the caller
  std::uint64_t begun_ = 0;                                  // plans, ever
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::optional<std::uint64_t> version_;
  std::size_t depth_ = 1;         // plans that are begun ahead, of this version
  Random::State inner_before_{};  // the last next()
};

}  // namespace glimpse
