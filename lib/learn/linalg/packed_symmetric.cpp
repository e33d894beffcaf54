#include "learn/linalg/packed_symmetric.h"

namespace glimpse {

void PackedSymmetric::multiply(std::span<const double> x, std::span<double> y) const {
  for (double& value : y) value = 0;
  const double* row = cells_.data();
  for (std::size_t i = 0; i < n_; ++i) {
    // row[0] is the diagonal; the rest stands for the row and for the column. Four sums, because one would
    // wait for each addition to end before the next.
    const std::size_t rest = n_ - i;
    const double* xs = x.data() + i;
    double* ys = y.data() + i;
    const double x_i = xs[0];
    double sums[4] = {row[0] * x_i, 0, 0, 0};
    std::size_t j = 1;
    for (; j + 4 <= rest; j += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) {
        sums[lane] += row[j + lane] * xs[j + lane];
        ys[j + lane] += row[j + lane] * x_i;
      }
    for (; j < rest; ++j) {
      sums[0] += row[j] * xs[j];
      ys[j] += row[j] * x_i;
    }
    ys[0] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    row += rest;
  }
}

}  // namespace glimpse
