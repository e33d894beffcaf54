#include "daemon/statistics/statistics.h"

#include <algorithm>
#include <fmt/format.h>

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

std::string phase_report(const Statistics& s) {
  if (!(s.looks.ratio > 1) || s.phase_reason.find(": uniform") != std::string::npos) return s.phase_reason;
  return fmt::format(
      "{}; the likeliest attribute is drawn {:.3g} times as often as the least likely, effectively {:.4g} of "
      "{} "
      "attributes are looked at",
      s.phase_reason, s.looks.ratio, s.looks.effective, s.dimension);
}

double model_age_seconds(const ModelFacts& model, std::uint64_t examples, double now_seconds) {
  if (!model.states_at && model.examples >= examples) return 0;
  const auto as_of = model.states_at.value_or(model.made_at);
  const double made_at = std::chrono::duration<double>(as_of.time_since_epoch()).count();
  return std::max(now_seconds - made_at, 0.0);
}

}  // namespace glimpse
