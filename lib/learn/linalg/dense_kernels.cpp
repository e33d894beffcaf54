#include "learn/linalg/dense_kernels.h"

#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace glimpse {

namespace {

// GCC and Clang.
using Two = double __attribute__((vector_size(16)));
using Four = double __attribute__((vector_size(32)));

template <class Vector>
__attribute__((always_inline)) inline void load(Vector& v, const void* from) {
  std::memcpy(&v, from, sizeof v);
}

// Eight numbers, in as many registers as a processor takes for them.
using Eight = double __attribute__((vector_size(64)));
using EightFloats = float __attribute__((vector_size(32)));

// What four rows have from column `begin` on, for each time that x and y are read.
struct FourRows {
  const float* matrix;
  std::size_t n;
  std::size_t i;  // the first
  std::size_t begin;
  const double* x;
  double* y;
};

// What eights leave of the columns, and the sums of all others.
__attribute__((always_inline)) inline void end_four_rows(const FourRows& rows, std::size_t j,
                                                         const double (&sums)[4][8]) {
  const double* x = rows.x + rows.i;
  double rest[4] = {};
  for (; j < rows.n; ++j) {
    double a[4];
    for (std::size_t r = 0; r < 4; ++r) {
      a[r] = static_cast<double>(rows.matrix[(rows.i + r) * rows.n + j]);
      rest[r] += a[r] * rows.x[j];
    }
    rows.y[j] += (x[0] * a[0] + x[1] * a[1]) + (x[2] * a[2] + x[3] * a[3]);
  }
  for (std::size_t r = 0; r < 4; ++r) {
    const auto& s = sums[r];
    rows.y[rows.i + r] += (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))) + rest[r];
  }
}

struct EightWide {
  __attribute__((always_inline)) void operator()(const FourRows& rows) const {
    const double* x = rows.x + rows.i;
    const float* row = rows.matrix + rows.i * rows.n;
    Eight sums[4] = {};
    std::size_t j = rows.begin;
    for (; j + 8 <= rows.n; j += 8) {
      Eight x_j;
      Eight y_j;
      Eight a[4];
      load(x_j, rows.x + j);
      load(y_j, rows.y + j);
#pragma GCC unroll 4
      for (std::size_t r = 0; r < 4; ++r) {
        EightFloats f;
        load(f, row + r * rows.n + j);
        a[r] = __builtin_convertvector(f, Eight);
        sums[r] += a[r] * x_j;
      }
      y_j += (x[0] * a[0] + x[1] * a[1]) + (x[2] * a[2] + x[3] * a[3]);
      std::memcpy(rows.y + j, &y_j, sizeof y_j);
    }
    double all[4][8];
    std::memcpy(all, sums, sizeof all);
    end_four_rows(rows, j, all);
  }
};

// Of the columns from `begin` to `end`, what the rows there have from their diagonals on.
__attribute__((always_inline)) inline void add_corner(const float* matrix, std::size_t n, std::size_t begin,
                                                      std::size_t end, const double* x, double* y) {
  for (std::size_t i = begin; i < end; ++i) {
    double sum = static_cast<double>(matrix[i * n + i]) * x[i];
    for (std::size_t j = i + 1; j < end; ++j) {
      const auto a = static_cast<double>(matrix[i * n + j]);
      sum += a * x[j];
      y[j] += a * x[i];
    }
    y[i] += sum;
  }
}

template <class AddFourRows>
__attribute__((always_inline)) inline void symmetric_product(const float* matrix, std::size_t n,
                                                             const double* x, double* y,
                                                             const AddFourRows& add_four_rows) {
  std::memset(y, 0, n * sizeof(double));
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    add_corner(matrix, n, i, i + 8, x, y);
    add_four_rows({matrix, n, i, i + 8, x, y});
    add_four_rows({matrix, n, i + 4, i + 8, x, y});
  }
  add_corner(matrix, n, i, n, x, y);
}

__attribute__((always_inline)) inline double dot(const double* a, const double* b, std::size_t n) {
  Four s{};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Four u;
    Four v;
    load(u, a + i);
    load(v, b + i);
    s += u * v;
  }
  for (; i < n; ++i) s[0] += a[i] * b[i];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

template <class Vector>
__attribute__((always_inline)) inline void add(double* y, double factor, const double* x, std::size_t n) {
  constexpr std::size_t kCount = sizeof(Vector) / sizeof(double);
  std::size_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    Vector sum;
    Vector v;
    load(sum, y + i);
    load(v, x + i);
    sum += factor * v;
    std::memcpy(y + i, &sum, sizeof sum);
  }
  for (; i < n; ++i) y[i] += factor * x[i];
}

void product_plain(const float* matrix, std::size_t n, const double* x, double* y) {
  symmetric_product(matrix, n, x, y, EightWide());
}
double dot_plain(const double* a, const double* b, std::size_t n) { return dot(a, b, n); }
void add_plain(double* y, double factor, const double* x, std::size_t n) { add<Two>(y, factor, x, n); }
constexpr DenseKernels kPlain{product_plain, dot_plain, add_plain};

#if defined(__x86_64__)
__attribute__((target("avx"))) void product_avx(const float* matrix, std::size_t n, const double* x,
                                                double* y) {
  symmetric_product(matrix, n, x, y, EightWide());
}
__attribute__((target("avx"))) double dot_avx(const double* a, const double* b, std::size_t n) {
  return dot(a, b, n);
}
__attribute__((target("avx"))) void add_avx(double* y, double factor, const double* x, std::size_t n) {
  add<Four>(y, factor, x, n);
}
constexpr DenseKernels kAvx{product_avx, dot_avx, add_avx};

// GCC 12 converts eight floats in two halves when it is left to do so.
__attribute__((target("avx512f"))) void add_four_rows_avx512(const FourRows& rows) {
  const double* x = rows.x + rows.i;
  const float* row = rows.matrix + rows.i * rows.n;
  __m512d sums[4] = {_mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd()};
  std::size_t j = rows.begin;
  for (; j + 8 <= rows.n; j += 8) {
    const __m512d x_j = _mm512_loadu_pd(rows.x + j);
    __m512d terms[4];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 4; ++r) {
      const __m512d a = _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(row + r * rows.n + j));
      sums[r] = _mm512_add_pd(sums[r], _mm512_mul_pd(a, x_j));
      terms[r] = _mm512_mul_pd(_mm512_set1_pd(x[r]), a);
    }
    const __m512d sum = _mm512_add_pd(_mm512_add_pd(terms[0], terms[1]), _mm512_add_pd(terms[2], terms[3]));
    _mm512_storeu_pd(rows.y + j, _mm512_add_pd(_mm512_loadu_pd(rows.y + j), sum));
  }
  double all[4][8];
  for (std::size_t r = 0; r < 4; ++r) _mm512_storeu_pd(all[r], sums[r]);
  end_four_rows(rows, j, all);
}
void product_avx512(const float* matrix, std::size_t n, const double* x, double* y) {
  symmetric_product(matrix, n, x, y, add_four_rows_avx512);
}
constexpr DenseKernels kAvx512{product_avx512, dot_avx, add_avx};
#endif

}  // namespace

const DenseKernels& plain_dense_kernels() { return kPlain; }

const DenseKernels& fastest_dense_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return kAvx512;
  if (__builtin_cpu_supports("avx")) return kAvx;
#endif
  return kPlain;
}

}  // namespace glimpse
