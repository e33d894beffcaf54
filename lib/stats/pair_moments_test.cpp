#include "stats/pair_moments.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "base/random.h"
#include "base/state.h"

namespace pair_moments_test {

using namespace glimpse;

namespace {

constexpr double kUnseen = std::numeric_limits<double>::quiet_NaN();

struct Example {
  std::vector<double> x;  // kUnseen where not seen
  double label;
  double weight;
};

std::vector<Example> examples(std::size_t count, std::size_t d, std::uint64_t seed, double offset = 0) {
  Random random(seed);
  std::vector<Example> list(count);
  for (Example& e : list) {
    const double common = random.uniform();
    for (std::size_t i = 0; i < d; ++i)
      e.x.push_back(random.uniform() < 0.4
                        ? kUnseen
                        : offset + 100 * static_cast<double>(i) + common + random.uniform());
    e.label = common - random.uniform();
    e.weight = 0.5 + random.uniform();
  }
  return list;
}

void add(PairMoments& moments, const Example& e) {
  std::vector<Attribute> seen;
  std::vector<double> values;
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    if (std::isnan(e.x[i])) continue;
    seen.push_back(static_cast<Attribute>(i));
    values.push_back(e.x[i]);
  }
  moments.add(seen, values, e.label, e.weight);
}

PairMoments moments_of(const std::vector<Example>& list, std::size_t d) {
  PairMoments moments(d);
  for (const Example& e : list) add(moments, e);
  return moments;
}

// Both halves' label co-moments and every pair's co-moment about any points, against sums over the examples.
void check_against(const PairMoments& moments, const std::vector<Example>& list, bool halves = true) {
  const std::size_t d = moments.dimension();
  const double c = 0.3;
  for (std::size_t i = 0; i < d; ++i) {
    const double a = 100 * static_cast<double>(i) + 0.7;
    double weight = 0;
    double sum = 0;
    double label[2] = {0, 0};
    for (std::size_t e = 0; e < list.size(); ++e) {
      if (std::isnan(list[e].x[i])) continue;
      weight += list[e].weight;
      sum += list[e].weight * list[e].x[i];
      label[e % 2] += list[e].weight * (list[e].x[i] - a) * (list[e].label - c);
    }
    CHECK(moments[i].weight() == doctest::Approx(weight).epsilon(1e-12));
    CHECK(moments[i].mean() == doctest::Approx(sum / weight).epsilon(1e-12));
    double square = 0;
    for (const Example& e : list)
      if (!std::isnan(e.x[i])) square += e.weight * std::pow(e.x[i] - sum / weight, 2);
    CHECK(moments[i].variance() == doctest::Approx(square / weight).epsilon(1e-9));
    const double first = moments.label_co_moment(i, 0, a, c);
    const double second = moments.label_co_moment(i, 1, a, c);
    CHECK(first + second == doctest::Approx(label[0] + label[1]).epsilon(1e-9));
    if (halves) CHECK(first == doctest::Approx(label[0]).epsilon(1e-9));
    for (std::size_t j = i + 1; j < d; ++j) {
      const double b = 100 * static_cast<double>(j) - 0.2;
      double pair = 0;
      double product = 0;
      for (const Example& e : list) {
        if (std::isnan(e.x[i]) || std::isnan(e.x[j])) continue;
        pair += e.weight;
        product += e.weight * (e.x[i] - a) * (e.x[j] - b);
      }
      CHECK(moments.pair(i, j).weight == doctest::Approx(pair).epsilon(1e-12));
      CHECK(moments.co_moment(i, j, a, b) == doctest::Approx(product).epsilon(1e-9));
    }
  }
}

}  // namespace

TEST_CASE("a few examples by hand") {
  PairMoments moments(3);
  moments.add(std::vector<Attribute>{0, 2}, std::vector<double>{5, 1}, 2, 1);
  moments.add(std::vector<Attribute>{0, 1, 2}, std::vector<double>{7, 3, kUnseen}, 4, 2);
  moments.add(std::vector<Attribute>{0, 2}, std::vector<double>{6, 4}, -1, 1);
  CHECK(moments[0].reference == 5);
  CHECK(moments[0].weight() == 4);
  CHECK(moments[0].mean() == 6.25);         // (5 + 2·7 + 6)/4
  CHECK(moments[0].variance() == 0.6875);   // (1.25² + 2·0.75² + 0.25²)/4
  CHECK(moments[0].halves[1].weight == 2);  // the second example
  CHECK(moments[0].largest == 7);
  CHECK(moments[1].variance() == 0);
  CHECK(moments.pair(0, 1).weight == 2);
  CHECK(moments.pair(1, 2).weight == 0);
  CHECK(moments.pair(0, 2).weight == 2);
  CHECK(moments.co_moment(0, 2, 0, 0) == 29);  // 5·1 + 6·4
  CHECK(moments.co_moment(0, 2, 5, 1) == 3);
  CHECK(moments.label().mean() == 2.25);  // (2 + 2·4 − 1)/4
  CHECK(moments.label_co_moment(0, 1, 6, 3) == 2);
}

