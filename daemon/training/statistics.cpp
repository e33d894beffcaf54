#include "daemon/training/statistics.h"

#include <algorithm>

namespace glimpse {

double model_age_seconds(const ModelFacts& model, std::uint64_t examples, double now_seconds) {
  if (model.examples >= examples) return 0;
  const double made_at = std::chrono::duration<double>(model.made_at.time_since_epoch()).count();
  return std::max(now_seconds - made_at, 0.0);
}

}  // namespace glimpse
