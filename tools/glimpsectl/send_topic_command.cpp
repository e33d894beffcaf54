#include "glimpsectl/commands.h"

#ifdef GLIMPSE_HAS_KAFKA

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <poll.h>
#include <utility>

#include "daemon/kafka/source_writer.h"
#include "glimpsectl/input/record_tape.h"
#include "glimpsectl/send_patience.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Sends one source to a topic, over as many writers as it takes.
class TopicSender {
 public:
  TopicSender(const CommandLine& line, Console& console, ByteTape bytes, KafkaAddress address,
              std::vector<KafkaProperty> properties)
      : line_(line),
        console_(console),
        address_(std::move(address)),
        properties_(std::move(properties)),
        tape_(std::move(bytes), line.format, line.dimension),
        notes_(console),
        patience_(line) {}

  Status run() {
    for (;;) {
      const std::uint64_t before = durable_;
      const Status status = serve();
      if (status || status.error().code != ErrorCode::kUnavailable) return finish(status);
      patience_.note_break(durable_ > before);
      if (patience_.is_over())
        return finish(failure(ErrorCode::kUnavailable, "{}; given up after {}", status.error().message,
                              patience_.limit()));
      if (const auto trying = patience_.trying_again(status.error().message)) notes_.note(*trying);
      patience_.pause();
    }
  }

 private:
  // With one writer. Success: the brokers have all.
  Status serve() {
    GLIMPSE_TRY_ASSIGN(
        auto writer,
        SourceWriter::open("kafka-property", {address_, line_.source, patience_.within(line_.timeout)},
                           properties_));
    GLIMPSE_TRY_ASSIGN(const auto partitions, writer->partitions());
    if (line_.partition && *line_.partition >= static_cast<std::uint32_t>(partitions))
      return failure(ErrorCode::kNotFound, "--partition '{}': topic '{}' has partitions 0 to {}",
                     *line_.partition, address_.topic, partitions - 1);
    GLIMPSE_TRY_ASSIGN(const auto inside, writer->begin());
    if (const Status status = take_up(inside, static_cast<std::uint32_t>(partitions)); !status) return status;
    const Status status = send_rest(*writer);
    if (!status) writer->abandon();
    return status;
  }

  // Goes behind what is inside.
  Status take_up(std::uint64_t inside, std::uint32_t partitions) {
    if (const Status status = tape_.seek(inside); !status) return status;
    if (!first_ && inside > 0) notes_.note(records(tape_.without_header(inside)) + " received before");
    if (!first_) first_ = inside;
    patience_.note_met();
    durable_ = inside;
    partitions_ = partitions;
    next_partition_ = static_cast<std::uint32_t>(inside % partitions);
    has_open_ = false;
    open_bytes_ = 0;
    return tape_.forget(durable_);
  }

  Status send_rest(SourceWriter& writer) {
    for (;;) {
      const auto now = Clock::now();
      if (has_open_ && (now - opened_ >= line_.commit_every || open_bytes_ >= most_open()))
        if (const Status status = commit(writer); !status) return status;
      show();
      if (tape_.waits()) {
        wait_for_input();
        continue;
      }
      const bool is_first = tape_.position() == 0;
      const auto piece = tape_.next();
      const bool ended = !piece || piece->bytes.empty();
      // What came before a bad record counts, as it does where a daemon is sent to.
      if (ended && has_open_)
        if (const Status status = commit(writer); !status) return status;
      if (!piece) return piece.error();
      if (ended) return {};
      if (const Status status = is_first ? check_first() : Status(); !status) return status;
      if (!has_open_) opened_ = Clock::now();
      has_open_ = true;
      const bool is_header = is_first && line_.format == "npy";  // each message has one of its own
      if (const Status status = is_header ? Status() : send(writer, piece->bytes); !status) return status;
    }
  }

