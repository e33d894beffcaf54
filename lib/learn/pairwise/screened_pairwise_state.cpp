#include <algorithm>

#include "learn/judges/active_features.h"
#include "learn/pairwise/screened_pairwise.h"

namespace glimpse {

void ScreenedPairwise::save_state(State& state) const {
  screen_.save(state);
  state.put_copy<std::uint32_t>("screened.active", active_);
  state.put_copy<std::uint64_t>("screened.since", since_);
  moments_.save(state);
  state.put_copy<std::uint8_t>("sampling.levels", q_.levels());
  look_phase_.save(state);
  const std::uint64_t numbers[] = {q_.lowest_key(), q_.shift(), next_review_};
  state.put_copy<std::uint64_t>("screened.sampling", numbers);
  save_judges(state);
}

Status ScreenedPairwise::restore_state(const State& state) {
  const std::size_t d = options().dimension;
  if (const Status status = screen_.restore(state); !status) return status;
  const auto active = state.get<std::uint32_t>("screened.active");
  if (!active) return active.error();
  const bool ascends = std::is_sorted(active->begin(), active->end()) &&
                       std::adjacent_find(active->begin(), active->end()) == active->end();
  if (active->size() > active_limit(options()) || !ascends || (!active->empty() && active->back() >= d))
    return failure(ErrorCode::kCorrupt, "screened.active is no set of attributes below {}", d);
  const auto levels = state.get<std::uint8_t>("sampling.levels", d);
  if (!levels) return levels.error();
  const auto numbers = state.get<std::uint64_t>("screened.sampling", 3);
  if (!numbers) return numbers.error();
  for (const Attribute i : active_) slot_[i] = kInactive;
  active_.assign(active->begin(), active->end());
  for (std::size_t s = 0; s < active_.size(); ++s) slot_[active_[s]] = static_cast<std::uint32_t>(s);
  since_.assign(active_.size(), 0);
  if (state.find("screened.since") != nullptr) {  // checkpoints of earlier builds have none
    const auto since = state.get<std::uint64_t>("screened.since", active_.size());
    if (!since) return since.error();
    since_.assign(since->begin(), since->end());
  }
  auto places = features_of_places(features_, active_);
  if (!places) return places.error();
  places_ = std::move(*places);
  moments_ = no_sums(places_.room());
  if (const auto* const first = static_cast<const ScreenedPairwise*>(lead());
      first != nullptr && (active_ != first->active_ || moments_.dimension() != first->moments_.dimension()))
    return failure(ErrorCode::kCorrupt, "screened.active is not that of the first label");
  if (const Status status = moments_.restore(state); !status) return status;
  ++plan_version_;
  if (!q_.restore(*levels, static_cast<std::uint32_t>((*numbers)[0]),
                  static_cast<std::uint32_t>((*numbers)[1])))
    return failure(ErrorCode::kCorrupt, "screened.sampling is of no distribution");
  next_review_ = (*numbers)[2];
  if (const Status status = look_phase_.restore(state, looks()); !status) return status;
  const Status status = restore_judges(state);
  note_chances();
  return status;
}

}  // namespace glimpse
