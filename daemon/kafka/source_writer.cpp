#include "daemon/kafka/source_writer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include "daemon/kafka/kafka_settings.h"

namespace glimpse {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kSlice{500};  // of waiting: in between it is looked at why nobody answers
// A transaction that is older may have been ended by the brokers (transaction.timeout.ms, usually 60 s),
// which they tell like a younger writer.
constexpr milliseconds kOld{10'000};

struct DestroyGroup {
  void operator()(rd_kafka_consumer_group_metadata_t* group) const {
    rd_kafka_consumer_group_metadata_destroy(group);
  }
};

// The place of the count: a partition that every topic has.
KafkaPartitionList place_of_count(const std::string& topic) {
  KafkaPartitionList list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), 0);
  return list;
}

}  // namespace

Result<std::unique_ptr<SourceWriter>> SourceWriter::open(std::string_view option, Settings settings,
                                                         std::span<const KafkaProperty> properties) {
  std::unique_ptr<SourceWriter> writer(new SourceWriter(std::move(settings)));
  writer->option_ = option;
  writer->properties_.assign(properties.begin(), properties.end());
  writer->group_ =
      fmt::format("glimpse-send/{}/{}", writer->settings_.address.topic, writer->settings_.source);
  GLIMPSE_TRY_ASSIGN(writer->producer_,
                     KafkaProducer::open(option, writer->settings_.address, properties, writer->group_));
  return writer;
}

SourceWriter::~SourceWriter() = default;

Error SourceWriter::explain_code(int error, std::string_view why) const {
  const auto kafka = static_cast<rd_kafka_resp_err_t>(error);
  if (is_fenced(kafka) && is_open_ && Clock::now() - opened_ > kOld)
    return failure(ErrorCode::kUnavailable,
                   "topic '{}' of the brokers at {}: they ended a transaction that took too long "
                   "(transaction.timeout.ms), or another writer of source '{}' has begun",
                   settings_.address.topic, settings_.address.brokers, settings_.source);
  if (is_fenced(kafka))
    return failure(
        ErrorCode::kMismatch,
        "topic '{}' of the brokers at {}: another writer of source '{}' has begun, and the younger "
        "one alone is heard; let one at a time send a source",
        settings_.address.topic, settings_.address.brokers, settings_.source);
  if (code_of(kafka) == ErrorCode::kNotFound) return explain_kafka(settings_.address, kafka);
  return failure(code_of(kafka), "topic '{}' of the brokers at {}: {}", settings_.address.topic,
                 settings_.address.brokers, why);
}

// Of several reasons the one that says most.
Status SourceWriter::reason_of(Status status) const {
  if (status) return status;
  std::array<char, 512> why{};
  const auto fatal = rd_kafka_fatal_error(producer_->client(), why.data(), why.size());
  if (fatal != RD_KAFKA_RESP_ERR_NO_ERROR) return explain_code(fatal, why.data());
  GLIMPSE_TRY(producer_->check_lost());
  if (const auto& trouble = producer_->trouble(); trouble && status.error().code == ErrorCode::kUnavailable)
    return explain_code(trouble->first, trouble->second);
  return status;
}

// Takes the error.
Error SourceWriter::explain(rd_kafka_error_s* error) const {
  const KafkaError owned(error);
  rd_kafka_poll(producer_->client(), 0);  // what came of messages, and of brokers
  return reason_of(explain_code(rd_kafka_error_code(error), rd_kafka_error_string(error))).error();
}

Status SourceWriter::shut_out_others() {
  const auto end = Clock::now() + settings_.timeout;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    const auto slice = static_cast<int>(std::clamp(left, milliseconds(1), kSlice).count());
    rd_kafka_error_t* const error = rd_kafka_init_transactions(producer_->client(), slice);
    if (error == nullptr) return {};
    const bool may_come = rd_kafka_error_is_retriable(error) != 0;
    const Error why = explain(error);
    if (why.code != ErrorCode::kUnavailable || !may_come || left.count() <= 0) return why;
  }
}

// Of a client with the group, which joins nothing. A count that is being committed is waited for
// (isolation.level=read_committed).
Result<std::uint64_t> SourceWriter::count_inside() {
  KafkaSettings settings;
  GLIMPSE_TRY(settings.pass_through(option_, properties_));
  settings.own("bootstrap.servers", settings_.address.brokers.c_str());
  settings.own("group.id", group_.c_str());
  settings.own("enable.auto.commit", "false");
  settings.own("isolation.level", "read_committed");
  GLIMPSE_TRY_ASSIGN(const auto client, settings.make_client(option_, RD_KAFKA_CONSUMER));
  const KafkaPartitionList list = place_of_count(settings_.address.topic);
  auto error = rd_kafka_committed(client, list.get(), timeout());
  end_kafka_client(client);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) error = list->elems[0].err;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return explain_code(error, fmt::format("group '{}': {}", group_, rd_kafka_err2str(error)));
  return static_cast<std::uint64_t>(std::max<std::int64_t>(list->elems[0].offset, 0));
}

Result<std::uint64_t> SourceWriter::begin() {
  GLIMPSE_TRY(shut_out_others());
  return count_inside();
}

Result<std::int32_t> SourceWriter::partitions() {
  const auto count = count_partitions(producer_->client(), settings_.address, settings_.timeout);
  if (count) return count;
  rd_kafka_poll(producer_->client(), 0);
  return reason_of(count.error()).error();
}

Status SourceWriter::open_transaction() {
  if (is_open_) return {};
  if (rd_kafka_error_t* const error = rd_kafka_begin_transaction(producer_->client()); error != nullptr)
    return explain(error);
  is_open_ = true;
  opened_ = Clock::now();
  return {};
}

Status SourceWriter::send(std::string_view value, std::int32_t partition) {
  GLIMPSE_TRY(open_transaction());
  return reason_of(producer_->send(value, partition, settings_.timeout));
}

Status SourceWriter::commit(std::uint64_t records) {
  GLIMPSE_TRY(open_transaction());
  const KafkaPartitionList list = place_of_count(settings_.address.topic);
  list->elems[0].offset = static_cast<std::int64_t>(records);
  const std::unique_ptr<rd_kafka_consumer_group_metadata_t, DestroyGroup> group(
      rd_kafka_consumer_group_metadata_new(group_.c_str()));
  rd_kafka_error_t* error =
      rd_kafka_send_offsets_to_transaction(producer_->client(), list.get(), group.get(), timeout());
  if (error == nullptr) error = rd_kafka_commit_transaction(producer_->client(), timeout());
  if (error != nullptr) return explain(error);
  is_open_ = false;
  return {};
}

void SourceWriter::abandon() {
  if (!is_open_) return;
  const KafkaError ignored(rd_kafka_abort_transaction(producer_->client(), timeout()));
}

}  // namespace glimpse
