#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "learn/core/plan.h"
#include "learn/options/options.h"

namespace glimpse {

/// One plan for several examples: a learner whose plans do not depend on the example draws a set of
/// attributes once, and gives it out for a block of M examples. Sums of products do not care which examples
/// shared a set, and each example by itself has the chances that it has with a set of its own. What is lost
/// is the variety of sets, so M is 1 at first and grows with the count of examples: a power of two, at most
/// PlanBlock::kMost, such that
///
///   - there are kPlans sets among so many examples: n/M ≥ 12,000;
///   - these show each pair of attributes once in the mean: n/M·K(K − 1)/(d(d − 1)) ≥ 1.
///
/// With a half-life N, n is N/ln 2 at most: what is remembered. M stays 1 where sets are drawn within a limit
/// of cost, of products, and where changes of the stream are watched for: losses of a block have their draws
/// in common, and the detector takes them to be independent. What it costs and brings:
/// pairwise/EXPERIMENTS.md.
///
/// The plan of a block is drawn from random numbers of its own, whose seed is the one number that the block
/// takes from the others. So where the stream of plans is, is told by three numbers (PlanBlock).
/// Thread-safety: none.
class PlanBlocks {
 public:
  static constexpr double kPlans = 12'000;
  /// Of the variance of an estimate of an example's loss, the share that the examples of a block have in
  /// common: measured as .04 to .07.
  static constexpr double kCommon = 0.07;

  /// `options` that validate() accepts.
  explicit PlanBlocks(const LearnerOptions& options);

  /// Examples that share a plan where sets are drawn as they were planned after so many of them: not of when
  /// a plan is drawn, which may be ahead of its example.
  std::uint32_t size_after(std::uint64_t examples) const;

  /// By how much the variance of a mean of estimates from such plans is larger than if each example had a
  /// plan of its own. 1 where all attributes are shown.
  double effect_after(std::uint64_t examples) const {
    return shows_all_ ? 1 : 1 + kCommon * (size_after(examples) - 1);
  }

  /// The plan of the next example: that of the block, or one that `draw(random, plan)` gives.
  template <class DrawPlan>
  void next(Random& random, std::uint64_t examples, Plan& plan, const DrawPlan& draw) {
    if (!block_.is_open()) {
      const std::uint32_t size = size_after(examples);
      if (size == 1) return draw(random, plan);
      begin({random.bits(), 0, size}, draw);
    } else if (!is_drawn_) {
      begin(block_, draw);
    }
    plan = plan_;
    ++block_.used;
  }

  const PlanBlock& block() const { return block_; }
  /// Goes on with one that block() gave since the last end(), or in the process before.
  void set_block(const PlanBlock& block);
  /// Sets are drawn otherwise from now on: the next plan is another one.
  void end() { set_block({}); }

 private:
  template <class DrawPlan>
  void begin(const PlanBlock& block, const DrawPlan& draw) {
    is_drawn_ = false;
    Random random(block.seed);
    draw(random, plan_);
    block_ = block;
    is_drawn_ = true;
  }

  bool shows_all_;
  double share_ = 0;        // of the examples that M may be
  double most_remembered_;  // examples
  PlanBlock block_;
  Plan plan_;  // its, where is_drawn_
  bool is_drawn_ = false;
};

}  // namespace glimpse
