#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "learn/core/learner.h"

namespace glimpse::test {

// Whether a sanitizer makes every step ten times as long.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// How many draws a mean is taken of whose bound is in its own standard errors: a tenth of them under
/// sanitizers, which look at every step and not at means.
inline constexpr int draws_for_means(int draws) { return kSanitized ? draws / 10 : draws; }

/// The papers' estimators, unless a test asks for others.
inline LearnerOptions options_of(const std::string& algorithm, std::size_t dimension, std::size_t budget) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = dimension;
  options.budget = budget;
  options.step = StepKind::kNumber;
  options.step_number = 0.1;
  options.bias = false;
  options.draws = Draws::kSeparate;
  options.control_variates = false;
  return options;
}

/// The forms of the estimators. Those with control variates need the bias.
struct Form {
  Draws draws;
  bool control_variates;
};
inline constexpr Form kForms[] = {
    {Draws::kSeparate, false}, {Draws::kPairs, false}, {Draws::kSeparate, true}, {Draws::kPairs, true}};
inline void set_form(LearnerOptions& options, const Form& form) {
  options.draws = form.draws;
  options.control_variates = form.control_variates;
}

inline std::vector<double> reveal(const Plan& plan, const std::vector<double>& x) {
  std::vector<double> values;
  for (const Attribute i : plan.attributes) values.push_back(x[i]);
  return values;
}

inline State saved(const Learner& learner) {
  State state;
  state.begin();
  learner.save(state);
  state.finish();
  return state;
}

/// The present iterate w_t (d numbers, and the bias where there is one), read from the saved state: w = s·u,
/// or the exponents θ of exponentiated gradient. With the auto step it is in units of each attribute's
/// largest value.
inline std::vector<double> iterate(const Learner& learner) {
  const State state = saved(learner);
  const auto scalars = *state.get<double>("weights.scalars");
  if (const auto theta = state.get<double>("weights.theta")) {
    std::vector<double> w(theta->begin(), theta->end());
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] = *learner.options().radius * 2 * std::sinh(w[i]) * std::exp(-scalars[0]) / scalars[1];
      if (learner.options().step != StepKind::kAuto || i == learner.options().dimension) continue;
      const auto unit = static_cast<double>(learner.sampling_row(static_cast<Attribute>(i)).moment.max_abs);
      w[i] = unit > 0 ? w[i] / unit : 0;
    }
    return w;
  }
  const auto u = *state.get<double>("weights.u");
  std::vector<double> w(u.begin(), u.end());
  for (double& value : w) value *= scalars[0];
  return w;
}

inline SecondMoments known_moments(const std::vector<double>& second) {
  SecondMoments moments(second.size());
  for (std::size_t i = 0; i < second.size(); ++i)
    moments.set(static_cast<Attribute>(i), {0, second[i], SecondMoments::kCertain, 1});
  return moments;
}

/// Examples x_i ~ i^(−1/2)·uniform(−1, 1), y = ⟨w*, x⟩ + noise: moments that differ, and something to learn.
class Source {
 public:
  Source(std::size_t dimension, std::uint64_t seed) : random_(seed), truth_(dimension), x_(dimension) {
    for (double& w : truth_) w = random_.uniform() < 0.5 ? -1 : 1;
  }
  const std::vector<double>& next() {
    label_ = 0.1 * (random_.uniform() - 0.5) + 0.3;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = (2 * random_.uniform() - 1) / std::sqrt(static_cast<double>(i + 1));
      label_ += truth_[i] * x_[i];
    }
    return x_;
  }
  double label() const { return label_; }

 private:
  Random random_;
  std::vector<double> truth_;
  std::vector<double> x_;
  double label_ = 0;
};

inline void learn_from(Learner& learner, Random& random, Source& source, int examples) {
  Plan plan;
  for (int t = 0; t < examples; ++t) {
    const std::vector<double>& x = source.next();
    learner.plan(random, plan);
    learner.learn(plan, reveal(plan, x), source.label(), 1);
  }
}

}  // namespace glimpse::test
