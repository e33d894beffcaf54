#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "learn/covariance/settled_attributes.h"
#include "learn/importance/attribute_importance.h"
#include "learn/judges/active_features.h"
#include "learn/judges/solve_labels.h"
#include "learn/pairwise/screened_pairwise.h"
#include "learn/solver/class_solve.h"

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

// What differs between labels is copied of each.
void ScreenedPairwise::start_capture() const {
  start_copy(copy_);
  has_copy_ = true;
  for (std::size_t l = 1; l < label_count(); ++l) {
    const ScreenedPairwise& other = sibling(l);
    copy_.snapshot.begin_label(other.moments_, other.side_);
    other.copy_.active = copy_.active;
    other.copy_.slots = copy_.slots;
    other.copy_.room = copy_.room;
    other.copy_.features = copy_.features;
    other.copy_.ages = copy_.ages;
    other.copy_.capture = other.now();
  }
}

bool ScreenedPairwise::capture(std::size_t bytes) {
  // Of other attributes there is nothing left to go on with.
  if (!copy_.capture.is_stale) {
    if (!copy_.snapshot.copy(moments_, bytes)) return false;
    if (!is_old(copy_.capture)) {
      copy_.capture.choice = guard_.choice();
      for (std::size_t l = 1; l < label_count(); ++l)
        sibling(l).copy_.capture.choice = sibling(l).guard_.choice();
      return true;
    }
  }
  start_capture();
  return false;
}

// The newest model and what belongs to it. Models are of all slots, the solver's of those in the copy.
void ScreenedPairwise::solve_active(Copy& copy, Solution& solution, const Cancelled& cancelled) const {
  const bool is_newest = copy.capture.choice.served == Served::kNewest;
  Importances importances;
  if (copy.snapshot.targets() > 1) {
    SolvedClasses solved =
        solve_classes(copy.snapshot, ball(), copy.solver, cancelled, PairwiseSolver::kSteps, is_newest);
    if (cancelled && cancelled()) return;
    copy.slot_model = solved.indicators[kLabelClass];
    importances = std::move(solved.importances);
    solution.classes = std::make_shared<ClassModel>(spread_out(solved, copy.slots, copy.room).scores);
  } else {
    copy.solver.solve(copy.snapshot, ball(), copy.slot_model, cancelled);
  }
  solution.model.bias = copy.slot_model.bias;
  for (std::size_t s = 0; s < copy.slots.size(); ++s)
    solution.model.weights[copy.slots[s]] = copy.slot_model.weights[s];
  if (!is_newest) return;
  if (copy.snapshot.targets() <= 2) importances = copy.solver.importances(copy.snapshot, copy.slot_model);
  solution.importances = spread_out(importances, copy.slots, copy.room);
  if (granted().weight_errors)
    solution.weight_errors =
        spread_out(copy.solver.weight_errors(copy.snapshot, cancelled), copy.slots, copy.room);
}

std::shared_ptr<const Solution> ScreenedPairwise::solve_copy(Copy& copy, const Cancelled& cancelled) const {
  auto solution = std::make_shared<Solution>();
  solution->model.weights.assign(copy.room, 0.0);
  solution->model.bias = copy.snapshot.label_centre();
  if (!copy.active.empty()) {
    const FeatureMap& places = copy.snapshot.features();
    const auto of_slots = [&](std::vector<bool> out) {
      return places.is_plain() ? out : with_indicators(std::move(out), places, copy.snapshot.dimension());
    };
    copy.snapshot.leave_out(of_slots(too_young(copy.ages)));
    if (copy.capture.choice.served == Served::kNewest) find_small_models(copy, cancelled, *solution);
    if (copy.capture.best) {
      const std::vector<bool> out = not_best(copy.capture, options().dimension);
      std::vector<bool> of_places;
      for (const Attribute i : copy.active) of_places.push_back(out[i]);
      copy.snapshot.leave_out(of_slots(std::move(of_places)));
    }
    solve_active(copy, *solution, cancelled);
  } else if (copy.snapshot.targets() > 1) {
    solution->classes = std::make_shared<ClassModel>(class_priors(class_counts(copy.snapshot)));
  }
  if (cancelled && cancelled()) return nullptr;
  solution->origin = copy.capture.origin;
  solution->serve(copy.capture.choice, copy.snapshot.label_centre());
  if (solution->withheld && copy.snapshot.targets() > 1)
    solution->classes = served_classes(copy.capture.choice, copy.snapshot);
  complete(copy, *solution);
  solution->outward(copy.capture.units);
  return solution;
}

// Places among the active attributes become attributes.
void ScreenedPairwise::find_small_models(Copy& copy, const Cancelled& cancelled, Solution& solution) const {
  if (granted().small_models.empty()) return;
  std::optional<Prices> prices;
  if (options().prices) prices = options().prices->of(copy.active);
  SolvingLearner::find_small_models(copy.snapshot, prices ? &*prices : nullptr, ball(), copy.solver,
                                    cancelled, solution);
  const auto outward = [&](std::vector<Attribute>& places) {
    for (Attribute& place : places) place = copy.active[place];
  };
  for (SmallModel& small : solution.small_models) {
    outward(small.chosen);
    for (SmallModel::Step& step : small.steps) {
      outward(step.added);
      outward(step.removed);
    }
    const std::vector<double> weights = std::exchange(small.model.weights, std::vector<double>(copy.room));
    for (std::size_t s = 0; s < copy.slots.size(); ++s) small.model.weights[copy.slots[s]] = weights[s];
  }
}

std::shared_ptr<const Solution> ScreenedPairwise::solve(const Cancelled& cancelled) {
  if (label_count() == 1) return solve_copy(copy_, cancelled);
  return solve_all(
      label_count(), [&](std::size_t l) { return solve_beside(sibling(l), cancelled); },
      [&] { return solve_copy(copy_, cancelled); });
}

// From this one's copy, and in the memory of its solver.
std::shared_ptr<const Solution> ScreenedPairwise::solve_beside(const ScreenedPairwise& other,
                                                               const Cancelled& cancelled) const {
  const LentCopy copy(copy_.snapshot, other.copy_.snapshot, other.side_);
  const LentMatrix matrix(copy_.solver, other.copy_.solver);
  return other.solve_copy(other.copy_, cancelled);
}

std::shared_ptr<const Solution> ScreenedPairwise::solve_now() const {
  const LentMemory lent(lendable(), copy_.snapshot, copy_.solver);
  start_copy(copy_);
  copy_.snapshot.copy(moments_, std::numeric_limits<std::size_t>::max());
  return solve_copy(copy_, {});
}

}  // namespace glimpse
