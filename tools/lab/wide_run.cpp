#include "lab/wide_run.h"

#include <memory>
#include <optional>

#include "data/number.h"

namespace glimpse {

Result<WideCurve> parse_wide_curve(std::string_view text, std::size_t budget) {
  WideCurve curve;
  curve.label = text;
  curve.learner.algorithm = text.substr(0, text.find(':'));
  curve.learner.budget = budget;
  text.remove_prefix(curve.learner.algorithm.size());
  while (!text.empty()) {
    text.remove_prefix(1);  // the colon
    const std::string_view part = text.substr(0, text.find(':'));
    text.remove_prefix(part.size());
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    double number = 0;
    Status status;
    std::uint64_t count = 0;
    if (name == "step") {
      status = parse_step(value, curve.learner);
    } else if (name == "phase1") {
      status = parse_phase1(value, curve.learner);
    } else if (name == "radius" && read_number(value, number)) {
      curve.learner.radius = number;
    } else if (name == "active" && read_index(value, count)) {
      curve.learner.active = count;
    } else {
      return failure(ErrorCode::kInvalidOption, "--learner {}: '{}' is not radius, step, phase1 or active",
                     curve.label, part);
    }
    if (!status) return status.error();
  }
  return curve;
}

namespace {

struct Run {
  std::unique_ptr<Learner> learner;
  Random random;
};

Result<Run> make_run(const WideCurve& curve, const WideSet& set, std::uint64_t seed, std::uint64_t horizon) {
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
  return Run{std::move(*learner), Random(~seed)};
}

}  // namespace

Status run_wide(const WideOptions& options, std::span<const WideCurve> curves,
                std::span<const std::uint64_t> counts, const std::function<void(const WideRow&)>& visit) {
  WideSet set(options);
  const std::vector<double> nothing(set.dimension(), 0.0);
  const double zero = set.risk(nothing, 0);
  const double variance = set.variance();
  std::vector<Run> runs;
  for (const WideCurve& curve : curves) {
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
      for (Run& run : runs) {
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
