#include <algorithm>
#include <array>
#include <cmath>

#include "learn/inference/conditioning.h"
#include "learn/solver/pairwise_solver.h"

namespace glimpse {

SolvedMoments PairwiseSolver::solved_moments() const {
  return {.units = units_,
          .covariances = matrix_,
          .variance = variance_,
          .target = target_,
          .label_square = label_square_,
          .ridge = choice_.ridge,
          .shrink = choice_.shrink,
          .least_value = space_.eigenvalues().empty() ? 0 : space_.eigenvalues().front()};
}

void PairwiseSolver::describe(const PairSnapshot& moments, const Model& model,
                              TargetMoments& description) const {
  std::vector<double> none;
  describe(moments, model, description, {}, none);
}

void PairwiseSolver::describe(const PairSnapshot& moments, const Model& model, TargetMoments& description,
                              std::span<const Model> others, std::vector<double>& targets) const {
  const double least = space_.eigenvalues().empty() ? 0 : space_.eigenvalues().front();
  const double ridge = std::max(2 * noise_level_, noise_level_ / 2 - least);
  description = no_moments(d_);
  description.margin = ridge > 0 ? noise_level_ / (2 * ridge) : 0;

  std::vector<double> offsets(d_);  // of the means from what the solution's moments are about
  std::vector<double> deviations(d_);
  double squares = 0;  // wᵀw
  for (std::size_t i = 0; i < d_; ++i) {
    const double unit = units_[i];
    const double n = moments[i].weight();
    description.means[i] = moments[i].mean();
    offsets[i] = description.means[i] - moments.centre(i);
    description.ridge[i] = ridge * unit * unit;
    const double offset = offsets[i] / unit;
    const double about_mean =
        variance_[i] > 0 ? std::max(1 - offset * offset * (n / (n + 0.5)) / variance_[i], 0.0) : 0;
    description.variances[i] = (static_cast<double>(matrix_[i * d_ + i]) * about_mean + ridge) * unit * unit;
    deviations[i] = std::sqrt(description.variances[i]);
    description.shrinkage[i] = shrinkage_[i];
    const double weight = model.weights[i] * unit;
    squares += weight * weight;
    description.expected += model.weights[i] * description.means[i];
  }
  description.noise = expected_error(model);

  targets.assign(others.size() * d_, 0.0);
  std::vector<Described> models{{model.weights.data(), description.target.data()}};
  for (std::size_t k = 0; k < others.size(); ++k)
    models.push_back({others[k].weights.data(), targets.data() + k * d_});
  add_pairs(moments, models, offsets, deviations, description);
  for (std::size_t i = 0; i < d_; ++i) description.total += model.weights[i] * description.target[i];
  description.total = std::max(description.total, 0.0);
  description.ridge_total = ridge * squares;
}

// Each target's terms are added in the order of their pairs. Those of some rows go side by side, as an
// addition waits for the one before it.
void PairwiseSolver::add_pairs(const PairSnapshot& moments, std::span<const Described> models,
                               std::span<const double> offsets, std::span<const double> deviations,
                               const TargetMoments& description) const {
  constexpr std::size_t kRows = 4;
  std::vector<double> covariances(kRows * d_);
  for (std::size_t first = 0; first < d_; first += kRows) {
    const std::size_t end = std::min(first + kRows, d_);
    for (std::size_t i = first; i < end; ++i) {
      double* const c = covariances.data() + (i - first) * d_;
      const std::size_t next = i + 1;
      const PairRow pairs{moments.weights(i).data(), moments.covariances(i).data(), moments.unit(i),
                          moments.units().data() + next, d_ - next};
      pair_kernels_.covariances(pairs, {offsets[i], shrinkage_[i], deviations[i]},
                                {offsets.data() + next, shrinkage_.data() + next, deviations.data() + next},
                                c + next);
    }
    for (const auto& [w, target] : models) {
      std::array<double, kRows> sums{};
      for (std::size_t i = first; i < end; ++i) {
        const double* const c = covariances.data() + (i - first) * d_;
        kernels_.add(target + i + 1, w[i], c + i + 1, d_ - i - 1);
        sums[i - first] = description.variances[i] * w[i];
        for (std::size_t j = i + 1; j < end; ++j) sums[i - first] += c[j] * w[j];
      }
      for (std::size_t j = end; j < d_; ++j)
        for (std::size_t r = 0; r < kRows; ++r) sums[r] += covariances[r * d_ + j] * w[j];
      for (std::size_t i = first; i < end; ++i) target[i] += sums[i - first];
    }
  }
}

}  // namespace glimpse
