#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "learn/core/class_model.h"
#include "learn/core/model.h"
#include "learn/core/served_model.h"
#include "learn/core/target_moments.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// Models of classes from one copy of the sums, whose targets are the indicators of classes.
struct SolvedClasses {
  std::vector<Model> indicators;  ///< least squares, by class
  ClassModel scores;
  Importances importances;  ///< of more than two classes, where asked for
  ClassMoments moments;     ///< without what describe_classes() adds; none of no attributes
};

/// The class whose indicator is the label as well, and whose model is the model where one is asked for.
inline constexpr std::size_t kLabelClass = 1;

/// Solves for the indicator of every class with one matrix: what pairs cost is paid once, and each class
/// takes `steps` products, and with `importances` about as long as six more. With two classes one solve tells
/// both, and the solver has their importances. `solver` is of kLabelClass afterwards. Of
/// no use when it was cancelled. Of no attributes: how often each class came. REQUIRES: two targets.
SolvedClasses solve_classes(const PairSnapshot& moments, const std::optional<NormBall>& ball,
                            PairwiseSolver& solver, const PairwiseSolver::Cancelled& cancelled,
                            std::size_t steps, bool importances = false);

/// PairwiseSolver::describe() of `model`, and what `known`, of solve_classes(), lacks: of the models of the
/// indicators.
void describe_classes(const PairSnapshot& moments, const PairwiseSolver& solver, const Model& model,
                      std::span<const Model> indicators, TargetMoments& description, ClassMoments& known);

/// The same models with the weights of slot places[s] in slot s of `room`.
SolvedClasses spread_out(const SolvedClasses& solved, std::span<const std::uint32_t> places,
                         std::size_t room);

/// The models of the indicators of an earlier one with scores, of `slots` slots.
std::vector<Model> indicators_of(const PastModel& model, std::size_t slots);

/// The scores that belong to the model that is served in place of the newest.
std::shared_ptr<const ClassModel> served_classes(const ServedModel& served, const PairSnapshot& moments);

/// How often each class came.
std::vector<double> class_counts(const PairSnapshot& moments);

}  // namespace glimpse
