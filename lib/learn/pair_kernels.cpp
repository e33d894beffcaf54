#include "learn/pair_kernels.h"

#include <cstring>

namespace glimpse {

namespace {

// GCC and Clang: eight numbers, in as many registers as a processor takes for them.
using Eight = double __attribute__((vector_size(64)));
using EightFloats = float __attribute__((vector_size(32)));

template <class Vector, class Number>
__attribute__((always_inline)) inline void load(Vector& v, const Number* from) {
  std::memcpy(&v, from, sizeof v);
}
template <class Vector, class Number>
__attribute__((always_inline)) inline void store(const Vector& v, Number* to) {
  std::memcpy(to, &v, sizeof v);
}

// The numbers of a row eight at a time. What is left at the end is copied out first, with zeros behind it:
// step() must make nothing of a pair of zeros.
template <class Step>
__attribute__((always_inline)) inline void for_eights(const PairRow& row, const double* a, const double* b,
                                                      float* out, const Step& step) {
  std::size_t k = 0;
  for (; k + 8 <= row.n; k += 8)
    step(row.counts + k, row.covariances + k, row.scales + k, a + k, b + k, out + k);
  const std::size_t left = row.n - k;
  if (left == 0) return;
  float counts[8] = {};
  float covariances[8] = {};
  double scales[8] = {};
  double last_a[8] = {};
  double last_b[8] = {};
  float last[8];
  std::memcpy(counts, row.counts + k, left * sizeof(float));
  std::memcpy(covariances, row.covariances + k, left * sizeof(float));
  std::memcpy(scales, row.scales + k, left * sizeof(double));
  std::memcpy(last_a, a + k, left * sizeof(double));
  std::memcpy(last_b, b + k, left * sizeof(double));
  step(counts, covariances, scales, last_a, last_b, last);
  std::memcpy(out + k, last, left * sizeof(float));
}

// N_ij, and S_ij.
__attribute__((always_inline)) inline void load_pair(const PairRow& row, const float* counts,
                                                     const float* covariances, const double* scales,
                                                     Eight& count, Eight& sum) {
  EightFloats floats;
  load(floats, counts);
  count = __builtin_convertvector(floats, Eight);
  load(floats, covariances);
  Eight scale;
  load(scale, scales);
  sum = __builtin_convertvector(floats, Eight) * count * (row.scale_i * scale);
}

__attribute__((always_inline)) inline void add(const Eight& terms, EightSums& sums) {
  Eight s;
  load(s, sums.data());
  s += terms;
  store(s, sums.data());
}

__attribute__((always_inline)) inline void survey(const PairRow& row, double v_i, const double* v,
                                                  PairSurvey& all, float* out) {
  PairSurvey sums = all;
  for_eights(row, v, v, out,
             [&](const float* counts, const float* covariances, const double* scales, const double* v_j,
                 const double*, float* to) __attribute__((always_inline)) {
               Eight count;
               Eight sum;
               load_pair(row, counts, covariances, scales, count, sum);
               Eight product;
               load(product, v_j);
               product = v_i * product;
               const Eight inverse = 1 / (count + 1);
               add(sum * sum - count * product, sums.excess);
               add(count * count * product, sums.weights);
               add((2 * count + 6) * count * product * product, sums.variance);
               add(product * (count * inverse), sums.seen);
               add(product, sums.all);
               store(__builtin_convertvector(product * inverse, EightFloats), to);
             });
  all = sums;
}

__attribute__((always_inline)) inline void shrink(const PairRow& row, double kappa_i, const double* kappa,
                                                  double sigma_i, const double* sigma,
                                                  EightSums& null_squares, float* out) {
  EightSums sums = null_squares;
  for_eights(row, kappa, sigma, out,
             [&](const float* counts, const float* covariances, const double* scales, const double* kappa_j,
                 const double* sigma_j, float* to) __attribute__((always_inline)) {
               Eight count;
               Eight sum;
               load_pair(row, counts, covariances, scales, count, sum);
               Eight noise;
               load(noise, sigma_j);
               noise = sum * (sigma_i * noise);
               add(noise * noise, sums);
               Eight most;
               load(most, kappa_j);
               most = most > kappa_i ? most : Eight{} + kappa_i;
               store(__builtin_convertvector(sum / (count + most), EightFloats), to);
             });
  null_squares = sums;
}

void survey_plain(const PairRow& row, double v_i, const double* v, PairSurvey& all, float* out) {
  survey(row, v_i, v, all, out);
}
void shrink_plain(const PairRow& row, double kappa_i, const double* kappa, double sigma_i,
                  const double* sigma, EightSums& null_squares, float* out) {
  shrink(row, kappa_i, kappa, sigma_i, sigma, null_squares, out);
}
constexpr PairKernels kPlain{survey_plain, shrink_plain};

#if defined(__x86_64__)
__attribute__((target("avx"))) void survey_avx(const PairRow& row, double v_i, const double* v,
                                               PairSurvey& all, float* out) {
  survey(row, v_i, v, all, out);
}
__attribute__((target("avx"))) void shrink_avx(const PairRow& row, double kappa_i, const double* kappa,
                                               double sigma_i, const double* sigma, EightSums& null_squares,
                                               float* out) {
  shrink(row, kappa_i, kappa, sigma_i, sigma, null_squares, out);
}
constexpr PairKernels kAvx{survey_avx, shrink_avx};

__attribute__((target("avx512f"))) void survey_avx512(const PairRow& row, double v_i, const double* v,
                                                      PairSurvey& all, float* out) {
  survey(row, v_i, v, all, out);
}
__attribute__((target("avx512f"))) void shrink_avx512(const PairRow& row, double kappa_i, const double* kappa,
                                                      double sigma_i, const double* sigma,
                                                      EightSums& null_squares, float* out) {
  shrink(row, kappa_i, kappa, sigma_i, sigma, null_squares, out);
}
constexpr PairKernels kAvx512{survey_avx512, shrink_avx512};
#endif

}  // namespace

double sum_of(const EightSums& s) {
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

const PairKernels& plain_pair_kernels() { return kPlain; }

const PairKernels& fastest_pair_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return kAvx512;
  if (__builtin_cpu_supports("avx")) return kAvx;
#endif
  return kPlain;
}

}  // namespace glimpse
