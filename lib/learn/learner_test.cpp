#include "learn/core/learner.h"

#include <doctest/doctest.h>
#include <limits>

#include "learn/factory.h"
#include "learn/learner_test_support.h"

namespace learner_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {
bool same(const State& a, const State& b) {
  if (a.tensors().size() != b.tensors().size()) return false;
  for (const Tensor& tensor : a.tensors()) {
    const Tensor* other = b.find(tensor.name);
    if (other == nullptr || other->bytes != tensor.bytes) return false;
  }
  return true;
}
}  // namespace

TEST_CASE("a learner restored in the middle of a stream goes on to the same bits, in either phase") {
  for (const char* algorithm : {"aerr", "ddaerr", "two-phase-ddaerr", "online-ridge"}) {
    for (const StepKind step : {StepKind::kAuto, StepKind::kNumber, StepKind::kTheory}) {
      LearnerOptions options = options_of(algorithm, 30, 5);
      options.step = step;
      options.horizon = 2000;
      options.radius = 1.5;
      options.bias = true;
      const SecondMoments known = known_moments(std::vector<double>(30, 0.25));
      const SecondMoments* moments = options.algorithm == "ddaerr" ? &known : nullptr;
      CAPTURE(algorithm);
      CAPTURE(static_cast<int>(step));
      for (const int middle : {10, 700}) {
        auto whole = make_learner(options, moments).value();
        Random random(5);
        Source source(30, 6);
        learn_from(*whole, random, source, middle);
        auto resumed = make_learner(options, moments).value();
        REQUIRE(resumed->restore(saved(*whole)).has_value());
        CHECK(same(saved(*resumed), saved(*whole)));
        Random random_copy = Random::from_state(random.state());
        Source source_copy = source;
        learn_from(*whole, random, source, 900);
        learn_from(*resumed, random_copy, source_copy, 900);
        CHECK(same(saved(*resumed), saved(*whole)));
        CHECK(resumed->counts().attributes_revealed == whole->counts().attributes_revealed);
      }
    }
  }
}

TEST_CASE("a checkpoint of the first builds, without a count of steps, goes on by its count of examples") {
  LearnerOptions options = options_of("two-phase-ddaerr", 20, 4);
  options.phase1_examples = 100;
  auto learner = make_learner(options).value();
  Random random(1);
  Source source(20, 2);
  learn_from(*learner, random, source, 90);
  const State now = saved(*learner);
  State old;
  old.begin();
  for (const Tensor& tensor : now.tensors()) {
    if (tensor.name == "learner.steps") continue;
    switch (tensor.type) {
      case ElementType::kU8:
        old.put_copy<std::uint8_t>(tensor.name, *now.get<std::uint8_t>(tensor.name));
        break;
      case ElementType::kU32:
        old.put_copy<std::uint32_t>(tensor.name, *now.get<std::uint32_t>(tensor.name));
        break;
      case ElementType::kU64:
        old.put_copy<std::uint64_t>(tensor.name, *now.get<std::uint64_t>(tensor.name));
        break;
      case ElementType::kF32:
        old.put_copy<float>(tensor.name, *now.get<float>(tensor.name));
        break;
      case ElementType::kF64:
        old.put_copy<double>(tensor.name, *now.get<double>(tensor.name));
        break;
    }
  }
  for (const Text& text : now.texts()) old.put_text(text.name, text.value);
  old.finish();
  auto resumed = make_learner(options).value();
  REQUIRE(resumed->restore(old).has_value());
  learn_from(*resumed, random, source, 9);
  CHECK(resumed->describe().phase == 1);
  learn_from(*resumed, random, source, 1);
  CHECK(resumed->describe().phase == 2);
}

TEST_CASE("pairs and control variates are restored to the same bits, in either phase, for ridge and lasso") {
  for (const char* algorithm : {"aerr", "two-phase-ddaerr", "two-phase-ddaelr"}) {
    for (const Form& form : kForms) {
      for (const StepKind step : {StepKind::kAuto, StepKind::kNumber}) {
        LearnerOptions options = options_of(algorithm, 30, 5);
        options.step = step;
        options.radius = 1.5;
        options.bias = true;
        options.phase1_examples = 300;
        set_form(options, form);
        for (const int middle : {10, 700}) {
          auto whole = make_learner(options).value();
          Random random(5);
          Source source(30, 6);
          learn_from(*whole, random, source, middle);
          auto resumed = make_learner(options).value();
          REQUIRE(resumed->restore(saved(*whole)).has_value());
          Random random_copy = Random::from_state(random.state());
          Source source_copy = source;
          learn_from(*whole, random, source, 900);
          learn_from(*resumed, random_copy, source_copy, 900);
          CHECK(same(saved(*resumed), saved(*whole)));
        }
      }
    }
  }
}

