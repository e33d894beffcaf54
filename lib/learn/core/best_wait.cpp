#include "learn/core/best_wait.h"

#include <cmath>
#include <fmt/format.h>

namespace glimpse {

std::string BestWait::sentence(std::size_t wanted) const {
  switch (kind) {
    case Kind::kModel:
      break;
    case Kind::kClasses:
      return "all attributes are looked at for good: --look-at-best does not choose for more than two "
             "classes";
    case Kind::kFew:
      return fmt::format("all attributes are looked at: {} can be chosen as yet, and --look-at-best wants {}",
                         number, wanted);
    case Kind::kLoss:
      return fmt::format(
          "all attributes are looked at: the expected loss of the best {} is below that of the mean by "
          "{:.3g} "
          "of its standard errors, and must be by {}",
          wanted, number, kSureErrors);
    case Kind::kPairs:
      return fmt::format(
          "all attributes are looked at: of the best {} the pair seen least was seen by {:.3g} examples, and "
          "must be by {}",
          wanted, number, kSurePairs);
  }
  return fmt::format(
      "all attributes are looked at: the best {} are chosen with the next model that examples judge", wanted);
}

void BestWait::save(State& state, const std::string& name) const {
  if (kind == Kind::kModel) return;
  const double numbers[] = {static_cast<double>(kind), number};
  state.put_copy<double>(name, numbers);
}

Result<BestWait> BestWait::restore(const State& state, const std::string& name) {
  if (state.find(name) == nullptr) return BestWait();
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>(name, 2));
  const double kind = numbers[0];
  if (!(kind >= 1 && kind <= static_cast<double>(Kind::kPairs)) || kind != std::floor(kind))
    return failure(ErrorCode::kCorrupt, "{} has {}, must be from 1 to {}", name, kind,
                   static_cast<int>(Kind::kPairs));
  return BestWait{static_cast<Kind>(static_cast<int>(kind)), numbers[1]};
}

}  // namespace glimpse
