#include "daemon/summary.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "daemon/training/learner_watch.h"

namespace glimpse {

void log_summary(const Statistics& s, const CheckpointStatus& checkpoint, StepKind step) {
  std::uint64_t errors = 0;
  for (const Door& door : s.doors) errors += door.parse_errors;
  spdlog::info(
      "finished: {} examples, {} attributes revealed, {} predictions, {} lines that could not be read, {} "
      "examples skipped",
      s.counts.examples, s.counts.attributes_revealed, s.predictions, errors,
      s.counts.missing + s.counts.out_of_range + s.counts.diverged + s.counts.left_out);
  const auto loss = [](const ProgressiveLoss::Part& part) {
    return fmt::format("{:.6g}", part.mean) +
           (part.count > 1 ? fmt::format(" +- {:.2g}", part.standard_error()) : "");
  };
  if (s.progressive_loss.count > 0)
    spdlog::info("progressive loss {}, recently {}; {}", loss(s.progressive_loss), loss(s.recent_loss),
                 s.phase_reason);
  if (s.drift.alarms > 0)
    spdlog::info("changes of the stream noticed: {}, the last after {} examples", s.drift.alarms,
                 s.drift.examples);
  if (s.counts.bounded_values + s.counts.bounded_labels > 0)
    spdlog::warn("{} values and {} labels were bounded, as they were far beyond what was seen before",
                 s.counts.bounded_values, s.counts.bounded_labels);
  if (s.counts.diverged > 0)
    spdlog::warn("{} steps were too large to take: {}", s.counts.diverged, advice_for_diverged(step));
  if (checkpoint.enabled && checkpoint.last_error.empty()) spdlog::info("state kept in {}", checkpoint.name);
}

}  // namespace glimpse