TEST_CASE("saving does not change what comes after") {
  const LearnerOptions options = options_of("two-phase-ddaerr", 20, 4);
  auto quiet = make_learner(options).value();
  auto saving = make_learner(options).value();
  Random a(1);
  Random b(1);
  Source x(20, 2);
  Source y(20, 2);
  for (int i = 0; i < 50; ++i) {
    learn_from(*quiet, a, x, 20);
    learn_from(*saving, b, y, 20);
    saved(*saving);
    Model model;
    saving->model(model);
  }
  CHECK(same(saved(*quiet), saved(*saving)));
}

TEST_CASE("a state of other options is refused by the option's name") {
  auto learner = make_learner(options_of("aerr", 20, 4)).value();
  const State state = saved(*learner);
  const auto refusal = [&](const LearnerOptions& options) {
    return make_learner(options).value()->restore(state).error();
  };
  CHECK(refusal(options_of("aerr", 21, 4)).message ==
        "the checkpoint was made with dimension=20, but this start asks for dimension=21");
  CHECK(refusal(options_of("two-phase-ddaerr", 20, 4)).message ==
        "the checkpoint was made with algorithm=aerr, but this start asks for algorithm=two-phase-ddaerr");
  CHECK(refusal(options_of("aerr", 20, 5)).code == ErrorCode::kMismatch);
  LearnerOptions pairs = options_of("aerr", 20, 4);
  pairs.draws = Draws::kPairs;
  CHECK(refusal(pairs).message ==
        "the checkpoint was made with another version's or the default options, but this start asks for "
        "draws=pairs");
  const State of_pairs = saved(*make_learner(pairs).value());
  CHECK(learner->restore(of_pairs).error().message ==
        "the checkpoint was made with draws=pairs, but this start does not ask for it");
}

