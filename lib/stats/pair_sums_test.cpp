#include "stats/pair_sums.h"

#include <cstring>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace pair_sums_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 70;

struct Example {
  std::vector<Attribute> attributes;
  std::vector<double> u;
  double weight;
};

// Sets of every size, values of every magnitude, and importances that are no powers of two.
std::vector<Example> examples() {
  Random random(1);
  std::vector<Example> list;
  for (std::size_t size = 0; size <= kDimension; ++size) {
    for (int copy = 0; copy < 5; ++copy) {
      Example e;
      std::size_t missing = kDimension - size;
      for (std::size_t i = 0; i < kDimension; ++i) {
        if (random.below(kDimension - i) < missing) {
          --missing;
          continue;
        }
        e.attributes.push_back(static_cast<Attribute>(i));
        e.u.push_back((random.uniform() - 0.5) * (i % 3 == 0 ? 1e-8 : 1e5));
      }
      e.weight = 0.1 + random.uniform();
      list.push_back(e);
    }
  }
  return list;
}

using Cells = std::vector<PairSums>;

Cells sums_by(AddToPairs add) {
  Cells cells(kDimension * (kDimension - 1) / 2);
  for (const Example& e : examples()) add(cells.data(), kDimension, e.attributes, e.u, e.weight);
  return cells;
}

void add_naive(PairSums* pairs, std::size_t dimension, std::span<const Attribute> attributes,
               std::span<const double> u, double weight) {
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    for (std::size_t b = a + 1; b < attributes.size(); ++b) {
      PairSums& s = pairs[pair_row(attributes[a], dimension) + attributes[b]];
      s.weight += weight;
      s.first += weight * u[a];
      s.second += weight * u[b];
      s.product += weight * u[a] * u[b];
    }
  }
}

}  // namespace

TEST_CASE("the packed triangle has every pair once, in order") {
  std::size_t next = 0;
  for (std::size_t i = 0; i < kDimension; ++i)
    for (std::size_t j = i + 1; j < kDimension; ++j) CHECK(pair_row(i, kDimension) + j == next++);
}

TEST_CASE("every version of the update gives the same sums to the bit") {
  const Cells naive = sums_by(add_naive);
  const Cells plain = sums_by(plain_add_to_pairs());
  const Cells fastest = sums_by(fastest_add_to_pairs());
  const std::size_t bytes = naive.size() * sizeof(PairSums);
  CHECK(naive.back().weight > 1);
  CHECK(std::memcmp(naive.data(), plain.data(), bytes) == 0);
  CHECK(std::memcmp(naive.data(), fastest.data(), bytes) == 0);
}

}  // namespace pair_sums_test
