#include "learn/covariance/attribute_screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "base/random.h"

namespace attribute_screen_test {

using namespace glimpse;

namespace {

/// Labels and attributes of deviation 1; the first `relevant` have correlation rho with the label. Every
/// attribute is seen in `reveals` examples, each example shows one.
struct Screened {
  Screened(std::size_t dimension, std::size_t relevant, double rho, int reveals, double unit = 1)
      : screen(dimension) {
    Random random(1);
    const auto normal = [&] {
      double sum = -6;
      for (int k = 0; k < 12; ++k) sum += random.uniform();
      return sum;
    };
    for (int n = 0; n < reveals; ++n)
      for (Attribute i = 0; i < dimension; ++i) {
        const double y = normal();
        const double r = i < relevant ? rho : 0;
        const double x = unit * (r * y + std::sqrt(1 - r * r) * normal() + 3);
        screen.add({&i, 1}, {&x, 1}, y, 1);
        label.weight += 1;
        label.sum += y;
        label.square += y * y;
      }
    screen.fit(label, true);
  }
  AttributeScreen screen;
  LabelSums label;
};

}  // namespace

TEST_CASE("what many attributes explain is found, each near its own") {
  const Screened set(2000, 1000, 0.5, 200);
  double relevant = 0;
  double others = 0;
  for (std::size_t i = 0; i < 2000; ++i)
    (i < 1000 ? relevant : others) += set.screen.estimate(i).explained / 1000;
  CHECK(relevant == doctest::Approx(0.25).epsilon(0.06));
  CHECK(others < 0.005);  // what the noise of ρ̂² alone is
}

TEST_CASE("a correlation that noise gives among very many is not believed, where signals are rare") {
  const Screened noise(20000, 0, 0, 50);
  double largest = 0;
  for (std::size_t i = 0; i < 20000; ++i)
    largest = std::max(largest, 50 * noise.screen.estimate(i).explained);
  CHECK(largest < 4);  // the largest n·ρ̂² of so many is about 16
  const Screened rare(20000, 20, 0.7, 50);
  double signal = 0;
  for (std::size_t i = 0; i < 20; ++i) signal += 50 * rare.screen.estimate(i).explained / 20;
  CHECK(signal > 12);  // n·ρ² is 24
}

TEST_CASE("units change nothing") {
  const Screened one(100, 10, 0.5, 30);
  const Screened other(100, 10, 0.5, 30, 1e6);
  for (std::size_t i = 0; i < 100; ++i)
    CHECK(one.screen.estimate(i).explained ==
          doctest::Approx(other.screen.estimate(i).explained).epsilon(1e-6));
}

TEST_CASE("an attribute that was never seen is expected to explain what the others do on average") {
  AttributeScreen screen(3);
  LabelSums label;
  Random random(1);
  for (int n = 0; n < 400; ++n) {
    const Attribute seen[] = {0, 1};
    const double y = random.uniform() - 0.5;
    const double values[] = {y, std::numeric_limits<double>::quiet_NaN()};
    screen.add(seen, values, y, 1);
    label.weight += 1;
    label.sum += y;
    label.square += y * y;
  }
  screen.fit(label, true);
  CHECK(screen.weight(1) == 0);
  CHECK(screen.estimate(0).explained > 0.9);
  CHECK(screen.estimate(1).explained > 0);
  CHECK(screen.estimate(1).explained == screen.estimate(2).explained);
}

TEST_CASE("importance counts an example that often") {
  AttributeScreen twice(1);
  AttributeScreen weighted(1);
  const Attribute zero = 0;
  for (const double x : {1.0, 2.0, 5.0}) {
    twice.add({&zero, 1}, {&x, 1}, x * x, 1);
    twice.add({&zero, 1}, {&x, 1}, x * x, 1);
    weighted.add({&zero, 1}, {&x, 1}, x * x, 2);
  }
  CHECK(twice.weight(0) == weighted.weight(0));
  CHECK(twice.mean(0) == weighted.mean(0));
  CHECK(twice.variance(0) == weighted.variance(0));
}

namespace {

// Three classes; attribute 0 tells the first from the last alone, attribute 1 nothing, attribute 2 the
// second.
struct ThreeClasses {
  explicit ThreeClasses(const std::array<std::size_t, 3>& codes, double factor = 1) {
    Random random(4);
    for (int n = 0; n < 5000; ++n) {
      const std::size_t c = random.below(3);
      const std::size_t code = codes[c];
      const double y = code == 1 ? 1 : 0;
      if (n == 0) label.reference = y;
      const double v = y - label.reference;
      const Attribute seen[] = {0, 1, 2};
      const auto noise = [&] { return random.uniform() + random.uniform() - 1; };
      const double values[] = {5 + static_cast<double>(c) + noise(), noise(), (c == 1 ? 1 : 0) + noise()};
      if (factor < 1) screen.forget(factor, label.weight);
      label = label * factor;
      for (double& count : counts) count *= factor;
      screen.add(seen, values, v, 1);
      screen.add_to_class(seen, values, code, 1);
      label.weight += 1;
      label.sum += v;
      label.square += v * v;
      counts[code] += 1;
    }
    fit();
  }
  void fit() {
    std::vector<double> shares;
    for (const double count : counts) shares.push_back(count / label.weight);
    screen.fit(label, true, shares);
  }
  AttributeScreen screen{3};
  LabelSums label;
  std::array<double, 3> counts = {};
};

}  // namespace

TEST_CASE("of classes what all of them explain counts, whatever their codes") {
  const ThreeClasses one({0, 1, 2});
  CHECK(one.screen.directions() == 2);
  // Variances of noise 1/6, between classes 2/3 and 2/9.
  CHECK(one.screen.estimate(0).explained == doctest::Approx(0.8).epsilon(0.03));
  CHECK(one.screen.estimate(2).explained == doctest::Approx(4.0 / 7).epsilon(0.05));
  CHECK(one.screen.estimate(1).explained < 0.002);
  for (const auto& codes : {std::array<std::size_t, 3>{1, 0, 2}, {2, 1, 0}, {1, 2, 0}}) {
    const ThreeClasses other(codes);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(other.screen.estimate(i).explained ==
            doctest::Approx(one.screen.estimate(i).explained).epsilon(1e-6));
  }
}

TEST_CASE("two classes explain what their label does, also where a third never came") {
  ThreeClasses one({0, 1, 1});
  const double shares[] = {one.counts[0] / 5000, one.counts[1] / 5000, 0};
  one.screen.fit(one.label, true);
  const double by_label = one.screen.estimate(0).explained;
  CHECK(one.screen.directions() == 1);
  one.screen.fit(one.label, true, shares);
  CHECK(one.screen.directions() == 1);
  CHECK(one.screen.estimate(0).explained == doctest::Approx(by_label).epsilon(1e-3));  // π goes on
}

TEST_CASE("sums of classes are forgotten with the others, and saved") {
  const ThreeClasses forgot({0, 1, 2}, 0.99);
  CHECK(forgot.screen.weight(0) == doctest::Approx(100));
  CHECK(forgot.screen.estimate(0).explained == doctest::Approx(0.8).epsilon(0.1));
  ThreeClasses one({0, 1, 2});
  one.screen.decay(0.25, 5000);
  for (double& count : one.counts) count *= 0.25;
  one.label = one.label * 0.25;
  one.fit();
  CHECK(one.screen.estimate(0).explained == doctest::Approx(0.8).epsilon(0.03));
  State state;
  state.begin();
  one.screen.save(state);
  state.finish();
  ThreeClasses other({2, 1, 0});
  REQUIRE(other.screen.restore(state).has_value());
  CHECK(other.screen.class_bytes() == one.screen.class_bytes());
  other.counts = one.counts;
  other.label = one.label;
  other.fit();
  one.fit();
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(other.screen.estimate(i).explained ==
          doctest::Approx(one.screen.estimate(i).explained).epsilon(1e-9));
  one.screen.forget_attribute(0);
  one.fit();
  CHECK(one.screen.weight(0) == 0);
  CHECK(one.screen.estimate(0).weight == 0);
}

TEST_CASE("forgetting a little before every example is a decay of all that came before") {
  AttributeScreen decayed(2);
  AttributeScreen forgot(2);
  LabelSums label;
  Random random(1);
  // 0.8 to the power of 500 is beyond the largest unit: it is brought back on the way.
  for (int n = 0; n < 500; ++n) {
    const Attribute seen[] = {0, 1};
    const double y = random.uniform() - 0.5;
    const double values[] = {y + random.uniform(), 3 + random.uniform()};
    decayed.decay(0.8, 1);
    forgot.forget(0.8, 1);
    label = label * 0.8;
    for (AttributeScreen* screen : {&decayed, &forgot}) screen->add(seen, values, y, 1);
    label.weight += 1;
    label.sum += y;
    label.square += y * y;
  }
  decayed.fit(label, true);
  forgot.fit(label, true);
  CHECK(forgot.weight(0) == doctest::Approx(5));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(forgot.weight(i) == doctest::Approx(decayed.weight(i)).epsilon(1e-12));
    CHECK(forgot.mean(i) == doctest::Approx(decayed.mean(i)).epsilon(1e-12));
    CHECK(forgot.variance(i) == doctest::Approx(decayed.variance(i)).epsilon(1e-9));
    CHECK(forgot.estimate(i).explained == doctest::Approx(decayed.estimate(i).explained).epsilon(1e-9));
  }

  State state;
  state.begin();
  forgot.save(state);
  state.finish();
  AttributeScreen restored(2);
  REQUIRE(restored.restore(state).has_value());
  CHECK(restored.weight(1) == forgot.weight(1));
  State broken;
  broken.begin();
  forgot.save(broken);
  broken.put_number("screen.unit", 0.5);
  broken.finish();
  CHECK(restored.restore(broken).error().code == ErrorCode::kCorrupt);
}

}  // namespace attribute_screen_test
