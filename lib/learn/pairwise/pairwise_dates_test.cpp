#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>

#include "base/date_parts.h"
#include "learn/factory.h"
#include "learn/inference/incomplete_example.h"
#include "learn/inference/known_features.h"
#include "learn/learner_test_support.h"
#include "learn/pairwise/pairwise.h"
#include "learn/pairwise/screened_pairwise.h"

namespace pairwise_dates_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint8_t kParts = DatePart::kWeekday | DatePart::kHour;
constexpr Attribute kWhen = 1;

LearnerOptions options_for(const std::string& algorithm, std::size_t budget) {
  LearnerOptions options = options_of(algorithm, 4, budget);
  options.bias = true;
  return options;
}

double effect_of(double when) {
  const FeatureCodes codes = date_codes(when, kParts);
  const double hour = codes.codes[1] - 19;
  return (codes.codes[0] >= 5 ? -2 : 0) + 1.5 * std::sin(hour * 0.2618);
}

// Attribute 1 is a date, 2 has three categories, 0 and 3 are numbers. y = x_0 + f(day of week) + g(hour) +
// h(x_2) + noise.
struct Stream {
  Random random{7};
  std::vector<double> x{0, 0, 0, 0};
  double label = 0;

  void next() {
    x[0] = random.uniform();
    x[kWhen] = 20000 + static_cast<double>(random.below(24 * 100)) / 24;
    x[2] = static_cast<double>(random.below(3));
    x[3] = random.uniform();
    label = x[0] + effect_of(x[kWhen]) + (x[2] == 1 ? 1 : 0) + 0.1 * random.uniform();
  }
};

void make_kinds(Learner& learner) {
  learner.make_date(kWhen, kParts);
  learner.make_category(2);
}

void teach(Learner& learner, Stream& stream, Random& random, int examples) {
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    stream.next();
    learner.plan(random, plan);
    REQUIRE(learner.learn(plan, reveal(plan, stream.x), stream.label, 1) == Outcome::kLearned);
  }
}

// The share of the labels' variance that predictions leave.
double loss_of(const Learner& learner, bool judged = false) {
  Stream stream;
  stream.random = Random(99);
  double error = 0;
  double sum = 0;
  double square = 0;
  constexpr int kCount = 1000;
  for (int t = 0; t < kCount; ++t) {
    stream.next();
    std::vector<Entry> entries;
    for (Attribute i = 0; i < 4; ++i) entries.push_back({i, stream.x[i]});
    const double predicted = judged ? learner.predict_as_judged(entries) : learner.predict(entries);
    error += (predicted - stream.label) * (predicted - stream.label) / kCount;
    sum += stream.label / kCount;
    square += stream.label * stream.label / kCount;
  }
  return error / (square - sum * sum);
}

std::vector<std::byte> bytes_of(const Learner& learner) {
  const State state = saved(learner);
  std::vector<std::byte> bytes;
  for (const Tensor& tensor : state.tensors())
    bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

std::unique_ptr<Learner> learner_of(const std::string& algorithm, std::size_t budget) {
  const LearnerOptions options = options_for(algorithm, budget);
  if (algorithm == "pairwise") return std::make_unique<Pairwise>(options);
  return std::make_unique<ScreenedPairwise>(options);
}

const std::string kAlgorithms[] = {"pairwise", "pairwise-screened"};

}  // namespace

TEST_CASE("a weekly and a daily cycle are learned from two of four attributes, a date being one of them") {
  for (const std::string& algorithm : kAlgorithms) {
    CAPTURE(algorithm);
    const auto learner = learner_of(algorithm, 2);
    make_kinds(*learner);
    Stream stream;
    Random random(1);
    teach(*learner, stream, random, 12000);
    CHECK(learner->counts().attributes_revealed == 24000);
    CHECK(learner->features().slots() == 4 + 7 + 24 + 3);
    CHECK(loss_of(*learner) < 0.1);
    CHECK(loss_of(*learner, true) < 0.1);
    // The loss that is estimated from two attributes each is that of whole examples, but for its own noise.
    CHECK(learner->progressive_loss().later().mean < 0.6);
    const SamplingRow row = learner->sampling_row(kWhen);
    CHECK(row.moment.mean == doctest::Approx(20050).epsilon(1e-3));
    CHECK(row.probability >= learner->sampling_row(3).probability);
  }
}

