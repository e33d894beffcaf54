#include "stats/pair_batch.h"

#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "base/random.h"
#include "stats/pair_moments.h"

namespace pair_batch_test {

using namespace glimpse;

namespace {

struct Example {
  std::vector<Attribute> attributes;
  std::vector<double> u;
  double weight = 1;
};

Example example(Random& random, std::size_t dimension, std::size_t seen) {
  Example e;
  for (std::size_t i = 0; i < dimension; ++i) {
    if (random.below(dimension - i) >= seen - e.attributes.size()) continue;
    e.attributes.push_back(static_cast<Attribute>(i));
    e.u.push_back((random.uniform() - 0.5) * (i % 3 == 0 ? 1e-8 : 1e5));
  }
  e.weight = 0.1 + random.uniform();
  return e;
}

using Cells = std::vector<PairSums>;
bool same(const Cells& a, const Cells& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(PairSums)) == 0;
}

}  // namespace

TEST_CASE("a row's pairs by hand, by every processor's function") {
  // Of attributes 0, 2 and 3 of 4: the pairs (0, 2) and (0, 3).
  const std::vector<SeenExample> examples{{3, 2.0}, {5, 1.0}};
  const std::vector<SeenAttribute> attributes{0, 2, 3, 0, 3};
  const std::vector<double> u{10, 0.5, -1, 4, 8};
  const std::vector<RowVisit> visits{{0, 0}, {3, 1}};
  for (const AddToRow add : {plain_add_to_row(), fastest_add_to_row()}) {
    Cells cells(6, PairSums{});
    add(cells.data(), 0, 3, visits, {examples.data(), attributes.data(), u.data()});
    const double none[] = {0, 0, 0, 0};
    const double second[] = {2, 20, 1, 10};
    const double third[] = {3, 24, 6, 12};
    CHECK(std::memcmp(&cells[0], none, 32) == 0);
    CHECK(std::memcmp(&cells[1], second, 32) == 0);
    CHECK(std::memcmp(&cells[2], third, 32) == 0);
    CHECK(std::memcmp(&cells[3], none, 32) == 0);
  }
}

TEST_CASE("pairs that are added later, row by row, are to the bit those that are added at once") {
  constexpr std::size_t kDimension = 300;
  Random random(5);
  Cells cells(kDimension * (kDimension - 1) / 2, PairSums{});
  Cells expected = cells;
  PairBatch batch;
  REQUIRE(batch.empty());
  // Enough to fill it several times, and some ends amid the adding.
  for (int k = 0; k < 12000; ++k) {
    const std::size_t seen = 12 + random.below(k % 50 == 0 ? kDimension - 12 : 30);
    const Example e = example(random, kDimension, seen);
    REQUIRE(PairBatch::is_worthwhile(kDimension, seen));
    batch.keep(e.attributes, e.u, e.weight, cells.data(), kDimension);
    REQUIRE_FALSE(batch.empty());
    plain_add_to_pairs()(expected.data(), kDimension, e.attributes, e.u, e.weight);
    if (k != 7 && k % 2500 != 0) continue;
    batch.settle(cells.data(), kDimension);
    CHECK(batch.empty());
    CHECK(same(cells, expected));
  }
  CHECK_FALSE(same(cells, expected));
  batch.settle(cells.data(), kDimension);
  CHECK(same(cells, expected));
}

TEST_CASE("a batch is for many attributes of models whose pairs do not fit into a cache") {
  CHECK(PairBatch::is_worthwhile(784, 57));
  CHECK_FALSE(PairBatch::is_worthwhile(784, 5));
  CHECK_FALSE(PairBatch::is_worthwhile(200, 57));
  CHECK_FALSE(PairBatch::is_worthwhile(70000, 57));  // more than a SeenAttribute tells apart
}

namespace {

constexpr std::size_t kReadDimension = 300;

/// Moments that add when it suits them, and the same settled after every example.
struct Both {
  PairMoments moments{kReadDimension};
  PairMoments settled{kReadDimension};
  Random random{6};

  void add(const Example& e, double label, double forgetting) {
    for (PairMoments* each : {&moments, &settled}) {
      if (forgetting < 1) each->forget(forgetting);
      each->add(e.attributes, e.u, label, e.weight);
    }
    settled.settle();
  }
};

}  // namespace

TEST_CASE("reading pair moments finds every example, those still to be added as well") {
  Both both;
  for (int k = 0; k < 3000; ++k) {
    Example e = example(both.random, kReadDimension, k % 7 == 0 ? 3 : 40);
    if (k % 11 == 0) e.u[1] = std::numeric_limits<double>::quiet_NaN();
    both.add(e, 1.0 + k % 3, k > 1000 ? 0.9 : 1);
    if (k % 500 != 99) continue;
    for (std::size_t j = 1; j < kReadDimension; ++j) {
      const PairSums a = both.moments.pair(0, j);
      const PairSums b = both.settled.pair(0, j);
      REQUIRE(std::memcmp(&a, &b, sizeof a) == 0);
    }
  }
}

TEST_CASE("a copy that is begun adds a few with each example, and some in between, until all are there") {
  Both both;
  for (int k = 0; k < 500; ++k) both.add(example(both.random, kReadDimension, 40), 1, 1);
  both.moments.add_at_once(true);
  for (int k = 0; k < 1500; ++k) {
    both.add(example(both.random, kReadDimension, 40), 1, 1);
    if (k % 100 == 50) both.moments.settle_some(1000);
  }
  CHECK(both.moments.settle_some(0));
  both.moments.add_at_once(false);
  State state;
  State settled_state;
  both.moments.save(state);
  both.settled.save(settled_state);
  const auto pairs = state.get<double>("pairs.sums");
  const auto settled_pairs = settled_state.get<double>("pairs.sums");
  REQUIRE((pairs && settled_pairs && pairs->size() == settled_pairs->size()));
  CHECK(std::memcmp(pairs->data(), settled_pairs->data(), pairs->size_bytes()) == 0);
}

TEST_CASE("a copy, a merge and restored moments know every example as well") {
  Both both;
  for (int k = 0; k < 1000; ++k) both.add(example(both.random, kReadDimension, 40), 1, 1);
  State settled_state;
  both.settled.save(settled_state);
  const Example last = example(both.random, kReadDimension, 40);
  both.moments.add(last.attributes, last.u, 1, 1);
  both.settled.add(last.attributes, last.u, 1, 1);
  PairMoments copy(kReadDimension);
  copy.copy_from(both.moments);
  PairMoments merged(kReadDimension);
  merged.add(last.attributes, last.u, 2, 1);
  PairMoments merged_settled(kReadDimension);
  merged_settled.add(last.attributes, last.u, 2, 1);
  merged_settled.settle();
  merged.merge(both.moments);
  merged_settled.merge(both.settled);
  for (std::size_t j = 1; j < kReadDimension; ++j) {
    CHECK(copy.pair(0, j).product == both.settled.pair(0, j).product);
    CHECK(merged.pair(0, j).product == merged_settled.pair(0, j).product);
  }
  REQUIRE(both.moments.restore(settled_state).has_value());
  PairMoments restored(kReadDimension);
  REQUIRE(restored.restore(settled_state).has_value());
  for (std::size_t j = 1; j < kReadDimension; ++j)
    CHECK(both.moments.pair(0, j).product == restored.pair(0, j).product);
}

}  // namespace pair_batch_test
