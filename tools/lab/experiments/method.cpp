#include "lab/experiments/method.h"

#include <limits>
#include <optional>
#include <vector>

#include "lab/experiments/improvement_ratios.h"
#include "lab/offline/normal_equations.h"
#include "lab/offline/offline_lasso.h"
#include "lab/offline/offline_ridge.h"
#include "learn/factory.h"
#include "learn/options/budget_limit.h"

namespace glimpse {

namespace {

bool depends_on_length(const Method& method) {
  const LearnerOptions& options = method.learner;
  if (method.passes > 1) return true;
  if (options.horizon) return false;
  return options.step == StepKind::kTheory || (options.phase1_fraction && has_two_phases(options.algorithm));
}

LearnerOptions with_data(LearnerOptions options, std::size_t dimension, std::uint64_t examples,
                         std::uint64_t seed) {
  options.dimension = dimension;
  if (!options.horizon) options.horizon = examples;
  options.seed = seed;
  return options;
}

Status run_offline(const Method& method, const DenseSet& train, std::span<const std::uint32_t> order,
                   std::span<const std::size_t> prefixes, const std::function<void(const Snapshot&)>& visit) {
  const double radius = method.learner.radius.value_or(std::numeric_limits<double>::infinity());
  const bool bias = method.learner.bias;
  for (const std::size_t n : prefixes) {
    const NormalEquations equations = normal_equations(train, order.first(n), bias);
    Eigen::VectorXd w;
    if (method.learner.algorithm == "offline-ridge") {
      w = OfflineRidge(equations).solve(radius);
    } else {
      const auto solutions = offline_lasso(equations, std::span(&radius, 1));
      if (!solutions) return solutions.error();
      w = solutions->front();
    }
    const auto d = static_cast<Eigen::Index>(train.dimension);
    const Model model{std::vector<double>(w.data(), w.data() + d), bias ? w[d] : 0};
    visit({n, n * train.dimension, model, {}, nullptr});
  }
  return {};
}

// One run from the first example to the last prefix; over a single prefix as often as `method` says. `counts`
// are those of the runs before, to which this one's are added.
Status run_learner(const Method& method, const LearnerOptions& options, const SecondMoments* known,
                   const DenseSet& train, std::span<const std::uint32_t> order,
                   std::span<const std::size_t> prefixes, std::uint64_t seed, ExampleCounts& counts,
                   const std::function<void(const Snapshot&)>& visit) {
  auto made = make_learner(options, known);
  if (!made) return made.error();
  Learner& learner = **made;
  learner.set_recent(method.recent);
  Random random(seed);
  Plan plan;
  std::vector<double> values;
  Model model;
  std::size_t n = 0;
  for (const std::size_t prefix : prefixes) {
    for (; n < prefix * method.passes; ++n) {
      const std::uint32_t row = order[n % prefix];
      const auto example = train.row(row);
      learner.plan(random, plan);
      values.clear();
      for (const Attribute i : plan.attributes) values.push_back(example[i]);
      learner.learn(plan, values, train.labels[row], 1);
    }
    learner.model(model);
    ExampleCounts so_far = counts;
    so_far.add(n, learner.counts());
    visit({prefix, learner.counts().attributes_revealed, model, so_far, &learner});
  }
  counts.add(n, learner.counts());
  return {};
}

}  // namespace

bool is_offline(std::string_view algorithm) {
  return algorithm == "offline-ridge" || algorithm == "offline-lasso";
}

std::size_t attributes_per_example(const Method& method, std::size_t dimension) {
  const std::string& name = method.learner.algorithm;
  return is_offline(name) || is_full_information(name) ? dimension : method.learner.budget;
}

Status check(const Method& method, std::size_t dimension) {
  if (is_offline(method.learner.algorithm)) {
    if (method.learner.radius && !(*method.learner.radius > 0))
      return failure(ErrorCode::kInvalidOption, "--radius {}: must be above 0", *method.learner.radius);
    if (method.passes != 1)
      return failure(ErrorCode::kInvalidOption, "--passes {}: has no effect on offline solvers",
                     method.passes);
    return {};
  }
  if (finds_products(method.learner.algorithm))
    return failure(ErrorCode::kInvalidOption,
                   "--algorithm {}: its model has products of attributes; models of attributes alone are "
                   "measured here",
                   method.learner.algorithm);
  // Long enough that a count of examples as phase 1 stays below it.
  const LearnerOptions options = with_data(method.learner, dimension, std::uint64_t{1} << 60, 1);
  const SecondMoments moments(wants_moments(options.algorithm) ? dimension : 0);
  const auto learner = make_learner(options, wants_moments(options.algorithm) ? &moments : nullptr);
  if (!learner) return learner.error();
  return {};
}

Status run_method(const Method& method, const DenseSet& train, std::span<const std::uint32_t> order,
                  std::span<const std::size_t> prefixes, std::uint64_t seed,
                  const std::function<void(const Snapshot&)>& visit) {
  if (prefixes.empty()) return {};
  if (is_offline(method.learner.algorithm)) return run_offline(method, train, order, prefixes, visit);
  std::optional<SecondMoments> known;
  if (wants_moments(method.learner.algorithm)) known = known_moments(train, order);
  ExampleCounts counts;
  const auto run = [&](std::span<const std::size_t> part) {
    return run_learner(method, with_data(method.learner, train.dimension, part.back() * method.passes, seed),
                       known ? &*known : nullptr, train, order, part, seed, counts, visit);
  };
  if (!depends_on_length(method)) return run(prefixes);
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    if (const Status status = run(prefixes.subspan(i, 1)); !status) return status;
  return {};
}

std::string describe(const Method& method) {
  LearnerOptions options = method.learner;
  std::string text = describe(options);
  text += fmt::format("phase1-share={}\n",
                      options.phase1_fraction ? fmt::format("{}", *options.phase1_fraction) : "-");
  if (options.budget_cost) {
    if (options.prices) options.dimension = options.prices->dimension();
    text += fmt::format("prices={:x}\n", price_fingerprint(options));
  }
  if (options.look_at_best > 0) text += fmt::format("look-at-best={}\n", options.look_at_best);
  if (method.passes != 1) text += fmt::format("passes={}\n", method.passes);
  return text;
}

}  // namespace glimpse
