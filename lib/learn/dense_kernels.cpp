#include "learn/dense_kernels.h"

#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace glimpse {

namespace {

// GCC and Clang.
using Two = double __attribute__((vector_size(16)));
using TwoFloats = float __attribute__((vector_size(8)));
using Four = double __attribute__((vector_size(32)));
using FourFloats = float __attribute__((vector_size(16)));

template <class Vector>
__attribute__((always_inline)) inline void load(Vector& v, const void* from) {
  std::memcpy(&v, from, sizeof v);
}

// Row i times x_i, and the three below it.
template <class Vector, class Floats>
__attribute__((always_inline)) inline void add_four_rows(Vector& sum, const float* row, std::size_t n,
                                                         const double* x) {
  Floats f0;
  Floats f1;
  Floats f2;
  Floats f3;
  load(f0, row);
  load(f1, row + n);
  load(f2, row + 2 * n);
  load(f3, row + 3 * n);
  sum += (x[0] * __builtin_convertvector(f0, Vector) + x[1] * __builtin_convertvector(f1, Vector)) +
         (x[2] * __builtin_convertvector(f2, Vector) + x[3] * __builtin_convertvector(f3, Vector));
}

// What vectors leave of the columns, and fours of the rows.
__attribute__((always_inline)) inline void rest_of_rows(const float* row, std::size_t n, std::size_t from,
                                                        const double* x, double* y) {
  for (std::size_t j = from; j < n; ++j)
    y[j] += (x[0] * static_cast<double>(row[j]) + x[1] * static_cast<double>(row[n + j])) +
            (x[2] * static_cast<double>(row[2 * n + j]) + x[3] * static_cast<double>(row[3 * n + j]));
}
__attribute__((always_inline)) inline void last_rows(const float* matrix, std::size_t n, std::size_t first,
                                                     const double* x, double* y) {
  for (std::size_t i = first; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) y[j] += x[i] * static_cast<double>(matrix[i * n + j]);
}

template <class Vector, class Floats>
__attribute__((always_inline)) inline void symmetric_product(const float* matrix, std::size_t n,
                                                             const double* x, double* y) {
  constexpr std::size_t kCount = sizeof(Vector) / sizeof(double);
  std::memset(y, 0, n * sizeof(double));
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const float* row = matrix + i * n;
    std::size_t j = 0;
    for (; j + kCount <= n; j += kCount) {
      Vector sum;
      load(sum, y + j);
      add_four_rows<Vector, Floats>(sum, row + j, n, x + i);
      std::memcpy(y + j, &sum, sizeof sum);
    }
    rest_of_rows(row, n, j, x + i, y);
  }
  last_rows(matrix, n, i, x, y);
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
  symmetric_product<Two, TwoFloats>(matrix, n, x, y);
}
double dot_plain(const double* a, const double* b, std::size_t n) { return dot(a, b, n); }
void add_plain(double* y, double factor, const double* x, std::size_t n) { add<Two>(y, factor, x, n); }
constexpr DenseKernels kPlain{product_plain, dot_plain, add_plain};

#if defined(__x86_64__)
__attribute__((target("avx"))) void product_avx(const float* matrix, std::size_t n, const double* x,
                                                double* y) {
  symmetric_product<Four, FourFloats>(matrix, n, x, y);
}
__attribute__((target("avx"))) double dot_avx(const double* a, const double* b, std::size_t n) {
  return dot(a, b, n);
}
__attribute__((target("avx"))) void add_avx(double* y, double factor, const double* x, std::size_t n) {
  add<Four>(y, factor, x, n);
}
constexpr DenseKernels kAvx{product_avx, dot_avx, add_avx};

// Eight rows for each time that y is read and written; the additions are those of twice four.
__attribute__((target("avx512f"))) void product_avx512(const float* matrix, std::size_t n, const double* x,
                                                       double* y) {
  std::memset(y, 0, n * sizeof(double));
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const float* row = matrix + i * n;
    std::size_t j = 0;
    for (; j + 8 <= n; j += 8) {
      __m512d terms[8];
#pragma GCC unroll 8
      for (std::size_t r = 0; r < 8; ++r)
        terms[r] = _mm512_mul_pd(_mm512_set1_pd(x[i + r]),
                                 _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(row + r * n + j)));
      __m512d sum = _mm512_loadu_pd(y + j);
#pragma GCC unroll 2
      for (std::size_t r = 0; r < 8; r += 4)
        sum = _mm512_add_pd(sum, _mm512_add_pd(_mm512_add_pd(terms[r], terms[r + 1]),
                                               _mm512_add_pd(terms[r + 2], terms[r + 3])));
      _mm512_storeu_pd(y + j, sum);
    }
    rest_of_rows(row, n, j, x + i, y);
    rest_of_rows(row + 4 * n, n, j, x + i + 4, y);
  }
  for (; i + 4 <= n; i += 4) rest_of_rows(matrix + i * n, n, 0, x + i, y);
  last_rows(matrix, n, i, x, y);
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