  // A partition is a table of its own for its readers.
  Status check_first() const {
    if (partitions_ == 1 || line_.partition || tape_.row_bytes() > 0 || !tape_.has_header()) return {};
    return failure(ErrorCode::kInvalidInput,
                   "'{}': its first line names columns, which holds for one partition alone, and topic '{}' "
                   "has {}: give --partition N, take a topic with one partition, or send ndjson",
                   line_.file, address_.topic, partitions_);
  }

  Status send(SourceWriter& writer, std::string_view records) {
    RecordMessages messages(tape_.row_bytes(), line_.format == "npy", line_.message_size);
    while (!records.empty()) {
      const std::string_view message = messages.take(records);
      const std::uint32_t partition = line_.partition.value_or(next_partition_);
      next_partition_ = (next_partition_ + 1) % partitions_;
      if (const Status status = writer.send(message, static_cast<std::int32_t>(partition)); !status)
        return failure(status.error().code, "{} (records up to {})", status.error().message,
                       with_thousands(tape_.position()));
      open_bytes_ += message.size();
      sent_bytes_ += message.size();
    }
    return {};
  }

  Status commit(SourceWriter& writer) {
    if (const Status status = writer.commit(tape_.position()); !status) return status;
    has_open_ = false;
    open_bytes_ = 0;
    durable_ = tape_.position();
    patience_.note_moved();
    return tape_.forget(durable_);
  }

  void wait_for_input() {
    auto most = SendNotes::kRedraw;
    if (has_open_)
      most = std::clamp(std::chrono::ceil<milliseconds>(opened_ + line_.commit_every - Clock::now()),
                        milliseconds(0), most);
    pollfd waiting{tape_.descriptor(), POLLIN, 0};
    ::poll(&waiting, 1, static_cast<int>(most.count()));
    patience_.note_idle();  // the producer is slow, not the brokers
  }

  // Bytes of a transaction: those of a pipe are kept until it ends.
  std::uint64_t most_open() const { return std::max<std::uint64_t>(line_.memory / 2, 1); }

  std::uint64_t sent_records() const {
    return durable() - std::min(tape_.without_header(first_.value_or(0)), durable());
  }
  std::uint64_t durable() const { return tape_.without_header(durable_); }

  void show() {
    notes_.show({sent_bytes_, tape_.without_header(tape_.position()), sent_records(), durable()});
  }

  Status finish(const Status& status) {
    notes_.clear();
    if (!status) return status;
    if (tape_.has_ended_line() && tape_.is_file()) notes_.note(kEndedLine);
    tell_end(console_, line_.source, durable(), sent_records());
    return tape_.check_end();
  }

  const CommandLine& line_;
  Console& console_;
  const KafkaAddress address_;
  const std::vector<KafkaProperty> properties_;
  RecordTape tape_;
  SendNotes notes_;
  SendPatience patience_;
  std::uint32_t partitions_ = 1;
  std::uint32_t next_partition_ = 0;
  std::optional<std::uint64_t> first_;  // records inside before this
  std::uint64_t durable_ = 0;
  bool has_open_ = false;         // records that are not committed, or numpy's header
  std::uint64_t open_bytes_ = 0;  // of these
  Clock::time_point opened_{};    // since when there are some
  std::uint64_t sent_bytes_ = 0;
};

}  // namespace

Status send_to_topic(const CommandLine& line, Console& console) {
  GLIMPSE_TRY_ASSIGN(auto address, parse_kafka_address("to", line.topic));
  GLIMPSE_TRY_ASSIGN(auto properties, parse_kafka_properties("kafka-property", line.kafka_properties));
  GLIMPSE_TRY_ASSIGN(auto bytes, ByteTape::open(line.file));
  return TopicSender(line, console, std::move(bytes), std::move(address), std::move(properties)).run();
}

}  // namespace glimpse::ctl

#else

namespace glimpse::ctl {

// The command line was refused before.
Status send_to_topic(const CommandLine&, Console&) { return {}; }

}  // namespace glimpse::ctl

#endif
