#include "fleet/simulated_member.h"

#include <utility>

namespace glimpse {

SimulatedMember::SimulatedMember(std::string name, SimulatedBrokers& brokers, const Costs& costs,
                                 const bool& brokers_are_up, Open open)
    : name_(std::move(name)),
      brokers_(brokers),
      costs_(costs),
      brokers_are_up_(brokers_are_up),
      readings_(brokers.partitions()),
      member_(*this, {.topic = "examples", .partitions = brokers.partitions(), .chunk_bytes = 1000},
              {.open = std::move(open),
               .first_offset = [](std::uint32_t) { return std::optional<std::uint64_t>(0); },
               .found = {},
               .corrupt = {}}) {}

void SimulatedMember::count_call(double seconds) {
  seconds_ += seconds;
  if (++calls_ >= kill_at_) throw Killed();
}

bool SimulatedMember::read_states() {
  bool any = false;
  for (std::uint32_t p = 0; p < readings_.size(); ++p) {
    std::uint64_t& cursor = readings_[p].states;
    while (const auto record = brokers_.read_committed(p, cursor)) {
      any = true;
      seconds_ += static_cast<double>(record->payload.size()) / costs_.bytes_a_second;
      member_.state_message(record->key, record->version, record->payload);
    }
    member_.state_read(p, cursor);
  }
  return any;
}

bool SimulatedMember::work(std::size_t most) {
  if (!brokers_are_up_) return false;
  bool any = read_states();
  any = member_.turn() || any;
  // In turn, so that no partition waits for another one's end.
  for (std::uint32_t tries = 0; tries < readings_.size() && most > 0; ++tries) {
    const std::uint32_t p = turn_++ % static_cast<std::uint32_t>(readings_.size());
    Reading& reading = readings_[p];
    for (std::size_t taken = 0;
         reading.input && *reading.input < brokers_.input(p).size() && most > 0 && taken < 20;
         ++taken, --most) {
      const std::uint64_t offset = (*reading.input)++;
      seconds_ += 1 / costs_.messages_a_second;
      member_.message(p, offset, brokers_.input(p)[offset]);
      any = true;
    }
  }
  return any;
}

std::uint64_t SimulatedMember::lag() const {
  std::uint64_t messages = 0;
  for (std::uint32_t p = 0; p < readings_.size(); ++p)
    if (readings_[p].input) messages += brokers_.input(p).size() - *readings_[p].input;
  return messages;
}

FleetLink::Answer SimulatedMember::fence(std::uint32_t partition) {
  if (!brokers_are_up_) return Answer::kLater;
  readings_[partition].epoch = brokers_.fence(partition);
  count_call(costs_.answer);
  return Answer::kDone;
}

std::optional<std::uint64_t> SimulatedMember::state_end(std::uint32_t partition) {
  if (!brokers_are_up_) return std::nullopt;
  count_call(costs_.answer);
  return brokers_.stable_end(partition);
}

void SimulatedMember::start(std::uint32_t partition, std::uint64_t offset) {
  readings_[partition].input = offset;
}

FleetLink::Answer SimulatedMember::commit(std::uint32_t partition, const StateChunks& state) {
  if (!brokers_are_up_) return Answer::kLater;
  const std::uint64_t epoch = readings_[partition].epoch;
  const std::string version = format_version(state.version());
  for (std::uint32_t c = 0; c < state.version().chunks; ++c) {
    const std::string payload(state.payload(c));
    if (!brokers_.append(partition, epoch, {format_chunk_key(state.key(c)), version, payload}))
      return Answer::kFenced;
    count_call(static_cast<double>(payload.size()) / costs_.bytes_a_second);
  }
  if (!brokers_.commit(partition, epoch)) return Answer::kFenced;
  count_call(costs_.answer);  // the process may end when the brokers have it and before it knows
  return Answer::kDone;
}

void SimulatedMember::release(std::uint32_t partition) { readings_[partition].input.reset(); }

}  // namespace glimpse
