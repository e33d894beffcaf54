#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "learn/core/solving.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/pairwise/grown_state.h"
#include "learn/pairwise/pairwise.h"

namespace glimpse::several_labels_test {
namespace {

constexpr std::size_t kDim = 8;

LearnerOptions options_of(std::size_t budget, std::vector<std::string> labels) {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = kDim;
  options.budget = budget;
  options.labels = std::move(labels);
  return options;
}

std::unique_ptr<Learner> learner_of(const LearnerOptions& options) {
  auto made = make_learner(options, nullptr);
  REQUIRE(made.has_value());
  return std::move(*made);
}

std::unique_ptr<Learner> of_two(std::size_t budget) {
  return learner_of(options_of(budget, {"temp", "cnt"}));
}

struct Example {
  std::vector<double> x;
  std::vector<double> labels;
  double importance = 1;
};

// Two labels of attributes of their own, in units of their own. Some values are missing.
class Stream {
 public:
  explicit Stream(std::uint64_t seed, double first = 1, double second = 1, bool holds_words = false)
      : random_(seed), first_(first), second_(second), holds_words_(holds_words) {}
  Example next() {
    Example e;
    for (std::size_t i = 0; i < kDim; ++i) e.x.push_back(random_.uniform() + static_cast<double>(i));
    if (holds_words_) e.x[0] = static_cast<double>(random_.below(3));
    e.labels = {first_ * (3 * e.x[1] - e.x[2] + e.x[0] + 0.1 * random_.uniform()),
                second_ * (e.x[4] + 2 * e.x[5] - e.x[0] + 0.1 * random_.uniform())};
    if (random_.below(8) == 0) e.x[3] = NAN;
    e.importance = random_.below(5) == 0 ? 2 : 1;
    return e;
  }

