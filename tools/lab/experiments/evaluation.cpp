#include "lab/experiments/evaluation.h"

#include <cmath>
#include <limits>

#include "learn/core/model_products.h"

namespace glimpse {

double products_of(const Model& model, std::span<const float> x) {
  return sum_of_products(
      model, [&](std::size_t j) { return static_cast<double>(x[j]); }, [](std::size_t) { return 0.0; });
}

Evaluation evaluate(const Model& model, const DenseSet& set, std::span<const std::uint32_t> rows) {
  double squares = 0;
  double zero = 0;
  std::size_t wrong = 0;
  bool classes = true;
  for (const std::uint32_t i : rows) {
    const auto x = set.row(i);
    const double y = set.labels[i];
    double prediction = model.bias;
    for (std::size_t j = 0; j < x.size(); ++j) prediction += model.weights[j] * x[j];
    prediction += products_of(model, x);
    squares += (prediction - y) * (prediction - y);
    zero += y * y;
    classes = classes && std::abs(y) == 1;
    wrong += prediction * y > 0 ? 0 : 1;
  }
  Evaluation result;
  result.loss_ratio =
      std::isfinite(squares) ? (zero > 0 ? squares / zero : 0) : std::numeric_limits<double>::infinity();
  result.classification_error = classes && !rows.empty()
                                    ? static_cast<double>(wrong) / static_cast<double>(rows.size())
                                    : std::numeric_limits<double>::quiet_NaN();
  return result;
}

Evaluation evaluate(const Model& model, const DenseSet& set) {
  return evaluate(model, set, natural_order(set.size()));
}

}  // namespace glimpse
