#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/state.h"
#include "daemon/fleet/fleet_cut.h"
#include "daemon/fleet/state_chunks.h"
#include "daemon/ingest/message_batch.h"
#include "daemon/training/stream_processor.h"

namespace glimpse {

/// A partition that this member learns from: its learner, and how far it read. What it has learned is a
/// function of the options, the partition, its messages and where cuts() came between these. Thread-safety:
/// none.
class OwnedPartition {
 public:
  /// `processor`: as `version` left it, or new with an empty version, whose offset says where to begin.
  /// `feed` becomes the source "kafka:TOPIC/PARTITION" of it: what its reader must know of the first records,
  /// as the format, the delimiter and a line of column names, is part of the state. `framing`: of a message,
  /// where it is not that of the feed, as an array of npy, whose rows are the feed's.
  OwnedPartition(std::string topic, std::uint32_t partition, std::unique_ptr<StreamProcessor> processor,
                 std::shared_ptr<Feed> feed, const StateVersion& version,
                 std::optional<Framing> framing = std::nullopt);

  /// The state's own word on where it belongs: that of another partition or another position than `version`
  /// says is refused (kCorrupt, kMismatch).
  static Status check(const State& state, std::string_view topic, std::uint32_t partition,
                      const StateVersion& version);

  /// Takes a message, as MessageBatch says, to learn from it with those that follow. One that is inside
  /// already, as its offset tells, changes nothing: false.
  bool take(std::uint64_t offset, std::string_view payload);
  /// A message that has no content, or one that nobody may learn from, is passed over.
  bool pass_over(std::uint64_t offset);
  /// Learns from all that was taken; what looks at the learner does so before. What is learned does not
  /// depend on when this is called.
  void work_off();
  /// There was no memory for a record: it is not inside, and nothing more of the partition is learned here.
  /// What was learned since the last commit is of no use.
  bool has_given_up() const { return feed_->retired; }
  /// Records and whole messages that could not be read here.
  std::uint64_t refused() const { return feed_->door->parse_errors; }
  /// Those of them that have a line over the limit.
  std::uint64_t oversized() const { return feed_->door->oversized; }

  /// The fleet's stream has changed: what came before is forgotten, here and now. One of a number that was
  /// applied already, or is below the last one's, changes nothing: false.
  bool apply(const FleetCut& cut);
  /// Those that were applied.
  const AppliedCuts& cuts() const { return cuts_; }
  /// What decides beside the messages what is learned, as "name=value" lines: part of the state.
  void set_learning(std::string description) { learning_ = std::move(description); }
  /// Whether a state was learned as such lines say. Errors (kMismatch): it was not; both values of the first
  /// option that differs. A state of an earlier build, which does not say, is taken.
  static Status check_learning(const State& state, std::uint32_t partition, std::string_view description);

  /// Before anything is learned: those of the state that the processor was restored from. Errors: kCorrupt.
  Status restore_cuts(const State& state);
  /// One was applied since the state that was committed last.
  bool has_new_cut() const { return cuts_.number() != committed_cut_; }

  /// Of the first message that is not inside.
  std::uint64_t next_offset() const { return next_offset_; }
  /// Messages since the state that was committed last.
  std::uint64_t since_commit() const { return next_offset_ - committed_.offset; }
  /// Something has changed since then: messages, or plans that were given out or told of.
  bool has_news() const { return since_commit() > 0 || processor_->records() != committed_records_; }
  const StateVersion& committed() const { return committed_; }
  /// REQUIRES: nothing was learned since encode().
  void note_committed(const StateVersion& version) {
    committed_ = version;
    committed_records_ = processor_->records();
    committed_cut_ = cuts_.number();
  }

  /// What the next commit writes: a checkpoint of everything, valid until the next call. Errors: those of
  /// encode_checkpoint(). Cost: as a checkpoint.
  Result<std::string_view> encode();

  /// That has learned from all that was taken.
  StreamProcessor& processor() {
    work_off();
    return *processor_;
  }
  const Feed& feed() const { return *feed_; }
  std::uint32_t partition() const { return partition_; }

 private:
  const std::string topic_;
  const std::uint32_t partition_;
  std::unique_ptr<StreamProcessor> processor_;
  std::shared_ptr<Feed> feed_;
  std::unique_ptr<BufferPool> pool_;  // of the batch
  MessageBatch batch_;
  StateVersion committed_;
  std::uint64_t next_offset_;
  std::uint64_t committed_records_;
  std::string learning_;  // empty: not told
  AppliedCuts cuts_;
  std::uint64_t committed_cut_ = 0;
  State state_;          // its memory is kept
  std::string encoded_;  // of it
};

}  // namespace glimpse
