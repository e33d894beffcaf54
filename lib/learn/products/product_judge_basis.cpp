#include "learn/products/product_judge_basis.h"

#include <utility>

#include "learn/products/placed_moments.h"

namespace glimpse {

std::shared_ptr<const PastModel> ProductJudgeBasis::solve(const JudgeForm& form,
                                                          const PairwiseSolver::Cancelled& cancelled) const {
  const ProductSolver::Basis basis{
      snapshot, &products, product_slots, centres, units.get(), tried, limit ? &*limit : nullptr};
  ProductSolver solver;
  Model model;
  solver.solve(basis, model, cancelled, form.steps);
  if (cancelled && cancelled()) return nullptr;
  if (active) {
    TargetMoments moments;
    solver.describe(basis, model, false, moments);
    return unplaced_model(solver, model, moments);
  }
  auto result = std::make_shared<PastModel>(past_model(model, means, examples));
  auto moments = std::make_shared<TargetMoments>();
  solver.describe(basis, model, false, *moments);
  result->moments = std::move(moments);
  if (solver.entered() > 0)
    result->linear = std::make_shared<PastModel>(past_model(solver.linear(), means, examples));
  return result;
}

// Without products in it, it is one of the attributes alone.
std::shared_ptr<const PastModel> ProductJudgeBasis::unplaced_model(const ProductSolver& solver,
                                                                   const Model& placed,
                                                                   const TargetMoments& described) const {
  const std::size_t dimension = features.attributes();
  Model model = unplaced(placed, *active, dimension);
  const bool has_products = solver.entered() > 0;
  if (!has_products) drop_products(model);
  const PlacedSlots places(model, *active, snapshot, product_slots, centres);
  std::vector<double> centre(means.begin(),
                             means.begin() + static_cast<std::ptrdiff_t>(model.weights.size()));
  auto result = std::make_shared<PastModel>(past_model(model, std::move(centre), examples));
  result->moments = std::make_shared<TargetMoments>(places.unplaced(described, {}, {}, {}));
  if (has_products)
    result->linear = std::make_shared<PastModel>(
        past_model(unplaced(solver.linear(), *active, dimension), means, examples));
  return result;
}

std::size_t ProductJudgeBasis::memory_bytes() const {
  return JudgeBasis::memory_bytes() + PairSnapshot::memory_bytes(product_slots.all());
}

}  // namespace glimpse
