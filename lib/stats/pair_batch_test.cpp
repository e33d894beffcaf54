#include "stats/pair_batch.h"

#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "base/random.h"
#include "stats/pair_moments.h"

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

TEST_CASE("reading pair moments finds every example, those still to be added as well") {
  constexpr std::size_t kDimension = 300;
  Random random(6);
  PairMoments moments(kDimension);
  PairMoments settled(kDimension);  // after every example
  for (int k = 0; k < 3000; ++k) {
    Example e = example(random, kDimension, k % 7 == 0 ? 3 : 40);
    if (k % 11 == 0) e.u[1] = std::numeric_limits<double>::quiet_NaN();
    for (PairMoments* each : {&moments, &settled}) {
      if (k > 1000) each->forget(0.9);
      each->add(e.attributes, e.u, 1.0 + k % 3, e.weight);
    }
    settled.settle();
    if (k % 500 != 99) continue;
    for (std::size_t j = 1; j < kDimension; ++j) {
      const PairSums a = moments.pair(0, j);
      const PairSums b = settled.pair(0, j);
      REQUIRE(std::memcmp(&a, &b, sizeof a) == 0);
    }
  }
  // As when a copy is begun: a few with each example, and some in between, until all are there.
  moments.add_at_once(true);
  for (int k = 0; k < 1500; ++k) {
    const Example e = example(random, kDimension, 40);
    for (PairMoments* each : {&moments, &settled}) each->add(e.attributes, e.u, 1, e.weight);
    settled.settle();
    if (k % 100 == 50) moments.settle_some(1000);
  }
  CHECK(moments.settle_some(0));
  moments.add_at_once(false);
  State state;
  State settled_state;
  moments.save(state);
  settled.save(settled_state);
  const auto pairs = state.get<double>("pairs.sums");
  const auto settled_pairs = settled_state.get<double>("pairs.sums");
  REQUIRE((pairs && settled_pairs && pairs->size() == settled_pairs->size()));
  CHECK(std::memcmp(pairs->data(), settled_pairs->data(), pairs->size_bytes()) == 0);

  // A copy, a merge and a restored one know them all as well.
  const Example last = example(random, kDimension, 40);
  moments.add(last.attributes, last.u, 1, 1);
  settled.add(last.attributes, last.u, 1, 1);
  PairMoments copy(kDimension);
  copy.copy_from(moments);
  PairMoments merged(kDimension);
  merged.add(last.attributes, last.u, 2, 1);
  PairMoments merged_settled(kDimension);
  merged_settled.add(last.attributes, last.u, 2, 1);
  merged_settled.settle();
  merged.merge(moments);
  merged_settled.merge(settled);
  for (std::size_t j = 1; j < kDimension; ++j) {
    CHECK(copy.pair(0, j).product == settled.pair(0, j).product);
    CHECK(merged.pair(0, j).product == merged_settled.pair(0, j).product);
  }
  REQUIRE(moments.restore(settled_state).has_value());
  PairMoments restored(kDimension);
  REQUIRE(restored.restore(settled_state).has_value());
  for (std::size_t j = 1; j < kDimension; ++j)
    CHECK(moments.pair(0, j).product == restored.pair(0, j).product);
}
