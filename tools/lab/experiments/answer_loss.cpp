#include "lab/experiments/answer_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/experiments/evaluation.h"
#include "learn/core/model_products.h"

namespace glimpse {

AnswerBounds bounds_of(const Learner& learner) {
  AnswerBounds bounds;
  bounds.labels = learner.labels();
  if (!keeps_pairs(learner.options().algorithm)) return bounds;
  for (std::size_t j = 0; j < learner.options().dimension; ++j)
    bounds.attributes.push_back({learner.reach(static_cast<Attribute>(j)),
                                 learner.sampling_row(static_cast<Attribute>(j)).moment.mean});
  return bounds;
}

AnswerBounds bounds_of(const DenseSet& set, std::span<const std::uint32_t> rows) {
  AnswerBounds bounds;
  bounds.attributes.resize(set.dimension);
  for (const std::uint32_t i : rows) {
    const auto row = set.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      double& largest = bounds.attributes[j].reach.largest;
      largest = std::max(largest, std::abs(static_cast<double>(row[j])));
    }
    bounds.labels.add(set.labels[i]);
  }
  return bounds;
}

AnswerLoss answer_loss(const Model& model, const AnswerBounds& bounds, const DenseSet& test) {
  const bool reaches = !bounds.attributes.empty();
  AnswerLoss loss;
  double zero = 0;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const auto x = test.row(i);
    const double y = test.labels[i];
    double exported = model.bias;
    double clipped = model.bias;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto value = static_cast<double>(x[j]);
      exported += model.weights[j] * value;
      if (reaches) clipped += model.weights[j] * bounds.answered(j, value);
    }
    exported += products_of(model, x);
    if (reaches)
      clipped += sum_of_products(
          model, [&](std::size_t j) { return bounds.answered(j, static_cast<double>(x[j])); },
          [](std::size_t) { return 0.0; });
    if (!reaches) clipped = exported;
    if (!bounds.labels.empty()) clipped = std::clamp(clipped, bounds.labels.min(), bounds.labels.max());
    loss.exported += (exported - y) * (exported - y);
    loss.clipped += (clipped - y) * (clipped - y);
    zero += y * y;
  }
  const auto ratio = [&](double squares) {
    if (!std::isfinite(squares)) return std::numeric_limits<double>::infinity();
    return zero > 0 ? squares / zero : 0;
  };
  return {ratio(loss.exported), ratio(loss.clipped)};
}

}  // namespace glimpse
