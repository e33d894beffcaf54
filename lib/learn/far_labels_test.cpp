#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "learn/css10/css10_test_support.h"
#include "learn/learner_forms_test_support.h"
#include "learn/learner_test_support.h"

namespace far_labels_test {

// Labels around 1e9, whose spread is 1: no learner may begin so far from them that its loss never recovers.

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr double kFar = 1e9;

struct Case {
  std::string name;
  std::function<bool(LearnerOptions&)> change;  // false: the learner has no such option
};

const Case kCases[] = {
    {"default", [](LearnerOptions&) { return true; }},
    {"--step 0.05",
     [](LearnerOptions& o) {
       o.step = StepKind::kNumber;
       o.step_number = 0.05;
       return !keeps_pairs(o.algorithm) && o.algorithm != "baseline" && o.algorithm != "aer" &&
              !finds_products(o.algorithm);
     }},
    {"--outliers keep",
     [](LearnerOptions& o) {
       o.outliers = Outliers::kKeep;
       return true;
     }},
    {"--drift auto",
     [](LearnerOptions& o) {
       o.drift = Drift::kAuto;
       return can_forget(o.algorithm);
     }},
    {"--half-life 500",
     [](LearnerOptions& o) {
       o.half_life = 500;
       return can_forget(o.algorithm);
     }},
};

// Every learner with every option; `use` gets options, and a name for messages.
template <class Use>
void for_each_case(const Use& use) {
  for (const Algorithm& algorithm : kAlgorithms)
    for (const Case& one : kCases) {
      LearnerOptions options = form_options(algorithm.name);
      if (options.algorithm == "aer") options.step_number = 0.05;
      if (!one.change(options)) continue;
      CAPTURE(options.algorithm);
      CAPTURE(one.name);
      use(options);
    }
}

// A stream, and a learner of it of which every tenth example is held out.
class Run {
 public:
  Run(const LearnerOptions& options, std::uint64_t seed)
      : learner(form_learner(options)), numbers_(seed), draws_(seed + 1) {}

  void learn(int examples, double spread = 1) {
    for (int t = 0; t < examples; ++t) {
      std::vector<double> x(kFormDimension);
      for (double& value : x) value = numbers_.uniform() - 0.5;
      const double label = kFar + spread * (2 * x[0] - 2 * x[1] + numbers_.uniform() - 0.5);
      learner->plan(draws_, plan_);
      if (++count_ % 10 != 0) {
        learner->learn(plan_, reveal(plan_, x), label, 1);
        continue;
      }
      std::vector<Entry> entries;
      for (Attribute i = 0; i < x.size(); ++i) entries.push_back({i, x[i]});
      held_out_.add(std::pow(label - learner->predict(entries), 2));
      held_out_.add_baseline(label - learner->label_spread().mean());
    }
  }
  void restart() {
    auto again = form_learner(learner->options());
    REQUIRE(again->restore(saved(*learner)).has_value());
    learner = std::move(again);
  }
  double r2() const {
    return share_of(learner->progressive_loss().beside_baseline(), learner->label_variance()).r2();
  }
  double model_at_centre() const {
    Model model;
    learner->model(model);
    return model.bias;
  }
  double held_out_r2() const { return share_of(held_out_.beside_baseline(), NAN).r2(); }

  std::unique_ptr<Learner> learner;

 private:
  Random numbers_;
  Random draws_;
  Plan plan_;
  int count_ = 0;
  ProgressiveLoss held_out_;
};

}  // namespace

TEST_CASE("R2 of labels around 1e9 is that of labels around 0, with every learner and option") {
  for_each_case([](const LearnerOptions& options) {
    Run run(options, 1);
    run.learn(31);
    CHECK(run.r2() >= -0.1);
    CHECK(run.held_out_r2() >= -0.1);
    run.learn(2000);
    CHECK(run.r2() >= -0.1);
    CHECK(run.held_out_r2() >= -0.1);
    CHECK(std::abs(run.model_at_centre() - kFar) <= 2);
  });
}

TEST_CASE("a restart among the first examples of labels around 1e9 changes no bit, with every learner") {
  for_each_case([](const LearnerOptions& options) {
    Run whole(options, 1);
    Run restarted(options, 1);
    whole.learn(60);
    for (const int examples : {1, 1, 18, 12, 28}) {
      restarted.learn(examples);
      restarted.restart();
    }
    CHECK(same_state(saved(*restarted.learner), saved(*whole.learner)));
    CHECK(restarted.r2() == whole.r2());
  });
}

TEST_CASE("learners of labels around 1e9 that have few examples harm no other by merging") {
  for_each_case([](const LearnerOptions& options) {
    for (const int examples : {20, 500}) {
      Run run(options, 1);
      Run other(options, 5);
      run.learn(examples);
      other.learn(20);
      for (Run* const one : {&run, &other}) one->learner->choose_origins_now();
      if (!run.learner->merge(*other.learner)) continue;  // there is no merging with it
      run.learner->finish_merging();
      CHECK(std::abs(run.model_at_centre() - kFar) <= 2);
      CHECK(run.r2() >= -0.5);
    }
  });
}

TEST_CASE("labels of exactly 1e9 have no R2, and one that differs later brings a sensible one") {
  for_each_case([](const LearnerOptions& options) {
    for (const int alike : {20, 40, 100}) {
      Run run(options, 1);
      run.learn(alike, 0);
      CHECK(std::isnan(run.r2()));
      run.learn(300);
      CHECK(run.r2() >= -0.5);
      CHECK(std::abs(run.model_at_centre() - kFar) <= 2);
    }
  });
}

}  // namespace far_labels_test
