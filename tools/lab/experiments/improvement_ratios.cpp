#include "lab/experiments/improvement_ratios.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

std::vector<double> second_moments(const DenseSet& set) {
  return second_moments(set, natural_order(set.size()));
}

std::vector<double> second_moments(const DenseSet& set, std::span<const std::uint32_t> rows) {
  std::vector<double> sums(set.dimension);
  for (const std::uint32_t i : rows) {
    const auto row = set.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) sums[j] += static_cast<double>(row[j]) * row[j];
  }
  for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  return sums;
}

ImprovementRatios improvement_ratios(const std::vector<double>& second_moments) {
  double sum = 0;
  double roots = 0;
  double largest = 0;
  for (const double m : second_moments) {
    sum += m;
    roots += std::sqrt(m);
    largest = std::max(largest, m);
  }
  if (!(largest > 0)) return {};
  const auto d = static_cast<double>(second_moments.size());
  return {roots * roots / (d * sum), sum / (d * largest)};
}

SecondMoments known_moments(const DenseSet& set, std::span<const std::uint32_t> rows) {
  RowOrder sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end());
  const std::vector<double> second = second_moments(set, sorted);
  std::vector<double> means(set.dimension);
  std::vector<float> largest(set.dimension);
  for (const std::uint32_t i : sorted) {
    const auto row = set.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      means[j] += row[j];
      largest[j] = std::max(largest[j], std::abs(row[j]));
    }
  }
  SecondMoments moments(set.dimension);
  for (std::size_t j = 0; j < set.dimension; ++j)
    moments.set(
        j, {means[j] / static_cast<double>(sorted.size()), second[j], SecondMoments::kCertain, largest[j]});
  return moments;
}

}  // namespace glimpse
