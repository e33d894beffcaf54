#include <limits>

#include "learn/covariance/settled_attributes.h"
#include "learn/importance/attribute_importance.h"
#include "learn/pairwise/active_features.h"
#include "learn/pairwise/screened_pairwise.h"

namespace glimpse {

void ScreenedPairwise::start_copy(Copy& copy) const {
  copy.snapshot.begin(moments_, options().bias, places_);
  copy.active = active_;
  copy.slots = learner_slots(features_, active_, places_);
  copy.room = features_.room();
  copy.features = features_.is_plain() ? 0 : features_.slots() - features_.categories();
  copy.ages = ages();
  copy.capture = now();
}

bool ScreenedPairwise::capture(std::size_t bytes) {
  // Of other attributes there is nothing left to go on with.
  if (!copy_.capture.is_stale) {
    if (!copy_.snapshot.copy(moments_, bytes)) return false;
    if (!is_old(copy_.capture)) {
      copy_.capture.choice = guard_.choice();
      return true;
    }
  }
  start_capture();
  return false;
}

std::shared_ptr<const Solution> ScreenedPairwise::solve_copy(Copy& copy, const Cancelled& cancelled) const {
  auto solution = std::make_shared<Solution>();
  solution->model.weights.assign(copy.room, 0.0);
  solution->model.bias = copy.snapshot.label_centre();
  if (!copy.active.empty()) {
    const FeatureMap& places = copy.snapshot.features();
    copy.snapshot.leave_out(places.is_plain()
                                ? too_young(copy.ages)
                                : with_indicators(too_young(copy.ages), places, copy.snapshot.dimension()));
    copy.solver.solve(copy.snapshot, ball(), copy.slot_model, cancelled);
    solution->model.bias = copy.slot_model.bias;
    for (std::size_t s = 0; s < copy.slots.size(); ++s)
      solution->model.weights[copy.slots[s]] = copy.slot_model.weights[s];
    if (copy.capture.choice.served == Served::kNewest)
      solution->importances =
          spread_out(copy.solver.importances(copy.snapshot, copy.slot_model), copy.slots, copy.room);
    if (copy.capture.choice.served == Served::kNewest && granted().weight_errors)
      solution->weight_errors =
          spread_out(copy.solver.weight_errors(copy.snapshot, cancelled), copy.slots, copy.room);
  }
  if (cancelled && cancelled()) return nullptr;
  solution->origin = copy.capture.origin;
  solution->serve(copy.capture.choice, copy.snapshot.label_centre());
  solution->outward(copy.capture.units);
  return solution;
}

std::shared_ptr<const Solution> ScreenedPairwise::solve(const Cancelled& cancelled) {
  return solve_copy(copy_, cancelled);
}

std::shared_ptr<const Solution> ScreenedPairwise::solve_now() const {
  const LentMemory lent(lendable(), copy_.snapshot, copy_.solver);
  start_copy(copy_);
  copy_.snapshot.copy(moments_, std::numeric_limits<std::size_t>::max());
  return solve_copy(copy_, {});
}

}  // namespace glimpse
