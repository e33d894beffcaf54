
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "stats/frozen_snapshot.h"
#include "stats/pair_moments.h"

namespace glimpse::target_sums_test {
namespace {

constexpr std::size_t kAttributes = 5;
constexpr std::size_t kClasses = 3;

struct Example {
  std::vector<Attribute> attributes;
  std::vector<double> values;
  std::size_t of_class;
  double weight;
};

std::vector<Example> examples(std::size_t count) {
  Random random(7);
  std::vector<Example> all;
  for (std::size_t n = 0; n < count; ++n) {
    Example e{{}, {}, random.below(kClasses), 1 + static_cast<double>(random.below(3))};
    for (Attribute i = 0; i < kAttributes; ++i) {
      if (random.below(2) == 0) continue;
      e.attributes.push_back(i);
      e.values.push_back(random.below(10) == 0 ? NAN : random.uniform() + static_cast<double>(e.of_class));
    }
    all.push_back(e);
  }
  return all;
}

void add(PairMoments& moments, const Example& e) {
  moments.add(e.attributes, e.values, 0, e.weight);
  moments.grow_targets(e.of_class + 1);
  moments.add_to_class(e.of_class, e.weight);
}

// The indicator of class c is the label.
PairMoments naive(std::size_t c, const std::vector<Example>& all, double forgetting = 1) {
  PairMoments moments(kAttributes);
  for (std::size_t n = 0; n < all.size(); ++n) {
    moments.forget(forgetting);
    moments.add(all[n].attributes, all[n].values, all[n].of_class == c ? 1 : 0, all[n].weight);
  }
  return moments;
}

void check_same(const PairMoments& fast, const std::vector<Example>& all, double forgetting = 1) {
  const PairSnapshot snapshot = [&] {
    PairSnapshot s;
    s.take(fast, true);
    return s;
  }();
  for (std::size_t c = 0; c < kClasses; ++c) {
    const PairMoments slow = naive(c, all, forgetting);
    PairSnapshot expected;
    expected.take(slow, true);
    CHECK(fast.target(c).mean() == doctest::Approx(slow.label().mean()).epsilon(1e-12));
    CHECK(fast.target(c).variance() == doctest::Approx(slow.label().variance()).epsilon(1e-12));
    for (std::size_t i = 0; i < kAttributes; ++i)
      for (std::size_t half = 0; half < 2; ++half)
        CHECK(snapshot.target_co_moment(i, half, c) ==
              doctest::Approx(expected.label_co_moment(i, half)).epsilon(1e-9));
  }
}

TEST_CASE("targets have the sums of a label that is their indicator") {
  const auto all = examples(300);
  PairMoments fast(kAttributes);
  for (const Example& e : all) add(fast, e);
  check_same(fast, all);
}

TEST_CASE("targets are forgotten as the label is") {
  const auto all = examples(300);
  const double forgetting = std::exp2(-1.0 / 40);
  PairMoments fast(kAttributes);
  for (const Example& e : all) {
    fast.forget(forgetting);
    add(fast, e);
  }
  check_same(fast, all, forgetting);
}

TEST_CASE("merged targets are those of the union") {
  const auto all = examples(300);
  PairMoments first(kAttributes);
  PairMoments second(kAttributes);
  PairMoments whole(kAttributes);
  for (std::size_t n = 0; n < all.size(); ++n) {
    add(n < 100 ? first : second, all[n]);
    add(whole, all[n]);
  }
  first.merge(second);
  for (std::size_t c = 0; c < kClasses; ++c) {
    CHECK(first.target(c).sum == doctest::Approx(whole.target(c).sum));
    for (std::size_t i = 0; i < kAttributes; ++i) {
      const auto both = [&](const PairMoments& m) {
        const TargetSums::Cell cell = m.target_cell(i, c);
        // About 0: the references differ.
        return cell.product[0] + cell.product[1] + m.reference(i) * (cell.label[0] + cell.label[1]);
      };
      CHECK(both(first) == doctest::Approx(both(whole)));
    }
  }
}

TEST_CASE("a forgotten attribute has no targets any more") {
  PairMoments moments(kAttributes);
  for (const Example& e : examples(50)) add(moments, e);
  moments.forget_attribute(2);
  CHECK(moments.target_cell(2, 1).label[0] == 0);
  CHECK(moments.target_cell(3, 1).label[0] > 0);
}

TEST_CASE("targets come back from a state, to the bit") {
  PairMoments moments(kAttributes);
  for (const Example& e : examples(120)) add(moments, e);
  State state;
  state.begin();
  moments.save(state);
  state.finish();
  PairMoments restored(kAttributes);
  REQUIRE(restored.restore(state).has_value());
  REQUIRE(restored.targets() == kClasses);
  for (std::size_t c = 0; c < kClasses; ++c) {
    CHECK(restored.target(c).sum == moments.target(c).sum);
    for (std::size_t i = 0; i < kAttributes; ++i)
      CHECK(restored.target_cell(i, c).product == moments.target_cell(i, c).product);
  }
  FrozenSnapshot snapshot;
  snapshot.begin(moments, true);
  snapshot.finish(moments);
  State copy;
  copy.begin();
  snapshot.save(copy, "judge.basis");
  copy.finish();
  FrozenSnapshot back;
  REQUIRE(back.restore(copy, "judge.basis", kAttributes).has_value());
  REQUIRE(back.targets() == kClasses);
  CHECK(back.target_co_moment(3, 0, 2) == snapshot.target_co_moment(3, 0, 2));
}

TEST_CASE("targets of another size are refused") {
  State state;
  state.begin();
  const double totals[] = {1, 1};
  const double cells[] = {1, 2, 3};
  state.put_copy<double>("pairs.target_totals", totals);
  state.put_copy<double>("pairs.targets", cells);
  state.finish();
  TargetSums sums(2);
  CHECK_FALSE(sums.restore(state, "pairs").has_value());
}

}  // namespace
}  // namespace glimpse::target_sums_test