TEST_CASE("as a number of days alone a date explains none of it") {
  Pairwise learner(options_for("pairwise", 2));
  learner.make_category(2);
  Stream stream;
  Random random(1);
  teach(learner, stream, random, 12000);
  CHECK(loss_of(learner) > 0.8);
}

TEST_CASE("one attribute an example does, and it is one look") {
  for (const std::string& algorithm : kAlgorithms) {
    CAPTURE(algorithm);
    LearnerOptions options = options_of(algorithm, 1, 1);
    options.bias = true;
    std::unique_ptr<Learner> learner;
    if (options.algorithm == "pairwise")
      learner = std::make_unique<Pairwise>(options);
    else
      learner = std::make_unique<ScreenedPairwise>(options);
    learner->make_date(0, kParts);
    Random random(1);
    Plan plan;
    for (int t = 0; t < 3000; ++t) {
      const double when = 20000 + static_cast<double>(random.below(24 * 100)) / 24;
      learner->plan(random, plan);
      REQUIRE(plan.attributes == std::vector<Attribute>{0});
      const double values[] = {when};
      learner->learn(plan, values, effect_of(when), 1);
    }
    CHECK(learner->counts().attributes_revealed == 3000);
    double error = 0;
    for (int hour = 0; hour < 7 * 24; ++hour) {
      const Entry entry[] = {{0, 20200 + hour / 24.0}};
      error += std::pow(learner->predict(entry) - effect_of(entry[0].value), 2) / (7 * 24);
    }
    CHECK(error < 0.05);  // of 1.9
  }
}

TEST_CASE("a learner with dates goes on from its state bit for bit") {
  for (const std::string& algorithm : kAlgorithms)
    for (const int before : {1, 7, 700}) {
      CAPTURE(algorithm);
      CAPTURE(before);
      const auto first = learner_of(algorithm, 2);
      make_kinds(*first);
      Stream stream;
      Random random(1);
      teach(*first, stream, random, before);
      const State state = saved(*first);
      const auto second = learner_of(algorithm, 2);
      REQUIRE(second->restore(state).has_value());
      CHECK(second->features().date_parts(kWhen) == kParts);
      Stream again = stream;
      Random random_again = random;
      teach(*first, stream, random, 900);
      teach(*second, again, random_again, 900);
      CHECK(bytes_of(*first) == bytes_of(*second));
    }
}

TEST_CASE("all looks: the model predicts as one of the same columns by hand") {
  Pairwise learner(options_for("pairwise", 4));
  make_kinds(learner);
  constexpr std::size_t kColumns = 3 + 3 + 7 + 24;
  LearnerOptions by_hand_options = options_of("pairwise", kColumns, kColumns);
  by_hand_options.bias = true;
  Pairwise by_hand(by_hand_options);
  const auto columns_of = [](const std::vector<double>& x) {
    std::vector<double> columns(kColumns);
    columns[0] = x[0];
    columns[1] = x[kWhen];
    columns[2] = x[3];
    columns[3 + static_cast<std::size_t>(x[2])] = 1;
    const FeatureCodes codes = date_codes(x[kWhen], kParts);
    columns[6 + static_cast<std::size_t>(codes.codes[0])] = 1;
    columns[13 + static_cast<std::size_t>(codes.codes[1] - 19)] = 1;
    return columns;
  };
  Stream stream;
  Random random(1);
  Random random_by_hand(1);
  Plan plan;
  for (int t = 0; t < 2000; ++t) {
    stream.next();
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, stream.x), stream.label, 1);
    by_hand.plan(random_by_hand, plan);
    by_hand.learn(plan, reveal(plan, columns_of(stream.x)), stream.label, 1);
  }
  double difference = 0;  // λ differs, as no column by hand is known to be of another one's attribute
  for (int t = 0; t < 100; ++t) {
    stream.next();
    const std::vector<double> columns = columns_of(stream.x);
    std::vector<Entry> ours;
    std::vector<Entry> theirs;
    for (Attribute i = 0; i < 4; ++i) ours.push_back({i, stream.x[i]});
    for (Attribute i = 0; i < kColumns; ++i) theirs.push_back({i, columns[i]});
    difference += std::abs(learner.predict(ours) - by_hand.predict(theirs)) / 100;
    CHECK(std::abs(learner.predict(ours) - stream.label) < 0.3);
  }
  CHECK(difference < 0.04);
}

