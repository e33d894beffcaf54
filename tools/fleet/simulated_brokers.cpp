#include "fleet/simulated_brokers.h"

#include <algorithm>
#include <utility>

namespace glimpse {

void SimulatedBrokers::end(Partition& partition, Fate fate) {
  if (!partition.has_open) return;
  partition.transactions.back() = fate;
  partition.has_open = false;
  partition.states.push_back({{}, partition.transactions.size() - 1, false});  // a control record
}

std::uint64_t SimulatedBrokers::fence(std::uint32_t partition) {
  Partition& p = at(partition);
  end(p, Fate::kAborted);
  return ++p.epoch;
}

std::uint64_t SimulatedBrokers::stable_end(std::uint32_t partition) const {
  const Partition& p = partitions_.at(partition);
  for (std::size_t i = 0; i < p.states.size(); ++i)
    if (p.transactions[p.states[i].transaction] == Fate::kOpen) return i;
  return p.states.size();
}

bool SimulatedBrokers::append(std::uint32_t partition, std::uint64_t epoch, StateRecord record) {
  Partition& p = at(partition);
  if (epoch != p.epoch) return false;
  if (!p.has_open) p.transactions.push_back(Fate::kOpen);
  p.has_open = true;
  p.states.push_back({std::move(record), p.transactions.size() - 1, true});
  return true;
}

bool SimulatedBrokers::commit(std::uint32_t partition, std::uint64_t epoch) {
  if (epoch != at(partition).epoch) return false;
  end(at(partition), Fate::kCommitted);
  return true;
}

bool SimulatedBrokers::abort(std::uint32_t partition, std::uint64_t epoch) {
  if (epoch != at(partition).epoch) return false;
  end(at(partition), Fate::kAborted);
  return true;
}

std::optional<SimulatedBrokers::StateRecord> SimulatedBrokers::read_committed(std::uint32_t partition,
                                                                              std::uint64_t& cursor) const {
  const Partition& p = partitions_.at(partition);
  for (; cursor < p.states.size(); ++cursor) {
    const Entry& entry = p.states[cursor];
    const Fate fate = p.transactions[entry.transaction];
    if (fate == Fate::kOpen) return std::nullopt;
    if (!entry.is_data || fate == Fate::kAborted || entry.record.key.empty()) continue;
    ++cursor;
    return entry.record;
  }
  return std::nullopt;
}

void SimulatedBrokers::compact(std::uint32_t partition) {
  Partition& p = at(partition);
  const auto is_committed = [&](const Entry& entry) {
    return entry.is_data && p.transactions[entry.transaction] == Fate::kCommitted;
  };
  for (std::size_t i = 0; i < p.states.size(); ++i) {
    if (!is_committed(p.states[i])) continue;
    const bool is_old = std::any_of(
        p.states.begin() + static_cast<std::ptrdiff_t>(i) + 1, p.states.end(), [&](const Entry& later) {
          return is_committed(later) && later.record.key == p.states[i].record.key;
        });
    if (is_old) p.states[i].record = {};  // offsets stay
  }
}

}  // namespace glimpse
