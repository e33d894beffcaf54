#include "stats/pair_batch.h"

#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <utility>
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
  // The first example alone, then two of which 0 and 3 were seen.
  const std::vector<SeenGroup> groups{{0, 3, 0, 0, 1}, {3, 5, 3, 1, 2}};
  const std::vector<SeenAttribute> attributes{0, 2, 3, 0, 3};
  std::vector<double> u{10, 0.5, -1, 4, 8, 2, 1};
  const std::vector<double> weights{2, 1, 4};
  u.resize(u.size() + SeenValues::kBehind, std::numeric_limits<double>::quiet_NaN());
  const SeenValues seen{groups.data(), attributes.data(), u.data(), weights.data()};
  const std::vector<RowVisit> visits{{0, 0}, {3, 1}};
  for (const AddToRow add : all_add_to_row()) {
    Cells cells(6, PairSums{});
    add(cells.data(), 0, 3, visits, seen);
    const double none[] = {0, 0, 0, 0};
    const double second[] = {2, 20, 1, 10};
    const double third[] = {7, 32, 10, 20};
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

namespace {

// Examples of which `together` in a row show the same attributes, and whether they are added at once.
struct Run {
  int examples;
  std::uint64_t together;
  bool at_once = false;
};

void check_run(PairBatch& batch, Random& random, const Run& run, Cells& cells, Cells& expected) {
  constexpr std::size_t kDimension = 300;
  Example e;
  for (int k = 0; k < run.examples; ++k) {
    if (e.u.empty() || random.below(run.together) == 0)
      e = example(random, kDimension, 12 + random.below(40));
    for (double& u : e.u) u = (random.uniform() - 0.3) * 1e3;
    e.weight = random.below(3) == 0 ? 1 : 0.1 + random.uniform();
    batch.keep(e.attributes, e.u, e.weight, cells.data(), kDimension, run.at_once);
    plain_add_to_pairs()(expected.data(), kDimension, e.attributes, e.u, e.weight);
  }
}

}  // namespace

namespace {

// They help at once, and do so much of it.
struct SomeParts final : Helpers {
  explicit SomeParts(int most) : parts(most) {}
  void post(std::shared_ptr<SharedWork> work) override {
    ++posts;
    for (int i = 0; i < parts && work->help(); ++i) ++done;
  }
  const int parts;
  int posts = 0;
  int done = 0;
};

void check_groups(PairBatch& batch) {
  constexpr std::size_t kDimension = 300;
  Random random(9);
  Cells cells(kDimension * (kDimension - 1) / 2, PairSums{});
  Cells expected = cells;
  // By rows, then group by group, while rows are added, in between some examples by themselves.
  const Run runs[] = {{5000, 2}, {9000, 16},      {3000, 1},        {4000, 1000}, {500, 16, true},
                      {3000, 1}, {3000, 3, true}, {4000, 4},        {2000, 12},   {1000, 1, true},
                      {4000, 7}, {6000, 9},       {100, 1000, true}};
  for (const Run& run : runs) {
    CAPTURE(run.together);
    check_run(batch, random, run, cells, expected);
    if (run.together != 4) continue;
    batch.settle(cells.data(), kDimension);
    REQUIRE(batch.empty());
    REQUIRE(same(cells, expected));
  }
  batch.settle(cells.data(), kDimension);
  CHECK(same(cells, expected));
}

}  // namespace

TEST_CASE(
    "pairs of groups of examples are to the bit those that are added one by one, however groups follow") {
  PairBatch batch;
  check_groups(batch);
}

TEST_CASE("pairs of groups are the same to the bit whatever helpers do of them") {
  for (const int parts : {0, 1, 20, 1000}) {
    CAPTURE(parts);
    const auto helpers = std::make_shared<SomeParts>(parts);
    PairBatch batch;
    batch.set_helpers(helpers);
    check_groups(batch);
    CHECK(helpers->posts > 5);
    CHECK((parts == 0 || helpers->done >= helpers->posts));
  }
}

TEST_CASE("a batch that is moved to gives what it had, and keeps its helpers") {
  constexpr std::size_t kDimension = 300;
  Random random(3);
  Cells cells(kDimension * (kDimension - 1) / 2, PairSums{});
  Cells expected = cells;
  const auto helpers = std::make_shared<SomeParts>(1000);
  PairBatch batch;
  batch.set_helpers(helpers);
  check_run(batch, random, {5000, 4}, cells, expected);
  const int posts = helpers->posts;
  REQUIRE(posts > 0);
  PairBatch other = std::move(batch);
  other.settle(cells.data(), kDimension);
  CHECK(same(cells, expected));
  batch = PairBatch();
  check_run(batch, random, {5000, 4}, cells, expected);
  CHECK(helpers->posts > posts);
  batch.settle(cells.data(), kDimension);
  CHECK(same(cells, expected));
}

TEST_CASE("a group's pairs, by every processor's function") {
  constexpr std::size_t kDimension = 40;
  Random random(11);
  for (const AddGroup add : all_add_group()) {
    for (std::uint32_t seen = 2; seen < 20; ++seen) {
      for (const std::uint32_t examples : {1U, 2U, 5U, SeenGroup::kMostTogether}) {
        Cells cells(kDimension * (kDimension - 1) / 2, PairSums{});
        Cells expected = cells;
        Example e = example(random, kDimension, seen);
        std::vector<double> u;
        std::vector<double> weights;
        for (std::uint32_t m = 0; m < examples; ++m) {
          for (double& each : e.u) each = (random.uniform() - 0.5) * 1e7;
          u.insert(u.end(), e.u.begin(), e.u.end());
          weights.push_back(random.uniform());
          plain_add_to_pairs()(expected.data(), kDimension, e.attributes, e.u, weights.back());
        }
        u.resize(u.size() + SeenValues::kBehind, std::numeric_limits<double>::infinity());
        const std::vector<SeenAttribute> attributes(e.attributes.begin(), e.attributes.end());
        const SeenGroup group{0, seen, 0, 0, examples};
        add(cells.data(), kDimension, group, {&group, attributes.data(), u.data(), weights.data()});
        REQUIRE(same(cells, expected));
      }
    }
  }
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
  CHECK(both.moments.settle_some(100'000));  // of the last example alone
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
