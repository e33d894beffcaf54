#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "learn/core/solving.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/pairwise/screened_pairwise.h"

// Several labels of the screened learner.
namespace glimpse::screened_labels_test {
namespace {

using test::saved;

LearnerOptions options_of(std::size_t dimension, std::size_t budget, std::size_t active,
                          std::vector<std::string> labels) {
  LearnerOptions options;
  options.algorithm = "pairwise-screened";
  options.dimension = dimension;
  options.budget = budget;
  options.active = active;
  options.labels = std::move(labels);
  return options;
}

std::unique_ptr<Learner> learner_of(const LearnerOptions& options) {
  auto made = make_learner(options, nullptr);
  REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
  return std::move(*made);
}

struct Example {
  std::vector<double> x;
  std::vector<double> labels;
};

// Label l is of the attributes 10 + 3·l to 12 + 3·l alone, in a unit of its own. The first attribute may be
// words.
class Stream {
 public:
  Stream(std::uint64_t seed, std::size_t dimension, std::size_t labels, bool holds_words = false)
      : random_(seed), dimension_(dimension), labels_(labels), holds_words_(holds_words) {}
  Example next() {
    Example e;
    for (std::size_t i = 0; i < dimension_; ++i) e.x.push_back(2 * random_.uniform() - 1);
    if (holds_words_) e.x[0] = static_cast<double>(random_.below(4));
    double unit = 1;
    for (std::size_t l = 0; l < labels_; ++l, unit *= 1000) {
      double label = 0.2 * (random_.uniform() - 0.5) + (holds_words_ ? e.x[0] : 0);
      for (std::size_t k = 0; k < 3; ++k) label += (k == 1 ? -1 : 1) * e.x[10 + 3 * l + k];
      e.labels.push_back(unit * label);
    }
    return e;
  }

 private:
  Random random_;
  std::size_t dimension_;
  std::size_t labels_;
  bool holds_words_;
};

void learn(Learner& learner, Random& random, Stream& stream, int examples) {
  Plan plan;
  for (int n = 0; n < examples; ++n) {
    const Example e = stream.next();
    learner.plan(random, plan);
    REQUIRE(learner.learn(plan, test::reveal(plan, e.x), e.labels, 1) == Outcome::kLearned);
  }
}

const std::vector<Attribute>& active_of(const Learner& learner) {
  return static_cast<const ScreenedPairwise&>(learner).active();
}

bool same(const State& a, const State& b) {
  const auto of = [](const State& state) {
    std::vector<std::pair<std::string, std::vector<std::byte>>> all;
    for (const Tensor& tensor : state.tensors()) all.emplace_back(tensor.name, tensor.bytes);
    std::ranges::sort(all);
    return all;
  };
  return of(a) == of(b);
}

}  // namespace

TEST_CASE(
    "where all attributes are active, labels from the same looks are what learners of one make of these") {
  constexpr std::size_t kDim = 17;
  for (const bool holds_words : {false, true}) {
    CAPTURE(holds_words);
    const auto both = learner_of(options_of(kDim, 4, kDim, {"temp", "cnt"}));
    const auto first = learner_of(options_of(kDim, 4, kDim, {}));
    const auto second = learner_of(options_of(kDim, 4, kDim, {}));
    if (holds_words)
      for (Learner* const learner : {both.get(), first.get(), second.get()}) learner->make_category(0);
    Random random(1);
    Stream stream(2, kDim, 2, holds_words);
    Plan plan;
    for (int n = 0; n < 2000; ++n) {
      const Example e = stream.next();
      both->plan(random, plan);
      const auto values = test::reveal(plan, e.x);
      both->learn(plan, values, e.labels, 1);
      first->learn(plan, values, e.labels[0], 1);
      second->learn(plan, values, e.labels[1], 1);
      if (n % 499 != 0) continue;
      CHECK(both->shared_model()->weights == first->shared_model()->weights);
      CHECK(both->of_label(1).shared_model()->weights == second->shared_model()->weights);
      CHECK(both->of_label(1).progressive_loss().total().mean == second->progressive_loss().total().mean);
    }
  }
}

TEST_CASE("of a thousand attributes the few that explain each of three labels are found") {
  constexpr std::size_t kDim = 1000;
  const auto learner = learner_of(options_of(kDim, 20, 64, {"a", "b", "c"}));
  Random random(3);
  Stream stream(4, kDim, 3);
  learn(*learner, random, stream, 12000);
  double unit = 1;
  for (std::size_t l = 0; l < 3; ++l, unit *= 1000) {
    CAPTURE(l);
    const Learner& one = learner->of_label(l);
    CHECK(active_of(one) == active_of(*learner));
    const auto model = one.shared_model();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<Attribute>(10 + 3 * l + k);
      CHECK(std::ranges::binary_search(active_of(*learner), i));
      CHECK(model->weights[i] / unit == doctest::Approx(k == 1 ? -1 : 1).epsilon(0.2));
    }
    CHECK(one.progressive_loss().recent().mean < 0.6 * one.label_variance());
  }
}