TEST_CASE("any centring is that of sums over the examples, with importances and unseen values") {
  const auto list = examples(400, 7, 1);
  check_against(moments_of(list, 7), list);
}

TEST_CASE("sums far from zero lose nothing: their references are near") {
  auto list = examples(300, 4, 2);
  for (Example& e : list)
    for (double& x : e.x) x += 1e9;
  const PairMoments moments = moments_of(list, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(moments[i].variance() > 0.1);
    CHECK(moments[i].variance() < 0.25);
  }
}

TEST_CASE("merging gives the moments of the union, whatever was seen first and wherever") {
  const auto first = examples(200, 6, 3);
  auto second = examples(151, 6, 4, 40);
  for (Example& e : second) e.x[5] = kUnseen;
  auto third = examples(100, 6, 5, -7);
  for (Example& e : third) e.x[0] = kUnseen;
  PairMoments merged(6);
  merged.merge(moments_of(third, 6));
  merged.merge(moments_of(second, 6));
  merged.merge(PairMoments(6));
  merged.merge(moments_of(first, 6));
  auto all = third;
  all.insert(all.end(), second.begin(), second.end());
  all.insert(all.end(), first.begin(), first.end());
  check_against(merged, all, false);
  CHECK(merged.label().weight == doctest::Approx(moments_of(all, 6).label().weight));
  CHECK(merged.label().variance() == doctest::Approx(moments_of(all, 6).label().variance()));
  const PairMoments together = moments_of(all, 6);
  for (std::size_t i = 0; i < 6; ++i) {
    // The same sums about the same references.
    const double offset = together[i].reference - merged[i].reference;
    CHECK(offset == 0);
    CHECK(merged[i].cube == doctest::Approx(together[i].cube).epsilon(1e-9));
    CHECK(merged[i].fourth == doctest::Approx(together[i].fourth).epsilon(1e-9));
    CHECK(merged[i].largest == together[i].largest);
  }
}

TEST_CASE("decay weighs the past down") {
  const auto old = examples(100, 5, 6);
  const auto recent = examples(80, 5, 7);
  PairMoments moments = moments_of(old, 5);
  moments.decay(0.25);
  for (const Example& e : recent) add(moments, e);
  auto all = old;
  for (Example& e : all) e.weight *= 0.25;
  all.insert(all.end(), recent.begin(), recent.end());
  check_against(moments, all);
}

namespace {

// Every sum that is asked for, of the second over the first: relative to the magnitude of its terms, which
// |x| up to `magnitude` and the weights bound.
void check_same(const PairMoments& a, const PairMoments& b, double magnitude, double epsilon) {
  const auto near = [&](double x, double y, double scale) { CHECK(std::abs(x - y) <= epsilon * scale); };
  const double m = magnitude;
  near(a.label().weight, b.label().weight, a.label().weight);
  near(a.label().sum, b.label().sum, a.label().weight * m);
  near(a.label().square, b.label().square, a.label().weight * m * m);
  REQUIRE(a.dimension() == b.dimension());
  for (std::size_t i = 0; i < a.dimension(); ++i) {
    const AttributeSums x = a[i];
    const AttributeSums y = b[i];
    const double n = x.weight();
    CHECK(x.reference == y.reference);
    CHECK(x.largest == doctest::Approx(y.largest));
    near(x.square, y.square, n * m * m);
    near(x.cube, y.cube, n * m * m * m);
    near(x.fourth, y.fourth, n * m * m * m * m);
    for (std::size_t h = 0; h < 2; ++h) {
      near(x.halves[h].weight, y.halves[h].weight, n);
      near(x.halves[h].sum, y.halves[h].sum, n * m);
      near(x.halves[h].label, y.halves[h].label, n * m);
      near(x.halves[h].product, y.halves[h].product, n * m * m);
      near(a.label_co_moment(i, h, 1, 0.5), b.label_co_moment(i, h, 1, 0.5), n * m * m);
    }
    for (std::size_t j = i + 1; j < a.dimension(); ++j) {
      const PairSums p = a.pair(i, j);
      const PairSums q = b.pair(i, j);
      near(p.weight, q.weight, p.weight);
      near(p.first, q.first, p.weight * m);
      near(p.second, q.second, p.weight * m);
      near(p.product, q.product, p.weight * m * m);
      near(a.co_moment(i, j, 1, -1), b.co_moment(i, j, 1, -1), p.weight * m * m);
    }
  }
}

// Of magnitude 2, so that check_same() need not forgive much.
std::vector<Example> small_examples(std::size_t count, std::size_t d, std::uint64_t seed) {
  Random random(seed);
  std::vector<Example> list(count);
  for (Example& e : list) {
    for (std::size_t i = 0; i < d; ++i)
      e.x.push_back(random.uniform() < 0.4 ? kUnseen : 2 * random.uniform() - 1);
    e.label = 2 * random.uniform() - 1;
    e.weight = 0.5 + random.uniform();
  }
  return list;
}

}  // namespace

