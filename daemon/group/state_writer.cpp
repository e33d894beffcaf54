#include "daemon/group/state_writer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/kafka/kafka_consumer.h"
#include "daemon/kafka/kafka_settings.h"

// Clang counts the macros of librdkafka as this file's code.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-statement-expression-from-macro-expansion"
#endif

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

namespace {

// librdkafka 2.0 ends the process by an assertion where the time of a commit is over just as the brokers have
// answered it. So it gets more than they need.
constexpr std::chrono::milliseconds kCommit{500};

int milliseconds(std::chrono::milliseconds timeout) { return static_cast<int>(timeout.count()); }

}  // namespace

void StateWriter::Destroy::operator()(rd_kafka_s* client) const {
  rd_kafka_purge(client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  end_kafka_client(client);
}

Result<std::unique_ptr<StateWriter>> StateWriter::open(std::string_view option, Settings settings,
                                                       std::span<const KafkaProperty> properties) {
  std::unique_ptr<StateWriter> writer(new StateWriter(std::move(settings)));
  const Settings& of = writer->settings_;
  KafkaSettings of_client;
  // A large state takes its time. What is open when an instance is killed its next owner ends at once.
  of_client.own("transaction.timeout.ms", "300000");
  GLIMPSE_TRY(of_client.pass_through(option, properties));
  of_client.own("bootstrap.servers", of.states.brokers.c_str());
  of_client.own("transactional.id",
                fmt::format("glimpse/{}/{}/{}", of.group, of.input, of.partition).c_str());
  of_client.own("allow.auto.create.topics", "false");
  GLIMPSE_TRY_ASSIGN(auto client, of_client.make_client(option, RD_KAFKA_PRODUCER));
  writer->client_.reset(client);
  return writer;
}

StateWriter::~StateWriter() = default;

// Takes the error.
FleetLink::Answer StateWriter::answer(rd_kafka_error_s* error) {
  if (error == nullptr) return FleetLink::Answer::kDone;
  const KafkaError owned(error);
  why_ = rd_kafka_error_string(error);
  return rd_kafka_error_is_fatal(error) != 0 ? FleetLink::Answer::kFenced : FleetLink::Answer::kLater;
}

std::string owner_key(std::uint32_t partition) { return fmt::format("{}{}", partition, kOwnerKeyEnd); }

FleetLink::Answer StateWriter::fence(std::chrono::milliseconds timeout) {
  if (is_first_) {
    const auto first = answer(rd_kafka_init_transactions(client_.get(), milliseconds(timeout)));
    if (first != FleetLink::Answer::kDone) return first;
    is_first_ = false;
  }
  return announce(timeout);
}

FleetLink::Answer StateWriter::announce(std::chrono::milliseconds timeout) {
  if (is_announced_ || settings_.owner.empty()) return FleetLink::Answer::kDone;
  if (must_abort_)
    if (const auto ended = abort(timeout); ended != FleetLink::Answer::kDone) return ended;
  rd_kafka_error_t* error = nullptr;
  if (!is_announcing_) {
    if (const auto begun = answer(rd_kafka_begin_transaction(client_.get()));
        begun != FleetLink::Answer::kDone)
      return begun;
    is_announcing_ = true;
    error = produce(owner_key(settings_.partition), {}, settings_.owner);
  }
  if (error == nullptr) {
    if (rd_kafka_flush(client_.get(), milliseconds(timeout)) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      why_ = "the brokers have not taken the message of a new owner yet";
      return FleetLink::Answer::kLater;
    }
    error = rd_kafka_commit_transaction(client_.get(), milliseconds(std::max(timeout, kCommit)));
    // The same call again waits on.
    if (error != nullptr && rd_kafka_error_is_retriable(error) != 0 &&
        rd_kafka_error_txn_requires_abort(error) == 0)
      return answer(error);
  }
  is_announcing_ = false;
  if (error != nullptr) return give_up(error, timeout);
  is_announced_ = true;
  return FleetLink::Answer::kDone;
}

// The bytes stay where they are until the transaction's end.
rd_kafka_error_s* StateWriter::produce(std::string_view key, std::string_view version,
                                       std::string_view payload) {
  const auto error = rd_kafka_producev(
      client_.get(), RD_KAFKA_V_TOPIC(settings_.states.topic.c_str()),
      RD_KAFKA_V_PARTITION(static_cast<std::int32_t>(settings_.partition)),
      RD_KAFKA_V_KEY(key.data(), key.size()), RD_KAFKA_V_MSGFLAGS(0),
      RD_KAFKA_V_VALUE(const_cast<char*>(payload.data()), payload.size()),
      RD_KAFKA_V_HEADER(kStateHeader, version.data(), static_cast<std::ptrdiff_t>(version.size())),
      RD_KAFKA_V_HEADER(kOwnerHeader, settings_.owner.data(),
                        static_cast<std::ptrdiff_t>(settings_.owner.size())),
      RD_KAFKA_V_END);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return nullptr;
  return rd_kafka_error_new(error, "message %s: %s", std::string(key).c_str(), rd_kafka_err2str(error));
}

rd_kafka_error_s* StateWriter::write(const StateChunks& state) {
  const std::string version = format_version(state.version());
  for (std::uint32_t c = 0; c < state.version().chunks; ++c)
    if (rd_kafka_error_t* const error = produce(format_chunk_key(state.key(c)), version, state.payload(c));
        error != nullptr)
      return error;
  return nullptr;
}

// Can be called again where the brokers did not answer in time.
FleetLink::Answer StateWriter::abort(std::chrono::milliseconds timeout) {
  must_abort_ = true;
  rd_kafka_error_t* const error = rd_kafka_abort_transaction(client_.get(), milliseconds(timeout));
  const bool may_again = error != nullptr && rd_kafka_error_is_retriable(error) != 0;
  const auto ended = answer(error);
  if (ended == FleetLink::Answer::kDone) must_abort_ = false;
  return ended == FleetLink::Answer::kDone || may_again ? ended : FleetLink::Answer::kFenced;
}

// Ends the transaction in which `error` came up. Takes it.
FleetLink::Answer StateWriter::give_up(rd_kafka_error_s* error, std::chrono::milliseconds timeout) {
  if (const auto first = answer(error); first == FleetLink::Answer::kFenced) return first;
  const std::string why = why_;
  const auto ended = abort(timeout);
  if (ended == FleetLink::Answer::kDone) {
    why_ = why;
    return FleetLink::Answer::kLater;
  }
  why_ = why + "; and " + why_;
  return ended;
}

// Waits until all messages are there, as long as more of them come to be.
rd_kafka_error_s* StateWriter::deliver(std::chrono::milliseconds timeout) {
  for (int waiting = rd_kafka_outq_len(client_.get()); waiting > 0;) {
    const auto error = rd_kafka_flush(client_.get(), milliseconds(timeout));
    const int left = rd_kafka_outq_len(client_.get());
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR && left >= waiting)
      return rd_kafka_error_new(error, "%d messages of a state wait, and none was taken within %d ms", left,
                                milliseconds(timeout));
    waiting = left;
  }
  return nullptr;
}

