#include "learn/covariance/pair_kernels.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace glimpse::pair_kernels_test {

namespace {

struct Row {
  std::vector<float> counts;
  std::vector<float> covariances;
  std::vector<double> scales;
  std::vector<double> a;
  std::vector<double> b;
  PairRow row(double scale_i) const {
    return {counts.data(), covariances.data(), scale_i, scales.data(), counts.size()};
  }
};

Row random_row(Random& random, std::size_t n) {
  Row row;
  for (std::size_t k = 0; k < n; ++k) {
    const bool seen = random.below(4) > 0;
    row.counts.push_back(seen ? static_cast<float>(random.below(50)) : 0);
    row.covariances.push_back(seen ? static_cast<float>(random.uniform() - 0.5) : 0);
    row.scales.push_back(0.5 + random.uniform());
    row.a.push_back(random.uniform());
    row.b.push_back(random.uniform());
  }
  return row;
}

}  // namespace

TEST_CASE("a row of pairs by hand") {
  const std::vector<float> counts{3, 0};
  const std::vector<float> covariances{0.5, 0};
  const std::vector<double> scales{2, 1};
  const PairRow row{counts.data(), covariances.data(), 4, scales.data(), 2};  // S = 0.5·3·4·2 = 12
  const std::vector<double> v{0.5, 8};
  const std::vector<double> kappa{5, 1};
  const std::vector<double> sigma{0.25, 1};
  for (const PairKernels* kernels : {&plain_pair_kernels(), &fastest_pair_kernels()}) {
    PairSurvey survey;
    std::vector<float> out(2);
    const std::vector<double> n{4, 6};
    double pairs_i = 1;
    double seen_i = 0;
    std::vector<double> pairs(2, 1.0);
    std::vector<double> seen(2);
    kernels->survey(row, 2, v.data(), 12, n.data(), survey, {&pairs_i, &seen_i}, {pairs.data(), seen.data()},
                    out.data());
    CHECK(sum_of(survey.excess) == 144 - 3);   // S² − N·v_i·v_j
    CHECK(sum_of(survey.weights) == 9);        // N²·v_i·v_j
    CHECK(sum_of(survey.variance) == 12 * 3);  // (2N + 6)·N·(v_i·v_j)²
    CHECK(sum_of(survey.seen) == 0.75);        // v_i·v_j·N/(N + 1)
    CHECK(sum_of(survey.all) == 1 + 16);
    CHECK(out == std::vector<float>{0.1875, 16});  // v_i·v_j/(N + 1)·(1 − N/12)
    CHECK(pairs_i == 4);                           // 1 + Σ N
    CHECK(seen_i == 0.375);                        // Σ v_j·N/(N + 1)
    CHECK(pairs == std::vector<double>{4, 1});
    CHECK(seen == std::vector<double>{1.5, 0});

    EightSums null_squares{};
    kernels->shrink(row, 1, kappa.data(), 2, sigma.data(), null_squares, out.data());
    CHECK(sum_of(null_squares) == 36);            // (12·2·0.25)²
    CHECK(out == std::vector<float>{1.5, 0});     // 12/(3 + 5)
    CHECK(kernels->product(row, v.data()) == 6);  // 12·0.5
  }
}

TEST_CASE("pair kernels agree with the plain sums, and every processor's to the bit") {
  Random random(23);
  for (const std::size_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 100, 203}) {
    CAPTURE(n);
    const Row row = random_row(random, n);
    PairSurvey plain;
    PairSurvey fastest;
    std::vector<float> expected(n);
    std::vector<float> out(n);
    std::vector<double> pairs(n);
    std::vector<double> seen(n);
    std::vector<double> fast_pairs(n);
    std::vector<double> fast_seen(n);
    double of_i[4] = {};
    plain_pair_kernels().survey(row.row(0.7), 1.3, row.a.data(), 55, row.b.data(), plain, {of_i, of_i + 1},
                                {pairs.data(), seen.data()}, expected.data());
    fastest_pair_kernels().survey(row.row(0.7), 1.3, row.a.data(), 55, row.b.data(), fastest,
                                  {of_i + 2, of_i + 3}, {fast_pairs.data(), fast_seen.data()}, out.data());
    CHECK(out == expected);
    CHECK(pairs == fast_pairs);
    CHECK(seen == fast_seen);
    CHECK(of_i[0] == of_i[2]);
    CHECK(of_i[1] == of_i[3]);
    CHECK(plain_pair_kernels().product(row.row(0.7), row.a.data()) ==
          fastest_pair_kernels().product(row.row(0.7), row.a.data()));
    CHECK(fastest.excess == plain.excess);
    CHECK(fastest.weights == plain.weights);
    CHECK(fastest.variance == plain.variance);
    CHECK(fastest.seen == plain.seen);
    CHECK(fastest.all == plain.all);
    double excess = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const auto count = static_cast<double>(row.counts[k]);
      const double sum = static_cast<double>(row.covariances[k]) * count * 0.7 * row.scales[k];
      excess += sum * sum - count * 1.3 * row.a[k];
      CHECK(static_cast<double>(out[k]) == doctest::Approx(1.3 * row.a[k] / (count + 1) * (1 - count / 55)));
      CHECK(pairs[k] == count);
      CHECK(seen[k] == doctest::Approx(1.3 * count / (count + 1)));
    }
    CHECK(sum_of(plain.excess) == doctest::Approx(excess));

    EightSums plain_squares{};
    EightSums fastest_squares{};
    plain_pair_kernels().shrink(row.row(0.7), 0.5, row.a.data(), 0.9, row.b.data(), plain_squares,
                                expected.data());
    fastest_pair_kernels().shrink(row.row(0.7), 0.5, row.a.data(), 0.9, row.b.data(), fastest_squares,
                                  out.data());
    CHECK(out == expected);
    CHECK(fastest_squares == plain_squares);
    std::vector<double> plain_shrunk(n);
    std::vector<double> shrunk(n + 1, -7);
    const ShrunkAbout<const double*> about{row.b.data(), row.a.data(), row.b.data()};
    plain_pair_kernels().covariances(row.row(0.7), {0.4, 0.5, 0.9}, about, plain_shrunk.data());
    fastest_pair_kernels().covariances(row.row(0.7), {0.4, 0.5, 0.9}, about, shrunk.data());
    CHECK(std::equal(plain_shrunk.begin(), plain_shrunk.end(), shrunk.begin()));
    CHECK(shrunk[n] == -7);
    for (std::size_t k = 0; k < n; ++k) {
      const auto count = static_cast<double>(row.counts[k]);
      const double sum = static_cast<double>(row.covariances[k]) * count * (0.7 * row.scales[k]);
      const double most = 0.9 * row.b[k];
      CHECK(plain_shrunk[k] ==
            std::clamp((sum - count * 0.4 * row.b[k]) / (count + std::max(0.5, row.a[k])), -most, most));
    }
    double squares = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const auto count = static_cast<double>(row.counts[k]);
      const double sum = static_cast<double>(row.covariances[k]) * count * 0.7 * row.scales[k];
      squares += sum * sum * 0.81 * row.b[k] * row.b[k];
      CHECK(static_cast<double>(out[k]) == doctest::Approx(sum / (count + std::max(0.5, row.a[k]))));
    }
    CHECK(sum_of(plain_squares) == doctest::Approx(squares));
  }
}

}  // namespace glimpse::pair_kernels_test
