#include "lab/studies/wide_run.h"

#include <memory>
#include <optional>

#include "learn/core/learner.h"
#include "learn/factory.h"

namespace glimpse {

namespace {

struct WideRun {
  std::unique_ptr<Learner> learner;
  Random random;
};

Result<WideRun> make_run(const NamedOptions& curve, const WideSet& set, std::uint64_t seed,
                         std::uint64_t horizon) {
  LearnerOptions options = curve.learner;
  options.dimension = set.dimension();
  options.horizon = horizon;
  options.seed = seed;
  std::optional<SecondMoments> known;
  if (wants_moments(options.algorithm)) {
    known.emplace(options.dimension);
    for (Attribute i = 0; i < options.dimension; ++i)
      known->set(i, {set.moments()[i], set.moments()[i], SecondMoments::kCertain, 1});
  }
  auto learner = make_learner(options, known ? &*known : nullptr);
  if (!learner) return learner.error();
  return WideRun{std::move(*learner), Random(~seed)};
}

}  // namespace

Status run_wide(const WideOptions& options, std::span<const NamedOptions> curves,
                std::span<const std::uint64_t> counts, const std::function<void(const WideRow&)>& visit) {
  WideSet set(options);
  const std::vector<double> nothing(set.dimension(), 0.0);
  const double zero = set.risk(nothing, 0);
  const double variance = set.variance();
  std::vector<WideRun> runs;
  for (const NamedOptions& curve : curves) {
    auto run = make_run(curve, set, options.seed, counts.back());
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  Plan plan;
  std::vector<double> values;
  Model model;
  std::uint64_t n = 0;
  for (const std::uint64_t count : counts) {
    for (; n < count; ++n) {
      const double label = set.next();
      for (WideRun& run : runs) {
        run.learner->plan(run.random, plan);
        values.clear();
        for (const Attribute i : plan.attributes) values.push_back(set.value(i));
        run.learner->learn(plan, values, label, 1);
      }
    }
    for (std::size_t c = 0; c < runs.size(); ++c) {
      runs[c].learner->model(model);
      const double risk = set.risk(model.weights, model.bias);
      visit(
          {c, options.seed, n, runs[c].learner->counts().attributes_revealed, risk / zero, risk / variance});
    }
  }
  return {};
}

}  // namespace glimpse
