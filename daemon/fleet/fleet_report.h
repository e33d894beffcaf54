#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/fleet/fleet_member.h"

namespace glimpse {

/// A partition as one member of a fleet sees it.
struct PartitionReport {
  FleetMember::Phase phase = FleetMember::Phase::kUnowned;
  std::optional<StateVersion> newest;     ///< the state that was committed last
  std::string owner;                      ///< where the one that committed it answers; empty: not known
  std::optional<std::uint64_t> offset;    ///< of the next message, where this member learns from it
  std::optional<std::uint64_t> end;       ///< of the input, as it was told last
  std::optional<std::size_t> open_plans;  ///< of it, where this member learns from it
  /// The last cut in the newest state, and where; none: none.
  std::optional<AppliedCuts::Applied> cut;
  std::uint64_t refused = 0;    ///< records and whole messages that this member could not read
  std::uint64_t oversized = 0;  ///< messages with a line over the limit, of these
  std::uint64_t examples = 0;   ///< in the newest state, or in the learner where it is here

  /// Messages that nobody learned from yet; none: not known.
  std::optional<std::uint64_t> lag() const {
    if (!end) return std::nullopt;
    const std::uint64_t at = offset ? *offset : newest ? newest->offset : 0;
    return *end > at ? *end - at : 0;
  }
};

/// A fleet as one member sees it. A value type.
struct FleetReport {
  std::string group;
  std::string topic;
  std::string state_topic;
  std::string member;   ///< as the coordinator calls it; empty: it is none now
  std::string trouble;  ///< what keeps it from learning or committing; empty: nothing
  std::vector<PartitionReport> partitions;
  FleetMember::Counts counts;
  std::uint64_t corrupt = 0;      ///< messages of the state topic that were left out
  std::uint64_t assignments = 0;  ///< how often the coordinator gave it partitions
  std::optional<FleetCut> cut;    ///< the newest; none: the stream has not changed

  std::size_t owned() const {
    std::size_t count = 0;
    for (const PartitionReport& partition : partitions)
      count += partition.phase == FleetMember::Phase::kLearning ? 1 : 0;
    return count;
  }
  /// Of all partitions.
  std::uint64_t refused() const {
    std::uint64_t count = 0;
    for (const PartitionReport& partition : partitions) count += partition.refused;
    return count;
  }
  std::uint64_t oversized() const {
    std::uint64_t count = 0;
    for (const PartitionReport& partition : partitions) count += partition.oversized;
    return count;
  }
  /// Of the partitions that this member learns from.
  std::size_t open_plans() const {
    std::size_t count = 0;
    for (const PartitionReport& partition : partitions) count += partition.open_plans.value_or(0);
    return count;
  }
};

}  // namespace glimpse
