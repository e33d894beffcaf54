#include "daemon/config/configuration.h"

namespace glimpse {

bool solves_in_background(const Configuration& c) {
  if (c.solver == SolverPlace::kAuto)
    return c.learner.dimension > kSolvedAtOnce && (!c.listen.empty() || !c.http.empty());
  return c.solver == SolverPlace::kBackground;
}

}  // namespace glimpse
