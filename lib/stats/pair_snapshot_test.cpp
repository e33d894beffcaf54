#include "stats/pair_snapshot.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "base/random.h"
#include "base/state.h"

namespace pair_snapshot_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 9;

// Correlated attributes in units from 10⁻⁴⁰ to 10⁴⁰ times `scale`, about means that are not 0; the last is
// never seen.
void add(PairMoments& moments, Random& random, int examples, double scale = 1) {
  for (int e = 0; e < examples; ++e) {
    const double common = random.uniform();
    std::vector<Attribute> seen;
    std::vector<double> values;
    for (std::size_t i = 0; i + 1 < kDimension; ++i) {
      if (random.uniform() < 0.4) continue;
      seen.push_back(static_cast<Attribute>(i));
      values.push_back(scale * std::pow(10, 10 * static_cast<double>(i) - 40) *
                       (3 + common + random.uniform()));
    }
    moments.add(seen, values, common - random.uniform(), 0.5 + random.uniform());
  }
}

void check_same(const PairSnapshot& snapshot, const PairMoments& moments, bool centred) {
  REQUIRE(snapshot.dimension() == moments.dimension());
  const double share = moments.evenness();
  for (std::size_t i = 0; i < kDimension; ++i) {
    const double a = centred ? moments[i].mean() : 0;
    const double c = centred ? moments.label().mean() : 0;
    CHECK(snapshot.centre(i) == a);
    CHECK(snapshot[i].weight() == doctest::Approx(share * moments[i].weight()));
    CHECK(snapshot[i].variance() == doctest::Approx(moments[i].variance()));
    for (std::size_t half = 0; half < 2; ++half)
      CHECK(snapshot.label_co_moment(i, half) ==
            doctest::Approx(share * moments.label_co_moment(i, half, a, c)));
    for (std::size_t j = i + 1; j < kDimension; ++j) {
      const double b = centred ? moments[j].mean() : 0;
      CHECK(snapshot.weight(i, j) == doctest::Approx(share * moments.pair(i, j).weight).epsilon(2e-7));
      const double wanted = share * moments.co_moment(i, j, a, b);
      CHECK(std::abs(snapshot.co_moment(i, j) - wanted) <= 2e-7 * std::abs(wanted));
    }
  }
}

}  // namespace

TEST_CASE("a snapshot has every sum that a solution needs, in all units") {
  PairMoments moments(kDimension);
  Random random(1);
  add(moments, random, 300);
  for (const bool centred : {true, false}) {
    PairSnapshot snapshot;
    snapshot.take(moments, centred);
    check_same(snapshot, moments, centred);
  }
}

TEST_CASE("slices are whole rows of about the bytes asked for, and give what one go gives") {
  PairMoments moments(kDimension);
  Random random(1);
  add(moments, random, 300);
  PairSnapshot snapshot;
  snapshot.begin(moments, true);
  int slices = 1;
  while (!snapshot.copy(moments, 64)) ++slices;  // cells: 8, 7 + 6, 5 + 4, 3 + 2 + 1
  CHECK(slices == 4);
  check_same(snapshot, moments, true);
  CHECK(snapshot.copy(moments, 64));  // complete stays complete

  add(moments, random, 100);
  snapshot.take(moments, true);  // the memory is used again
  check_same(snapshot, moments, true);
}

TEST_CASE("rows that were copied later know the examples that came between") {
  PairMoments moments(kDimension);
  Random random(1);
  add(moments, random, 300);
  PairSnapshot snapshot;
  snapshot.begin(moments, true);
  const double share = moments.evenness();
  const double before = moments.pair(0, 1).weight;
  CHECK_FALSE(snapshot.copy(moments, 1));
  const double centre = snapshot.centre(4);
  add(moments, random, 100);
  CHECK(snapshot.copy(moments, std::numeric_limits<std::size_t>::max()));
  CHECK(snapshot.weight(0, 1) == doctest::Approx(share * before).epsilon(2e-7));
  CHECK(snapshot.weight(3, 4) == doctest::Approx(share * moments.pair(3, 4).weight).epsilon(2e-7));
  CHECK(snapshot.co_moment(3, 4) ==
        doctest::Approx(share * moments.co_moment(3, 4, snapshot.centre(3), centre)).epsilon(2e-7));
}

TEST_CASE("what is far out of proportion to the beginning of the copy stays finite") {
  PairMoments moments(2);
  moments.add(std::vector<Attribute>{0, 1}, std::vector<double>{0, 0}, 0, 1);
  PairSnapshot snapshot;
  snapshot.begin(moments, true);
  moments.add(std::vector<Attribute>{0, 1}, std::vector<double>{1e30, 1e30}, 0, 1e30);
  CHECK(snapshot.copy(moments, 1));
  CHECK(std::isfinite(snapshot.co_moment(0, 1)));
  CHECK(std::isfinite(snapshot.weight(0, 1)));
}

