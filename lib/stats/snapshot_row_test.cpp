#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "base/random.h"
#include "stats/pair_snapshot.h"

namespace snapshot_row_test {

using namespace glimpse;

TEST_CASE("a row of a snapshot by hand: its weights, and covariances about the centres") {
  // Two examples of weights 1 and 3, u = (2, 4) and (6, 8): about (5, 7) the co-moment is 1·9 + 3·1 = 12.
  const PairSums pair{4, 20, 28, 152};
  const std::vector<PairSums> pairs(5, pair);
  const std::vector<double> offsets(5, 7.0);
  const std::vector<double> inverse_units(5, 4.0);
  for (const CopySnapshotRow copy : {plain_copy_snapshot_row(), fastest_copy_snapshot_row()}) {
    std::vector<float> weights(5);
    std::vector<float> covariances(5);
    copy(pairs, {0.5, 5, 2, offsets.data(), inverse_units.data()}, weights.data(), covariances.data());
    CHECK(weights == std::vector<float>(5, 2));
    CHECK(covariances == std::vector<float>(5, 24));  // 12/4·2·4
  }
}

TEST_CASE(
    "rows of all lengths are the same to the bit in every version, and nothing behind them is written") {
  Random random(1);
  const double wild[] = {0, 1e-300, 1e300, -1e300, std::numeric_limits<double>::infinity()};
  for (std::size_t n = 0; n < 20; ++n) {
    std::vector<PairSums> pairs;
    std::vector<double> offsets;
    std::vector<double> inverse_units;
    for (std::size_t k = 0; k < n; ++k) {
      const bool is_seen = random.below(4) > 0;
      PairSums s;
      if (is_seen) s = {random.uniform() * 50, random.uniform(), random.uniform() - 1, random.uniform() * 9};
      if (random.below(5) == 0) s.product = wild[random.below(5)];
      pairs.push_back(s);
      offsets.push_back(random.uniform() - 0.5);
      inverse_units.push_back(std::ldexp(1, static_cast<int>(random.below(9)) - 4));
    }
    const SnapshotRow row{0.7, 0.3, 2, offsets.data(), inverse_units.data()};
    std::vector<float> plain(2 * n + 2, -7);
    std::vector<float> fastest = plain;
    plain_copy_snapshot_row()(pairs, row, plain.data(), plain.data() + n + 1);
    fastest_copy_snapshot_row()(pairs, row, fastest.data(), fastest.data() + n + 1);
    CHECK(fastest == plain);
    CHECK(plain[n] == -7);
    CHECK(plain[2 * n + 1] == -7);
    constexpr double kLargest = std::numeric_limits<float>::max();
    for (std::size_t k = 0; k < n; ++k) {
      const PairSums& s = pairs[k];
      const double weight = 0.7 * s.weight;
      const double co_moment =
          0.7 * (s.product - offsets[k] * s.first - 0.3 * s.second + s.weight * 0.3 * offsets[k]);
      const double covariance = co_moment / (weight > 0 ? weight : 1) * 2 * inverse_units[k];
      CHECK(plain[k] == static_cast<float>(weight));
      CHECK(plain[n + 1 + k] == static_cast<float>(std::clamp(covariance, -kLargest, kLargest)));
    }
  }
}

}  // namespace snapshot_row_test