TEST_CASE("a missing date counts as the mean of its features, and adds to the error") {
  for (const std::string& algorithm : kAlgorithms) {
    CAPTURE(algorithm);
    const auto learner = learner_of(algorithm, 3);
    make_kinds(*learner);
    Stream stream;
    Random random(1);
    teach(*learner, stream, random, 6000);
    const auto with = [&](double when) {
      return std::vector<Entry>{{0, 0.5}, {kWhen, when}, {2, 0}, {3, 0.5}};
    };
    double mean = 0;
    for (int hour = 0; hour < 7 * 24; ++hour) mean += learner->predict(with(20050 + hour / 24.0)) / (7 * 24);
    CHECK(learner->predict(with(kMissing)) == doctest::Approx(mean).epsilon(0.05).scale(1));
    CHECK(learner->predict_as_judged(with(kMissing)) == doctest::Approx(mean).epsilon(0.1).scale(1));
    IncompleteExamples incomplete;
    const auto basis = prediction_basis(*learner);
    const auto answer = incomplete.predict(*learner, with(kMissing), basis);
    CHECK(answer.prediction == doctest::Approx(mean).epsilon(0.1).scale(1));
    CHECK(answer.standard_error > 1);  // f and g have a deviation of 1.4
    const auto whole = with(20003.25);
    CHECK(incomplete.predict(*learner, whole, basis).prediction ==
          doctest::Approx(learner->predict(whole)).epsilon(1e-6).scale(1));
    const auto known = known_features(whole, learner->features(), *basis);
    CHECK(known.size() == 3 + 7 + 24 + 3);
    CHECK(std::ranges::count(known, 1.0, &Entry::value) == 3);  // a weekday, an hour and a category
  }
}

TEST_CASE("the parts of a date add up to the importance of the attribute") {
  Pairwise learner(options_for("pairwise", 4));
  make_kinds(learner);
  Stream stream;
  Random random(1);
  teach(learner, stream, random, 4000);
  (void)learner.shared_model();
  const auto importances = learner.importances();
  REQUIRE(importances);
  // Of 2.3: f has 4·(2/7)·(5/7) = .82, g 1.5²/2 = 1.12, h .22 and x_0 .08.
  CHECK(importances->shares[kWhen] == doctest::Approx((0.82 + 1.12) / 2.24).epsilon(0.05));
  CHECK(importances->shares[2] == doctest::Approx(0.22 / 2.24).epsilon(0.1));
  CHECK(importances->shares[3] < 0.01);
}

