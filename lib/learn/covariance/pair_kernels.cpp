#include "learn/covariance/pair_kernels.h"

#include <algorithm>
#include <array>
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

// N_ij and S_ij of a row, eight at a time, with the numbers of `arrays` at the same place. What is left at
// the end is copied out first, with zeros behind it: step() must make nothing of a pair of zeros.
template <std::size_t kArrays, class Step>
__attribute__((always_inline)) inline void for_eights(const PairRow& row,
                                                      const std::array<const double*, kArrays>& arrays,
                                                      const Step& step) {
  using Arrays = std::array<const double*, kArrays>;
  Eight count;
  Eight sum;
  std::size_t k = 0;
  for (; k + 8 <= row.n; k += 8) {
    Arrays here = arrays;
    for (auto& array : here) array += k;
    load_pair(row, row.counts + k, row.covariances + k, row.scales + k, count, sum);
    step(count, sum, here, k, std::size_t{8});
  }
  const std::size_t left = row.n - k;
  if (left == 0) return;
  float counts[8] = {};
  float covariances[8] = {};
  double scales[8] = {};
  double last[kArrays][8] = {};
  Arrays here;
  std::memcpy(counts, row.counts + k, left * sizeof(float));
  std::memcpy(covariances, row.covariances + k, left * sizeof(float));
  std::memcpy(scales, row.scales + k, left * sizeof(double));
  for (std::size_t a = 0; a < kArrays; ++a) {
    std::memcpy(last[a], arrays[a] + k, left * sizeof(double));
    here[a] = last[a];
  }
  load_pair(row, counts, covariances, scales, count, sum);
  step(count, sum, here, k, left);
}

__attribute__((always_inline)) inline void add(const Eight& terms, EightSums& sums) {
  Eight s;
  load(s, sums.data());
  s += terms;
  store(s, sums.data());
}

// To `to`, of which there are as many as are left.
__attribute__((always_inline)) inline void write(const Eight& numbers, float* to, std::size_t left) {
  const EightFloats floats = __builtin_convertvector(numbers, EightFloats);
  if (left == 8) return store(floats, to);
  float last[8];
  store(floats, last);
  std::memcpy(to, last, left * sizeof(float));
}
__attribute__((always_inline)) inline void add_to(const Eight& terms, double* to, std::size_t left) {
  Eight sums{};
  if (left == 8) {
    load(sums, to);
    sums += terms;
    return store(sums, to);
  }
  double last[8] = {};
  store(terms, last);
  for (std::size_t k = 0; k < left; ++k) to[k] += last[k];
}

__attribute__((always_inline)) inline void survey(const PairRow& row, double v_i, const double* v, double n_i,
                                                  const double* n, PairSurvey& all, const PairTotals& of_i,
                                                  const PairTotals& of_others, float* out) {
  PairSurvey sums = all;
  EightSums counts_of_i{};
  EightSums seen_of_i{};
  for_eights<2>(row, {v, n},
                [&](const Eight& count, const Eight& sum, const auto& arrays, std::size_t k, std::size_t left)
                    __attribute__((always_inline)) {
                      Eight v_j;
                      load(v_j, arrays[0]);
                      const Eight product = v_i * v_j;
                      const Eight inverse = 1 / (count + 1);
                      const Eight share = count * inverse;
                      add(sum * sum - count * product, sums.excess);
                      add(count * count * product, sums.weights);
                      add((2 * count + 6) * count * product * product, sums.variance);
                      add(product * share, sums.seen);
                      add(product, sums.all);
                      add(count, counts_of_i);
                      add(v_j * share, seen_of_i);
                      add_to(count, of_others.counts + k, left);
                      add_to(v_i * share, of_others.seen + k, left);
                      Eight most;
                      load(most, arrays[1]);
                      most = most > n_i ? most : Eight{} + n_i;
                      Eight own = 1 - count / most;
                      own = own > 0 ? own : Eight{};
                      write(product * inverse * own, out + k, left);
                    });
  all = sums;
  *of_i.counts += sum_of(counts_of_i);
  *of_i.seen += sum_of(seen_of_i);
}

