// What importances that differ are worth: PairMoments::evenness(), and the snapshot that counts with it.

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "stats/pair_moments.h"
#include "stats/pair_snapshot.h"

namespace pair_importances_test {

using namespace glimpse;

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

}  // namespace pair_importances_test
