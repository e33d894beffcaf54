#include "daemon/fleet/owned_partition.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "learn/core/array_limits.h"

namespace glimpse {

namespace {

constexpr const char* kTopic = "fleet.topic";
constexpr const char* kPartition = "fleet.partition";
constexpr const char* kOffset = "fleet.offset";
constexpr const char* kSequence = "fleet.sequence";
constexpr const char* kLearning = "fleet.learning";

constexpr std::size_t kBuffer = std::size_t{64} << 10;  // bytes of messages that are learned from together
constexpr std::size_t kBuffers = 2;

}  // namespace

OwnedPartition::OwnedPartition(std::string topic, std::uint32_t partition,
                               std::unique_ptr<StreamProcessor> processor, std::shared_ptr<Feed> feed,
                               const StateVersion& version, std::optional<Framing> framing)
    : topic_(std::move(topic)),
      partition_(partition),
      processor_(std::move(processor)),
      feed_(std::move(feed)),
      pool_(std::make_unique<BufferPool>(kBuffer, kBuffers)),
      batch_(framing.value_or(feed_->framing), *pool_),
      committed_(version),
      next_offset_(version.offset),
      committed_records_(processor_->records()) {
  feed_->in_messages = true;
  feed_->position = version.offset;
  // The only source of this learner, which is there in its state or is the first one.
  processor_->sources().set_limit(1);
  (void)processor_->open_source(feed_, fmt::format("kafka:{}/{}", topic_, partition_), std::nullopt);
}

Status OwnedPartition::check(const State& state, std::string_view topic, std::uint32_t partition,
                             const StateVersion& version) {
  const auto of_topic = state.get_text(kTopic);
  const auto of_partition = state.get_number<std::uint64_t>(kPartition);
  const auto offset = state.get_number<std::uint64_t>(kOffset);
  const auto sequence = state.get_number<std::uint64_t>(kSequence);
  if (!of_topic || !of_partition || !offset || !sequence)
    return failure(ErrorCode::kCorrupt, "the state of partition {} does not say whose it is", partition);
  if (*of_topic != topic)
    return failure(
        ErrorCode::kMismatch,
        "the state of partition {} is of topic '{}', and this fleet reads '{}': name another group",
        partition, *of_topic, topic);
  if (*of_partition != partition || *offset != version.offset || *sequence != version.sequence)
    return failure(
        ErrorCode::kCorrupt,
        "state {} of partition {} at offset {} says that it is state {} of partition {} at offset {}",
        version.sequence, partition, version.offset, *sequence, *of_partition, *offset);
  if (const auto cuts = AppliedCuts::restore(state); !cuts)
    return failure(cuts.error().code, "state {} of partition {}: {}", version.sequence, partition,
                   cuts.error().message);
  return {};
}

Status OwnedPartition::check_learning(const State& state, std::uint32_t partition,
                                      std::string_view description) {
  const auto text = state.get_text(kLearning);
  if (!text || description.empty()) return {};
  const std::string before = fmt::format("\n{}", *text);
  for (std::string_view now = description; !now.empty();) {
    const std::string_view line = now.substr(0, now.find('\n'));
    now.remove_prefix(std::min(line.size() + 1, now.size()));
    const std::string name = fmt::format("\n{}=", line.substr(0, line.find('=')));
    const std::size_t place = before.find(name);
    if (place == std::string::npos) continue;  // what only one of them names came with another build
    const std::string line_before = before.substr(place + 1, before.find('\n', place + 1) - place - 1);
    if (line_before != line)
      return failure(ErrorCode::kMismatch,
                     "the state of partition {} was learned with {}, and this instance has {}: give all "
                     "instances of a fleet the same, or name another group, which starts from nothing",
                     partition, line_before, line);
  }
  return {};
}

bool OwnedPartition::take(std::uint64_t offset, std::string_view payload) {
  if (!pass_over(offset)) return false;
  if (batch_.bytes() + payload.size() >= kBuffer) work_off();
  batch_.add(payload, offset);
  return true;
}

void OwnedPartition::work_off() {
  if (batch_.empty()) return;
  Block block = batch_.take();
  block.feed = feed_;
  BlockResult result;
  (void)processor_->process(block, false, result);
}

bool OwnedPartition::pass_over(std::uint64_t offset) {
  if (offset < next_offset_) return false;
  next_offset_ = offset + 1;  // offsets of a log that transactions wrote have gaps
  return true;
}

bool OwnedPartition::apply(const FleetCut& cut) {
  if (cut.rise.number <= cuts_.number()) return false;
  work_off();
  processor_->learner().forget_together(cut.rise);
  cuts_.add(cut, next_offset_);
  processor_->note_change();
  return true;
}

Status OwnedPartition::restore_cuts(const State& state) {
  GLIMPSE_TRY_ASSIGN(cuts_, AppliedCuts::restore(state));
  committed_cut_ = cuts_.number();
  return {};
}

Result<std::string_view> OwnedPartition::encode() {
  work_off();
  state_.begin();
  processor_->save(state_);
  state_.put_text(kTopic, topic_);
  state_.put_number(kPartition, std::uint64_t{partition_});
  state_.put_number(kOffset, next_offset_);
  state_.put_number(kSequence, committed_.sequence + 1);
  if (!learning_.empty()) state_.put_text(kLearning, learning_);
  cuts_.save(state_);
  state_.finish();
  reset_reports(state_);
  GLIMPSE_TRY_ASSIGN(encoded_, encode_checkpoint(state_));
  return std::string_view(encoded_);
}

}  // namespace glimpse
