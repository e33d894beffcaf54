#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/fleet/fleet_link.h"
#include "daemon/fleet/fleet_member.h"
#include "daemon/group/extents_client.h"
#include "daemon/group/kafka_group.h"
#include "daemon/group/state_writer.h"

namespace glimpse {

/// How a member of a fleet reaches the brokers of Kafka. Thread-safety: none.
class GroupLink : public FleetLink {
 public:
  struct Settings {
    KafkaAddress input;
    KafkaAddress states;
    std::string group;
    std::string owner;   ///< StateWriter::Settings::owner
    std::string option;  ///< of properties, for errors
    std::vector<KafkaProperty> properties;
    /// For an answer, and for more of a large state to be taken, before it is asked for again.
    std::chrono::milliseconds patience{8000};
    /// For a partition to be fenced, before the next one is looked after: the brokers take about a second for
    /// a new writer, and so do not take it for each in turn.
    std::chrono::milliseconds look{5};
  };

  /// `group` must outlive this.
  GroupLink(KafkaGroup& group, std::unique_ptr<ExtentsClient> extents, Settings settings)
      : group_(group), extents_(std::move(extents)), settings_(std::move(settings)) {}

  Answer fence(std::uint32_t partition) override;
  std::vector<std::optional<Extent>> extents(std::span<const std::uint32_t> partitions) override;
  void start(std::uint32_t partition, std::uint64_t offset) override;
  Answer commit(std::uint32_t partition, const StateChunks& state) override;
  void release(std::uint32_t partition) override;

  /// Reads what was started, each partition from where its owner stands. To be called after what calls the
  /// above, outside of the group's events.
  Status read_started(FleetMember& member);

  /// What the brokers said last that was not as it should be; empty: nothing since the last success.
  const std::string& trouble() const { return trouble_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Writer {
    std::unique_ptr<StateWriter> writer;
    Clock::time_point opened_at;
  };

  Answer note(const StateWriter& writer, std::uint32_t partition, Answer answer);

  KafkaGroup& group_;
  const std::unique_ptr<ExtentsClient> extents_;
  const Settings settings_;
  std::map<std::uint32_t, Writer> writers_;
  std::vector<std::uint32_t> started_;
  bool has_changed_ = false;       // started_, since read_started()
  Clock::time_point ask_again_{};  // for extents
  std::string trouble_;
};

}  // namespace glimpse