FleetLink::Answer StateWriter::commit(const StateChunks& state, const KafkaGroup::Metadata& member,
                                      std::chrono::milliseconds timeout) {
  if (must_abort_)
    if (const auto ended = abort(timeout); ended != FleetLink::Answer::kDone) return ended;
  if (const auto begun = answer(rd_kafka_begin_transaction(client_.get())); begun != FleetLink::Answer::kDone)
    return begun;
  if (rd_kafka_error_s* const error = write(state); error != nullptr) return give_up(error, timeout);
  if (rd_kafka_error_s* const error = deliver(timeout); error != nullptr) return give_up(error, timeout);
  if (member != nullptr) {
    rd_kafka_topic_partition_list_t* const offsets = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(offsets, settings_.input.c_str(),
                                      static_cast<std::int32_t>(settings_.partition))
        ->offset = static_cast<std::int64_t>(state.version().offset);
    rd_kafka_error_t* const error =
        rd_kafka_send_offsets_to_transaction(client_.get(), offsets, member.get(), milliseconds(timeout));
    rd_kafka_topic_partition_list_destroy(offsets);
    if (error != nullptr) return give_up(error, timeout);
  }
  rd_kafka_error_t* const error = rd_kafka_commit_transaction(client_.get(), milliseconds(timeout));
  if (error == nullptr) return FleetLink::Answer::kDone;
  if (rd_kafka_error_txn_requires_abort(error) != 0) return give_up(error, timeout);
  // It may have been committed: a younger writer makes sure, and reads.
  (void)answer(error);
  return FleetLink::Answer::kFenced;
}

}  // namespace glimpse