 private:
  Random random_;
  double first_;
  double second_;
  bool holds_words_;
};

void learn(Learner& learner, Random& random, Stream& stream, int examples) {
  Plan plan;
  for (int n = 0; n < examples; ++n) {
    const Example e = stream.next();
    learner.plan(random, plan);
    REQUIRE(learner.learn(plan, test::reveal(plan, e.x), e.labels, e.importance) == Outcome::kLearned);
  }
}

// What two learners of one label each make of the same looks.
void learn_apart(Learner& first, Learner& second, Learner& looks, Random& random, Stream& stream,
                 int examples) {
  Plan plan;
  for (int n = 0; n < examples; ++n) {
    const Example e = stream.next();
    looks.plan(random, plan);
    const auto values = test::reveal(plan, e.x);
    looks.learn(plan, values, e.labels, e.importance);
    first.learn(plan, values, e.labels[0], e.importance);
    second.learn(plan, values, e.labels[1], e.importance);
  }
}

Model model_of(const Learner& learner) {
  Model model;
  learner.model(model);
  return model;
}

// What is not known is NaN.
bool are_same(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b,
                            [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void check_same(const Learner& one, const Learner& other) {
  CHECK(one.counts().examples == other.counts().examples);
  CHECK(one.progressive_loss().total().mean == other.progressive_loss().total().mean);
  const double variances[] = {one.label_variance(), other.label_variance()};
  CHECK(are_same({&variances[0], 1}, {&variances[1], 1}));
  const Model a = model_of(one);
  const Model b = model_of(other);
  CHECK(a.bias == b.bias);
  CHECK(a.weights == b.weights);
  const auto worth = one.importances();
  const auto same_worth = other.importances();
  REQUIRE((worth == nullptr) == (same_worth == nullptr));
  if (worth != nullptr) CHECK(are_same(worth->shares, same_worth->shares));
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

TEST_CASE("two labels from the same looks are what two learners make of these, to the bit") {
  for (const bool holds_words : {false, true})
    for (const std::size_t budget : {std::size_t{3}, kDim}) {
      CAPTURE(holds_words);
      CAPTURE(budget);
      const auto both = of_two(budget);
      const auto first = learner_of(options_of(budget, {}));
      const auto second = learner_of(options_of(budget, {"cnt"}));
      if (holds_words)
        for (Learner* const learner : {both.get(), first.get(), second.get()}) learner->make_category(0);
      Random random(1);
      Stream stream(2, 1, 1, holds_words);
      for (const int examples : {1, 30, 70, 400, 1000}) {
        learn_apart(*first, *second, *both, random, stream, examples);
        check_same(both->of_label(0), *first);
        check_same(both->of_label(1), *second);
      }
      const auto& moments = static_cast<const Pairwise&>(both->of_label(1)).moments();
      const auto& alone = static_cast<const Pairwise&>(*second).moments();
      for (std::size_t i = 0; i + 1 < kDim; ++i) {
        CHECK(moments.label_co_moment(i, 0, 1, 2) == alone.label_co_moment(i, 0, 1, 2));
        CHECK(moments.co_moment(i, i + 1, 1, 2) == alone.co_moment(i, i + 1, 1, 2));
      }
    }
}

TEST_CASE("where everything is looked at, several labels are several runs") {
  const auto both = of_two(kDim);
  Random random(1);
  Stream stream(2);
  learn(*both, random, stream, 500);
  for (const std::size_t label : {0, 1}) {
    const auto alone = learner_of(options_of(kDim, {}));
    Random own(7);
    Stream again(2);
    Plan plan;
    for (int n = 0; n < 500; ++n) {
      const Example e = again.next();
      alone->plan(own, plan);
      alone->learn(plan, test::reveal(plan, e.x), e.labels[label], e.importance);
    }
    check_same(both->of_label(label), *alone);
  }
}

TEST_CASE("solutions of one copy are those of all labels") {
  const auto both = of_two(3);
  const auto elsewhere = of_two(3);
  for (Learner* const learner : {both.get(), elsewhere.get()}) {
    Random random(1);
    Stream stream(2);
    learn(*learner, random, stream, 700);
  }
  Solving& solving = *elsewhere->solving();
  SolutionWish wish;
  wish.weight_errors = true;
  elsewhere->of_label(1).solving()->wish(wish);
  solving.begin_capture();
  while (!solving.capture(1 << 20)) {
  }
  solving.adopt(solving.solve({}));
  check_same(*elsewhere, *both);
  check_same(elsewhere->of_label(1), both->of_label(1));
  CHECK(elsewhere->weight_errors() == nullptr);
  CHECK(elsewhere->of_label(1).weight_errors() != nullptr);
  CHECK(elsewhere->of_label(1).describe().origin->examples == 700);
}

TEST_CASE("labels of any magnitude are learned side by side") {
  const auto plain = of_two(3);
  const auto scaled = of_two(3);
  Random random(1);
  Random same_random(1);
  Stream stream(2);
  Stream scaled_stream(2, 0x1p-664, 0x1p90);  // about 1e-200 and 1e27
  learn(*plain, random, stream, 1500);
  learn(*scaled, same_random, scaled_stream, 1500);
  const double units[] = {0x1p-664, 0x1p90};
  for (const std::size_t label : {0, 1}) {
    const Model model = model_of(scaled->of_label(label));
    const Model same = model_of(plain->of_label(label));
    for (std::size_t i = 0; i < kDim; ++i)
      CHECK(model.weights[i] / units[label] == doctest::Approx(same.weights[i]).epsilon(1e-9));
  }
  CHECK(model_of(plain->of_label(0)).weights[1] > 2.5);
  CHECK(model_of(plain->of_label(1)).weights[5] > 1.5);
}

TEST_CASE("looks go to what explains any of the labels, whatever its unit is") {
  const auto looks_at = [](double first, double second) {
    const auto learner = of_two(3);
    Random random(1);
    Stream stream(2, first, second);
    learn(*learner, random, stream, 2000);
    std::vector<double> chances;
    for (Attribute i = 0; i < kDim; ++i) chances.push_back(learner->sampling_row(i).probability);
    return chances;
  };
  const std::vector<double> chances = looks_at(1, 1);
  for (const Attribute important : {1, 5}) CHECK(chances[important] > 1.5 * chances[7]);
  const std::vector<double> scaled = looks_at(0x1p-60, 0x1p60);
  for (Attribute i = 0; i < kDim; ++i) CHECK(scaled[i] == doctest::Approx(chances[i]).epsilon(1e-6));
}

TEST_CASE("several labels are saved and restored to the bit") {
  for (const bool holds_words : {false, true})
    for (const int before : {0, 3, 65, 500}) {
      CAPTURE(before);
      const auto one = of_two(3);
      if (holds_words) one->make_category(0);
      Random random(1);
      Stream stream(2, 1, 1e-200, holds_words);
      learn(*one, random, stream, before);
      const State state = test::saved(*one);
      const auto other = of_two(3);
      REQUIRE(other->restore(state).has_value());
      CHECK(same(test::saved(*other), state));
      Random same_random = random;
      Stream same_stream = stream;
      learn(*one, random, stream, 600);
      learn(*other, same_random, same_stream, 600);
      CHECK(same(test::saved(*other), test::saved(*one)));
      check_same(other->of_label(1), one->of_label(1));
    }
}

TEST_CASE("a state of other labels is refused") {
  const auto one = of_two(3);
  Random random(1);
  Stream stream(2);
  learn(*one, random, stream, 10);
  State state = test::saved(*one);
  const auto swapped = learner_of(options_of(3, {"cnt", "temp"}));
  const Status status = swapped->restore(state);
  REQUIRE(!status.has_value());
  CHECK(status.error().code == ErrorCode::kMismatch);
  CHECK(status.error().message ==
        "the checkpoint was made with labels=temp,cnt, but this start asks for labels=cnt,temp");
  CHECK(!learner_of(options_of(3, {}))->restore(state).has_value());

  state.put_number("further.1.learner.steps", std::uint64_t{11});
  const Status torn = of_two(3)->restore(state);
  REQUIRE(!torn.has_value());
  CHECK(torn.error().code == ErrorCode::kCorrupt);
}

TEST_CASE("several labels take more attributes, and another budget") {
  LearnerOptions narrow = options_of(3, {"temp", "cnt"});
  narrow.dimension = 6;
  const auto both = learner_of(narrow);
  narrow.labels = {};
  const auto first = learner_of(narrow);
  const auto second = learner_of(narrow);
  Random random(1);
  Stream stream(2);
  learn_apart(*first, *second, *both, random, stream, 300);
  const auto grown = [](const Learner& learner, const std::vector<std::string>& labels) {
    const auto wider = with_more_attributes(test::saved(learner), kDim, kDim);
    REQUIRE(wider.has_value());
    const auto state = with_budget(*wider, 4);
    REQUIRE(state.has_value());
    auto result = learner_of(options_of(4, labels));
    REQUIRE(result->restore(*state).has_value());
    return result;
  };
  const auto wide = grown(*both, {"temp", "cnt"});
  const auto wide_first = grown(*first, {});
  const auto wide_second = grown(*second, {});
  for (const int examples : {0, 300}) {
    learn_apart(*wide_first, *wide_second, *wide, random, stream, examples);
    check_same(wide->of_label(0), *wide_first);
    check_same(wide->of_label(1), *wide_second);
  }
  CHECK(model_of(wide->of_label(1)).weights[6] != 0);
}

TEST_CASE("an example counts for all labels or for none") {
  const auto both = of_two(3);
  Random random(1);
  Stream stream(2);
  learn(*both, random, stream, 300);
  const State before = test::saved(*both);
  Plan plan;
  const Example e = stream.next();
  const std::vector<double> beyond{1, 1e31};
  both->plan(random, plan);
  CHECK(both->learn(plan, test::reveal(plan, e.x), beyond, 1) == Outcome::kOutOfRange);
  const std::vector<double> wild{1, 1e20};
  CHECK(both->learn(plan, test::reveal(plan, e.x), wild, 1) == Outcome::kLeftOut);
  CHECK(both->counts().examples == 300);
  CHECK(both->of_label(1).counts().examples == 300);
  CHECK(both->counts().bounded_labels == 1);
  CHECK(both->of_label(1).labels().max() < 1e6);
  for (const char* const sums : {"pairs.sums", "pairs.attributes", "further.1.pairs.attributes"})
    CHECK(std::ranges::equal(*before.get<double>(sums), *test::saved(*both).get<double>(sums)));
}

TEST_CASE("with --half-life all labels forget alike") {
  LearnerOptions options = options_of(kDim, {"temp", "cnt"});
  options.half_life = 3;  // sums are rewritten now and then
  const auto both = learner_of(options);
  options.labels = {};
  const auto first = learner_of(options);
  const auto second = learner_of(options);
  Random random(1);
  Stream stream(2);
  learn_apart(*first, *second, *both, random, stream, 1000);
  check_same(both->of_label(0), *first);
  check_same(both->of_label(1), *second);
}

TEST_CASE("the models of all labels are solved for at one moment, whichever is asked") {
  const auto both = of_two(3);
  const Learner& first = both->of_label(0);
  const Learner& second = both->of_label(1);
  Random random(1);
  Stream stream(2);
  learn(*both, random, stream, 2000);
  CHECK_FALSE(second.describe().origin.has_value());
  second.shared_model();
  REQUIRE(first.describe().origin.has_value());
  CHECK(first.describe().origin->examples == 2000);
  learn(*both, random, stream, 6);
  const std::vector<Entry> entries{{1, 0.5}};
  second.predict(entries);  // 6 of 2000 make no model old
  CHECK(second.describe().origin->examples == 2000);
  first.shared_model();
  CHECK(second.describe().origin->examples == 2006);
  CHECK(are_same(model_of(second).weights, second.model_of_predictions()->weights));
}

TEST_CASE("what several labels do not go with is refused by name") {
  const auto refusal = [](LearnerOptions options) {
    const auto made = make_learner(options, nullptr);
    return made ? std::string() : made.error().message;
  };
  LearnerOptions options = options_of(3, {"temp", "cnt"});
  CHECK(refusal(options).empty());
  options.algorithm = "two-phase-ddaerr";
  CHECK(refusal(options) ==
        "--label temp,cnt: several labels are for pairwise and pairwise-screened only, not two-phase-ddaerr");
  options = options_of(3, {"temp", "cnt"});
  options.radius = 3;
  CHECK(refusal(options).starts_with("--label temp,cnt: several labels go without --radius"));
  options = options_of(3, {"temp", "cnt"});
  options.drift = Drift::kAuto;
  CHECK(refusal(options).starts_with("--label temp,cnt: several labels go without --drift auto"));
  options = options_of(4, {"temp", "cnt"});
  options.products = 2;
  CHECK(refusal(options) == "--label temp,cnt: several labels go without --products");
  CHECK(refusal(options_of(3, {"temp", "cnt", "temp"})) == "--label temp,cnt,temp: names temp twice");
  CHECK(refusal(options_of(3, std::vector<std::string>(101, "x"))) ==
        "--label: names 101 labels; must be at most 100");
}

}  // namespace glimpse::several_labels_test
