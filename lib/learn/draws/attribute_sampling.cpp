#include "learn/draws/attribute_sampling.h"

namespace glimpse {

void AttributeSampling::save(State& state) const {
  if (!table_.built()) return;
  state.put_copy<std::uint8_t>("sampling.levels", table_.levels());
  const std::uint32_t keys[] = {table_.lowest_key(), table_.shift()};
  state.put_copy<std::uint32_t>("sampling.keys", keys);
}

Status AttributeSampling::restore(const State& state) {
  table_ = LevelTable();
  if (state.find("sampling.levels") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto levels, state.get<std::uint8_t>("sampling.levels", dimension_));
  GLIMPSE_TRY_ASSIGN(const auto keys, state.get<std::uint32_t>("sampling.keys", 2));
  table_ = LevelTable(dimension_);
  if (!table_.restore(levels, keys[0], keys[1]))
    return failure(ErrorCode::kCorrupt, "sampling.keys is of no distribution: {} and {}", keys[0], keys[1]);
  return {};
}

}  // namespace glimpse
