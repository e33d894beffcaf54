#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/random.h"
#include "learn/core/learner.h"

namespace glimpse {

/// Begins the plans of the next examples before these are there, as far as they do not depend on the examples
/// between (Learner::begin_plan). So the memory that they will need is on its way meanwhile. Plans are begun
/// from one sequence of random numbers and finished from another: what is given out is to the bit what plans
/// begun and finished one at a time are. Rows of a fixed size are brought near for the plans ahead
/// (ExampleReader::prefetch). Lines of text are neither brought near nor read ahead: the place of a line's
/// fields is known only when the lines before it were found. Cost: as plan(). Thread-safety: none.
class PlanAhead {
 public:
  static constexpr std::size_t kMost = 8;

  /// What learner.begin_plan(random, …) and learner.finish_plan(inner, …) would draw now; valid until the
  /// next call but one of a member. Where one of them throws, nothing was drawn.
  const Plan& next(Learner& learner, Random& random, Random& inner);

  /// How many plans are begun beyond the one that next() gave, and the last of them (REQUIRES: there is one).
  std::size_t size() const { return size_; }
  const Plan& last() const { return ring_[(first_ + size_ - 1) % ring_.size()].plan; }

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
  };
  void begin(Learner& learner, Random& random);

  std::array<Begun, kMost + 1> ring_;  // one is with the caller
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::optional<std::uint64_t> version_;
  std::size_t depth_ = 1;         // plans that are begun ahead, of this version
  Random::State inner_before_{};  // the last next()
};

}  // namespace glimpse
