#include "daemon/group/extents_client.h"

#include <librdkafka/rdkafka.h>
#include <optional>
#include <set>
#include <utility>

#include "daemon/kafka/kafka_settings.h"

namespace glimpse {

namespace {

using Offsets = Result<std::vector<std::int64_t>>;

KafkaPartitionList list_of(const KafkaAddress& address, std::span<const std::uint32_t> partitions,
                           std::int64_t offset) {
  KafkaPartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const std::uint32_t partition : partitions)
    rd_kafka_topic_partition_list_add(list.get(), address.topic.c_str(), static_cast<std::int32_t>(partition))
        ->offset = offset;
  return list;
}

// librdkafka may have sorted the list.
Offsets offsets_of(const KafkaAddress& address, std::span<const std::uint32_t> partitions,
                   rd_kafka_topic_partition_list_t& list) {
  std::vector<std::int64_t> offsets;
  for (const std::uint32_t partition : partitions) {
    const rd_kafka_topic_partition_t* const found = rd_kafka_topic_partition_list_find(
        &list, address.topic.c_str(), static_cast<std::int32_t>(partition));
    if (found == nullptr) return explain_kafka(address, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION);
    if (found->err != RD_KAFKA_RESP_ERR_NO_ERROR) return explain_kafka(address, found->err);
    offsets.push_back(found->offset);
  }
  return offsets;
}

// `place`: RD_KAFKA_OFFSET_BEGINNING or RD_KAFKA_OFFSET_END, which stand for times there.
Offsets offsets_at(rd_kafka_t* client, const KafkaAddress& address, std::span<const std::uint32_t> partitions,
                   std::int64_t place, std::chrono::milliseconds timeout) {
  if (partitions.empty()) return std::vector<std::int64_t>();
  const KafkaPartitionList list = list_of(address, partitions, place);
  if (const auto error = rd_kafka_offsets_for_times(client, list.get(), static_cast<int>(timeout.count()));
      error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return explain_kafka(address, error);
  Offsets offsets = offsets_of(address, partitions, *list);
  if (offsets)
    for (const std::int64_t offset : *offsets)
      if (offset < 0) return explain_kafka(address, RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE);
  return offsets;
}

// The partitions that have a leader now.
Result<std::set<std::uint32_t>> led(rd_kafka_t* client, const KafkaAddress& address,
                                    std::chrono::milliseconds timeout) {
  GLIMPSE_TRY_ASSIGN(const auto metadata, ask_metadata(client, address, timeout));
  std::set<std::uint32_t> found;
  for (int t = 0; t < metadata->topic_cnt; ++t) {
    const rd_kafka_metadata_topic& told = metadata->topics[t];
    if (told.err != RD_KAFKA_RESP_ERR_NO_ERROR) return explain_kafka(address, told.err);
    for (int p = 0; p < told.partition_cnt; ++p)
      if (told.partitions[p].leader >= 0) found.insert(static_cast<std::uint32_t>(told.partitions[p].id));
  }
  return found;
}

Offsets committed(rd_kafka_t* client, const KafkaAddress& address, std::span<const std::uint32_t> partitions,
                  std::chrono::milliseconds timeout) {
  const KafkaPartitionList list = list_of(address, partitions, RD_KAFKA_OFFSET_INVALID);
  if (const auto error = rd_kafka_committed(client, list.get(), static_cast<int>(timeout.count()));
      error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return explain_kafka(address, error);
  return offsets_of(address, partitions, *list);
}

}  // namespace

void ExtentsClient::Destroy::operator()(rd_kafka_s* client) const { end_kafka_client(client); }

Result<std::unique_ptr<ExtentsClient>> ExtentsClient::open(std::string_view option, Settings settings,
                                                           std::span<const KafkaProperty> properties) {
  std::unique_ptr<ExtentsClient> asker(new ExtentsClient(std::move(settings)));
  KafkaSettings of_client;
  GLIMPSE_TRY(of_client.pass_through(option, properties));
  of_client.own("bootstrap.servers", asker->settings_.input.brokers.c_str());
  of_client.own("group.id", asker->settings_.group.c_str());  // whose offsets are asked for; it joins none
  of_client.own("enable.auto.commit", "false");
  of_client.own("allow.auto.create.topics", "false");
  of_client.own("isolation.level", "read_committed");  // offsets of open transactions are waited for
  GLIMPSE_TRY_ASSIGN(auto client, of_client.make_client(option, RD_KAFKA_CONSUMER));
  asker->client_.reset(client);
  return asker;
}

ExtentsClient::~ExtentsClient() = default;

Result<std::vector<std::optional<FleetLink::Extent>>> ExtentsClient::ask(
    std::span<const std::uint32_t> partitions, std::chrono::milliseconds timeout) const {
  GLIMPSE_TRY_ASSIGN(const auto learned, committed(client_.get(), settings_.input, partitions, timeout));
  // One question to a partition without a leader would keep the answers to all others back.
  GLIMPSE_TRY_ASSIGN(const auto led_inputs, led(client_.get(), settings_.input, timeout));
  GLIMPSE_TRY_ASSIGN(const auto led_states, led(client_.get(), settings_.states, timeout));
  std::vector<std::uint32_t> ready;
  std::vector<std::uint32_t> from_nothing;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const bool begins = learned[i] < 0;
    if (!led_states.contains(partitions[i]) || (begins && !led_inputs.contains(partitions[i]))) continue;
    ready.push_back(partitions[i]);
    if (begins) from_nothing.push_back(partitions[i]);
  }
  GLIMPSE_TRY_ASSIGN(const auto begins, offsets_at(client_.get(), settings_.input, from_nothing,
                                                   RD_KAFKA_OFFSET_BEGINNING, timeout));
  GLIMPSE_TRY_ASSIGN(const auto ends,
                     offsets_at(client_.get(), settings_.states, ready, RD_KAFKA_OFFSET_END, timeout));
  std::vector<std::optional<FleetLink::Extent>> extents(partitions.size());
  std::size_t r = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (r == ready.size() || ready[r] != partitions[i]) continue;
    FleetLink::Extent& extent = extents[i].emplace();
    extent.states_end = static_cast<std::uint64_t>(ends[r++]);
    if (learned[i] >= 0)
      extent.learned_to = static_cast<std::uint64_t>(learned[i]);
    else
      extent.input_begin = static_cast<std::uint64_t>(begins[n++]);
  }
  return extents;
}

}  // namespace glimpse
