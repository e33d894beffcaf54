#include "daemon/config/configuration.h"

#include <algorithm>
#include <thread>

namespace glimpse {

bool solves_in_background(const Configuration& c) {
  if (c.solver == SolverPlace::kAuto)
    return c.learner.dimension > kSolvedAtOnce && (!c.listen.empty() || !c.http.empty());
  return c.solver == SolverPlace::kBackground;
}

std::size_t threads_of(const Configuration& c) {
  return c.threads > 0 ? c.threads : std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
}

}  // namespace glimpse