TEST_CASE("two learners of dates merge into that of both halves, and refuse other parts") {
  for (const std::string& algorithm : kAlgorithms) {
    CAPTURE(algorithm);
    const auto first = learner_of(algorithm, 4);
    const auto second = learner_of(algorithm, 4);
    const auto both = learner_of(algorithm, 4);
    for (Learner* const learner : {first.get(), second.get(), both.get()}) make_kinds(*learner);
    Stream stream;
    Random random(1);
    teach(*first, stream, random, 1000);
    teach(*second, stream, random, 1000);
    Stream again;
    Random random_again(1);
    teach(*both, again, random_again, 2000);
    const auto fresh = learner_of(algorithm, 4);  // that saw no table yet
    REQUIRE(fresh->merge(*first).has_value());
    REQUIRE(fresh->merge(*second).has_value());
    fresh->finish_merging();
    CHECK(fresh->features().date_parts(kWhen) == kParts);
    CHECK(fresh->features().slots() == both->features().slots());
    for (int t = 0; t < 50; ++t) {
      stream.next();
      std::vector<Entry> entries;
      for (Attribute i = 0; i < 4; ++i) entries.push_back({i, stream.x[i]});
      CHECK(fresh->predict(entries) == doctest::Approx(both->predict(entries)).epsilon(0.02).scale(1));
    }
    const auto other = learner_of(algorithm, 4);
    other->make_date(kWhen, DatePart::kMonth);
    other->make_category(2);
    const auto unseen = learner_of(algorithm, 4);
    unseen->make_date(kWhen, DatePart::kMonth);
    CHECK(unseen->merge(*first).has_value());  // nothing was learned of its parts
    CHECK(unseen->features().date_parts(kWhen) == kParts);
    teach(*other, stream, random, 50);
    CHECK(first->merge(*other).error().code == ErrorCode::kMismatch);
  }
}

TEST_CASE("what is no date is a missing value, and harms nothing") {
  Pairwise learner(options_for("pairwise", 2));
  make_kinds(learner);
  Stream stream;
  Random random(1);
  Plan plan;
  for (int t = 0; t < 4000; ++t) {
    stream.next();
    learner.plan(random, plan);
    std::vector<double> x = stream.x;
    if (t % 10 == 0) x[kWhen] = t % 20 == 0 ? 1e12 : -4e6;
    learner.learn(plan, reveal(plan, x), stream.label, 1);
  }
  CHECK(learner.counts().beyond_values > 50);
  CHECK(learner.sampling_row(kWhen).moment.mean == doctest::Approx(20050).epsilon(1e-3));
  CHECK(loss_of(learner) < 0.2);
}

TEST_CASE("classes are learned from dates, of which a part may be missing") {
  for (const std::size_t classes : {2, 3}) {
    CAPTURE(classes);
    Pairwise learner(options_for("pairwise", 3));
    learner.make_classifier(classes);
    make_kinds(learner);
    Stream stream;
    Random random(1);
    Plan plan;
    const auto class_of = [&](double when) {
      const double day = date_codes(when, DatePart::kWeekday).codes[0];
      return classes == 2 ? (day >= 5 ? 1 : 0) : day >= 5 ? 2 : day < 2 ? 1 : 0;
    };
    for (int t = 0; t < 6000; ++t) {
      stream.next();
      learner.plan(random, plan);
      learner.learn(plan, reveal(plan, stream.x), class_of(stream.x[kWhen]), 1);
    }
    int right = 0;
    int judged = 0;
    for (int t = 0; t < 500; ++t) {
      stream.next();
      std::vector<Entry> entries;
      for (Attribute i = 0; i < 4; ++i) entries.push_back({i, stream.x[i]});
      std::vector<double> scores(classes);
      const auto best = [&] { return std::ranges::max_element(scores) - scores.begin(); };
      learner.class_scores(nullptr, entries, scores);
      right += best() == class_of(stream.x[kWhen]) ? 1 : 0;
      learner.judged_class_scores(entries, scores);
      judged += best() == class_of(stream.x[kWhen]) ? 1 : 0;
    }
    CHECK(right > 480);
    CHECK(judged > 450);
  }
}

