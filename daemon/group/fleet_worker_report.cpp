// What a worker of a fleet tells of itself.

#include <utility>

#include "daemon/group/fleet_worker.h"

namespace glimpse {

void FleetWorker::publish() {
  FleetReport report;
  report.group = settings_.group.group;
  report.topic = settings_.group.address.topic;
  report.state_topic = settings_.states.topic;
  report.trouble = told_trouble_;
  if (member_) {
    report.member = group_->member();
    report.counts = member_->counts();
    report.corrupt = corrupt_;
    report.assignments = assignments_;
    if (member_->drift().newest() != nullptr) report.cut = *member_->drift().newest();
    for (std::uint32_t p = 0; p < partitions_; ++p) {
      PartitionReport& partition = report.partitions.emplace_back();
      partition.phase = member_->phase(p);
      partition.newest = member_->newest_version(p);
      partition.owner = owners_[p];
      partition.cut = member_->drift().applied(p);
      partition.refused = member_->refused(p);
      partition.oversized = member_->oversized(p);
      if (const auto end = group_->known_end(static_cast<std::int32_t>(p)))
        partition.end = static_cast<std::uint64_t>(*end);
      if (OwnedPartition* const owned = member_->owned(p); owned != nullptr) {
        partition.offset = owned->next_offset();
        partition.owner = owner_;
        partition.open_plans = owned->processor().plans().open();
        partition.examples = owned->processor().learner().counts().examples;
      }
    }
  }
  const std::lock_guard lock(mutex_);
  report_ = std::move(report);
}

}  // namespace glimpse
