#include "fleet/simulated_brokers.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace glimpse {

namespace {

// Records beyond those that the last compaction left, from which on brokers compact by themselves: a new
// reader would read them all.
constexpr std::size_t kMostOld = 64;

}  // namespace

void SimulatedBrokers::end(std::uint32_t partition, Fate fate) {
  Partition& p = at(partition);
  if (!p.has_open) return;
  p.transactions.back() = {fate, now_};
  p.has_open = false;
  ++p.end;  // a control record
  changes_.push_back(partition);
  if (p.states.size() > p.compacted + kMostOld) compact(partition);
}

std::uint64_t SimulatedBrokers::fence(std::uint32_t partition) {
  end(partition, Fate::kAborted);
  return ++at(partition).epoch;
}

bool SimulatedBrokers::append(std::uint32_t partition, std::uint64_t epoch, StateRecord record) {
  Partition& p = at(partition);
  if (epoch != p.epoch) return false;
  if (!p.has_open) {
    p.transactions.emplace_back();
    p.has_open = true;
    p.open_begin = p.end;
  }
  p.states.push_back({p.end++, std::move(record), p.transactions.size() - 1});
  return true;
}

bool SimulatedBrokers::commit(std::uint32_t partition, std::uint64_t epoch, std::uint64_t group_offset) {
  if (epoch != at(partition).epoch) return false;
  at(partition).group_offset = group_offset;
  end(partition, Fate::kCommitted);
  return true;
}

bool SimulatedBrokers::abort(std::uint32_t partition, std::uint64_t epoch) {
  if (epoch != at(partition).epoch) return false;
  end(partition, Fate::kAborted);
  return true;
}

const SimulatedBrokers::StateRecord* SimulatedBrokers::read_committed(std::uint32_t partition,
                                                                      std::uint64_t& cursor) const {
  const Partition& p = partitions_.at(partition);
  for (auto entry = std::ranges::lower_bound(p.states, cursor, {}, &Entry::offset); entry != p.states.end();
       ++entry) {
    const Transaction& transaction = p.transactions[entry->transaction];
    if (transaction.fate == Fate::kOpen || transaction.ended_at + slowness(partition) > now_) {
      cursor = entry->offset;
      return nullptr;
    }
    if (transaction.fate == Fate::kAborted) continue;
    cursor = entry->offset + 1;
    return &entry->record;
  }
  cursor = std::max(cursor, p.end);
  return nullptr;
}

void SimulatedBrokers::compact(std::uint32_t partition) {
  Partition& p = at(partition);
  std::unordered_set<std::string_view> later;
  std::vector<bool> is_old(p.states.size());
  for (std::size_t i = p.states.size(); i-- > 0;) {
    const Fate fate = p.transactions[p.states[i].transaction].fate;
    is_old[i] =
        fate == Fate::kAborted || (fate == Fate::kCommitted && !later.insert(p.states[i].record.key).second);
  }
  std::vector<Entry> kept;
  for (std::size_t i = 0; i < p.states.size(); ++i)
    if (!is_old[i]) kept.push_back(std::move(p.states[i]));
  p.states = std::move(kept);
  p.compacted = p.states.size();
}

}  // namespace glimpse
