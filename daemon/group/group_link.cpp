#include "daemon/group/group_link.h"

#include <algorithm>
#include <fmt/format.h>

namespace glimpse {

// A writer that was fenced, or does not know what became of its transaction, is of no use any more.
FleetLink::Answer GroupLink::note(const StateWriter& writer, std::uint32_t partition, Answer answer) {
  if (answer == Answer::kDone) {
    trouble_.clear();
    return answer;
  }
  trouble_ = fmt::format("the state of partition {}: {}", partition, writer.why());
  if (answer == Answer::kFenced) writers_.erase(partition);
  return answer;
}

FleetLink::Answer GroupLink::fence(std::uint32_t partition) {
  const auto [found, is_new] = writers_.try_emplace(partition);
  Writer& of = found->second;
  if (is_new) {
    auto opened = StateWriter::open(
        settings_.option,
        {settings_.states, settings_.input.topic, settings_.group, partition, settings_.owner},
        settings_.properties);
    if (!opened) {
      writers_.erase(found);
      trouble_ = opened.error().message;
      return Answer::kLater;
    }
    of = {std::move(*opened), Clock::now()};
  }
  const Answer answer = of.writer->fence(settings_.look);
  if (answer == Answer::kLater && Clock::now() - of.opened_at < settings_.patience) return answer;
  return note(*of.writer, partition, answer);
}

// After a failure it pauses for as long as the failure took. The other partitions learn meanwhile.
std::vector<std::optional<FleetLink::Extent>> GroupLink::extents(std::span<const std::uint32_t> partitions) {
  if (Clock::now() < ask_again_) return {};
  const auto begun = Clock::now();
  auto extents = extents_->ask(partitions, settings_.patience);
  if (!extents) {
    trouble_ = extents.error().message;
    ask_again_ = Clock::now() + (Clock::now() - begun);
    return {};
  }
  trouble_.clear();
  return std::move(*extents);
}

void GroupLink::start(std::uint32_t partition, std::uint64_t) {
  started_.push_back(partition);
  has_changed_ = true;
}

FleetLink::Answer GroupLink::commit(std::uint32_t partition, const StateChunks& state) {
  const auto writer = writers_.find(partition);
  if (writer == writers_.end()) return Answer::kFenced;
  StateWriter& of = *writer->second.writer;
  return note(of, partition, of.commit(state, group_.metadata(), settings_.patience));
}

void GroupLink::release(std::uint32_t partition) {
  writers_.erase(partition);
  if (std::erase(started_, partition) > 0) has_changed_ = true;
}

Status GroupLink::read_started(FleetMember& member) {
  if (!has_changed_) return {};
  std::vector<KafkaPosition> positions;
  for (const std::uint32_t partition : started_)
    if (const OwnedPartition* const owner = member.owned(partition); owner != nullptr)
      positions.push_back(
          {static_cast<std::int32_t>(partition), static_cast<std::int64_t>(owner->next_offset())});
  const Status status = group_.read(positions);
  if (status) has_changed_ = false;
  return status;
}

}  // namespace glimpse
