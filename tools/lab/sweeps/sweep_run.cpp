#include "lab/sweeps/sweep_run.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

#include "data/text/number.h"
#include "lab/offline/leave_one_out_ridge.h"
#include "lab/sweeps/ridge_scan.h"
#include "learn/pairwise/pairwise.h"

namespace glimpse {

namespace {

// One run of a learner with one K, or offline ridge.
struct SweepPart {
  const NamedOptions* learner = nullptr;  // nullptr: offline ridge
  std::string budget = "d";
  std::size_t attributes_each = 0;
};

// The data of a seed, made by the part that first wants it and freed by the last.
class SeedData {
 public:
  void begin(const SweepSource* source, std::uint64_t seed, std::size_t parts) {
    source_ = source;
    seed_ = seed;
    left_ = parts;
  }
  std::uint64_t seed() const { return seed_; }
  const DataSet& sets() const { return *sets_; }
  const RowOrder& order() const { return order_; }

  Status want() {
    std::call_once(once_, [&] {
      auto sets = source_->prepare(seed_);
      if (!sets) {
        status_ = sets.error();
        return;
      }
      sets_ = *sets;
      order_ = training_order(sets_->train.size(), seed_);
    });
    return status_;
  }
  void done() {
    if (--left_ > 0) return;
    sets_.reset();
    order_ = {};
  }

 private:
  const SweepSource* source_ = nullptr;
  std::uint64_t seed_ = 0;
  std::atomic<std::size_t> left_{0};
  std::once_flag once_;
  Status status_;
  std::shared_ptr<const DataSet> sets_;
  RowOrder order_;
};

double mean_loss(const DataSet& sets, std::span<const std::uint32_t> rows) {
  Model constant{std::vector<double>(sets.train.dimension), 0};
  for (const std::uint32_t row : rows)
    constant.bias += sets.train.labels[row] / static_cast<double>(rows.size());
  return answer_loss(constant, {}, sets.test).exported;
}

class SetRunner {
 public:
  SetRunner(const std::string& name, const SweepSource& source, const Sweep& sweep)
      : name_(name),
        source_(source),
        sweep_(sweep),
        prefixes_(prefixes_of(sweep.points, source.dimension(), source.training_size())) {}

  Result<std::vector<SweepRow>> run(std::size_t threads, Progress& progress) {
    if (const Status status = plan_parts(); !status) return status.error();
    std::vector<SeedData> seeds(sweep_.seeds);
    for (std::size_t s = 0; s < seeds.size(); ++s)
      seeds[s].begin(&source_, sweep_.first_seed + s, parts_.size());
    std::vector<std::vector<SweepRow>> results(seeds.size() * parts_.size());
    progress.expect(results.size());
    const Status status = parallel_for(results.size(), threads, [&](std::size_t i) {
      SeedData& data = seeds[i / parts_.size()];
      Status one = data.want();
      if (one) one = run_part(parts_[i % parts_.size()], data, results[i]);
      data.done();
      progress.advance();
      return one;
    });
    if (!status) return status.error();
    std::vector<SweepRow> rows;
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      const auto begin = results.begin() + static_cast<std::ptrdiff_t>(s * parts_.size());
      const auto end = begin + static_cast<std::ptrdiff_t>(parts_.size());
      if (sweep_.offline != OfflineExamples::kNone) add_offline(begin, end);
      for (auto part = begin; part != end; ++part)
        std::move(part->begin(), part->end(), std::back_inserter(rows));
    }
    return rows;
  }

 private:
  Method method_of(const SweepPart& part) const {
    Method method;
    method.learner = part.learner->learner;
    const std::string& algorithm = method.learner.algorithm;
    method.learner.budget =
        is_full_information(algorithm) || is_offline(algorithm) ? 0 : part.attributes_each;
    return method;
  }

  Status plan_parts() {
    if (prefixes_.empty())
      return failure(ErrorCode::kInvalidInput,
                     "{}: no prefix is from 1 to {}, the number of training examples", name_,
                     source_.training_size());
    const std::size_t d = source_.dimension();
    for (const NamedOptions& learner : sweep_.learners) {
      const std::string& algorithm = learner.learner.algorithm;
      if (is_full_information(algorithm) || is_offline(algorithm)) {
        parts_.push_back({&learner, "d", d});
        continue;
      }
      std::vector<std::size_t> done;
      for (const SweepBudget& budget : sweep_.budgets) {
        const auto k = budget.of(d);
        if (!k || std::find(done.begin(), done.end(), *k) != done.end()) continue;
        done.push_back(*k);
        parts_.push_back({&learner, budget.text, *k});
      }
      if (done.empty())
        return failure(ErrorCode::kInvalidInput, "{}: no K of --budgets is from 2 to {}, its attributes",
                       name_, d);
    }
    for (const SweepPart& part : parts_)
      if (const Status status = check(method_of(part), d); !status)
        return failure(status.error().code, "{}: {}", name_, status.error().message);
    if (sweep_.offline != OfflineExamples::kNone) parts_.push_back({nullptr, "d", d});
    return {};
  }

