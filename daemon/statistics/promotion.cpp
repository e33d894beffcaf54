#include "daemon/statistics/promotion.h"

namespace glimpse {

void Promotion::save(State& state) const {
  const std::uint64_t counts[] = {count, examples, replaced_examples};
  state.put_copy<std::uint64_t>("promotion.counts", counts);
  state.put_text("promotion.checkpoint", checkpoint);
}

Status Promotion::restore(const State& state) {
  *this = Promotion();
  if (state.find("promotion.counts") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("promotion.counts", 3));
  if (counts[0] == 0) return failure(ErrorCode::kCorrupt, "promotion.counts begins with 0; must be above");
  GLIMPSE_TRY_ASSIGN(const auto name, state.get_text("promotion.checkpoint"));
  count = counts[0];
  examples = counts[1];
  replaced_examples = counts[2];
  checkpoint = name;
  return {};
}

}  // namespace glimpse
