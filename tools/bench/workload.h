#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "learn/core/learner.h"

namespace glimpse {

/// What a learning step is measured on.
struct WorkloadOptions {
  std::string algorithm = "two-phase-ddaerr";  ///< two-phase ones are measured in phase 2
  std::size_t dimension = 1000;
  std::size_t budget = 5;
  std::optional<double> radius;
  std::size_t products = 0;  ///< LearnerOptions::products
};

/// A learner in its steady state, and values to learn from. The values are drawn beforehand and do not depend
/// on the attribute, so that plan() and learn() are all that costs time: no example is held, found or parsed.
/// They are as sparse as MNIST (one in five is not 0). Thread-safety: none.
class StepWorkload {
 public:
  /// Makes the learner: the auto step, bias, moments known where the algorithm wants them, phase 1 of 1,000
  /// examples. Warms it up until most draws of p fall on weights that are not in the nearest cache.
  explicit StepWorkload(const WorkloadOptions& options);

  /// plan() and learn() of one example. Returns how many attributes it revealed.
  std::size_t step();

  const Learner& learner() const { return *learner_; }

 private:
  static constexpr std::size_t kPool = 1 << 14;  // 128 KiB of values: within the second cache

  Random random_{1};
  std::unique_ptr<Learner> learner_;
  Plan plan_;
  std::vector<double> pool_;
  std::size_t next_ = 0;
};

/// Moments in which √M_i ranges over two decades, as the pixels of pictures do. Deterministic.
SecondMoments spread_moments(std::size_t dimension);

}  // namespace glimpse
