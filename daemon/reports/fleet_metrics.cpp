#include "daemon/reports/fleet_metrics.h"

#include <chrono>
#include <limits>

#include "daemon/reports/exposition.h"

namespace glimpse {

std::string render_fleet_metrics(const FleetFacts& facts) {
  const FleetReport& r = facts.report;
  const FleetModelReport& m = facts.model;
  Exposition out;
  const auto gauges = [&](const std::string& name, const std::string& help, const auto& value_of) {
    auto& family = out.family(name, help, Exposition::Type::Gauge);
    for (std::size_t p = 0; p < r.partitions.size(); ++p)
      if (const auto value = value_of(r.partitions[p]))
        Exposition::add(family, static_cast<double>(*value), {{"partition", std::to_string(p)}});
  };
  using Number = std::optional<std::uint64_t>;
  gauges("glimpse_fleet_partition_here", "1: this instance learns from that partition.",
         [](const PartitionReport& p) { return Number(p.phase == FleetMember::Phase::kLearning ? 1 : 0); });
  gauges("glimpse_fleet_partition_offset", "Of the partition's first message that is not learned from.",
         [](const PartitionReport& p) {
           return p.offset ? p.offset : p.newest ? Number(p.newest->offset) : std::nullopt;
         });
  gauges("glimpse_fleet_partition_lag_messages", "Messages of a partition that nobody learned from yet.",
         [](const PartitionReport& p) { return p.lag(); });
  gauges("glimpse_fleet_partition_generation",
         "States that were committed of that partition, by any instance.",
         [](const PartitionReport& p) { return p.newest ? Number(p.newest->sequence) : std::nullopt; });
  gauges("glimpse_fleet_partition_cut",
         "The last change of the stream that a partition's state has forgotten.",
         [](const PartitionReport& p) { return p.cut ? Number(p.cut->rise.number) : std::nullopt; });
  auto& owners =
      out.family("glimpse_fleet_partition_owner",
                 "1: the newest state of that partition was committed by the instance that answers there.",
                 Exposition::Type::Gauge);
  for (std::size_t p = 0; p < r.partitions.size(); ++p)
    if (const std::string& owner = r.partitions[p].owner; !owner.empty())
      Exposition::add(owners, 1, {{"partition", std::to_string(p)}, {"owner", owner}});
  auto& refused = out.family("glimpse_fleet_refused_records_total",
                             "Records, and messages as a whole, that this instance could not read.",
                             Exposition::Type::Counter);
  for (std::size_t p = 0; p < r.partitions.size(); ++p)
    Exposition::add(refused, static_cast<double>(r.partitions[p].refused),
                    {{"partition", std::to_string(p)}});
  out.gauge("glimpse_fleet_up", "1: this instance is a member of the group, and the brokers answer.",
            !r.member.empty() && r.trouble.empty() ? 1 : 0);
  out.counter("glimpse_fleet_messages_total", "Messages that this instance learned from.", r.counts.taken);
  out.counter("glimpse_fleet_repeated_messages_total", "Messages that were inside already.",
              r.counts.repeated);
  out.counter("glimpse_fleet_empty_messages_total", "Messages without content.", r.counts.empty);
  out.counter("glimpse_fleet_oversized_messages_total", "Messages with a line over --max-line.",
              r.oversized());
  out.counter("glimpse_fleet_dropped_messages_total",
              "Messages that were learned from here, and are learned again where their partition went.",
              r.counts.dropped);
  out.counter("glimpse_fleet_commits_total", "States that this instance committed.", r.counts.commits);
  out.counter("glimpse_fleet_fenced_total",
              "Commits that were refused, as another instance owns the partition.", r.counts.fenced);
  out.counter("glimpse_fleet_assignments_total", "How often this instance was given partitions.",
              r.assignments);
  out.counter("glimpse_fleet_corrupt_states_total", "Messages of the topic of states that were left out.",
              r.corrupt);
  out.counter("glimpse_fleet_cuts_total",
              "Changes of the stream that were decided from the states of all partitions (--drift auto).",
              r.cut ? r.cut->rise.number : 0);
  out.counter("glimpse_fleet_folds_total", "Models that were made of the states of all partitions.", m.folds);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - m.made_at;
  out.gauge("glimpse_fleet_model_age_seconds", "Since the states were there that the model is made of.",
            m.folds > 0 ? age.count() : kUnknown);
  out.gauge("glimpse_fleet_fold_seconds", "From the newest states to answers by their model.",
            m.folds > 0 ? m.fold.count() : kUnknown);
  out.gauge("glimpse_fleet_model_left_out",
            "Partitions that are not in the model, as their states do not fit those of most.",
            static_cast<double>(m.left_out.size()));
  out.gauge("glimpse_fleet_model_failed",
            "1: the newest states cannot be folded, and an older model answers.", m.error.empty() ? 0 : 1);
  return out.text();
}

}  // namespace glimpse