__attribute__((always_inline)) inline void shrink(const PairRow& row, double kappa_i, const double* kappa,
                                                  double sigma_i, const double* sigma,
                                                  EightSums& null_squares, float* out) {
  EightSums sums = null_squares;
  for_eights<2>(row, {kappa, sigma},
                [&](const Eight& count, const Eight& sum, const auto& arrays, std::size_t k, std::size_t left)
                    __attribute__((always_inline)) {
                      Eight noise;
                      load(noise, arrays[1]);
                      noise = sum * (sigma_i * noise);
                      add(noise * noise, sums);
                      Eight most;
                      load(most, arrays[0]);
                      most = most > kappa_i ? most : Eight{} + kappa_i;
                      write(sum / (count + most), out + k, left);
                    });
  null_squares = sums;
}

__attribute__((always_inline)) inline void covariances(const PairRow& row, const ShrunkAbout<double>& i,
                                                       const ShrunkAbout<const double*>& j, double* out) {
  for_eights<3>(row, {j.offsets, j.shrinkage, j.deviations},
                [&](const Eight& count, const Eight& sum, const auto& arrays, std::size_t k, std::size_t left)
                    __attribute__((always_inline)) {
                      Eight offset;
                      load(offset, arrays[0]);
                      Eight kappa;
                      load(kappa, arrays[1]);
                      kappa = kappa > i.shrinkage ? kappa : Eight{} + i.shrinkage;
                      Eight most;
                      load(most, arrays[2]);
                      most = i.deviations * most;
                      Eight c = (sum - count * i.offsets * offset) / (count + kappa);
                      c = c < -most ? -most : c;
                      c = c > most ? most : c;
                      if (left == 8) return store(c, out + k);
                      double last[8];
                      store(c, last);
                      std::memcpy(out + k, last, left * sizeof(double));
                    });
}

__attribute__((always_inline)) inline double product(const PairRow& row, const double* z) {
  EightSums sums{};
  for_eights<1>(row, {z},
                [&](const Eight&, const Eight& sum, const auto& arrays, std::size_t, std::size_t)
                    __attribute__((always_inline)) {
                      Eight z_j;
                      load(z_j, arrays[0]);
                      add(sum * z_j, sums);
                    });
  return sum_of(sums);
}

void survey_plain(const PairRow& row, double v_i, const double* v, double n_i, const double* n,
                  PairSurvey& all, const PairTotals& of_i, const PairTotals& of_others, float* out) {
  survey(row, v_i, v, n_i, n, all, of_i, of_others, out);
}
void shrink_plain(const PairRow& row, double kappa_i, const double* kappa, double sigma_i,
                  const double* sigma, EightSums& null_squares, float* out) {
  shrink(row, kappa_i, kappa, sigma_i, sigma, null_squares, out);
}
void covariances_plain(const PairRow& row, const ShrunkAbout<double>& i, const ShrunkAbout<const double*>& j,
                       double* out) {
  covariances(row, i, j, out);
}
double product_plain(const PairRow& row, const double* z) { return product(row, z); }
constexpr PairKernels kPlain{survey_plain, shrink_plain, covariances_plain, product_plain};

#if defined(__x86_64__)
__attribute__((target("avx"))) void survey_avx(const PairRow& row, double v_i, const double* v, double n_i,
                                               const double* n, PairSurvey& all, const PairTotals& of_i,
                                               const PairTotals& of_others, float* out) {
  survey(row, v_i, v, n_i, n, all, of_i, of_others, out);
}
__attribute__((target("avx"))) void shrink_avx(const PairRow& row, double kappa_i, const double* kappa,
                                               double sigma_i, const double* sigma, EightSums& null_squares,
                                               float* out) {
  shrink(row, kappa_i, kappa, sigma_i, sigma, null_squares, out);
}
__attribute__((target("avx"))) void covariances_avx(const PairRow& row, const ShrunkAbout<double>& i,
                                                    const ShrunkAbout<const double*>& j, double* out) {
  covariances(row, i, j, out);
}
__attribute__((target("avx"))) double product_avx(const PairRow& row, const double* z) {
  return product(row, z);
}
constexpr PairKernels kAvx{survey_avx, shrink_avx, covariances_avx, product_avx};