  SweepRow row_of(const SweepPart& part, const SeedData& data, std::uint64_t examples) const {
    SweepRow row;
    row.set = name_;
    row.learner = part.learner != nullptr ? part.learner->label : kOfflineRidge;
    row.budget = part.budget;
    const auto& counts = sweep_.points.counts;
    const bool named = std::find(counts.begin(), counts.end(), examples) != counts.end();
    row.prefix = named ? std::to_string(examples) : "all";
    row.seed = data.seed();
    row.dimension = source_.dimension();
    row.attributes_each = part.attributes_each;
    row.examples = examples;
    row.prefix_mean = mean_loss(data.sets(), std::span(data.order()).first(examples));
    return row;
  }

  Status run_part(const SweepPart& part, const SeedData& data, std::vector<SweepRow>& rows) const {
    if (part.learner == nullptr) {
      run_offline(part, data, rows);
      return {};
    }
    const DataSet& sets = data.sets();
    return run_method(method_of(part), sets.train, data.order(), prefixes_, draws_seed(data.seed()),
                      [&](const Snapshot& snapshot) {
                        SweepRow row = row_of(part, data, snapshot.examples);
                        const auto seen = std::span(data.order()).first(snapshot.examples);
                        const AnswerBounds bounds = snapshot.learner != nullptr ? bounds_of(*snapshot.learner)
                                                                                : bounds_of(sets.train, seen);
                        row.attributes = snapshot.attributes;
                        row.loss = answer_loss(snapshot.model, bounds, sets.test);
                        if (const auto* pairwise = dynamic_cast<const Pairwise*>(snapshot.learner);
                            pairwise != nullptr && !pairwise->options().radius)
                          solve_with_factors(*pairwise, sweep_.factors, [&](const Model& model) {
                            row.trials.push_back(answer_loss(model, bounds, sets.test));
                          });
                        rows.push_back(std::move(row));
                      });
  }

  void run_offline(const SweepPart& part, const SeedData& data, std::vector<SweepRow>& rows) const {
    const DataSet& sets = data.sets();
    const auto loss_after = [&](std::size_t examples) {
      const auto seen = std::span(data.order()).first(examples);
      return answer_loss(leave_one_out_ridge(sets.train, seen).model, bounds_of(sets.train, seen), sets.test);
    };
    const bool whole = sweep_.offline == OfflineExamples::kTraining;
    AnswerLoss of_all;
    if (whole) of_all = loss_after(sets.train.size());
    for (const std::size_t examples : prefixes_) {
      SweepRow row = row_of(part, data, examples);
      row.attributes = (whole ? sets.train.size() : examples) * sets.train.dimension;
      row.loss = whole ? of_all : loss_after(examples);
      rows.push_back(std::move(row));
    }
  }

  // The last part is offline ridge, with the same prefixes as all others.
  static void add_offline(std::vector<std::vector<SweepRow>>::iterator begin,
                          std::vector<std::vector<SweepRow>>::iterator end) {
    const std::vector<SweepRow>& offline = *(end - 1);
    for (auto part = begin; part != end - 1; ++part)
      for (std::size_t p = 0; p < part->size(); ++p) (*part)[p].offline = offline[p].loss;
  }

  const std::string& name_;
  const SweepSource& source_;
  const Sweep& sweep_;
  const std::vector<std::size_t> prefixes_;
  std::vector<SweepPart> parts_;
};

}  // namespace

std::optional<std::size_t> SweepBudget::of(std::size_t dimension) const {
  const std::size_t k = number > 0 ? number : dimension / divisor;
  return k >= 2 && k <= dimension ? std::optional(k) : std::nullopt;
}

Result<std::vector<SweepBudget>> parse_budgets(std::string_view text) {
  std::vector<SweepBudget> budgets;
  for (;;) {
    const std::string_view part = text.substr(0, text.find(','));
    SweepBudget budget;
    budget.text = part;
    std::uint64_t number = 0;
    bool sound = part == "d";
    if (part.starts_with("d/")) {
      sound = read_index(part.substr(2), number) && number > 0;
      budget.divisor = number;
    } else if (!sound) {
      sound = read_index(part, number) && number >= 2;
      budget.number = number;
    }
    if (!sound)
      return failure(ErrorCode::kInvalidOption,
                     "--budgets: '{}' must be a number of attributes from 2, d, or a part of d as d/10",
                     part);
    budgets.push_back(std::move(budget));
    if (part.size() == text.size()) return budgets;
    text.remove_prefix(part.size() + 1);
  }
}

Result<OfflineExamples> parse_offline(std::string_view text) {
  if (text == "prefix") return OfflineExamples::kPrefix;
  if (text == "training") return OfflineExamples::kTraining;
  if (text == "none") return OfflineExamples::kNone;
  return failure(ErrorCode::kInvalidOption, "--offline {}: must be prefix, training or none", text);
}

Result<std::vector<SweepRow>> run_sweep(const std::string& name, const SweepSource& source,
                                        const Sweep& sweep, std::size_t threads, Progress& progress) {
  return SetRunner(name, source, sweep).run(threads, progress);
}

}  // namespace glimpse
