#include "lab/offline/normal_equations.h"

#include <algorithm>

namespace glimpse {

NormalEquations normal_equations(const DenseSet& set, std::span<const std::uint32_t> rows, bool bias) {
  constexpr std::size_t kBlock = 256;
  const auto d = static_cast<Eigen::Index>(set.dimension + (bias ? 1 : 0));
  NormalEquations sums{Eigen::MatrixXd::Zero(d, d), Eigen::VectorXd::Zero(d), 0};
  Eigen::MatrixXd block(d, kBlock);
  Eigen::VectorXd labels(kBlock);
  for (std::size_t begin = 0; begin < rows.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, rows.size() - begin);
    for (std::size_t r = 0; r < count; ++r) {
      const auto column = static_cast<Eigen::Index>(r);
      const auto row = set.row(rows[begin + r]);
      for (std::size_t j = 0; j < row.size(); ++j) block(static_cast<Eigen::Index>(j), column) = row[j];
      if (bias) block(d - 1, column) = 1;
      labels[column] = set.labels[rows[begin + r]];
    }
    const auto used = static_cast<Eigen::Index>(count);
    sums.a.selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(used));
    sums.b.noalias() += block.leftCols(used) * labels.head(used);
    sums.c += labels.head(used).squaredNorm();
  }
  const double n = static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  sums.a = Eigen::MatrixXd(sums.a.selfadjointView<Eigen::Lower>()) / n;
  sums.b /= n;
  sums.c /= n;
  return sums;
}

double objective(const NormalEquations& equations, const Eigen::VectorXd& w) {
  return 0.5 * w.dot(equations.a * w) - equations.b.dot(w) + 0.5 * equations.c;
}

}  // namespace glimpse
