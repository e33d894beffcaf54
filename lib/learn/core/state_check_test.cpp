#include "learn/core/state_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "learn/core/learner.h"
#include "learn/factory.h"
#include "learn/learner_forms_test_support.h"
#include "learn/learner_test_support.h"
#include "learn/options/prices.h"

namespace state_check_test {

using namespace glimpse;
using test::saved;

namespace {

constexpr std::size_t kDimension = 6;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Kind {
  std::string algorithm;
  bool priced = false;
  Drift drift = Drift::kOff;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const Algorithm& algorithm : kAlgorithms) {
    const std::string name(algorithm.name);
    all.push_back({name});
    all.push_back({name, true});
    all.push_back({name, false, Drift::kAuto});
  }
  return all;
}

// nullptr: there is no such learner.
std::unique_ptr<Learner> make(const Kind& kind) {
  LearnerOptions options;
  options.algorithm = kind.algorithm;
  options.dimension = kDimension;
  options.budget = 4;
  options.drift = kind.drift;
  if (has_l1_ball(kind.algorithm)) options.radius = 2;
  if (kind.algorithm == "aer") {
    options.step = StepKind::kNumber;
    options.step_number = 1;
  }
  if (kind.priced) {
    AttributeNames names(kDimension);
    options.prices =
        std::make_shared<Prices>(*parse_prices("0 1\n1 2\n2 3\n3 5\n4 0\n5 1\n", kDimension, names));
    options.budget_cost = *parse_money("8");
  }
  SecondMoments known(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i)
    known.set(static_cast<Attribute>(i), {0, 0.1, SecondMoments::kCertain, 0.5F});
  auto learner = make_learner(options, wants_moments(kind.algorithm) ? &known : nullptr);
  // Only some know prices, and only some forget.
  if (!learner && !kind.priced && kind.drift == Drift::kOff)
    FAIL(kind.algorithm << ": " << learner.error().message);
  return learner ? std::move(*learner) : nullptr;
}

// Learns from `count` examples, each number of which `draw` makes.
void learn(Learner& learner, int count, const std::function<double(Random&)>& draw, std::uint64_t seed) {
  Random random(seed);
  Plan plan;
  for (int t = 0; t < count; ++t) {
    std::vector<double> x(kDimension);
    for (double& value : x) value = draw(random);
    const double label = draw(random);
    learner.plan(random, plan);
    learner.learn(plan, test::reveal(plan, x), label, 1);
  }
}

// Places of the values in first.examples, which may be NaN: behind the numbers and the attributes of each
// example (first_examples.h).
std::vector<bool> may_be_missing(const Tensor& tensor) {
  std::vector<bool> may_be(tensor.count());
  if (tensor.name != "first.examples") return may_be;
  std::vector<double> numbers(tensor.count());
  std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  for (std::size_t at = 0; at < numbers.size();) {
    const auto attributes = static_cast<std::size_t>(numbers[at]);
    const auto draws = static_cast<std::size_t>(numbers[at + 1]);
    const auto labels = static_cast<std::size_t>(numbers[at + 2]);
    for (std::size_t a = 0; a < attributes; ++a) may_be[at + 8 + attributes + a] = true;
    at += 8 + 2 * (attributes + draws) + labels;
  }
  return may_be;
}

double ordinary(Random& random) { return random.uniform() - 0.5; }

// The state with one of its arrays replaced.
State with(const State& state, const Tensor& replaced) {
  State other;
  other.begin();
  for (const Text& text : state.texts()) other.put_text(text.name, text.value);
  for (const Tensor& from : state.tensors()) {
    const Tensor& tensor = from.name == replaced.name ? replaced : from;
    const auto copy = [&](auto element) {
      const auto room = std::as_writable_bytes(other.put<decltype(element)>(tensor.name, tensor.count()));
      if (!room.empty()) std::memcpy(room.data(), tensor.bytes.data(), room.size());
    };
    switch (tensor.type) {
      case ElementType::kU8:
        copy(std::uint8_t{});
        break;
      case ElementType::kU32:
        copy(std::uint32_t{});
        break;
      case ElementType::kU64:
        copy(std::uint64_t{});
        break;
      case ElementType::kF32:
        copy(float{});
        break;
      case ElementType::kF64:
        copy(double{});
        break;
    }
  }
  other.finish();
  return other;
}

template <class T>
Tensor with_value(Tensor tensor, std::size_t place, T value) {
  std::memcpy(tensor.bytes.data() + place * sizeof value, &value, sizeof value);
  return tensor;
}

// The same array with another number in one place, for many numbers and places.
std::vector<Tensor> with_other_values(const Tensor& tensor) {
  std::vector<Tensor> all;
  const std::size_t count = tensor.count();
  for (const std::size_t place : {std::size_t{0}, count / 2, count - 1}) {
    if (count == 0) break;
    for (const double value : {0.0, -1.0, 0.5, 1e300, -1e300, 1e-300}) {
      if (tensor.type == ElementType::kF64) all.push_back(with_value(tensor, place, value));
      if (tensor.type == ElementType::kF32)
        all.push_back(with_value(tensor, place, static_cast<float>(value)));
    }
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{255}, std::uint64_t{1} << 31,
          std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
      if (tensor.type == ElementType::kU64) all.push_back(with_value(tensor, place, value));
      if (tensor.type == ElementType::kU32)
        all.push_back(with_value(tensor, place, static_cast<std::uint32_t>(value)));
      if (tensor.type == ElementType::kU8)
        all.push_back(with_value(tensor, place, static_cast<std::uint8_t>(value)));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a number that is not finite is refused by every learner in every array, by the array's name") {
  for (const Kind& kind : kinds()) {
    const auto learner = make(kind);
    if (!learner) continue;
    learn(*learner, 300, ordinary, 1);
    const State state = saved(*learner);
    REQUIRE(make(kind)->restore(state).has_value());
    for (const Tensor& tensor : state.tensors()) {
      if (tensor.type != ElementType::kF64 && tensor.type != ElementType::kF32) continue;
      const std::vector<bool> may_be = may_be_missing(tensor);
      for (std::size_t place = 0; place < tensor.count(); ++place)
        for (const double value : {kNaN, kInfinity, -kInfinity}) {
          // A range of labels may be open.
          if ((tensor.name == "labels.min" && value < 0) || (tensor.name == "labels.max" && value > 0))
            continue;
          if (may_be[place] && std::isnan(value)) continue;
          CAPTURE(kind.algorithm);
          CAPTURE(tensor.name);
          CAPTURE(value);
          const State broken = with(state, tensor.type == ElementType::kF64
                                               ? with_value(tensor, place, value)
                                               : with_value(tensor, place, static_cast<float>(value)));
          const Status status = make(kind)->restore(broken);
          REQUIRE(!status.has_value());
          CHECK(status.error().code == ErrorCode::kCorrupt);
          CHECK(!check_state(broken).has_value());
          if (!tensor.name.starts_with("labels."))
            CHECK(status.error().message.find("'" + tensor.name + "'") != std::string::npos);
        }
    }
  }
}

TEST_CASE("an array of another length or type is refused by every learner") {
  for (const Kind& kind : kinds()) {
    const auto learner = make(kind);
    if (!learner) continue;
    learn(*learner, 300, ordinary, 2);
    const State state = saved(*learner);
    for (const Tensor& tensor : state.tensors()) {
      if (tensor.name == "weights.owed") continue;  // of any length that the epochs fit
      // What restore() does not need, but the check does where it is there.
      const bool beside = tensor.name == "costs.sizes";
      const bool may_be_empty = tensor.name.ends_with(".buckets");
      CAPTURE(kind.algorithm);
      CAPTURE(tensor.name);
      std::vector<Tensor> broken;
      const std::size_t size = size_of(tensor.type);
      broken.push_back(tensor);
      broken.back().bytes.resize(tensor.bytes.size() + size);
      if (!tensor.bytes.empty()) {
        broken.push_back(tensor);
        broken.back().bytes.resize(tensor.bytes.size() - size);
        if (!beside && !may_be_empty) {
          broken.push_back(tensor);
          broken.back().bytes.clear();
        }
      }
      for (const ElementType type :
           {ElementType::kU8, ElementType::kU32, ElementType::kU64, ElementType::kF32, ElementType::kF64}) {
        if (type == tensor.type || beside) continue;
        broken.push_back({tensor.name, type, std::vector<std::byte>(tensor.count() * size_of(type))});
      }
      for (const Tensor& other : broken) {
        CAPTURE(other.count());
        const Status status = make(kind)->restore(with(state, other));
        REQUIRE(!status.has_value());
        CHECK(status.error().code == ErrorCode::kCorrupt);
      }
    }
  }
}

TEST_CASE("of arrays of the right lengths, the check refuses exactly what restoring refuses") {
  for (const Kind& kind : kinds()) {
    const auto learner = make(kind);
    if (!learner) continue;
    learn(*learner, 300, ordinary, 3);
    const State state = saved(*learner);
    CHECK(check_state(state).has_value());
    for (const Tensor& tensor : state.tensors())
      for (const Tensor& other : with_other_values(tensor)) {
        CAPTURE(kind.algorithm);
        CAPTURE(kind.priced);
        CAPTURE(tensor.name);
        const State changed = with(state, other);
        const Status restored = make(kind)->restore(changed);
        const Status checked = check_state(changed);
        CAPTURE((restored ? std::string("restored") : restored.error().message));
        CAPTURE((checked ? std::string("passed") : checked.error().message));
        if (tensor.name == "costs.sizes") continue;  // read by the check alone
        REQUIRE(restored.has_value() == checked.has_value());
      }
  }
}

TEST_CASE("whatever finite numbers were learned from, the state that is saved can be restored") {
  const std::vector<std::vector<double>> ranges = {{1e30, -1e30},
                                                   {1e-200, 2e-200},
                                                   {1e-300, 1, 0},
                                                   {1e30, 1e-30, 1, -1},
                                                   {1e-320, 1e-310, 0},
                                                   {1e30, 0},
                                                   {1e15, -1e-15},
                                                   {0},
                                                   {1, 1 + 1e-15, 1 - 1e-15},
                                                   {1e30, 1e-200, 0},
                                                   {1e-160, 1e-155}};
  for (const Kind& kind : kinds())
    for (std::size_t r = 0; r < ranges.size(); ++r) {
      const auto learner = make(kind);
      if (!learner) continue;
      const auto& range = ranges[r];
      learn(*learner, 400, [&](Random& random) { return range[random.below(range.size())]; }, 10 + r);
      const State state = saved(*learner);
      CAPTURE(kind.algorithm);
      CAPTURE(kind.priced);
      CAPTURE(r);
      const Status checked = check_state(state);
      CHECK_MESSAGE(checked.has_value(), (checked ? "" : checked.error().message));
      const Status restored = make(kind)->restore(state);
      CHECK_MESSAGE(restored.has_value(), (restored ? "" : restored.error().message));
    }
}

TEST_CASE("whatever the radius and the half-life, the state that is saved can be restored") {
  for (const Algorithm& algorithm : kAlgorithms)
    for (const double radius : {1e-30, 1e20, 1e30})
      for (const double half_life : {0.0, 1.0, 30.0}) {
        LearnerOptions options = test::form_options(algorithm.name);
        options.dimension = kDimension;
        options.budget = std::min(options.budget, kDimension);
        if (half_life > 0 && !can_forget(algorithm.name)) continue;
        options.half_life = half_life;
        options.radius = radius;
        const auto learner = make_learner(options);
        if (!learner) continue;
        INFO(algorithm.name, " ", radius, " ", half_life);
        for (const double unit : {1.0, 1e-30, 1e30}) {
          learn(**learner, 400, [&](Random& random) { return unit * (random.uniform() - 0.5); }, 7);
          const State state = saved(**learner);
          const Status checked = check_state(state);
          CHECK_MESSAGE(checked.has_value(), (checked ? "" : checked.error().message));
          CHECK((*make_learner(options))->restore(state).has_value() == checked.has_value());
        }
      }
}

}  // namespace state_check_test
