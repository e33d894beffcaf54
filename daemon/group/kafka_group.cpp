#include "daemon/group/kafka_group.h"

#include <array>
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <utility>

#include "daemon/kafka/kafka_settings.h"

namespace glimpse {

namespace {

Status kafka_status(const KafkaAddress& address, rd_kafka_resp_err_t error) {
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return failure(ErrorCode::kUnavailable, "topic '{}' of the brokers at {}: {}", address.topic,
                 address.brokers, rd_kafka_err2str(error));
}

}  // namespace

void KafkaGroup::Destroy::operator()(rd_kafka_s* client) const { end_kafka_client(client); }

void KafkaGroup::DestroyMetadata::operator()(rd_kafka_consumer_group_metadata_s* metadata) const {
  rd_kafka_consumer_group_metadata_destroy(metadata);
}

Result<std::unique_ptr<KafkaGroup>> KafkaGroup::open(std::string_view option, const Settings& settings,
                                                     std::span<const KafkaProperty> properties,
                                                     Events events) {
  std::unique_ptr<KafkaGroup> group(new KafkaGroup(settings, std::move(events)));
  KafkaSettings of_client;
  of_client.own("session.timeout.ms", std::to_string(settings.session.count()).c_str());
  of_client.own("heartbeat.interval.ms", std::to_string(settings.session.count() / 4).c_str());
  GLIMPSE_TRY(of_client.pass_through(option, properties));
  of_client.own("bootstrap.servers", settings.address.brokers.c_str());
  of_client.own("group.id", settings.group.c_str());
  if (!settings.instance.empty()) of_client.own("group.instance.id", settings.instance.c_str());
  // With 2.0.2 of librdkafka partitions that are handed over one by one can be handed over for ever.
  of_client.own("partition.assignment.strategy", "range");
  of_client.own("enable.auto.commit", "false");
  of_client.own("enable.auto.offset.store", "false");
  of_client.own("auto.offset.reset", "error");
  of_client.own("enable.partition.eof", "true");
  of_client.own("allow.auto.create.topics", "false");
  of_client.own("isolation.level", "read_committed");
  rd_kafka_conf_set_opaque(of_client.get(), group.get());
  rd_kafka_conf_set_error_cb(of_client.get(), &KafkaGroup::on_error);
  rd_kafka_conf_set_rebalance_cb(of_client.get(), [](rd_kafka_t* client, rd_kafka_resp_err_t event,
                                                     rd_kafka_topic_partition_list_t* list, void* opaque) {
    on_rebalance(client, event, list, opaque);
  });
  GLIMPSE_TRY_ASSIGN(auto client, of_client.make_client(option, RD_KAFKA_CONSUMER));
  group->client_.reset(client);
  if (const auto error = rd_kafka_poll_set_consumer(client); error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return kafka_status(settings.address, error).error();
  return group;
}

KafkaGroup::~KafkaGroup() {
  is_silent_ = true;
  if (client_ && !has_left_) leave();
}

void KafkaGroup::tell(int event, const std::vector<std::uint32_t>& partitions) try {
  if (is_silent_) return;
  if (event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS)
    events_.assigned(partitions);
  else if (event != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS || rd_kafka_assignment_lost(client_.get()) != 0)
    events_.lost(partitions);
  else
    events_.revoked(partitions);
} catch (...) {
  thrown_ = std::current_exception();
}

// What librdkafka is told to read is what read() said. An assignment is acknowledged by reading nothing yet.
void KafkaGroup::on_rebalance(rd_kafka_s* client, int event, void* list, void* opaque) {
  auto& group = *static_cast<KafkaGroup*>(opaque);
  const auto& given = *static_cast<rd_kafka_topic_partition_list_t*>(list);
  std::vector<std::uint32_t> partitions;
  for (int i = 0; i < given.cnt; ++i)
    if (given.elems[i].topic == group.settings_.address.topic)
      partitions.push_back(static_cast<std::uint32_t>(given.elems[i].partition));
  if (event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    const KafkaPartitionList none(rd_kafka_topic_partition_list_new(0));
    rd_kafka_assign(client, none.get());
    return group.tell(event, partitions);
  }
  group.tell(event, partitions);
  rd_kafka_assign(client, nullptr);
}

// Runs within poll().
void KafkaGroup::on_error(rd_kafka_s*, int error, const char* reason, void* opaque) {
  if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || error == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
      error == RD_KAFKA_RESP_ERR__FATAL)
    static_cast<KafkaGroup*>(opaque)->trouble_ = reason;
}

Status KafkaGroup::join() {
  const KafkaPartitionList topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), settings_.address.topic.c_str(), RD_KAFKA_PARTITION_UA);
  return kafka_status(settings_.address, rd_kafka_subscribe(client_.get(), topics.get()));
}

void KafkaGroup::wake() {
  rd_kafka_queue_t* const queue = rd_kafka_queue_get_consumer(client_.get());
  if (queue == nullptr) return;
  rd_kafka_queue_yield(queue);
  rd_kafka_queue_destroy(queue);
}

void KafkaGroup::leave() {
  has_left_ = true;
  rd_kafka_consumer_close(client_.get());
}

Status KafkaGroup::read(std::span<const KafkaPosition> positions) {
  const KafkaPartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(positions.size())));
  for (const KafkaPosition& position : positions)
    rd_kafka_topic_partition_list_add(list.get(), settings_.address.topic.c_str(), position.partition)
        ->offset = position.offset;
  return kafka_status(settings_.address, rd_kafka_assign(client_.get(), list.get()));
}

std::optional<KafkaMessage> KafkaGroup::poll(std::chrono::milliseconds timeout) {
  rd_kafka_message_t* message = rd_kafka_consumer_poll(client_.get(), static_cast<int>(timeout.count()));
  if (thrown_) {
    if (message != nullptr) rd_kafka_message_destroy(message);
    std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
  if (message == nullptr) return std::nullopt;
  KafkaMessage result(message);
  if (result.kind() != KafkaMessage::Kind::kFailed) trouble_.reset();
  return result;
}

Result<std::int32_t> KafkaGroup::partitions(std::chrono::milliseconds timeout) const {
  return count_partitions(client_.get(), settings_.address, timeout);
}

void KafkaGroup::forget_trouble() {
  if (rd_kafka_fatal_error(client_.get(), nullptr, 0) == RD_KAFKA_RESP_ERR_NO_ERROR) trouble_.reset();
}

std::optional<std::int64_t> KafkaGroup::known_end(std::int32_t partition) const {
  return glimpse::known_end(client_.get(), settings_.address, partition);
}

KafkaGroup::Metadata KafkaGroup::metadata() const {
  return Metadata(rd_kafka_consumer_group_metadata(client_.get()));
}

std::string KafkaGroup::member() const {
  char* const name = rd_kafka_memberid(client_.get());
  if (name == nullptr) return {};
  std::string member = name;
  rd_kafka_mem_free(client_.get(), name);
  return member;
}

}  // namespace glimpse
