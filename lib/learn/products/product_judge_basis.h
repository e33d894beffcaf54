#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "learn/judges/judge_basis.h"
#include "learn/products/product_solver.h"

namespace glimpse {

/// What a model of attributes and products that judges is solved for from: the sums of attributes are copied
/// as in JudgeBasis, those of the features at once, when it begins. No part of a checkpoint: the model is.
/// Where some attributes are active, sums and products are of their places; the model is of all.
struct ProductJudgeBasis final : JudgeBasis {
  ProductSlots product_slots;  ///< of features; as many as means
  double tried = 0;            ///< ProductSolver::Basis::tried
  PairSnapshot products;       ///< of the features
  std::vector<double> centres;
  std::shared_ptr<const SolutionUnits> units;
  std::optional<JointLimit> limit;  ///< ProductSolver::Basis::limit

  std::shared_ptr<const PastModel> solve(const JudgeForm& form,
                                         const PairwiseSolver::Cancelled& cancelled) const override;
  bool is_soon_solved() const override { return true; }
  std::size_t memory_bytes() const override;

 private:
  std::shared_ptr<const PastModel> unplaced_model(const ProductSolver& solver, const Model& placed,
                                                  const TargetMoments& described) const;
};

}  // namespace glimpse
