#include "lab/experiments/experiment.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <utility>

#include "data/text/number.h"
#include "lab/experiments/evaluation.h"
#include "lab/experiments/parallel.h"

namespace glimpse {

namespace {

std::string file_name(const std::string& label) {
  std::string name;
  for (const char c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '-';
  }
  return name;
}

std::string text_of(const Tuned& tuned) {
  return fmt::format("{},{},{},{},{}\n", *tuned.radius, tuned.step, tuned.phase1_radius.value_or(0),
                     tuned.phase1_step.value_or(0), tuned.loss_ratio);
}

std::optional<Tuned> parse_tuned(std::string_view text) {
  constexpr std::size_t kFields = 5;
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  std::string_view fields[kFields];
  for (std::size_t f = 0; f < kFields; ++f) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (f + 1 == kFields)) return std::nullopt;
    fields[f] = text.substr(0, comma);
    if (f + 1 < kFields) text.remove_prefix(comma + 1);
  }
  double radius = 0;
  double phase1_radius = 0;
  double phase1_step = 0;
  Tuned tuned;
  if (!read_number(fields[0], radius) || !read_number(fields[2], phase1_radius) ||
      !read_number(fields[3], phase1_step) || !read_number(fields[4], tuned.loss_ratio))
    return std::nullopt;
  tuned.radius = radius;
  tuned.step = fields[1];
  if (phase1_radius > 0) tuned.phase1_radius = phase1_radius;
  if (phase1_step > 0) tuned.phase1_step = phase1_step;
  return tuned;
}

// Rows with the counts of the runs that gave them.
struct KeptRun {
  ExampleCounts counts;
  std::vector<ResultRow> rows;
};

std::string text_of(const KeptRun& run) {
  return to_comment(run.counts) + std::string(result_header()) + to_csv(run.rows);
}

std::optional<KeptRun> parse_run(std::string_view text, std::size_t rows) {
  const auto counts = parse_comment(text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1));
  auto parsed = parse_results(text);
  if (!counts || !parsed || parsed->size() != rows) return std::nullopt;
  return KeptRun{*counts, std::move(*parsed)};
}

class Runner {
 public:
  Runner(const Experiment& experiment, const DataSource& source, const JobStore& store,
         const Execution& execution)
      : experiment_(experiment),
        source_(source),
        store_(store),
        execution_(execution),
        methods_(experiment.curves.size()) {}

  Result<ExperimentResult> run() {
    if (const Status status = check_all(); !status) return status.error();
    if (const Status status = tune_all(); !status) return status.error();
    const std::size_t curves = experiment_.curves.size();
    std::vector<KeptRun> runs(curves * experiment_.seeds);
    {
      Progress progress("running", runs.size(), execution_.quiet);
      // Seed after seed, so that what was done when it is interrupted is of use for every curve.
      const Status status = parallel_for(runs.size(), execution_.threads, [&](std::size_t i) {
        return run_one(i % curves, experiment_.first_seed + i / curves, runs[i], progress);
      });
      if (!status) return status.error();
      result_.runs_computed = progress.computed();
    }
    for (std::size_t c = 0; c < curves; ++c) {
      ExampleCounts counts;
      for (std::size_t s = 0; s < experiment_.seeds; ++s) {
        const KeptRun& run = runs[s * curves + c];
        result_.rows.insert(result_.rows.end(), run.rows.begin(), run.rows.end());
        counts += run.counts;
      }
      if (counts.unlearned() > 0) result_.unlearned.push_back({experiment_.curves[c].label, counts});
    }
    return std::move(result_);
  }

 private:
  std::vector<std::size_t> prefixes(const Curve& curve, std::size_t n) const {
    return prefixes_of(experiment_.points, attributes_per_example(curve.method, source_.dimension()), n);
  }

  Status check_all() const {
    for (const Curve& curve : experiment_.curves) {
      Method method = curve.method;
      if (curve.tuning) {
        // Any choice will do to see whether the algorithm and its other options are sound.
        const bool stepless = is_offline(method.learner.algorithm) || !has_step(method.learner.algorithm);
        const auto chosen = with_choice(
            method, {1.0, stepless ? std::string() : curve.tuning->step_prefix + "1", {}, {}, 0.0});
        if (!chosen) return chosen.error();
        method = *chosen;
      }
      if (const Status status = check(method, source_.dimension()); !status) return status;
      if (prefixes(curve, source_.training_size()).empty())
        return failure(ErrorCode::kInvalidOption,
                       "--prefixes: none is from 1 to {}, the number of training examples",
                       source_.training_size());
    }
    return {};
  }

  // methods_[c] has one entry for all seeds, or one a seed where splits differ.
  Status tune_all() {
    const bool each = source_.resplits();
    std::size_t jobs = 0;
    for (const Curve& curve : experiment_.curves)
      if (curve.tuning) jobs += coarse_runs_of(curve) * (each ? experiment_.seeds : 1);
    Progress progress("cross-validating", jobs, execution_.quiet);
    for (std::uint64_t s = 0; s < (each ? experiment_.seeds : 1); ++s) {
      const std::uint64_t seed = each ? experiment_.first_seed + s : 1;
      for (std::size_t c = 0; c < experiment_.curves.size(); ++c) {
        const Curve& curve = experiment_.curves[c];
        if (!curve.tuning) {
          methods_[c].push_back(curve.method);
          continue;
        }
        const auto tuned = tune(curve, seed, progress);
        if (!tuned) return tuned.error();
        result_.tuned.push_back({curve.label, seed, *tuned});
        const auto method = with_choice(curve.method, *tuned);
        if (!method) return method.error();
        methods_[c].push_back(*method);
      }
    }
    result_.tuning_runs_computed = progress.computed();
    return {};
  }

