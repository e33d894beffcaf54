#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "learn/core/learner.h"
#include "learn/factory.h"
#include "stats/pair_moments.h"

/// Every form of a learner whose state has arrays of its own: what sweeps over saved states walk.
namespace glimpse::test {

inline constexpr std::size_t kFormDimension = 9;  // one more than the fewest members of products

struct LearnerForm {
  std::string name;
  LearnerOptions options;
  std::size_t classes = 0;  ///< of labels, declared; 0: labels are numbers
  int examples = 40;        ///< after which the state has all its arrays
};

inline LearnerOptions form_options(std::string_view algorithm) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = kFormDimension;
  options.budget = is_full_information(algorithm) ? kFormDimension : 3;
  if (has_l1_ball(algorithm)) options.radius = 2;
  if (algorithm == "aer") {
    options.step = StepKind::kNumber;
    options.step_number = 1;
  }
  if (screens(algorithm)) options.active = 3;
  if (finds_products(algorithm)) options.horizon = 30;  // so that there are products
  return options;
}

inline std::vector<LearnerForm> learner_forms() {
  std::vector<LearnerForm> forms;
  const auto add = [&](std::string name, const LearnerOptions& options, std::size_t classes = 0,
                       int examples = 40) { forms.push_back({std::move(name), options, classes, examples}); };
  for (const Algorithm& algorithm : kAlgorithms) {
    const std::string name(algorithm.name);
    LearnerOptions options = form_options(name);
    add(name, options);
    if (!can_forget(name)) continue;
    options.half_life = 20;
    options.drift = Drift::kAuto;
    add(name + " that forgets", options);
  }
  LearnerOptions adagrad = form_options("two-phase-ddaerr");
  adagrad.step = StepKind::kAdaGrad;
  adagrad.step_number = 0.1;
  adagrad.draws = Draws::kSeparate;
  adagrad.phase1_examples = 20;
  add("adagrad", adagrad);
  add("pairwise, 3 classes", form_options("pairwise"), 3);
  add("pairwise-screened, 2 classes", form_options("pairwise-screened"), 2);
  add("two-phase-ddaerr, 2 classes", form_options("two-phase-ddaerr"), 2);
  // At most as many attributes as the choice wants, or all.
  for (const char* const algorithm : {"pairwise", "pairwise-screened"}) {
    LearnerOptions best = form_options(algorithm);
    best.look_at_best = 2;
    for (const std::size_t budget : {std::size_t{2}, kFormDimension}) {
      best.budget = budget;
      best.active.reset();
      add(std::string(algorithm) + " that looks at the best", best, 0, 400);
      add(std::string(algorithm) + " that looks at the best, 2 classes", best, 2, 400);
    }
    best.half_life = 20;
    best.drift = Drift::kAuto;
    add(std::string(algorithm) + " that looks at the best and forgets", best, 0, 400);
  }
  LearnerOptions products = form_options("pairwise");
  products.budget = 4;
  products.products = 2;
  for (const Drift drift : {Drift::kOff, Drift::kAuto}) {
    products.drift = drift;
    add("products", products);
  }
  products.budget = 6;
  products.products = 3;
  add("products of three", products);
  // Some attributes at a time have products; some rounds have ended.
  products.pair_memory = PairMoments::memory_bytes(kFormDimension + 36 + 120);
  add("products of three in little memory", products, 0, 1500);
  products.products = 2;
  products.pair_memory = PairMoments::memory_bytes(kFormDimension + 36);
  add("products in little memory", products, 0, 1500);
  // Some are active, some of these have products.
  LearnerOptions screened = form_options("pairwise-screened");
  screened.active = kFormDimension - 1;
  for (const std::size_t degree : {2, 3}) {
    screened.products = degree;
    screened.budget = 2 * degree;
    add("screened products", screened, 0, 1500);
    screened.half_life = 20;
    screened.drift = Drift::kAuto;
  }
  for (const char* const algorithm : {"pairwise", "pairwise-screened"}) {
    LearnerOptions several = form_options(algorithm);
    several.labels = {"temp", "cnt"};
    add(std::string(algorithm) + " with two labels", several);
    several.half_life = 20;
    add(std::string(algorithm) + " with two labels that forgets", several);
  }
  return forms;
}

/// What form_learner() gives learners that want moments, as a file of them would.
inline SecondMoments form_moments() {
  SecondMoments moments(kFormDimension);
  for (std::size_t i = 0; i < kFormDimension; ++i)
    moments.set(static_cast<Attribute>(i),
                {0, 1 + 0.5 * static_cast<double>(i), SecondMoments::kCertain, 4.0F});
  return moments;
}

inline std::unique_ptr<Learner> form_learner(const LearnerOptions& options) {
  const SecondMoments moments = form_moments();
  auto learner = make_learner(options, wants_moments(options.algorithm) ? &moments : nullptr);
  return learner ? std::move(*learner) : nullptr;
}

}  // namespace glimpse::test
