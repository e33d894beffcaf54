#include "daemon/group/state_writer.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include "daemon/kafka/kafka_end.h"
#include "daemon/kafka/kafka_settings.h"

// Clang counts the macros of librdkafka as this file's code.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-statement-expression-from-macro-expansion"
#endif

namespace glimpse {

namespace {

struct DestroyError {
  void operator()(rd_kafka_error_t* error) const { rd_kafka_error_destroy(error); }
};
using KafkaError = std::unique_ptr<rd_kafka_error_t, DestroyError>;

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
    error = rd_kafka_commit_transaction(client_.get(), milliseconds(timeout));
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
