#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// Why --look-at-best has not chosen attributes yet: LOOK_AT_BEST.md.
struct BestWait {
  enum class Kind : std::uint8_t {
    kModel,    ///< no model was judged since the beginning, or since all was forgotten
    kClasses,  ///< there are more than two classes: it never will
    kFew,      ///< `number` attributes can be chosen, fewer than are wanted
    kLoss,     ///< their loss is below that of the mean by `number` of its standard errors
    kPairs,    ///< of their pairs the one seen least was seen by `number` examples
  };

  Kind kind = Kind::kModel;
  double number = 0;

  /// What it waits for, of `wanted` attributes: one sentence.
  std::string sentence(std::size_t wanted) const;

  void save(State& state, const std::string& name) const;
  /// kModel where there is none. Errors: kCorrupt.
  static Result<BestWait> restore(const State& state, const std::string& name);
};

/// Examples that showed each pair of attributes of a set before it is taken.
inline constexpr double kSurePairs = 60;
/// Standard errors by which a set's loss must be below that of the mean.
inline constexpr double kSureErrors = 10;

}  // namespace glimpse