__attribute__((target("avx512f"))) void survey_avx512(const PairRow& row, double v_i, const double* v,
                                                      double n_i, const double* n, PairSurvey& all,
                                                      const PairTotals& of_i, const PairTotals& of_others,
                                                      float* out) {
  survey(row, v_i, v, n_i, n, all, of_i, of_others, out);
}
__attribute__((target("avx512f"))) void shrink_avx512(const PairRow& row, double kappa_i, const double* kappa,
                                                      double sigma_i, const double* sigma,
                                                      EightSums& null_squares, float* out) {
  shrink(row, kappa_i, kappa, sigma_i, sigma, null_squares, out);
}
__attribute__((target("avx512f"))) void covariances_avx512(const PairRow& row, const ShrunkAbout<double>& i,
                                                           const ShrunkAbout<const double*>& j, double* out) {
  covariances(row, i, j, out);
}
__attribute__((target("avx512f"))) double product_avx512(const PairRow& row, const double* z) {
  return product(row, z);
}
constexpr PairKernels kAvx512{survey_avx512, shrink_avx512, covariances_avx512, product_avx512};
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

namespace {

// Of features i < j of one attribute that have a slot.
template <class Visit>
void for_each_pair(const FeatureMap& features, const Visit& visit) {
  for (std::size_t a = 0; !features.is_plain() && a < features.attributes(); ++a) {
    if (!features.has_indicators(a)) continue;
    const auto slots = features.indicators(a);
    for (const std::uint32_t slot : slots)
      if (features.is_date(a) && slot != FeatureMap::kNone) visit(a, slot);
    for (std::size_t k = 0; k < slots.size(); ++k)
      for (std::size_t l = k + 1; l < slots.size(); ++l)
        if (slots[k] != FeatureMap::kNone && slots[l] != FeatureMap::kNone)
          visit(std::min(slots[k], slots[l]), std::max(slots[k], slots[l]));
  }
}

}  // namespace

void leave_out_indicator_pairs(const PairSnapshot& moments, std::span<double> pairs) {
  for_each_pair(moments.features(), [&](std::size_t i, std::size_t j) {
    const double count = moments.weight(i, j);
    pairs[i] -= count;
    pairs[j] -= count;
  });
  if (moments.features().is_plain()) return;
  for (double& count : pairs) count = std::max(count, 0.0);
}

std::vector<double> attribute_shares(const FeatureMap& features, std::span<const double> pairs,
                                     double all_pairs) {
  std::vector<double> shares(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) shares[i] = all_pairs > 0 ? pairs[i] / all_pairs : 0;
  if (features.is_plain()) return shares;
  std::vector<double> sums(features.attributes());
  const auto is_shared = [&](std::size_t i) { return features.is_indicator(i) || features.is_date(i); };
  for (std::size_t i = 0; i < features.slots(); ++i)
    if (is_shared(i)) sums[features.owner(i)] += shares[i];
  for (std::size_t i = 0; i < features.slots(); ++i)
    if (is_shared(i)) shares[i] = std::min(sums[features.owner(i)], 1.0);
  return shares;
}

double among_indicators(const PairSnapshot& moments, std::span<const double> units,
                        std::span<const double> weights, std::span<const double> z, double all_pairs) {
  double sum = 0;
  for_each_pair(moments.features(), [&](std::size_t i, std::size_t j) {
    const double count = moments.weight(i, j);
    if (!(count > 0)) return;
    const double s = moments.co_moment(i, j) / (units[i] * units[j]);
    sum += s * (weights[i] * weights[j] / count - all_pairs * z[i] * z[j]);
  });
  return 2 * sum;
}

}  // namespace glimpse
