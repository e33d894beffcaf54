#include "learn/css10/baseline.h"

#include <doctest/doctest.h>
#include <limits>

#include "learn/css10/css10_test_support.h"
#include "learn/factory.h"
#include "learn/linalg/l1_ball.h"
#include "learn/linalg/l1_quadratic.h"

namespace baseline_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {
std::string refusal(const LearnerOptions& options) {
  auto learner = make_learner(options);
  return learner ? "" : learner.error().message;
}

std::vector<double> array(const Learner& learner, const char* name) {
  const State state = saved(learner);
  const auto values = *state.get<double>(name);
  return {values.begin(), values.end()};
}
}  // namespace

// d = 4, K = 4: two pairs, v = Σ, A = 4Σ. Attribute 3 is never drawn.
TEST_CASE("the baseline's sums and their minimum follow a computation by hand") {
  auto learner = make_learner(css10_options("baseline", 4, 4, 1)).value();
  Plan plan;

  // Pairs (0, 1) and (2, 2), x = (2, −1, 3), y = 1: A_01 = A_10 = −8 (one cell), A_22 = 4·2·9 = 72;
  // 2yv = 2·(2, −1, 6).
  plan.attributes = {0, 1, 2};
  plan.data_point = {{0, 1.0}, {1, 1.0}, {2, 1.0}, {2, 1.0}};
  CHECK(learner->learn(plan, std::vector<double>{2, -1, 3}, 1, 1) == Outcome::kLearned);
  CHECK(array(*learner, "baseline.products") == std::vector<double>{0, -8, 0, 0, 0, 0, 0, 72, 0, 0});
  CHECK(array(*learner, "baseline.labels") == std::vector<double>{4, -2, 12, 0});

  // Pairs (1, 0) and (0, 2), x = (2, 1, 0), y = −1/2, twice as important: A_01 += 2·8, 2yv = −2·(4, 1, 0).
  plan.data_point = {{1, 1.0}, {0, 1.0}, {0, 1.0}, {2, 1.0}};
  CHECK(learner->learn(plan, std::vector<double>{2, 1, 0}, -0.5, 2) == Outcome::kLearned);
  CHECK(array(*learner, "baseline.products") == std::vector<double>{0, 8, 0, 0, 0, 0, 0, 72, 0, 0});
  CHECK(array(*learner, "baseline.labels") == std::vector<double>{-4, -4, 12, 0});

  // f = 16w_0w_1 + 4w_0 + 4w_1 + 72w_2² − 12w_2. With p and −q for w_0 and w_1, p + q = u and q − p = 2δ:
  // −4u² + 16δ² − 8δ, least at δ = 1/4: −4u² − 1, below the −4u that equal signs reach. On the sphere
  // u = 1 − w_2, and 72w_2² − 12w_2 − 4(1 − w_2)² is least at 136w_2 = 4.
  Model model;
  learner->model(model);
  const bool first_negative = model.weights[0] < 0;  // the problem does not tell w_0 from w_1
  CHECK(std::abs(model.weights[first_negative ? 1 : 0] - 4.0 / 17) <= 1e-8);
  CHECK(std::abs(model.weights[first_negative ? 0 : 1] + 25.0 / 34) <= 1e-8);
  CHECK(std::abs(model.weights[2] - 1.0 / 34) <= 1e-8);
  CHECK(model.weights[3] == 0);
  CHECK(model.bias == 0);
  const std::vector<Entry> entries{{0, 2.0}, {2, -1.0}};
  CHECK(learner->predict(entries) == 2 * model.weights[0] - model.weights[2]);
  CHECK(learner->describe().step_size == 0);
  // Both examples came before the first solution, when the model is 0.
  CHECK(learner->progressive_loss().total().mean == (1 + 0.25) / 2);
}

