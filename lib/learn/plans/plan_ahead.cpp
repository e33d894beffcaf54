#include "learn/plans/plan_ahead.h"

#include <algorithm>
#include <utility>

namespace glimpse {

namespace {

// So many cells are on their way at once, of pairs or of single attributes; more would drive each other out
// of the nearest cache.
constexpr std::size_t kPairs = 128;
constexpr std::size_t kAttributes = 64;

std::size_t depth_of(const Learner& learner) {
  const std::size_t k = std::max<std::size_t>(learner.options().budget, 1);
  const std::size_t depth = keeps_pairs(learner.options().algorithm)
                                ? kPairs / std::max<std::size_t>(k * (k - 1) / 2, 1)
                                : kAttributes / k;
  return std::clamp<std::size_t>(depth, 1, PlanAhead::kMost);
}

}  // namespace

bool begins_whole_plans(const Learner& learner) { return keeps_pairs(learner.options().algorithm); }

void PlanAhead::begin(Learner& learner, Random& random) {
  Begun& begun = ring_[(first_ + size_) % ring_.size()];
  begun.before = random.state();
  begun.block = learner.plan_block();
  begun.number = ++begun_;
  try {
    learner.begin_plan(random, begun.plan);
  } catch (...) {
    random = Random::from_state(begun.before);
    learner.set_plan_block(begun.block);
    throw;
  }
  ++size_;
}

void PlanAhead::note_version(Learner& learner, Random& random) {
  const auto version = learner.plan_version();
  if (version != version_) {
    give_back(learner, random);
    depth_ = depth_of(learner);
  }
  version_ = version;
}

std::size_t PlanAhead::reach(Learner& learner, Random& random, std::size_t count) {
  note_version(learner, random);
  if (!version_ || !begins_whole_plans(learner)) return size_;
  if (ring_.size() < count + 1) {
    std::vector<Begun> larger(count + 1);
    for (std::size_t i = 0; i <= size_; ++i)  // from the one that was given out last
      std::swap(larger[i], ring_[(first_ + ring_.size() - 1 + i) % ring_.size()]);
    ring_ = std::move(larger);
    first_ = 1;
  }
  while (size_ < count) begin(learner, random);
  return size_;
}

const Plan& PlanAhead::next(Learner& learner, Random& random, Random& inner) {
  note_version(learner, random);
  if (size_ == 0) begin(learner, random);
  Plan& plan = ring_[first_].plan;
  first_ = (first_ + 1) % ring_.size();
  --size_;
  inner_before_ = inner.state();
  try {
    if (version_) {
      while (size_ < depth_) begin(learner, random);
    }
    learner.finish_plan(inner, plan);
  } catch (...) {
    put_back(learner, random, inner);
    throw;
  }
  return plan;
}

void PlanAhead::put_back(Learner& learner, Random& random, Random& inner) {
  const Begun& last = ring_[(first_ + ring_.size() - 1) % ring_.size()];
  random = Random::from_state(last.before);
  learner.set_plan_block(last.block);
  inner = Random::from_state(inner_before_);
  size_ = 0;
}

void PlanAhead::give_back(Learner& learner, Random& random) {
  if (size_ > 0) {
    random = Random::from_state(ring_[first_].before);
    learner.set_plan_block(block(learner));
  }
  size_ = 0;
}

// A block ends with the version that it was drawn from.
PlanBlock PlanAhead::block(const Learner& learner) const {
  if (size_ == 0) return learner.plan_block();
  return learner.plan_version() == version_ ? ring_[first_].block : PlanBlock();
}

}  // namespace glimpse
