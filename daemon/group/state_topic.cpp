#include "daemon/group/state_topic.h"

#include <array>
#include <librdkafka/rdkafka.h>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/kafka/kafka_consumer.h"
#include "daemon/kafka/kafka_end.h"
#include "daemon/kafka/kafka_settings.h"

namespace glimpse {

namespace {

template <auto destroy>
struct Destroy {
  template <class Object>
  void operator()(Object* object) const {
    destroy(object);
  }
};
using Client = std::unique_ptr<rd_kafka_t, Destroy<end_kafka_client>>;
using NewTopic = std::unique_ptr<rd_kafka_NewTopic_t, Destroy<rd_kafka_NewTopic_destroy>>;
using Resource = std::unique_ptr<rd_kafka_ConfigResource_t, Destroy<rd_kafka_ConfigResource_destroy>>;
using Queue = std::unique_ptr<rd_kafka_queue_t, Destroy<rd_kafka_queue_destroy>>;
using Options = std::unique_ptr<rd_kafka_AdminOptions_t, Destroy<rd_kafka_AdminOptions_destroy>>;
using Event = std::unique_ptr<rd_kafka_event_t, Destroy<rd_kafka_event_destroy>>;

Error not_made(const KafkaAddress& states, std::string_view why) {
  return failure(ErrorCode::kUnavailable, "the topic of states '{}' cannot be made on the brokers at {}: {}",
                 states.topic, states.brokers, why);
}

Status make_topic(rd_kafka_t* client, const KafkaAddress& states, std::uint32_t partitions,
                  std::chrono::milliseconds timeout) {
  std::array<char, 512> why{};
  const NewTopic topic(
      rd_kafka_NewTopic_new(states.topic.c_str(), static_cast<int>(partitions), -1, why.data(), why.size()));
  if (topic == nullptr) return not_made(states, why.data());
  rd_kafka_NewTopic_set_config(topic.get(), "cleanup.policy", "compact");
  const Options options(rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_CREATETOPICS));
  const int milliseconds = static_cast<int>(timeout.count());
  rd_kafka_AdminOptions_set_request_timeout(options.get(), milliseconds, why.data(), why.size());
  rd_kafka_AdminOptions_set_operation_timeout(options.get(), milliseconds, why.data(), why.size());
  const Queue queue(rd_kafka_queue_new(client));
  std::array<rd_kafka_NewTopic_t*, 1> topics{topic.get()};
  rd_kafka_CreateTopics(client, topics.data(), topics.size(), options.get(), queue.get());
  const Event event(rd_kafka_queue_poll(queue.get(), milliseconds + 1000));
  if (event == nullptr) return not_made(states, "no answer");
  if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return not_made(states, rd_kafka_event_error_string(event.get()));
  std::size_t count = 0;
  const rd_kafka_topic_result_t** const results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  const auto error = count == 1 ? rd_kafka_topic_result_error(results[0]) : RD_KAFKA_RESP_ERR__FAIL;
  // Another member was quicker.
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) return {};
  return not_made(states, rd_kafka_err2str(error));
}

// What the brokers let anybody know of it; Errors (kMismatch): old states would be removed with time. Brokers
// that do not say are believed.
Status check_policy(rd_kafka_t* client, const KafkaAddress& states, std::chrono::milliseconds timeout) {
  std::array<char, 512> why{};
  const Resource resource(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, states.topic.c_str()));
  if (resource == nullptr) return {};
  const Options options(rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS));
  const int milliseconds = static_cast<int>(timeout.count());
  rd_kafka_AdminOptions_set_request_timeout(options.get(), milliseconds, why.data(), why.size());
  const Queue queue(rd_kafka_queue_new(client));
  std::array<rd_kafka_ConfigResource_t*, 1> asked{resource.get()};
  rd_kafka_DescribeConfigs(client, asked.data(), asked.size(), options.get(), queue.get());
  const Event event(rd_kafka_queue_poll(queue.get(), milliseconds + 1000));
  if (event == nullptr || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** const found =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  if (count != 1 || rd_kafka_ConfigResource_error(found[0]) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  std::size_t entries = 0;
  const rd_kafka_ConfigEntry_t** const entry = rd_kafka_ConfigResource_configs(found[0], &entries);
  for (std::size_t i = 0; i < entries; ++i) {
    const char* const value = rd_kafka_ConfigEntry_value(entry[i]);
    if (value == nullptr || std::string_view(rd_kafka_ConfigEntry_name(entry[i])) != "cleanup.policy")
      continue;
    if (std::string_view(value) != "compact")
      return failure(
          ErrorCode::kMismatch,
          "the topic of states '{}' has cleanup.policy={}: states would be removed with time, and with "
          "them what was learned; set cleanup.policy=compact",
          states.topic, value);
  }
  return {};
}

Status check_count(const KafkaAddress& states, std::int32_t there, std::uint32_t partitions) {
  if (there == static_cast<std::int32_t>(partitions)) return {};
  return failure(
      ErrorCode::kMismatch,
      "the topic of states '{}' has {} partitions, and the input has {}: the group's states were of "
      "another topic, or the input's partitions have changed; name another group, which starts from nothing",
      states.topic, there, partitions);
}

}  // namespace

Status ensure_state_topic(std::string_view option, const KafkaAddress& states, std::uint32_t partitions,
                          std::span<const KafkaProperty> properties, std::chrono::milliseconds timeout) {
  GLIMPSE_TRY_ASSIGN(auto consumer, KafkaConsumer::open(option, states, properties));
  auto there = consumer->partitions(timeout);
  if (there) GLIMPSE_TRY(check_count(states, *there, partitions));
  if (!there && there.error().code != ErrorCode::kNotFound) return there.error();
  KafkaSettings settings;
  GLIMPSE_TRY(settings.pass_through(option, properties));
  settings.own("bootstrap.servers", states.brokers.c_str());
  GLIMPSE_TRY_ASSIGN(auto made, settings.make_client(option, RD_KAFKA_PRODUCER));
  const Client client(made);
  if (there) return check_policy(client.get(), states, timeout);
  GLIMPSE_TRY(make_topic(client.get(), states, partitions, timeout));
  there = consumer->partitions(timeout);
  // Just made, it may not have come around yet.
  return there ? check_count(states, *there, partitions) : Status();
}

}  // namespace glimpse