TEST_CASE("the baseline's bias is one more coordinate whose products cost nothing") {
  LearnerOptions options = css10_options("baseline", 2, 2, 5);
  options.bias = true;
  auto learner = make_learner(options).value();
  Plan plan;
  // One pair (0, 1): v = (2/2)·(x_0, x_1, and 1 for the bias), A_01 = 4/2·x_0x_1.
  plan.attributes = {0, 1};
  plan.data_point = {{0, 1.0}, {1, 1.0}};
  CHECK(learner->learn(plan, std::vector<double>{3, 0.5}, 2, 1) == Outcome::kLearned);
  // Rows: A_00 A_01 A_0b, A_11 A_1b, A_bb.
  CHECK(array(*learner, "baseline.products") == std::vector<double>{0, 3, 3, 0, 0.5, 1});
  CHECK(array(*learner, "baseline.labels") == std::vector<double>{12, 2, 4});
  CHECK(learner->counts().attributes_revealed == 2);
  CHECK(learner->learn(plan, std::vector<double>{1, 0}, -1, 3) == Outcome::kLearned);
  CHECK(array(*learner, "baseline.products") == std::vector<double>{0, 3, 6, 0, 0.5, 4});
  CHECK(array(*learner, "baseline.labels") == std::vector<double>{6, 2, -2});
}

// The sums of the baseline for one label of 0.7, and their squares over plans, from the definition.
class MeanSums {
 public:
  MeanSums(std::vector<double> x, bool bias)
      : x_(std::move(x)),
        bias_(bias),
        n_(x_.size() + (bias ? 1 : 0)),
        sums_(n_ * (n_ + 1) / 2 + n_),
        squares_(sums_.size()) {}

  void add(const Plan& plan) {
    const auto d = static_cast<double>(x_.size());
    std::vector<double> estimate(sums_.size());
    const double p = static_cast<double>(plan.data_point.size()) / 2;
    for (std::size_t r = 0; r < plan.data_point.size(); r += 2) {
      const Attribute i = plan.attributes[plan.data_point[r].position];
      const Attribute j = plan.attributes[plan.data_point[r + 1].position];
      estimate[cell(i, j)] += d * d / (2 * p) * x_[i] * x_[j] * (i == j ? 2 : 1);
      for (const Attribute one : {i, j}) {
        estimate[sums_.size() - n_ + one] += 2 * kLabel * d / (2 * p) * x_[one];
        if (bias_) estimate[cell(one, n_ - 1)] += d / (2 * p) * x_[one];
      }
    }
    if (bias_) {
      estimate[cell(n_ - 1, n_ - 1)] += 1;
      estimate[sums_.size() - 1] += 2 * kLabel;
    }
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i] += estimate[i];
      squares_[i] += estimate[i] * estimate[i];
    }
  }

  void check(const std::vector<double>& learned, int plans) const {
    REQUIRE(learned.size() == sums_.size());
    std::vector<double> extended = x_;
    if (bias_) extended.push_back(1);
    std::size_t place = 0;
    const auto check_one = [&](double truth, bool certain) {
      const double mean = learned[place] / plans;
      const double error = std::sqrt(std::fmax(squares_[place] / plans - mean * mean, 0) / plans);
      CHECK(learned[place] == doctest::Approx(sums_[place]).epsilon(1e-10));
      CHECK(std::abs(mean - truth) <= (certain ? 1e-9 : 4 * error));
      ++place;
    };
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = i; j < n_; ++j) check_one(extended[i] * extended[j], i == x_.size());
    for (std::size_t i = 0; i < n_; ++i) check_one(2 * kLabel * extended[i], i == x_.size());
  }

  static constexpr double kLabel = 0.7;

 private:
  std::size_t cell(std::size_t i, std::size_t j) const {
    if (i > j) std::swap(i, j);
    return i * n_ - i * (i + 1) / 2 + j;
  }

  std::vector<double> x_;
  bool bias_;
  std::size_t n_;
  std::vector<double> sums_;
  std::vector<double> squares_;
};