TEST_CASE("an attribute that explains a further label alone becomes active, and leaves with it") {
  constexpr std::size_t kDim = 60;
  LearnerOptions options = options_of(kDim, 6, 8, {"a", "b"});
  options.half_life = 500;
  const auto learner = learner_of(options);
  Random random(3);
  Plan plan;
  Random source(8);
  const auto learn_some = [&](int examples, Attribute of_second) {
    for (int n = 0; n < examples; ++n) {
      std::vector<double> x(kDim);
      for (double& value : x) value = 2 * source.uniform() - 1;
      learner->plan(random, plan);
      const std::vector<double> labels = {source.uniform(), x[of_second]};
      learner->learn(plan, test::reveal(plan, x), labels, 1);
    }
  };
  learn_some(4000, 20);
  CHECK(std::ranges::binary_search(active_of(*learner), Attribute{20}));
  learn_some(8000, 40);
  CHECK(std::ranges::binary_search(active_of(*learner), Attribute{40}));
  CHECK_FALSE(std::ranges::binary_search(active_of(*learner), Attribute{20}));
}

TEST_CASE("several labels of a screened learner are saved and restored to the bit") {
  constexpr std::size_t kDim = 40;
  for (const bool holds_words : {false, true})
    for (const int examples : {1, 40, 333, 1500}) {
      CAPTURE(holds_words);
      CAPTURE(examples);
      LearnerOptions options = options_of(kDim, 5, 9, {"a", "b", "c"});
      if (holds_words) options.half_life = 300;
      const auto one = learner_of(options);
      if (holds_words) one->make_category(0);
      Random random(5);
      Stream stream(6, kDim, 3, holds_words);
      learn(*one, random, stream, examples);
      const auto other = learner_of(options);
      REQUIRE(other->restore(saved(*one)).has_value());
      Random same_random = random;
      Stream same_stream = stream;
      learn(*one, random, stream, 1500);
      learn(*other, same_random, same_stream, 1500);
      CHECK(same(saved(*one), saved(*other)));
      for (std::size_t l = 0; l < 3; ++l)
        CHECK(one->of_label(l).shared_model()->weights == other->of_label(l).shared_model()->weights);
    }
}

TEST_CASE("solutions of a capture are those that the learner makes by itself, of each label") {
  constexpr std::size_t kDim = 40;
  const auto captured = learner_of(options_of(kDim, 5, 9, {"a", "b"}));
  const auto alone = learner_of(options_of(kDim, 5, 9, {"a", "b"}));
  for (Learner* const learner : {captured.get(), alone.get()}) {
    Random random(5);
    Stream stream(6, kDim, 2);
    learn(*learner, random, stream, 2000);
  }
  Solving& solving = *captured->solving();
  solving.begin_capture();
  while (!solving.capture(100)) {
  }
  solving.adopt(solving.solve({}));
  for (std::size_t l = 0; l < 2; ++l) {
    CHECK(captured->of_label(l).shared_model()->weights == alone->of_label(l).shared_model()->weights);
    CHECK(captured->of_label(l).shared_model()->bias == alone->of_label(l).shared_model()->bias);
  }
  CHECK(solving.solve([] { return true; }) == nullptr);
}

TEST_CASE("a state whose labels have other active attributes is refused") {
  constexpr std::size_t kDim = 40;
  const auto one = learner_of(options_of(kDim, 5, 9, {"a", "b"}));
  Random random(5);
  Stream stream(6, kDim, 2);
  learn(*one, random, stream, 2000);
  REQUIRE(!active_of(*one).empty());
  State state = saved(*one);
  const auto active = state.put<std::uint32_t>("further.1.screened.active", active_of(*one).size());
  std::ranges::copy(active_of(*one), active.begin());
  active.back() = kDim - 1 - (active.back() == kDim - 1 ? 1 : 0);
  const auto other = learner_of(options_of(kDim, 5, 9, {"a", "b"}));
  CHECK(other->restore(state).error().message == "screened.active is not that of the first label");
}

TEST_CASE("an outlier, a missing value and a new beginning leave all labels with the same attributes") {
  constexpr std::size_t kDim = 40;
  const auto learner = learner_of(options_of(kDim, 5, 9, {"a", "b"}));
  Random random(5);
  Stream stream(6, kDim, 2);
  learn(*learner, random, stream, 700);
  Plan plan;
  for (const double scale : {1e20, 1e-12, 1e25}) {
    for (int n = 0; n < 400; ++n) {
      Example e = stream.next();
      for (double& value : e.x) value *= scale;
      e.labels[1] *= scale;
      if (n % 5 == 0) e.x[n % kDim] = NAN;
      learner->plan(random, plan);
      learner->learn(plan, test::reveal(plan, e.x), e.labels, 1);
      REQUIRE(active_of(learner->of_label(1)) == active_of(*learner));
    }
    for (std::size_t l = 0; l < 2; ++l)
      for (const double weight : learner->of_label(l).shared_model()->weights) CHECK(std::isfinite(weight));
  }
}

}  // namespace glimpse::screened_labels_test
