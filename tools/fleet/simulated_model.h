#pragma once

#include <cstdint>
#include <vector>

namespace glimpse {

/// How far the model reaches that an instance answers with. A model is folded from the newest states that
/// were read when its fold began, and answers when the fold ends; states that come meanwhile wait for the
/// next one. Folds run beside everything else. Times are given, in seconds. Thread-safety: none.
class SimulatedModel {
 public:
  struct Costs {
    /// Of a state that is new to the fold: .05 is what 784 attributes take, with reading.
    double state = 0.05;
    /// Of the model's solution, once a fold: .3 is what 784 attributes take at most.
    double solution = 0.3;
  };

  SimulatedModel(std::uint32_t partitions, const Costs& costs)
      : costs_(costs), read_(partitions), folding_(partitions), inside_(partitions) {}

  /// A state was read that holds the partition's messages before `offset`.
  void note(std::uint32_t partition, std::uint64_t offset);
  /// Ends the fold whose time has come, and begins the next one where there are new states.
  void advance(double now);
  /// Messages of each partition that are in the model.
  const std::vector<std::uint64_t>& positions() const { return inside_; }

 private:
  const Costs costs_;
  std::vector<std::uint64_t> read_, folding_, inside_;
  std::vector<std::uint32_t> news_;  // partitions that were read since the last fold began
  double ends_at_ = -1;              // below 0: nothing is being folded
};

}  // namespace glimpse
