#include "fleet/simulated_member.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace glimpse {

void SimulatedModel::note(std::uint32_t partition, std::uint64_t offset) {
  // A partition waits once, however many of its states come.
  if (read_[partition] == folding_[partition] && offset != read_[partition]) news_.push_back(partition);
  read_[partition] = offset;
}

void SimulatedModel::advance(double now) {
  if (ends_at_ >= 0 && now >= ends_at_) {
    inside_ = folding_;
    ends_at_ = -1;
  }
  if (ends_at_ >= 0 || news_.empty()) return;
  ends_at_ = now + costs_.solution + costs_.state * static_cast<double>(news_.size());
  for (const std::uint32_t partition : news_) folding_[partition] = read_[partition];
  news_.clear();
}

SimulatedMember::SimulatedMember(std::string name, SimulatedBrokers& brokers, const Costs& costs, Open open)
    : name_(std::move(name)),
      brokers_(brokers),
      costs_(costs),
      readings_(brokers.partitions()),
      unread_(brokers.partitions()),
      changes_(brokers.changes().size()),
      model_(std::make_unique<SimulatedModel>(brokers.partitions(), costs.fold)),
      member_(*this, {.topic = "examples", .partitions = brokers.partitions(), .chunk_bytes = 1000},
              {.open = std::move(open),
               .found = [model = model_.get()](std::uint32_t partition, const StateVersion& version,
                                               const auto&) { model->note(partition, version.offset); },
               .corrupt = {}}) {
  std::iota(unread_.begin(), unread_.end(), 0U);
}

void SimulatedMember::count_call(double seconds) {
  seconds_ += seconds;
  if (++calls_ >= kill_at_) throw Killed();
}

// A message of a state that has so many of them.
double SimulatedMember::seconds_of(std::size_t chunk_bytes, std::uint32_t chunks) const {
  return (costs_.state_bytes > 0 ? costs_.state_bytes / chunks : static_cast<double>(chunk_bytes)) /
         costs_.bytes_a_second;
}

void SimulatedMember::assigned(std::span<const std::uint32_t> partitions) {
  member_.assigned(partitions);
  waits_ = true;
}

bool SimulatedMember::read_states(std::uint32_t partition) {
  std::uint64_t& cursor = readings_[partition].states;
  bool any = false;
  while (const auto* const record = brokers_.read_committed(partition, cursor)) {
    any = true;
    const auto version = parse_version(record->version);
    if (version) seconds_ += seconds_of(record->payload.size(), version->chunks);
    member_.state_message(record->key, record->version, record->payload);
  }
  member_.state_read(partition, cursor);
  return any;
}

// Only where something came: a look at each of many partitions is what a simulation of them would do most.
bool SimulatedMember::read_states() {
  const auto& changes = brokers_.changes();
  unread_.insert(unread_.end(), changes.begin() + static_cast<std::ptrdiff_t>(changes_), changes.end());
  changes_ = changes.size();
  bool any = false;
  std::erase_if(unread_, [&](std::uint32_t partition) {
    if (read_states(partition)) any = true;
    return readings_[partition].states >= brokers_.stable_end(partition);  // a slow leader gives it later
  });
  return any;
}

bool SimulatedMember::work(std::size_t most) {
  if (!brokers_.are_up()) return false;
  bool any = read_states();
  if (waits_) waits_ = member_.turn();
  any = any || waits_;
  // In turn, so that no partition waits for another one's end.
  for (std::size_t tries = 0; tries < started_.size() && most > 0; ++tries) {
    const std::uint32_t p = started_[turn_++ % started_.size()];
    Reading& reading = readings_[p];
    for (std::size_t taken = 0; brokers_.has_arrived(p, reading.input) && most > 0 && taken < 20;
         ++taken, --most) {
      const std::uint64_t offset = reading.input++;
      seconds_ += 1 / costs_.messages_a_second;
      member_.message(p, offset, brokers_.message(p, offset));
      any = true;
    }
  }
  return any;
}

std::uint64_t SimulatedMember::lag() const {
  std::uint64_t messages = 0;
  for (const std::uint32_t p : started_) messages += brokers_.produced(p) - readings_[p].input;
  return messages;
}

FleetLink::Answer SimulatedMember::fence(std::uint32_t partition) {
  if (!brokers_.are_up()) return Answer::kLater;
  readings_[partition].epoch = brokers_.fence(partition);
  count_call(costs_.answer + brokers_.slowness(partition));
  return Answer::kDone;
}

// One question to the group's coordinator, and one of each kind to each leader, which answer at once.
std::vector<std::optional<FleetLink::Extent>> SimulatedMember::extents(
    std::span<const std::uint32_t> partitions) {
  if (!brokers_.are_up()) return {};
  std::vector<std::optional<Extent>> all;
  double slowest = 0;
  for (const std::uint32_t p : partitions) {
    const std::uint64_t learned_to = brokers_.group_offset(p);
    all.push_back(
        Extent{learned_to > 0 ? std::optional(learned_to) : std::nullopt, brokers_.stable_end(p), 0});
    slowest = std::max(slowest, brokers_.slowness(p));
  }
  constexpr int kQuestions = 3;
  count_call(kQuestions * costs_.answer + slowest);
  return all;
}

void SimulatedMember::start(std::uint32_t partition, std::uint64_t offset) {
  readings_[partition].input = offset;
  started_.push_back(partition);
}

FleetLink::Answer SimulatedMember::commit(std::uint32_t partition, const StateChunks& state) {
  if (!brokers_.are_up()) return Answer::kLater;
  const std::uint64_t epoch = readings_[partition].epoch;
  const std::string version = format_version(state.version());
  for (std::uint32_t c = 0; c < state.version().chunks; ++c) {
    const std::string payload(state.payload(c));
    if (!brokers_.append(partition, epoch, {format_chunk_key(state.key(c)), version, payload}))
      return Answer::kFenced;
    count_call(seconds_of(payload.size(), state.version().chunks));
  }
  if (!brokers_.commit(partition, epoch, state.version().offset)) return Answer::kFenced;
  // The process may end when the brokers have it and before it knows.
  count_call(costs_.answer + brokers_.slowness(partition));
  return Answer::kDone;
}

void SimulatedMember::release(std::uint32_t partition) {
  std::erase(started_, partition);
  waits_ = true;  // it may be fenced again, and not be another's
}

}  // namespace glimpse