TEST_CASE("a date is active from its first sight on where few attributes are, and is learned whole") {
  LearnerOptions options = options_of("pairwise-screened", 40, 5);
  options.bias = true;
  options.active = 6;
  ScreenedPairwise learner(options);
  learner.make_date(7, kParts);
  Random random(1);
  std::vector<double> x(40);
  double label = 0;
  const auto next = [&] {
    for (double& value : x) value = random.uniform();
    x[7] = 20000 + static_cast<double>(random.below(24 * 100)) / 24;
    label = 2 * x[0] + effect_of(x[7]) + 0.1 * random.uniform();
  };
  Plan plan;
  for (int t = 0; t < 20000; ++t) {
    next();
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), label, 1);
    if (t != 1000) continue;
    ScreenedPairwise again(options);  // from the state, also with some active ones
    REQUIRE(again.restore(saved(learner)).has_value());
    CHECK(bytes_of(again) == bytes_of(learner));
  }
  CHECK(learner.active().size() <= 6);
  CHECK(std::ranges::count(learner.active(), Attribute{7}) == 1);
  CHECK(learner.features().slots() == 40 + 7 + 24);
  double error = 0;
  for (int t = 0; t < 500; ++t) {
    next();
    std::vector<Entry> entries;
    for (Attribute i = 0; i < 40; ++i) entries.push_back({i, x[i]});
    error += std::pow(learner.predict(entries) - label, 2) / 500;
  }
  CHECK(error < 0.4);  // of 2.3
}

TEST_CASE("several labels share the features of a date") {
  LearnerOptions options = options_for("pairwise", 2);
  options.labels = {"first", "second"};
  const auto make = [&] {
    auto made = make_learner(options, nullptr);
    REQUIRE(made.has_value());
    return std::move(*made);
  };
  const auto learner = make();
  make_kinds(*learner);
  Stream stream;
  Random random(1);
  Plan plan;
  const auto teach_both = [&](Learner& taught, int examples) {
    for (int t = 0; t < examples; ++t) {
      stream.next();
      taught.plan(random, plan);
      const double labels[] = {stream.label, -3 * effect_of(stream.x[kWhen])};
      REQUIRE(taught.learn(plan, reveal(plan, stream.x), labels, 1) == Outcome::kLearned);
    }
  };
  teach_both(*learner, 8000);
  const auto again = make();
  REQUIRE(again->restore(saved(*learner)).has_value());
  for (const Learner* const known : {learner.get(), again.get()})
    for (int hour = 0; hour < 7 * 24; hour += 5) {
      const double when = 20090 + hour / 24.0;
      const Entry entries[] = {{0, 0.5}, {kWhen, when}, {2, 0}, {3, 0.5}};
      CHECK(std::abs(known->of_label(0).predict(entries) - effect_of(when) - 0.5) < 0.7);
      CHECK(std::abs(known->of_label(1).predict(entries) + 3 * effect_of(when)) < 1.5);
    }
}

TEST_CASE("a date is chosen whole among the best attributes") {
  for (const std::string& algorithm : kAlgorithms) {
    CAPTURE(algorithm);
    LearnerOptions options = options_for(algorithm, 2);
    options.look_at_best = 2;
    auto made = make_learner(options, nullptr);
    REQUIRE(made.has_value());
    Learner& learner = **made;
    make_kinds(learner);
    Stream stream;
    Random random(1);
    teach(learner, stream, random, 12000);
    CHECK(loss_of(learner) < 0.15);
    CHECK(learner.sampling_row(kWhen).probability > 0.45);
  }
}

TEST_CASE("what is forgotten of dates is learned again") {
  LearnerOptions options = options_for("pairwise", 3);
  options.half_life = 500;
  Pairwise learner(options);
  make_kinds(learner);
  Stream stream;
  Random random(1);
  teach(learner, stream, random, 3000);
  const double before = loss_of(learner);
  CHECK(before < 0.2);
  Plan plan;
  for (int t = 0; t < 5000; ++t) {  // the cycles turn round
    stream.next();
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, stream.x), stream.label - 2 * effect_of(stream.x[kWhen]), 1);
  }
  CHECK(loss_of(learner) > 2);
  teach(learner, stream, random, 5000);
  CHECK(loss_of(learner) < 0.2);
}

TEST_CASE("under a ball dates are a number alone") {
  LearnerOptions options = options_for("pairwise", 2);
  CHECK(Pairwise(options).learns_dates());
  options.radius = 2;
  CHECK_FALSE(Pairwise(options).learns_dates());
}

}  // namespace pairwise_dates_test
