#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "daemon/fleet/fleet_link.h"
#include "daemon/fleet/state_chunks.h"
#include "daemon/group/kafka_group.h"
#include "daemon/kafka/kafka_properties.h"

struct rd_kafka_s;
struct rd_kafka_error_s;

namespace glimpse {

/// Sees to it that the topic of states is there, with as many partitions as the input has: makes it where it
/// is not, compacted, with the brokers' number of replicas. Errors: kMismatch, it has another number of
/// partitions; kUnavailable, no broker answered in time or none may make it; kInvalidOption of properties.
/// Blocks for at most so long an answer.
Status ensure_state_topic(std::string_view option, const KafkaAddress& states, std::uint32_t partitions,
                          std::span<const KafkaProperty> properties, std::chrono::milliseconds timeout);

/// Writes the states of one partition, each in a transaction with the group's offset. Of those that write the
/// same partition's states the brokers hear the youngest alone: fence() makes it this one.
///
/// Thread-safety: none.
class StateWriter {
 public:
  struct Settings {
    KafkaAddress states;  ///< the state topic, on the brokers of the input
    std::string input;    ///< the topic of the input
    std::string group;
    std::uint32_t partition = 0;
    std::string owner;  ///< where this instance answers, told beside each state; may be empty
  };

  /// Reaches for no broker yet. Errors: as KafkaProducer::open().
  static Result<std::unique_ptr<StateWriter>> open(std::string_view option, Settings settings,
                                                   std::span<const KafkaProperty> properties);
  /// What was not committed is given up.
  ~StateWriter();
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;

  /// From kDone on no older writer commits anything, and readers of the state topic know where this one
  /// answers (owner_key()). Waits at most so long for an answer of the brokers, and goes on waiting for it at
  /// the next call.
  FleetLink::Answer fence(std::chrono::milliseconds timeout);
  /// Both the state and the offset of the group's `member`, or neither. kFenced also where it is not known
  /// which: a younger writer finds out. Waits at most so long for each answer, and for the state as long as
  /// within each such time more of it is there: a large one may take minutes. What was given up so, kLater,
  /// can be written again. REQUIRES: fence() was kDone.
  FleetLink::Answer commit(const StateChunks& state, const KafkaGroup::Metadata& member,
                           std::chrono::milliseconds timeout);

  /// Why the last answer was not kDone.
  const std::string& why() const { return why_; }

 private:
  struct Destroy {
    void operator()(rd_kafka_s* client) const;
  };

  explicit StateWriter(Settings settings) : settings_(std::move(settings)) {}
  FleetLink::Answer answer(rd_kafka_error_s* error);
  FleetLink::Answer give_up(rd_kafka_error_s* error, std::chrono::milliseconds timeout);
  FleetLink::Answer abort(std::chrono::milliseconds timeout);
  rd_kafka_error_s* deliver(std::chrono::milliseconds timeout);
  FleetLink::Answer announce(std::chrono::milliseconds timeout);
  rd_kafka_error_s* write(const StateChunks& state);
  rd_kafka_error_s* produce(std::string_view key, std::string_view version, std::string_view payload);

  const Settings settings_;
  std::string why_;
  bool is_first_ = true;        // no older writer was ended yet
  bool must_abort_ = false;     // a transaction that was given up is not ended yet
  bool is_announcing_ = false;  // the transaction that tells where this one answers was begun
  bool is_announced_ = false;   // and has ended
  std::unique_ptr<rd_kafka_s, Destroy> client_;
};

/// The key of the message in which a new owner of a partition says where it answers: "3/owner".
std::string owner_key(std::uint32_t partition);
inline constexpr std::string_view kOwnerKeyEnd = "/owner";
/// What the key of a decision on how tables are read begins with; its value is the text of --schema's file,
/// or empty: none is decided beforehand.
inline constexpr std::string_view kSchemaKey = "schema/";

/// The headers of the messages of a state topic.
inline constexpr const char* kStateHeader = "glimpse-state";  ///< format_version()
inline constexpr const char* kOwnerHeader = "glimpse-owner";  ///< where its writer answers

}  // namespace glimpse
