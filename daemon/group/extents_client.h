#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "daemon/fleet/fleet_link.h"
#include "daemon/kafka/kafka_properties.h"

struct rd_kafka_s;

namespace glimpse {

/// Asks the brokers for the extents of many partitions at once. It has a connection of its own: a broker
/// answers the requests of a connection in order, and a fetch may wait for half a second.
///
/// Thread-safety: none.
class ExtentsClient {
 public:
  struct Settings {
    KafkaAddress input;
    KafkaAddress states;
    std::string group;
  };

  /// Reaches for no broker yet. Errors: as KafkaConsumer::open().
  static Result<std::unique_ptr<ExtentsClient>> open(std::string_view option, Settings settings,
                                                     std::span<const KafkaProperty> properties);
  ~ExtentsClient();
  ExtentsClient(const ExtentsClient&) = delete;
  ExtentsClient& operator=(const ExtentsClient&) = delete;

  /// In the order of `partitions`; none of one that has no leader now. Waits at most so long for an answer to
  /// each of four or five questions, and asks no more after one that is not answered. Errors: as of
  /// explain_kafka().
  Result<std::vector<std::optional<FleetLink::Extent>>> ask(std::span<const std::uint32_t> partitions,
                                                            std::chrono::milliseconds timeout) const;

 private:
  struct Destroy {
    void operator()(rd_kafka_s* client) const;
  };

  explicit ExtentsClient(Settings settings) : settings_(std::move(settings)) {}

  const Settings settings_;
  std::unique_ptr<rd_kafka_s, Destroy> client_;
};

}  // namespace glimpse
