#include "daemon/losses/freeze.h"

namespace glimpse {

void Freeze::add(std::uint64_t values, double loss) {
  values_ += values;
  loss_.add(loss);
}

void Freeze::add_class(std::uint64_t values, std::span<const double> probabilities,
                       std::optional<std::size_t> of_class) {
  add(values, classes_.add(probabilities, of_class) / 2);
  told_ = nullptr;
}

HeldOut Freeze::report() const {
  if (classes_.count() > 0 && !told_) told_ = std::make_shared<const ClassReport>(classes_);
  return {records_, values_, loss_.total(), loss_.recent(), further_.report(), told_};
}

void Freeze::save(State& state) const {
  const std::uint64_t counts[] = {frozen_ ? std::uint64_t{1} : 0, records_, values_};
  state.put_copy<std::uint64_t>("frozen.counts", counts);
  loss_.save(state, "frozen");
  if (classes_.count() > 0) classes_.save(state, "frozen");
  further_.save(state, "frozen");
}

Status Freeze::restore(const State& state) {
  *this = Freeze();
  if (state.find("frozen.counts") == nullptr) return {};
  const auto counts = state.get<std::uint64_t>("frozen.counts", 3);
  if (!counts) return counts.error();
  if ((*counts)[0] > 1)
    return failure(ErrorCode::kCorrupt, "frozen.counts begins with {}; must be 0 or 1", (*counts)[0]);
  frozen_ = (*counts)[0] == 1;
  records_ = (*counts)[1];
  values_ = (*counts)[2];
  if (const Status status = loss_.restore(state, "frozen"); !status) return status;
  if (const Status status = further_.restore(state, "frozen"); !status) return status;
  return classes_.restore(state, "frozen");
}

}  // namespace glimpse