  std::size_t longest_prefix(const Curve& curve) const {
    return prefixes(curve, source_.training_size()).back();
  }

  std::size_t coarse_runs_of(const Curve& curve) const {
    return coarse_runs(curve.method, *curve.tuning, longest_prefix(curve));
  }

  Result<Tuned> tune(const Curve& curve, std::uint64_t seed, Progress& progress) {
    const std::size_t longest = longest_prefix(curve);
    const std::string key = fmt::format(
        "{}\n{}{}folds={}\nradii={}\nsteps={}\nstep-prefix={}\nexamples={}\nrepeats={}\nseed={"
        "}",
        curve.tuning->in_hindsight ? "hindsight" : "cross-validation", source_.describe(),
        describe(curve.method), curve.tuning->folds, fmt::join(curve.tuning->radii, " "),
        fmt::join(curve.tuning->steps, " "), curve.tuning->step_prefix, longest, curve.tuning->repeats, seed);
    const std::string name = fmt::format("cv-{}-{}", file_name(curve.label), seed);
    if (const auto kept = store_.find(name, key)) {
      if (const auto tuned = parse_tuned(*kept)) {
        progress.skip(coarse_runs_of(curve));
        return *tuned;
      }
    }
    CandidateStore candidates(store_, name + "-candidate", key);
    const auto data = source_.prepare(seed);
    const auto order_of = [&](std::uint64_t s) {
      RowOrder order = training_order(data->train.size(), s);
      order.resize(longest);
      return order;
    };
    const TuningRecord record{&progress, &candidates};
    std::vector<RowOrder> orders;
    for (std::size_t r = 0; curve.tuning->in_hindsight && r < curve.tuning->folds; ++r)
      orders.push_back(order_of(seed + r));
    const auto tuned = curve.tuning->in_hindsight
                           ? tune_in_hindsight(curve.method, *curve.tuning, data->train, data->test, orders,
                                               draws_seed(seed), execution_.threads, record)
                           : cross_validate(curve.method, *curve.tuning, data->train, order_of(seed),
                                            draws_seed(seed), execution_.threads, record);
    if (!tuned) return tuned.error();
    if (const Status status = store_.put(name, key, text_of(*tuned)); !status) return status.error();
    if (const Status status = candidates.clear(); !status) return status.error();
    return tuned;
  }

  Status run_one(std::size_t c, std::uint64_t seed, KeptRun& result, Progress& progress) const {
    const Curve& curve = experiment_.curves[c];
    const Method& method =
        methods_[c].size() == 1 ? methods_[c][0] : methods_[c][seed - experiment_.first_seed];
    const std::vector<std::size_t> lengths = prefixes(curve, source_.training_size());
    const std::string key = fmt::format("run\n{}{}label={}\nprefixes={}\nseed={}", source_.describe(),
                                        describe(method), curve.label, fmt::join(lengths, " "), seed);
    const std::string name = fmt::format("{}-{}", file_name(curve.label), seed);
    if (const auto kept = store_.find(name, key)) {
      if (auto parsed = parse_run(*kept, lengths.size())) {
        result = std::move(*parsed);
        progress.skip();
        return {};
      }
    }
    const auto data = source_.prepare(seed);
    const RowOrder order = training_order(data->train.size(), seed);
    const Status status =
        run_method(method, data->train, order, lengths, draws_seed(seed), [&](const Snapshot& snapshot) {
          const Evaluation evaluation = evaluate(snapshot.model, data->test);
          result.rows.push_back({curve.label, seed, snapshot.examples, snapshot.attributes,
                                 evaluation.loss_ratio, evaluation.classification_error});
          result.counts = snapshot.counts;
        });
    if (!status) return status;
    progress.advance();
    return store_.put(name, key, text_of(result));
  }

  const Experiment& experiment_;
  const DataSource& source_;
  const JobStore& store_;
  const Execution& execution_;
  std::vector<std::vector<Method>> methods_;
  ExperimentResult result_;
};

}  // namespace

RowOrder training_order(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  return shuffled_order(n, random);
}

std::uint64_t draws_seed(std::uint64_t seed) { return Random(~seed).bits(); }

std::vector<std::size_t> prefixes_of(const MeasuringPoints& points, std::size_t attributes_per_example,
                                     std::size_t n) {
  std::vector<std::size_t> prefixes;
  for (const std::uint64_t count : points.counts) {
    const std::uint64_t examples =
        points.in_attributes ? std::max<std::uint64_t>(count / attributes_per_example, 1) : count;
    if (examples >= 1 && examples <= n) prefixes.push_back(examples);
  }
  if (points.all) prefixes.push_back(n);
  std::sort(prefixes.begin(), prefixes.end());
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  return prefixes;
}

Status check_prefixes(const MeasuringPoints& points, std::size_t n) {
  for (const std::uint64_t count : points.counts)
    if (count > n)
      return failure(ErrorCode::kInvalidOption,
                     "--prefixes: {} is more than {}, the number of training examples", count, n);
  return {};
}

std::string warnings(const ExperimentResult& result) {
  std::string text;
  for (const CurveCounts& curve : result.unlearned)
    text += fmt::format("warning: {}: {}\n", curve.label, to_text(curve.counts));
  return text;
}

Result<ExperimentResult> run_experiment(const Experiment& experiment, const DataSource& source,
                                        const JobStore& store, const Execution& execution) {
  return Runner(experiment, source, store, execution).run();
}

}  // namespace glimpse
