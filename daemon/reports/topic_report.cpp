#include "daemon/reports/topic_report.h"

#include <algorithm>
#include <string>

#include <boost/json/array.hpp>

namespace glimpse {

namespace {

boost::json::value count_or_null(const std::optional<std::uint64_t>& number) {
  return number ? boost::json::value(*number) : boost::json::value(nullptr);
}

}  // namespace

void add_topic(const Door& door, boost::json::object& source) {
  source["tombstones"] = door.tombstones;
  source["oversized"] = door.oversized;
  if (door.topic == nullptr) return;
  const auto partitions = door.topic->partitions();
  const std::string trouble = door.topic->trouble();
  source["lag"] = count_or_null(TopicProgress::lag(partitions));
  source["trouble"] = trouble.empty() ? boost::json::value(nullptr) : boost::json::value(trouble);
  boost::json::array list;
  for (const TopicProgress::Partition& partition : partitions)
    list.push_back({{"offset", partition.offset},
                    {"end", count_or_null(partition.end)},
                    {"lag", count_or_null(partition.lag())}});
  source["partitions"] = std::move(list);
}

void add_topics(const Statistics& statistics, Exposition& out) {
  if (std::ranges::none_of(statistics.doors, &Door::is_topic)) return;
  auto& tombstones = out.family("glimpse_tombstones_total", "Messages without a value since the start.",
                                Exposition::Type::Counter);
  auto& oversized =
      out.family("glimpse_oversized_messages_total", "Messages with a line over --max-line since the start.",
                 Exposition::Type::Counter);
  auto& up = out.family("glimpse_topic_up", "1: the brokers of the topic answer.", Exposition::Type::Gauge);
  auto& offsets =
      out.family("glimpse_topic_offset", "Of the partition's first message that is not learned from.",
                 Exposition::Type::Gauge);
  auto& lags =
      out.family("glimpse_topic_lag_messages", "Messages of the partition that are not learned from yet.",
                 Exposition::Type::Gauge);
  for (const Door& door : statistics.doors) {
    if (!door.is_topic()) continue;
    Exposition::add(tombstones, static_cast<double>(door.tombstones), {{"source", door.name}});
    Exposition::add(oversized, static_cast<double>(door.oversized), {{"source", door.name}});
    if (door.topic == nullptr) continue;
    Exposition::add(up, door.topic->trouble().empty() ? 1 : 0, {{"source", door.name}});
    const auto partitions = door.topic->partitions();
    for (std::size_t p = 0; p < partitions.size(); ++p) {
      const Exposition::Metric::Label number{"partition", std::to_string(p)};
      Exposition::add(offsets, static_cast<double>(partitions[p].offset), {{"source", door.name}, number});
      if (const auto lag = partitions[p].lag())
        Exposition::add(lags, static_cast<double>(*lag), {{"source", door.name}, number});
    }
  }
}

}  // namespace glimpse