TEST_CASE("the means of the baseline's sums over plans are xxᵀ and 2yx, with and without bias") {
  constexpr int kPlans = 200000;
  const std::vector<double> x{0.3, -0.8, 1.1, 0.5, -0.2};
  for (const bool bias : {false, true}) {
    for (const std::size_t budget : {2UL, 5UL}) {
      LearnerOptions options = css10_options("baseline", x.size(), budget, 1);
      options.bias = bias;
      auto learner = make_learner(options).value();
      MeanSums sums(x, bias);
      Random random(budget);
      Plan plan;
      for (int t = 0; t < kPlans; ++t) {
        learner->plan(random, plan);
        REQUIRE(plan.attributes.size() <= budget);
        REQUIRE(plan.data_point.size() == budget / 2 * 2);
        REQUIRE(learner->learn(plan, reveal(plan, x), MeanSums::kLabel, 1) == Outcome::kLearned);
        sums.add(plan);
      }
      std::vector<double> learned = array(*learner, "baseline.products");
      const std::vector<double> labels = array(*learner, "baseline.labels");
      learned.insert(learned.end(), labels.begin(), labels.end());
      sums.check(learned, kPlans);
    }
  }
}

TEST_CASE("the baseline's model is the same whenever and however often it is asked for") {
  LearnerOptions options = css10_options("baseline", 12, 6, 3);
  options.bias = true;
  auto asked = make_learner(options).value();
  auto quiet = make_learner(options).value();
  Random a(1);
  Random b(1);
  Source x(12, 2);
  Source y(12, 2);
  Model first;
  Model second;
  for (int i = 0; i < 30; ++i) {
    learn_from(*asked, a, x, 20);
    learn_from(*quiet, b, y, 20);
    asked->model(first);
    const std::vector<double> now = first.weights;
    asked->model(first);
    CHECK(first.weights == now);
  }
  quiet->model(second);
  CHECK(first.weights == second.weights);
  CHECK(first.bias == second.bias);
  CHECK(l1_norm(first.weights) + std::abs(first.bias) <= 3 * (1 + 1e-12));
  CHECK(l1_norm(first.weights) > 0);
  CHECK(asked->predict({}) == first.bias);

  // It is not the model of the sums before the last example.
  learn_from(*asked, a, x, 1);
  asked->model(second);
  CHECK(first.weights != second.weights);
}

TEST_CASE("a baseline restored in the middle of a stream goes on to the same bits") {
  LearnerOptions options = css10_options("baseline", 15, 5, 2);
  options.step = StepKind::kAuto;  // not used, and not refused
  for (const bool bias : {false, true}) {
    options.bias = bias;
    for (const int middle : {0, 300}) {
      auto whole = make_learner(options).value();
      Random random(5);
      Source source(15, 6);
      learn_from(*whole, random, source, middle);
      auto resumed = make_learner(options).value();
      Model first;
      Model second;
      resumed->model(second);  // a solution that restoring must forget
      REQUIRE(resumed->restore(saved(*whole)).has_value());
      CHECK(same_state(saved(*resumed), saved(*whole)));
      whole->model(first);
      resumed->model(second);
      CHECK(first.weights == second.weights);
      Random random_copy = Random::from_state(random.state());
      Source source_copy = source;
      learn_from(*whole, random, source, 400);
      learn_from(*resumed, random_copy, source_copy, 400);
      CHECK(same_state(saved(*resumed), saved(*whole)));
      whole->model(first);
      resumed->model(second);
      CHECK(first.weights == second.weights);
      CHECK(first.bias == second.bias);
      CHECK(l1_norm(first.weights) > 0);
    }
  }
}

TEST_CASE("the baseline refuses a state of other options and what it cannot keep") {
  LearnerOptions options = css10_options("baseline", 20, 4, 1);
  auto learner = make_learner(options).value();
  const State state = saved(*learner);
  options.radius = 2;
  CHECK(make_learner(options).value()->restore(state).error().message ==
        "the checkpoint was made with radius=1, but this start asks for radius=2");
  CHECK(make_learner(css10_options("baseline", 20, 5, 1)).value()->restore(state).error().code ==
        ErrorCode::kMismatch);
  CHECK(make_learner(css10_options("aer", 20, 4, 1)).value()->restore(state).error().code ==
        ErrorCode::kMismatch);
  options.radius.reset();
  CHECK(refusal(options) ==
        "--algorithm baseline: needs --radius B, the largest sum of the weights' absolute values");

  // 16,383·16,384/2 numbers of 8 bytes are just below 1 GiB; with bias there is one more coordinate.
  options = css10_options("baseline", 16384, 4, 1);
  CHECK(refusal(options) ==
        "--dimension 16384: baseline keeps a number for every pair of attributes, at most 1 GiB of them; "
        "must be at most 16383");
  options.bias = true;
  CHECK(refusal(options).ends_with("must be at most 16382"));
  options.dimension = 16382;
  CHECK(validate(options).has_value());
  options.dimension = 16383;
  CHECK(validate(options).has_error());
  options.bias = false;
  CHECK(validate(options).has_value());
}

