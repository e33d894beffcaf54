#include "daemon/losses/hold_out.h"

#include "base/random.h"
#include "learn/classes/class_scores.h"

namespace glimpse {

bool HoldOut::is_held_out(std::uint64_t number) const { return Random(number).uniform() < share_; }

void HoldOut::add(std::uint64_t values, double error) {
  ++records_;
  values_ += values;
  loss_.add(error * error);
}

void HoldOut::add_class(std::uint64_t values, std::span<double> scores, std::optional<std::size_t> of_class) {
  scores_.assign(scores.begin(), scores.end());
  to_probabilities(slope_, scores);
  ++records_;
  values_ += values;
  loss_.add(classes_.add(scores, of_class) / 2);
  told_ = nullptr;
  if (!of_class || scores.size() < 2) return;
  temperature_.add(scores_, *of_class);
  slope_ = temperature_.slope();
}

HeldOut HoldOut::report() const {
  if (classes_.count() > 0 && !told_) told_ = std::make_shared<const ClassReport>(classes_);
  return {records_, values_, loss_.total(), loss_.recent(), further_.report(), told_};
}

void HoldOut::save(State& state) const {
  const std::uint64_t counts[] = {numbered_, records_, values_};
  state.put_copy<std::uint64_t>("held_out.counts", counts);
  if (records_ > 0) loss_.save(state, "held_out");
  further_.save(state, "held_out");
  if (classes_.count() == 0) return;
  classes_.save(state, "held_out");
  temperature_.save(state, "held_out.temperature");
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
  if (records_ > 0)
    if (const Status status = loss_.restore(state, "held_out"); !status) return status;
  if (const Status status = further_.restore(state, "held_out"); !status) return status;
  if (const Status status = classes_.restore(state, "held_out"); !status) return status;
  if (const Status status = temperature_.restore(state, "held_out.temperature"); !status) return status;
  slope_ = temperature_.slope();
  return {};
}

}  // namespace glimpse
