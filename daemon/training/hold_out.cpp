#include "daemon/training/hold_out.h"

#include "base/random.h"

namespace glimpse {

bool HoldOut::is_held_out(std::uint64_t number) const { return Random(number).uniform() < share_; }

void HoldOut::add(std::uint64_t values, double error) {
  ++records_;
  values_ += values;
  loss_.add(error * error);
}

void HoldOut::save(State& state) const {
  const std::uint64_t counts[] = {numbered_, records_, values_};
  state.put_copy<std::uint64_t>("held_out.counts", counts);
  if (records_ > 0) loss_.save(state, "held_out");
}

Status HoldOut::restore(const State& state) {
  const double share = share_;
  *this = HoldOut();
  share_ = share;
  if (state.find("held_out.counts") == nullptr) return {};
  const auto counts = state.get<std::uint64_t>("held_out.counts", 3);
  if (!counts) return counts.error();
  numbered_ = (*counts)[0];
  records_ = (*counts)[1];
  values_ = (*counts)[2];
  return records_ > 0 ? loss_.restore(state, "held_out") : Status();
}

}  // namespace glimpse
