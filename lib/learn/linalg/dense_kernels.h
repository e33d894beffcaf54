#pragma once

#include <cstddef>

namespace glimpse {

/// The loops in which solving for a model spends its time, with the widest vectors that a processor has.
///
/// Every version multiplies and adds the same numbers in the same order, without fused operations: results
/// are the same to the bit. Thread-safety: full.
struct DenseKernels {
  /// y ← A x for a symmetric A. `matrix` holds n × n numbers, row after row. Only those on the diagonal and
  /// above it are read, which halves what goes through the caches. Four rows at a time, right of blocks of
  /// eight on the diagonal: y_j += (x_i·A_ij + x_{i+1}·A_{i+1,j}) + (x_{i+2}·A_{i+2,j} + …), and y_i += Σ_j
  /// A_ij·x_j in eight partial sums.
  void (*symmetric_product)(const float* matrix, std::size_t n, const double* x, double* y);
  /// Σ a_i·b_i, in four partial sums s_k of i ≡ k (mod 4) and then (s_0 + s_1) + (s_2 + s_3).
  double (*dot)(const double* a, const double* b, std::size_t n);
  /// y ← y + factor·x.
  void (*add)(double* y, double factor, const double* x, std::size_t n);
};

/// For every processor.
const DenseKernels& plain_dense_kernels();
/// The fastest that this processor has.
const DenseKernels& fastest_dense_kernels();

}  // namespace glimpse