TEST_CASE("one attribute and none seen are no trouble") {
  PairSnapshot snapshot;
  snapshot.begin(PairMoments(1), true);
  CHECK(snapshot.copy(PairMoments(1), 1));
  snapshot.take(PairMoments(3), true);
  CHECK(snapshot.weight(0, 2) == 0);
  CHECK(snapshot.co_moment(1, 2) == 0);
  CHECK(snapshot.label_co_moment(1, 0) == 0);
}

// What importances that differ are worth: PairMoments::evenness(), and the snapshot that counts with it.

namespace {

const std::vector<Attribute> kBoth = {0, 1};

PairMoments moments_of(const std::vector<double>& importances) {
  PairMoments moments(2);
  Random random(1);
  for (const double w : importances)
    moments.add(kBoth, std::vector<double>{random.uniform(), random.uniform()}, random.uniform(), w);
  return moments;
}

State saved(const PairMoments& moments) {
  State state;
  state.begin();
  moments.save(state);
  state.finish();
  return state;
}

}  // namespace

TEST_CASE("equal importances are even, of whatever size") {
  CHECK(PairMoments(2).evenness() == 1);
  for (const double w : {1.0, 2.0, 0.1, 3.0, 1e-200, 1e-30, 1e30})
    CHECK(moments_of(std::vector<double>(1000, w)).evenness() == 1);
}

TEST_CASE("importances that differ count as the effective number of examples, by hand") {
  // (1 + 3)²/(2·(1 + 9)) = .8, the mean 2; below a mean of 1 that does not count.
  CHECK(moments_of({1, 3}).evenness() == doctest::Approx(0.8 * std::pow(2, std::pow(0.8, 16) - 1)));
  CHECK(moments_of({0.1, 0.3}).evenness() == doctest::Approx(0.8));
  // One that outweighs all: about one example of N.
  std::vector<double> importances(100, 1);
  importances.back() = 1e12;
  const PairMoments moments = moments_of(importances);
  CHECK(moments.label().weight * moments.evenness() == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("a snapshot counts fewer examples where importances differ, with the same means and covariances") {
  const PairMoments moments = moments_of({1, 3, 1, 3, 2, 9});
  PairSnapshot snapshot;
  snapshot.take(moments, true);
  const double share = moments.evenness();
  CHECK(share < 1);
  CHECK(snapshot.label().weight == doctest::Approx(share * moments.label().weight));
  CHECK(snapshot.label().variance() == doctest::Approx(moments.label().variance()));
  CHECK(snapshot.weight(0, 1) == doctest::Approx(share * moments.pair(0, 1).weight));
  const double a = moments[0].mean();
  const double b = moments[1].mean();
  CHECK(snapshot.co_moment(0, 1) == doctest::Approx(share * moments.co_moment(0, 1, a, b)).epsilon(1e-5));
  CHECK(snapshot[0].mean() == doctest::Approx(a));
  CHECK(snapshot[0].variance() == doctest::Approx(moments[0].variance()));
  CHECK(snapshot[0].largest == moments[0].largest);
}

TEST_CASE("evenness survives forgetting, copies and checkpoints, and is that of the union after a merge") {
  PairMoments first = moments_of({1, 3, 1, 3});
  const double before = first.evenness();
  first.forget(0.25);
  CHECK(first.evenness() == doctest::Approx(before));
  first.forget(0x1p-101);
  CHECK(first.evenness() == doctest::Approx(before));

  PairMoments second = moments_of({1, 3, 1, 3});
  PairMoments copy(2);
  copy.copy_from(second);
  CHECK(copy.evenness() == before);
  PairMoments restored(2);
  REQUIRE(restored.restore(saved(second)).has_value());
  CHECK(restored.evenness() == before);
  second.merge(moments_of({10, 20}));
  CHECK(second.evenness() == doctest::Approx(moments_of({1, 3, 1, 3, 10, 20}).evenness()));
}

TEST_CASE("a state keeps nothing more where every importance is 1; numbers below 0 are refused") {
  CHECK(saved(moments_of({1, 1})).find("pairs.squared") == nullptr);
  const State whole = saved(moments_of({1, 3}));
  State state;
  state.begin();
  for (const Tensor& tensor : whole.tensors()) {
    if (tensor.name == "pairs.squared") continue;
    if (tensor.type == ElementType::kF64)
      state.put_copy<double>(tensor.name, *whole.get<double>(tensor.name));
    else
      state.put_number(tensor.name, *whole.get_number<std::uint64_t>(tensor.name));
  }
  state.put_number("pairs.squared", -1.0);
  state.finish();
  CHECK(PairMoments(2).restore(state).has_error());
}

}  // namespace pair_snapshot_test
