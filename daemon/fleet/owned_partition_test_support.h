#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "base/random.h"
#include "checkpoint/checkpoint.h"
#include "daemon/fleet/owned_partition.h"
#include "learn/factory.h"

// Partitions of topic "t", whose stream may turn round.
namespace glimpse::owned_partition_test_support {

inline constexpr std::size_t kDimension = 6;

struct Options {
  std::string algorithm = "pairwise";
  bool watches_drift = false;
  std::size_t dimension = kDimension;
  std::size_t budget = 4;
};

inline Result<OwnedPartition> open_partition(std::uint32_t partition, const State* state,
                                             const StateVersion& version, const Options& options) {
  LearnerOptions of_learner;
  of_learner.algorithm = options.algorithm;
  of_learner.dimension = options.dimension;
  of_learner.budget = options.budget;
  if (options.algorithm == "pairwise-screened") of_learner.active = 4;
  if (options.watches_drift) of_learner.drift = Drift::kAuto;
  auto learner = make_learner(of_learner);
  if (!learner) return learner.error();
  auto processor = std::make_unique<StreamProcessor>(std::move(*learner), AttributeNames(options.dimension),
                                                     100 + partition);
  if (state != nullptr)
    if (const Status status = processor->restore(*state); !status) return status.error();
  processor->learner().watch_together();
  FormatOptions format;
  format.dimension = options.dimension;
  auto feed = processor->make_feed(std::make_shared<Door>(), Format::kVw, format, 1000, {});
  return OwnedPartition("t", partition, std::move(processor), std::move(feed), version);
}

// The label is ±(3·x0 − 2·x1 + x2), and noise.
inline std::string message(Random& random, double sign) {
  double x[kDimension];
  std::string text;
  for (std::size_t i = 0; i < kDimension; ++i) {
    x[i] = 2 * random.uniform() - 1;
    text += fmt::format(" {}:{:.4f}", i, x[i]);
  }
  const double label = sign * (3 * x[0] - 2 * x[1] + x[2]) + random.uniform() - 0.5;
  return fmt::format("{:.4f} |{}\n", label, text);
}

inline State decoded(const std::string& bytes) {
  auto state = decode_checkpoint(std::as_bytes(std::span(bytes)));
  REQUIRE(state.has_value());
  return std::move(*state);
}

}  // namespace glimpse::owned_partition_test_support