TEST_CASE("forgetting before every example is decaying before every example") {
  // Half-lives of 7 and 40 examples: 428 and 75 halvings, so the unit is brought back several times or never.
  for (const double half_life : {7.0, 40.0}) {
    const double factor = std::exp2(-1 / half_life);
    PairMoments forgetting(5);
    PairMoments decaying(5);
    int brought_back = 0;
    int step = 0;
    for (const Example& e : small_examples(3000, 5, 10)) {
      const double before = forgetting.unit();
      forgetting.forget(factor);
      decaying.decay(factor);
      brought_back += forgetting.unit() < before;
      CHECK(forgetting.unit() >= 1);
      CHECK(forgetting.unit() <= 0x1p100);
      add(forgetting, e);
      add(decaying, e);
      if (++step % 97 == 0) check_same(decaying, forgetting, 2, 1e-12);
    }
    CHECK(brought_back == (half_life == 7 ? 4 : 0));
    check_same(decaying, forgetting, 2, 1e-12);
    CHECK(decaying.unit() == 1);
  }
}

TEST_CASE("a new example counts its importance, however much was forgotten") {
  PairMoments moments(2);
  const std::vector<Attribute> both = {0, 1};
  moments.add(both, std::vector<double>{1, 1}, 1, 1);
  for (int n = 0; n < 12345; ++n) moments.forget(0.9);
  moments.add(both, std::vector<double>{2, 3}, 1, 1.5);
  CHECK(moments.pair(0, 1).weight == doctest::Approx(1.5).epsilon(1e-15));
  CHECK(moments[0].weight() == doctest::Approx(1.5).epsilon(1e-15));
  CHECK(moments.label().weight == doctest::Approx(1.5).epsilon(1e-15));
  CHECK(moments.co_moment(0, 1, 0, 0) == doctest::Approx(9).epsilon(1e-14));
  CHECK(moments[0].mean() == doctest::Approx(2).epsilon(1e-15));
}

TEST_CASE("a class that was forgotten is as one that never came") {
  PairMoments moments(2);
  moments.grow_targets(2);
  const std::vector<Attribute> both = {0, 1};
  const auto add_class = [&](std::size_t target) {
    moments.add(both, std::vector<double>{1, 2}, static_cast<double>(target), 1);
    moments.add_to_class(target, 1);
  };
  add_class(0);
  for (int n = 0; n < 200; ++n) {
    moments.forget(0x1p-4);
    add_class(1);
  }
  CHECK(moments.target(0).sum == 0);
  CHECK(moments.target_cell(1, 0).label[0] == 0);
  CHECK(moments.target(1).sum > 0);
}

TEST_CASE("weights that no example can have are not restored, and those of classes are as none") {
  PairMoments moments(1);
  moments.grow_targets(1);
  moments.add(std::vector<Attribute>{0}, std::vector<double>{1}, 0, 1);
  moments.add_to_class(0, 1);
  for (const double weight : {5e-324, 1e-300, -1.0}) {
    State state;
    moments.save(state);
    PairMoments restored(1);
    state.put<double>("pairs.target_totals", 2)[0] = weight;
    REQUIRE(restored.restore(state).has_value());
    CHECK(restored.target(0).sum == 0);
    state.put<double>("pairs.attributes", 13)[5] = weight;
    const Status refused = restored.restore(state);
    REQUIRE(!refused);
    CHECK(refused.error().message.starts_with("pairs.attributes gives attribute 0 a weight of "));
  }
}

TEST_CASE("all at once can be forgotten too") {
  PairMoments forgetting = moments_of(small_examples(50, 4, 11), 4);
  PairMoments decaying = moments_of(small_examples(50, 4, 11), 4);
  for (const double factor : {0x1p-99, 0x1p-3, 1e-31, 1.0}) {
    forgetting.forget(factor);
    decaying.decay(factor);
    check_same(decaying, forgetting, 2, 1e-12);
  }
}

