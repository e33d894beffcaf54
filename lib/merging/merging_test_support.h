#pragma once

#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/records/attribute_names.h"
#include "learn/factory.h"
#include "merging/merge_tree.h"
#include "stats/pair_moments.h"

namespace glimpse::test {

/// Of examples with a few categories, where `categories` says so, and labels of numbers or of classes. What
/// they are depends on their number alone.
struct Example {
  std::vector<double> x;
  double label = 0;
};
inline Example example_of(std::uint64_t number, std::size_t dimension) {
  Random random(number);
  Example example;
  example.label = 5;
  for (std::size_t i = 0; i < dimension; ++i) {
    const double common = i > 0 ? 0.3 * example.x[i - 1] : 0;
    example.x.push_back(common + (random.uniform() - 0.5) * static_cast<double>(i + 1) + 3);
    example.label += (i % 2 == 0 ? 1.5 : -0.5) * example.x[i];
  }
  example.label += random.uniform() - 0.5;
  return example;
}

inline LearnerOptions merging_options(std::string_view algorithm, std::size_t dimension, std::size_t budget) {
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = dimension;
  options.budget = budget;
  if (algorithm_of(algorithm).ball == Ball::kL1) options.radius = 20;
  return options;
}

/// Learns from examples `from` to before `to`, every `step`-th.
inline void learn_examples(Learner& learner, std::uint64_t seed, std::uint64_t from, std::uint64_t to,
                           std::uint64_t step = 1) {
  Random random(seed);
  Plan plan;
  for (std::uint64_t t = from; t < to; t += step) {
    const Example example = example_of(t, learner.options().dimension);
    learner.plan(random, plan);
    std::vector<double> values;
    for (const Attribute i : plan.attributes) values.push_back(example.x[i]);
    REQUIRE(learner.learn(plan, values, example.label, 1) == Outcome::kLearned);
  }
}

inline std::unique_ptr<Learner> learned_from(const LearnerOptions& options, std::uint64_t seed,
                                             std::uint64_t from, std::uint64_t to, std::uint64_t step = 1) {
  auto learner = make_learner(options);
  REQUIRE_MESSAGE(learner.has_value(), (learner ? "" : learner.error().message));
  learn_examples(**learner, seed, from, to, step);
  return std::move(*learner);
}

/// A state as a daemon has it: learner, names, random numbers.
inline State state_of(const Learner& learner, const AttributeNames& names, std::uint64_t seed = 1) {
  State state;
  state.begin();
  learner.save(state);
  names.save(state);
  state.put_copy<std::uint64_t>("random", Random(seed).state());
  state.put_copy<std::uint64_t>("random.inner", Random(seed + 1).state());
  state.finish();
  return state;
}
inline State state_of(const Learner& learner, std::uint64_t seed = 1) {
  return state_of(learner, AttributeNames(learner.options().dimension), seed);
}

inline State folded(const std::vector<const State*>& parts) {
  MergeTree tree(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Status set = tree.set(i, *parts[i]);
    REQUIRE_MESSAGE(set.has_value(), (set ? "" : set.error().message));
  }
  auto state = tree.fold();
  REQUIRE_MESSAGE(state.has_value(), (state ? "" : state.error().message));
  return std::move(*state);
}

inline Error error_of_fold(const std::vector<const State*>& parts) {
  MergeTree tree(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) REQUIRE(tree.set(i, *parts[i]).has_value());
  const auto state = tree.fold();
  REQUIRE_FALSE(state.has_value());
  return state.error();
}

inline std::unique_ptr<Learner> learner_of(const State& state, const LearnerOptions& options) {
  auto learner = make_learner(options);
  REQUIRE(learner.has_value());
  const Status restored = (*learner)->restore(state);
  REQUIRE_MESSAGE(restored.has_value(), (restored ? "" : restored.error().message));
  return std::move(*learner);
}

inline void check_same(const State& a, const State& b) {
  CHECK(a.tensors().size() == b.tensors().size());
  for (const Tensor& tensor : a.tensors()) {
    CAPTURE(tensor.name);
    REQUIRE(b.find(tensor.name) != nullptr);
    CHECK(b.find(tensor.name)->bytes == tensor.bytes);
  }
}

inline Model model_of(const Learner& learner) {
  Model model;
  learner.model(model);
  return model;
}

/// Its mean squared error on examples that nobody learned from.
inline double loss_of(const Learner& learner, std::uint64_t from = 1000000, std::size_t count = 500) {
  const Model model = model_of(learner);
  double sum = 0;
  for (std::uint64_t t = from; t < from + count; ++t) {
    const Example example = example_of(t, learner.options().dimension);
    double prediction = model.bias;
    for (std::size_t i = 0; i < example.x.size(); ++i) prediction += model.weights[i] * example.x[i];
    sum += (prediction - example.label) * (prediction - example.label);
  }
  return sum / static_cast<double>(count);
}

}  // namespace glimpse::test
