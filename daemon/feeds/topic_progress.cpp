#include "daemon/feeds/topic_progress.h"

#include <algorithm>

namespace glimpse {

std::optional<std::uint64_t> TopicProgress::Partition::lag() const {
  if (!end) return std::nullopt;
  return *end > offset ? *end - offset : 0;
}

void TopicProgress::Known::pass_gap() {
  if (offset == gap.first) offset = std::max(offset, gap.second);
}

void TopicProgress::begin(std::size_t partition, std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  if (partition >= partitions_.size()) partitions_.resize(partition + 1);
  partitions_[partition].offset = offset;
}

void TopicProgress::note_learned(std::size_t partition, std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  Known& known = partitions_.at(partition);
  known.offset = std::max(known.offset, offset);
  known.pass_gap();
}

void TopicProgress::note_end(std::size_t partition, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  partitions_.at(partition).end = end;
}

void TopicProgress::note_read_to_end(std::size_t partition, std::uint64_t next, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  Known& known = partitions_.at(partition);
  known.end = std::max(known.end.value_or(0), end);
  known.gap = {next, end};
  known.pass_gap();
}

void TopicProgress::note_trouble(std::string why) {
  const std::lock_guard lock(mutex_);
  trouble_ = std::move(why);
}

std::vector<TopicProgress::Partition> TopicProgress::partitions() const {
  const std::lock_guard lock(mutex_);
  return {partitions_.begin(), partitions_.end()};
}

std::string TopicProgress::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::optional<std::uint64_t> TopicProgress::lag(const std::vector<Partition>& partitions) {
  if (partitions.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  for (const Partition& partition : partitions) {
    const auto lag = partition.lag();
    if (!lag) return std::nullopt;
    sum += *lag;
  }
  return sum;
}

}  // namespace glimpse
