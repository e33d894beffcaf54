#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "learn/evaluation/past_models.h"
#include "learn/options/options.h"
#include "stats/pair_batch.h"

namespace glimpse {

/// Solves of so many attributes take no longer than about a hundred examples.
inline constexpr std::size_t kJudgesAtOnce = 64;
/// And up to so many, some ten milliseconds.
inline constexpr std::size_t kJudgesOften = 1024;

/// When models that are solved for judge: by counts of examples alone. `solved`: of how many attributes.
///
/// As PastModels::due() says. With more than kJudgesOften attributes a solve takes longer than many examples,
/// and learning would wait for it: powers of 16 alone then below solved²/64 examples, from where attributes
/// were seen four times each, and of four below solved²/4.
///
/// With a half-life powers of two become rarer than what they judge by is remembered. From pause() examples
/// on its multiples take their place.
class JudgeSchedule {
 public:
  explicit JudgeSchedule(const LearnerOptions& options)
      : dimension_(options.dimension),
        budget_(options.budget),
        half_life_(options.half_life),
        best_(options.look_at_best) {}

  /// Whether a model of the first `examples` is to judge.
  bool is_due(std::uint64_t examples, std::size_t solved) const {
    const std::uint64_t pause = pause_of(solved);
    if (examples >= pause) return examples % pause == 0;
    if (!PastModels::due(examples, dimension_, budget_, solved)) return false;
    if (solved <= kJudgesOften) return true;
    const std::uint64_t square = square_of(solved);
    const int power = std::countr_zero(examples);
    if (examples < square / 64) return power % 4 == 0 && examples * budget_ >= 4 * dimension_;
    return examples >= square / 4 || power % 2 == 0;
  }

  /// Whether one that is due is to choose the attributes that are looked at again, which takes longer.
  bool chooses(std::uint64_t examples, std::size_t solved) const {
    const std::uint64_t pause = pause_of(solved);
    if (best_ == 0 || examples < pause) return true;
    const auto path = static_cast<std::uint64_t>(std::min(solved, std::max<std::size_t>(64, best_ + 32)));
    return examples % multiple_of(pause, path * path * path * path / kShareOfChoice) == 0;
  }

  /// Whether a model that will judge is made so soon that pairs that are to be added later should be from now
  /// on, a few with each example: its copy begins with all of them added.
  bool is_near(std::uint64_t examples, std::size_t solved) const {
    const std::uint64_t pause = pause_of(solved);
    std::uint64_t next = std::bit_ceil(examples);
    if (next >= pause) next = std::max((examples + pause - 1) / pause, std::uint64_t{1}) * pause;
    return next - examples <= PairBatch::kMostValues / budget_ && is_due(next, solved);
  }

  /// From which example on it judges: once the examples are a quarter more, or twice as many where solves are
  /// long and examples few; in these others can solve for it. No later than a quarter of a pause.
  std::uint64_t judges_from(std::uint64_t examples, std::size_t solved) const {
    if (solved <= kJudgesAtOnce) return examples;
    const bool is_short = solved > kJudgesOften && examples < square_of(solved) / 16;
    return examples + std::min(is_short ? examples : examples / 4, pause_of(solved) / 4);
  }

 private:
  // Examples for each solve, of solved²/64 of them, and for each choice, of about path⁴/1024.
  static constexpr std::uint64_t kShareOfSolve = 16;
  static constexpr std::uint64_t kShareOfChoice = 256;

  static std::uint64_t square_of(std::size_t solved) { return static_cast<std::uint64_t>(solved) * solved; }
  // A power of two of them, so that those of another number of attributes are multiples or parts of it.
  static std::uint64_t multiple_of(std::uint64_t pause, std::uint64_t least) {
    while (pause < least) pause *= 2;
    return pause;
  }
  // The half-life, or so many times of it that solves, and the O(d) numbers that a judge keeps, take a part
  // of the time alone.
  std::uint64_t pause_of(std::size_t solved) const {
    if (!half_life_) return std::numeric_limits<std::uint64_t>::max();
    return multiple_of(*half_life_, std::max<std::uint64_t>({PastModels::kFewest, dimension_ / budget_,
                                                             square_of(solved) / kShareOfSolve}));
  }

  std::size_t dimension_;
  std::size_t budget_;
  std::optional<std::uint64_t> half_life_;
  std::size_t best_;
};

}  // namespace glimpse