TEST_CASE("the baseline skips and counts what is missing or out of range") {
  LearnerOptions options = css10_options("baseline", 6, 6, 1);
  options.outliers = Outliers::kKeep;
  auto learner = make_learner(options).value();
  Random random(3);
  Source source(6, 1);
  learn_from(*learner, random, source, 20);
  const auto products = array(*learner, "baseline.products");
  Plan plan;
  learner->plan(random, plan);
  std::vector<double> values(plan.attributes.size(), 1.0);
  REQUIRE(values.size() >= 2);
  values[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(learner->learn(plan, values, 1, 1) == Outcome::kMissing);
  values[1] = 1e31;
  CHECK(learner->learn(plan, values, 1, 1) == Outcome::kMissing);
  values[1] = 1e30;
  CHECK(learner->learn(plan, values, 1, 1e60) == Outcome::kOutOfRange);
  CHECK(learner->counts().missing == 2);
  CHECK(learner->counts().beyond_values == 1);
  CHECK(learner->counts().out_of_range == 1);
  CHECK(learner->counts().diverged == 0);
  CHECK(learner->counts().examples == 20);
  CHECK(array(*learner, "baseline.products") == products);

  CHECK(learner->learn(plan, values, 1e30, 1) == Outcome::kLearned);
  Model model;
  learner->model(model);
  for (const double w : model.weights) CHECK(std::isfinite(w));

  const std::vector<Entry> entries{{2, std::numeric_limits<double>::quiet_NaN()}};
  CHECK(learner->predict(entries) ==
        doctest::Approx(model.weights[2] * learner->sampling_row(2).moment.mean));
  CHECK(learner->sampling_row(2).probability == 1.0 / 6);
}

TEST_CASE("the baseline takes 4d² bytes, and little beside") {
  auto learner = make_learner(css10_options("baseline", 2000, 4, 1)).value();
  CHECK(static_cast<double>(learner->describe().memory_bytes) / (2000.0 * 2000) > 4);
  CHECK(static_cast<double>(learner->describe().memory_bytes) / (2000.0 * 2000) < 4.1);
}

TEST_CASE("with many examples the baseline finds the weights") {
  LearnerOptions options = css10_options("baseline", 6, 6, 6.5);
  options.bias = true;
  auto learner = make_learner(options).value();
  Random random(1);
  Source source(6, 3);
  learn_from(*learner, random, source, 300000);
  Model model;
  learner->model(model);
  for (const double w : model.weights) CHECK(std::abs(std::abs(w) - 1) < 0.2);
  CHECK(std::abs(model.bias - 0.3) < 0.05);
}

TEST_CASE("an importance as small as doubles get gives the baseline the weights of importance one") {
  for (const double importance : {1e-250, 1e-300}) {
    auto tiny = make_learner(css10_options("baseline", 2, 2, 1)).value();
    auto one = make_learner(css10_options("baseline", 2, 2, 1)).value();
    Plan plan;
    plan.attributes = {0, 1};
    plan.data_point = {{0, 1.0}, {1, 1.0}};
    const std::vector<double> values{0.541393, 0.533852};
    REQUIRE(tiny->learn(plan, values, -0.166957, importance) == Outcome::kLearned);
    REQUIRE(one->learn(plan, values, -0.166957, 1) == Outcome::kLearned);
    Model got;
    Model want;
    tiny->model(got);
    one->model(want);
    for (std::size_t i = 0; i < 2; ++i) CHECK(got.weights[i] == doctest::Approx(want.weights[i]));
    CHECK(std::isfinite(tiny->predict(std::vector<Entry>{{0, 1.0}, {1, 1.0}})));
  }
}

}  // namespace baseline_test