TEST_CASE("moments whose units differ merge: each example for what it counts now") {
  const auto forgetful = [](std::uint64_t seed, int count, double factor) {
    PairMoments moments(5);
    for (const Example& e : small_examples(static_cast<std::size_t>(count), 5, seed)) {
      moments.forget(factor);
      add(moments, e);
    }
    return moments;
  };
  const auto decayed = [](std::uint64_t seed, int count, double factor) {
    PairMoments moments(5);
    for (const Example& e : small_examples(static_cast<std::size_t>(count), 5, seed)) {
      moments.decay(factor);
      add(moments, e);
    }
    return moments;
  };
  PairMoments merged = forgetful(12, 300, 0.95);
  PairMoments expected = decayed(12, 300, 0.95);
  const PairMoments other = forgetful(13, 200, 0.8);
  CHECK(merged.unit() != other.unit());
  merged.merge(other);
  expected.merge(decayed(13, 200, 0.8));
  check_same(expected, merged, 2, 1e-12);
  merged.merge(moments_of(small_examples(100, 5, 14), 5));  // unit 1
  expected.merge(moments_of(small_examples(100, 5, 14), 5));
  check_same(expected, merged, 2, 1e-12);
  PairMoments empty(5);
  empty.merge(merged);
  CHECK(empty.unit() == merged.unit());
  check_same(merged, empty, 2, 0);
  for (PairMoments* moments : {&empty, &expected}) {
    moments->forget(0.7);
    add(*moments, small_examples(1, 5, 15)[0]);
  }
  check_same(expected, empty, 2, 1e-12);
}

TEST_CASE("the order of examples matters to rounding alone") {
  auto list = examples(300, 5, 8);
  const PairMoments forward = moments_of(list, 5);
  std::reverse(list.begin(), list.end());
  const PairMoments backward = moments_of(list, 5);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = i + 1; j < 5; ++j)
      CHECK(forward.co_moment(i, j, 1, 2) == doctest::Approx(backward.co_moment(i, j, 1, 2)).epsilon(1e-10));
}

namespace {

State saved(const PairMoments& moments) {
  State state;
  state.begin();
  moments.save(state);
  state.finish();
  return state;
}

void check_same_bytes(const State& a, const State& b) {
  REQUIRE(a.tensors().size() == b.tensors().size());
  for (std::size_t t = 0; t < a.tensors().size(); ++t) CHECK(a.tensors()[t].bytes == b.tensors()[t].bytes);
}

}  // namespace

TEST_CASE("what is saved comes back to the bit, and goes on alike") {
  PairMoments moments = moments_of(examples(60, 5, 9), 5);
  for (const bool forgetful : {false, true}) {
    if (forgetful)
      for (int n = 0; n < 30; ++n) moments.forget(0.9);
    const State state = saved(moments);
    PairMoments restored(5);
    REQUIRE(restored.restore(state).has_value());
    CHECK(restored.unit() == moments.unit());
    check_same_bytes(saved(restored), state);
    add(moments, examples(1, 5, 10)[0]);
    add(restored, examples(1, 5, 10)[0]);
    check_same_bytes(saved(restored), saved(moments));
    PairMoments other(6);
    CHECK(other.restore(state).has_error());
  }
}

TEST_CASE("a state from before anything could be forgotten restores; a unit out of range does not") {
  const PairMoments moments = moments_of(examples(60, 5, 9), 5);
  const State whole = saved(moments);
  const auto with_unit = [&](const double* unit) {  // nullptr: none
    State state;
    state.begin();
    for (const Tensor& tensor : whole.tensors()) {
      if (tensor.name == "pairs.unit") continue;
      if (tensor.type == ElementType::kF64)
        state.put_copy<double>(tensor.name, *whole.get<double>(tensor.name));
      else
        state.put_number(tensor.name, *whole.get_number<std::uint64_t>(tensor.name));
    }
    if (unit != nullptr) state.put_number("pairs.unit", *unit);
    state.finish();
    return state;
  };
  PairMoments restored(5);
  restored.forget(0.5);
  REQUIRE(restored.restore(with_unit(nullptr)).has_value());
  CHECK(restored.unit() == 1);
  check_same_bytes(saved(restored), saved(moments));
  for (const double unit : {0.0, 0.5, -1.0, 1e300, kUnseen})
    CHECK(restored.restore(with_unit(&unit)).has_error());
}

TEST_CASE("memory: the formula, and the largest dimension that fits") {
  CHECK(PairMoments::memory_bytes(784) == 16 * 784 * 783 + 104 * 784);
  const std::uint64_t limit = std::uint64_t{1} << 30;
  const std::uint64_t largest = PairMoments::largest_dimension(limit);
  CHECK(PairMoments::memory_bytes(largest) <= limit);
  CHECK(PairMoments::memory_bytes(largest + 1) > limit);
  CHECK(largest == 8189);
  CHECK(PairMoments::memory_bytes(std::uint64_t{1} << 29) > std::uint64_t{1} << 61);
  CHECK(PairMoments::memory_bytes(std::uint64_t{1} << 31) == ~std::uint64_t{0});
}

}  // namespace pair_moments_test
