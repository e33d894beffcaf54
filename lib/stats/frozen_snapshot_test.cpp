#include "stats/frozen_snapshot.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "base/random.h"

namespace frozen_snapshot_test {

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 300;  // more pairs than are copied at once

struct Stream {
  Random random{3};
  std::vector<Attribute> attributes;
  std::vector<double> values;
  double label = 0;

  void next(std::size_t budget) {
    attributes.clear();
    values.clear();
    label = random.uniform();
    for (Attribute i = 0; attributes.size() < budget && i < kDimension; ++i) {
      const auto wanted = static_cast<double>(budget - attributes.size());
      if (random.uniform() * static_cast<double>(kDimension - i) >= wanted) continue;
      attributes.push_back(i);
      values.push_back(label + random.uniform());
    }
  }
};

bool are_same(const PairSnapshot& a, const PairSnapshot& b) {
  for (std::size_t i = 0; i < kDimension; ++i) {
    if (a.centre(i) != b.centre(i) || a.unit(i) != b.unit(i)) return false;
    if (a.label_co_moment(i, 0) != b.label_co_moment(i, 0)) return false;
    for (std::size_t k = 0; k + i + 1 < kDimension; ++k)
      if (a.weights(i)[k] != b.weights(i)[k] || a.covariances(i)[k] != b.covariances(i)[k]) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a copy that is made while learning goes on is that of the moment at which it began") {
  for (const std::size_t budget : {std::size_t{4}, std::size_t{30}}) {  // pairs at once, and in batches
    for (const double forgetting : {1.0, 0.99}) {
      CAPTURE(budget);
      CAPTURE(forgetting);
      Stream stream;
      PairMoments moments(kDimension);
      const auto learn = [&](FrozenSnapshot* copy) {
        stream.next(budget);
        if (copy != nullptr && !copy->is_whole()) copy->keep(moments, stream.attributes);
        if (forgetting < 1) moments.forget(forgetting);
        moments.add(stream.attributes, stream.values, stream.label, 1);
      };
      for (int n = 0; n < 40; ++n) learn(nullptr);  // some attributes were never seen
      PairSnapshot expected;
      expected.take(moments, true);
      FrozenSnapshot copy;
      copy.begin(moments, true);
      REQUIRE_FALSE(copy.is_whole());
      int examples = 0;
      for (; !copy.is_whole(); ++examples) learn(&copy);
      CHECK(examples > 3);
      CHECK(are_same(copy, expected));

      State state;
      state.begin();
      copy.save(state, "copy");
      state.finish();
      FrozenSnapshot restored;
      REQUIRE(restored.restore(state, "copy", kDimension).has_value());
      CHECK(are_same(restored, expected));
      CHECK(restored.is_whole());
    }
  }
}

TEST_CASE("what is left of a copy can be finished at once") {
  Stream stream;
  PairMoments moments(kDimension);
  for (int n = 0; n < 100; ++n) {
    stream.next(30);
    moments.add(stream.attributes, stream.values, stream.label, 1);
  }
  PairSnapshot expected;
  expected.take(moments, false);
  FrozenSnapshot copy;
  copy.begin(moments, false);
  stream.next(30);
  copy.keep(moments, stream.attributes);
  moments.add(stream.attributes, stream.values, stream.label, 1);
  copy.finish(moments);
  CHECK(copy.is_whole());
  CHECK(are_same(copy, expected));
}

}  // namespace frozen_snapshot_test
