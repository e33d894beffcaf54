#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/state.h"
#include "learn/apple/expansion.h"
#include "stats/change_detector.h"

namespace glimpse {

/// Models that stay as they were, for --drift auto: the loss of one rises only if the stream changes. The two
/// newest are kept, each with a ChangeDetector, as PastModels has them; features that came later have no
/// weight in them. Memory: 8 bytes a slot of each. Thread-safety: none.
class PastWeights {
 public:
  /// Whether a model should come behind so many examples: at powers of two from 32 on.
  static bool due(std::uint64_t examples);

  bool empty() const { return models_[0].weights.empty(); }
  /// From now on the newest: `weights` of slots, and a bias.
  void add(std::vector<double> weights, double bias);
  /// The slots for which `is_gone` is true have no weight any more. Its detectors begin again. O(slots).
  void forget(const std::function<bool(std::uint32_t)>& is_gone);
  void clear() { models_ = {}; }

  /// An example that none of the models has learned from. O(features).
  std::optional<ChangeDetector::Rise> judge(std::span<const FeatureValue> features, double label);

  std::size_t memory_bytes() const {
    return (models_[0].weights.capacity() + models_[1].weights.capacity()) * sizeof(double);
  }
  /// "past.0.*" and "past.1.*", of `slots` slots.
  void save(State& state, std::size_t slots) const;
  Status restore(const State& state, std::size_t slots);

 private:
  struct Watched {
    std::vector<double> weights;  // empty: there is none
    double bias = 0;
    ChangeDetector detector;
  };
  std::array<Watched, 2> models_;  // the newest first
};

}  // namespace glimpse
