#include <limits>
#include <utility>

#include "learn/judges/active_features.h"
#include "learn/judges/solve_labels.h"
#include "learn/pairwise/pairwise.h"
#include "learn/solver/class_solve.h"

// What Pairwise solves for, from its copy of the sums.

namespace glimpse {

std::optional<NormBall> Pairwise::ball() const {
  if (!options().radius) return std::nullopt;
  return NormBall{options().ball.value_or(Ball::kL2), *options().radius};
}

// The models of the indicators, and what is known of them; of a regression none.
struct Pairwise::OfClasses {
  std::vector<Model> indicators;
  ClassMoments moments;
};

std::shared_ptr<const Solution> Pairwise::solve_captured(const Cancelled& cancelled) const {
  auto solution = std::make_shared<Solution>();
  // Of all attributes: before some are left out.
  const bool is_newest = captured_.choice.served == Served::kNewest;
  if (is_newest) find_small_models(snapshot_, options().prices.get(), ball(), solver_, cancelled, *solution);
  leave_out_others();
  OfClasses of_classes;
  if (snapshot_.targets() > 1)
    of_classes = solve_classes_into(*solution, cancelled);
  else
    solver_.solve(snapshot_, ball(), solution->model, cancelled);
  if (cancelled && cancelled()) return nullptr;
  solution->serve(captured_.choice, snapshot_.label_centre());
  describe_solution(*solution, std::move(of_classes));
  const FeatureMap& features = snapshot_.features();
  if (!features.is_plain()) {
    solution->slots = features.slots();
    solution->features = features.slots() - features.categories();
  }
  if (!solution->withheld && snapshot_.targets() <= 2)
    solution->importances = solver_.importances(snapshot_, solution->model);
  if (!solution->withheld && granted().weight_errors)
    solution->weight_errors = solver_.weight_errors(snapshot_, cancelled);
  if (cancelled && cancelled()) return nullptr;
  solution->origin = captured_.origin;
  solution->outward(captured_.units);
  return solution;
}

void Pairwise::leave_out_others() const {
  std::vector<bool> out = not_best(captured_, options().dimension);
  if (out.empty()) return;
  if (!snapshot_.features().is_plain())
    out = with_indicators(std::move(out), snapshot_.features(), snapshot_.dimension());
  snapshot_.leave_out(out);
}

Pairwise::OfClasses Pairwise::solve_classes_into(Solution& solution, const Cancelled& cancelled) const {
  SolvedClasses solved = solve_classes(snapshot_, ball(), solver_, cancelled, PairwiseSolver::kSteps,
                                       captured_.choice.served == Served::kNewest);
  if (cancelled && cancelled()) return {};
  solution.model = solved.indicators[kLabelClass];
  solution.importances = std::move(solved.importances);
  solution.classes = std::make_shared<ClassModel>(std::move(solved.scores));
  return {std::move(solved.indicators), std::move(solved.moments)};
}

// An earlier model is described with what is known of the attributes now, and what it knew of the classes.
void Pairwise::describe_solution(Solution& solution, OfClasses of_classes) const {
  bool has_classes = !of_classes.indicators.empty();
  if (solution.withheld) {
    solver_.replace(snapshot_, solution.model);
    if (has_classes) solution.classes = served_classes(captured_.choice, snapshot_);
    const PastModel* const earlier = captured_.choice.earlier.get();
    const std::size_t slots = snapshot_.dimension();
    has_classes = has_classes && earlier != nullptr && earlier->class_moments &&
                  earlier->class_moments->slots() == slots;
    if (has_classes) of_classes = {indicators_of(*earlier, slots), *earlier->class_moments};
  }
  if (!has_classes) return solver_.describe(snapshot_, solution.model, solution.moments);
  auto classes = std::make_shared<ClassMoments>(std::move(of_classes.moments));
  describe_classes(snapshot_, solver_, solution.model, of_classes.indicators, solution.moments, *classes);
  solution.class_moments = std::move(classes);
}

std::shared_ptr<const Solution> Pairwise::solve(const Cancelled& cancelled) {
  if (label_count() == 1) return solve_captured(cancelled);
  return solve_all(
      label_count(), [&](std::size_t l) { return solve_beside(sibling(l), cancelled); },
      [&] { return solve_captured(cancelled); });
}

// From this one's copy, and in the memory of its solver.
std::shared_ptr<const Solution> Pairwise::solve_beside(const Pairwise& other,
                                                       const Cancelled& cancelled) const {
  const LentCopy copy(snapshot_, other.snapshot_, other.side_);
  const LentMatrix matrix(solver_, other.solver_);
  return other.solve_captured(cancelled);
}

std::shared_ptr<Solution> Pairwise::no_solution() const {
  auto nothing = std::make_shared<Solution>();
  nothing->model.weights.assign(moments_.dimension(), 0.0);
  nothing->moments = no_moments(moments_.dimension());
  nothing->origin = now().origin;
  return nothing;
}

std::shared_ptr<const Solution> Pairwise::solve_now() const {
  if (moments_.label().weight == 0) return no_solution();
  const LentMemory lent(lendable(), snapshot_, solver_);
  begin_copy();
  snapshot_.copy(moments_, std::numeric_limits<std::size_t>::max());
  return solve_captured({});
}

}  // namespace glimpse
