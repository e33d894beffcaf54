#include "learn/products/product_judge_basis.h"

#include <utility>

#include "learn/products/product_solver.h"

namespace glimpse {

std::shared_ptr<const PastModel> ProductJudgeBasis::solve(const JudgeForm& form,
                                                          const PairwiseSolver::Cancelled& cancelled) const {
  const ProductSolver::Basis basis{snapshot, &products, product_slots, centres, units.get(), tried};
  ProductSolver solver;
  Model model;
  solver.solve(basis, model, cancelled, form.steps);
  if (cancelled && cancelled()) return nullptr;
  auto result = std::make_shared<PastModel>(past_model(model, means, examples));
  auto moments = std::make_shared<TargetMoments>();
  solver.describe(basis, model, false, *moments);
  result->moments = std::move(moments);
  if (solver.entered() > 0)
    result->linear = std::make_shared<PastModel>(past_model(solver.linear(), means, examples));
  return result;
}

std::size_t ProductJudgeBasis::memory_bytes() const {
  return JudgeBasis::memory_bytes() + PairSnapshot::memory_bytes(product_slots.all());
}

}  // namespace glimpse