TEST_CASE(
    "an example with a missing planned attribute is skipped and counted, and what was obtained counts as "
    "revealed") {
  auto learner = make_learner(options_of("aerr", 6, 6)).value();
  Random random(3);
  Source source(6, 1);
  learn_from(*learner, random, source, 20);
  const auto before = learner->counts();
  const auto weights = iterate(*learner);
  Plan plan;
  learner->plan(random, plan);
  std::vector<double> values(plan.attributes.size(), 1.0);
  REQUIRE(values.size() >= 2);
  values[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(learner->learn(plan, values, 1, 1) == Outcome::kMissing);
  CHECK(learner->counts().missing == 1);
  CHECK(learner->counts().examples == before.examples);
  CHECK(learner->counts().attributes_revealed == before.attributes_revealed + values.size() - 1);
  CHECK(iterate(*learner) == weights);
}

TEST_CASE("labels and importances beyond the range that can be squared are refused and counted") {
  auto learner = make_learner(options_of("aerr", 3, 2)).value();
  Plan plan;
  plan.attributes = {0};
  plan.data_point = {{0, 3.0}};
  CHECK(learner->learn(plan, std::vector<double>{1}, -1e31, 1) == Outcome::kOutOfRange);
  CHECK(learner->learn(plan, std::vector<double>{1}, std::numeric_limits<double>::infinity(), 1) ==
        Outcome::kOutOfRange);
  CHECK(learner->learn(plan, std::vector<double>{1}, 1, 1.1e30) == Outcome::kOutOfRange);  // an importance
  CHECK(learner->counts().out_of_range == 3);
  CHECK(iterate(*learner) == std::vector<double>(3, 0.0));
}

TEST_CASE("the range of labels is that of the examples that were learned from with some importance") {
  for (const char* algorithm : {"aerr", "two-phase-ddaerr", "online-ridge", "aelr", "aer", "baseline"}) {
    CAPTURE(algorithm);
    LearnerOptions options = options_of(algorithm, 3, 2);
    options.radius = 2;
    auto learner = make_learner(options).value();
    CHECK(learner->labels().empty());
    Random random(1);
    Plan plan;
    const auto learn = [&](double label, double importance, double value = 1) {
      learner->plan(random, plan);
      return learner->learn(plan, std::vector<double>(plan.attributes.size(), value), label, importance);
    };
    CHECK(learn(9, 0) == Outcome::kLearned);
    CHECK(learn(9, 1, std::numeric_limits<double>::quiet_NaN()) == Outcome::kMissing);
    CHECK(learn(1e31, 1) == Outcome::kOutOfRange);
    CHECK(learner->labels().empty());
    CHECK(learn(0.5, 1) == Outcome::kLearned);
    CHECK(learn(-0.25, 1e-3) == Outcome::kLearned);
    CHECK(learner->labels().min() == -0.25);
    CHECK(learner->labels().max() == 0.5);
    auto restored = make_learner(options).value();
    REQUIRE(restored->restore(saved(*learner)).has_value());
    CHECK(restored->labels().min() == -0.25);
    CHECK(restored->labels().max() == 0.5);
  }
}

TEST_CASE("a step far too large diverges in a counter, not in the model") {
  for (const char* algorithm : {"aerr", "online-ridge"}) {
    LearnerOptions options = options_of(algorithm, 10, 4);
    options.step_number = 1e6;
    auto learner = make_learner(options).value();
    Random random(1);
    Source source(10, 1);
    learn_from(*learner, random, source, 3000);
    CHECK(learner->counts().diverged > 0);
    Model model;
    learner->model(model);
    for (const double w : model.weights) CHECK(std::isfinite(w));
    const std::vector<Entry> entries{{0, 1.0}, {3, -1.0}};
    CHECK(std::isfinite(learner->predict(entries)));
  }
}

TEST_CASE(
    "a prediction is bias plus the inner product of the averaged model, and a missing value counts as its "
    "mean") {
  for (const Form& form : kForms) {
    LearnerOptions options = options_of("two-phase-ddaerr", 8, 4);
    set_form(options, form);
    options.step = StepKind::kAuto;
    options.bias = true;
    auto learner = make_learner(options).value();
    Random random(1);
    Source source(8, 1);
    learn_from(*learner, random, source, 500);
    Model model;
    learner->model(model);
    const std::vector<Entry> entries{{1, 2.0}, {7, -3.0}};
    CHECK(learner->predict(entries) ==
          doctest::Approx(model.bias + 2 * model.weights[1] - 3 * model.weights[7]).epsilon(1e-12));
    const std::vector<Entry> missing{{1, std::numeric_limits<double>::quiet_NaN()}};
    CHECK(
        learner->predict(missing) ==
        doctest::Approx(model.bias + model.weights[1] * learner->sampling_row(1).moment.mean).epsilon(1e-12));
  }
}

TEST_CASE(
    "the progressive loss estimates the squared error of the iterates from the planned attributes alone") {
  for (const Form& form : kForms) {
    LearnerOptions options = options_of("aerr", 10, 6);
    options.bias = true;
    set_form(options, form);
    auto learner = make_learner(options).value();
    Random random(1);
    Source source(10, 3);
    Plan plan;
    double truth = 0;
    constexpr int kExamples = 20000;
    for (int t = 0; t < kExamples; ++t) {
      const std::vector<double>& x = source.next();
      const std::vector<double> w = iterate(*learner);
      double error = -source.label();
      for (std::size_t i = 0; i < 10; ++i)
        error += w[i] *
                 (x[i] -
                  (form.control_variates ? learner->sampling_row(static_cast<Attribute>(i)).moment.mean : 0));
      learner->plan(random, plan);
      error += plan.offset;
      truth += error * error / kExamples;
      learner->learn(plan, reveal(plan, x), source.label(), 1);
    }
    const ProgressiveLoss::Part& loss = learner->progressive_loss().total();
    CHECK(loss.count == kExamples);
    CHECK(std::abs(loss.mean - truth) < 4 * loss.standard_error());
    CHECK(loss.standard_error() < 0.1 * truth);
  }
}

namespace {

// A learner of 3,000 examples beside one that met them in other units: attribute i times unit(i), labels
// times 1024. With the mean squared error of either on the next 2,000, in the first one's units.
struct TwoUnits {
  std::unique_ptr<Learner> plain;
  std::unique_ptr<Learner> scaled;
  double plain_error = 0;
  double scaled_error = 0;
};
constexpr double kLabelUnit = 1024;

template <class Unit>
TwoUnits learn_in_two_units(const Form& form, const Unit& unit, std::uint64_t seed = 1) {
  LearnerOptions options = options_of("two-phase-ddaerr", 12, 5);
  set_form(options, form);
  options.step = StepKind::kAuto;
  options.bias = true;
  TwoUnits two{make_learner(options).value(), make_learner(options).value()};
  Random a(seed);
  Random b(seed);
  Source source(12, seed + 3);
  Plan plan;
  constexpr int kLearned = 3000;
  constexpr int kTested = 2000;
  for (int t = 0; t < kLearned + kTested; ++t) {
    std::vector<double> x = source.next();
    std::vector<Entry> entries;
    if (t < kLearned) {
      two.plain->plan(a, plan);
      two.plain->learn(plan, reveal(plan, x), source.label(), 1);
    } else {
      for (std::size_t i = 0; i < x.size(); ++i) entries.push_back({static_cast<Attribute>(i), x[i]});
      two.plain_error += std::pow(two.plain->predict(entries) - source.label(), 2) / kTested;
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= unit(i);
    if (t < kLearned) {
      two.scaled->plan(b, plan);
      two.scaled->learn(plan, reveal(plan, x), source.label() * kLabelUnit, 1);
    } else {
      for (std::size_t i = 0; i < x.size(); ++i) entries[i].value = x[i];
      two.scaled_error += std::pow(two.scaled->predict(entries) / kLabelUnit - source.label(), 2) / kTested;
    }
  }
  return two;
}

template <class Unit>
void check_same_function(const TwoUnits& two, const Unit& unit) {
  Model first;
  Model second;
  two.plain->model(first);
  two.scaled->model(second);
  CHECK(two.plain->describe().phase == two.scaled->describe().phase);
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(second.weights[i] * unit(i) / kLabelUnit == doctest::Approx(first.weights[i]).epsilon(1e-9));
  CHECK(second.bias / kLabelUnit == doctest::Approx(first.bias).epsilon(1e-9));
}

}  // namespace

TEST_CASE("the auto step does not depend on the units of attributes and labels") {
  const auto own = [](std::size_t i) { return std::ldexp(1.0, static_cast<int>(i * 3) - 12); };
  check_same_function(learn_in_two_units(kForms[0], own), own);
  const auto common = [](std::size_t) { return 0x1p-9; };
  for (const Form& form : kForms) check_same_function(learn_in_two_units(form, common), common);
}

// Each attribute's first values count for more or less beside the others' units; what is learned is as good.
TEST_CASE("with pairs or control variates attributes in units of their own are learned as well") {
  const auto own = [](std::size_t i) { return std::ldexp(1.0, static_cast<int>(i * 3) - 12); };
  for (const Form& form : kForms) {
    double plain_errors = 0;
    double scaled_errors = 0;
    constexpr int kStreams = 16;  // single ones differ by half
    for (std::uint64_t seed = 1; seed <= kStreams; ++seed) {
      const TwoUnits two = learn_in_two_units(form, own, seed);
      plain_errors += two.plain_error;
      scaled_errors += two.scaled_error;
      CHECK(two.plain_error < 0.5);  // the labels' variance is above 1
    }
    CHECK(scaled_errors < 1.25 * plain_errors);
  }
}

TEST_CASE("a whole first-order learner takes at most 48 bytes an attribute") {
  LearnerOptions options = options_of("two-phase-ddaerr", 1000000, 5);
  options.phase1_examples = 10;
  options.bias = true;
  set_form(options, {Draws::kPairs, true});
  auto learner = make_learner(options).value();
  Random random(1);
  Plan plan;
  for (int t = 0; t < 20; ++t) {
    learner->plan(random, plan);
    learner->learn(plan, std::vector<double>(plan.attributes.size(), 1.0), 1, 1);
  }
  REQUIRE(learner->describe().phase == 2);
  CHECK(static_cast<double>(learner->describe().memory_bytes) / 1e6 <= 48);
}

}  // namespace learner_test
