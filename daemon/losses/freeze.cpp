#include "daemon/losses/freeze.h"

namespace glimpse {

void Freeze::save(State& state) const {
  const std::uint64_t counts[] = {frozen_ ? std::uint64_t{1} : 0, records_, values_};
  state.put_copy<std::uint64_t>("frozen.counts", counts);
  losses_.save(state, "frozen");
}

Status Freeze::restore(const State& state) {
  *this = Freeze();
  if (state.find("frozen.counts") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("frozen.counts", 3));
  if (counts[0] > 1)
    return failure(ErrorCode::kCorrupt, "frozen.counts begins with {}; must be 0 or 1", counts[0]);
  frozen_ = counts[0] == 1;
  records_ = counts[1];
  values_ = counts[2];
  return losses_.restore(state, "frozen");
}

}  // namespace glimpse
