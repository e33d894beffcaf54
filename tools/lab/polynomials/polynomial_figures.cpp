#include "lab/polynomials/polynomial_figures.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>

#include "common/output.h"
#include "lab/experiments/parallel.h"
#include "lab/polynomials/parallel_table.h"
#include "lab/polynomials/polynomial_page.h"
#include "lab/polynomials/polynomial_plots.h"
#include "lab/polynomials/polynomial_run.h"
#include "lab/polynomials/polynomial_sets.h"
#include "lab/results/job_store.h"
#include "lab/results/plot.h"

namespace glimpse {

namespace {

constexpr PolynomialFigure kFigures[] = {
    {"ablht-1", "Relative error and time, medians and quartiles", "ABHLT14 Figure 1"},
    {"ablht-2", "On how many sets relative error and time are at most so much", "ABHLT14 Figure 2"},
    {"ablht-4", "The six sets with most attributes an example", "ABHLT14 Figure 4"},
    {"ablht-5", "Relative errors of every set", "ABHLT14 Figure 5"},
    {"ablht-6", "Relative times of every set", "ABHLT14 Figure 6"},
    {"ablht-7", "Features an example, of every set", "ABHLT14 Figure 7"},
    {"ablht-table-1", "Learners over shards, with their weights averaged", "ABHLT14 Table 1"},
    {"ablht-table-2", "Errors and times beside the paper's", "ABHLT14 Tables 2 and 3"},
};

constexpr std::string_view kParallelTable = "ablht-table-1";
constexpr std::size_t kTopSets = 6;  // of Figure 4

std::string key_of(const PolynomialSet& set, const std::string& method, std::uint64_t seed,
                   std::uint64_t content, std::size_t training, std::span<const double> rates) {
  std::string key =
      fmt::format("polynomials 1\nset={}\nmethod={}\nseed={}\ncontent={:x}\ntraining={}\nrates=", set.name,
                  method, seed, content, training);
  for (const double rate : rates) key += fmt::format("{} ", rate);
  return key + '\n';
}

// What is missing of the runs of one set, into `rows`.
class SetRun {
 public:
  SetRun(const PolynomialSet& set, ExampleText text, const PolynomialStudy& study, const JobStore& store)
      : set_(set), text_(std::move(text)), study_(study), store_(store), content_(text_.hash()) {}

  Status run(Progress& progress, std::vector<PolynomialRow>& rows) {
    const std::vector<PolynomialMethod> methods = paper_methods();
    for (std::uint64_t seed = 1; seed <= study_.seeds; ++seed) {
      const auto split = split_examples(text_, seed, study_.examples);
      if (!split) return split.error();
      std::vector<PolynomialRow> own(methods.size());
      progress.expect(methods.size());
      const Status status = parallel_for(methods.size(), study_.execution.threads, [&](std::size_t m) {
        return run_one(methods[m], seed, *split, progress, own[m]);
      });
      if (!status) return status;
      std::move(own.begin(), own.end(), std::back_inserter(rows));
    }
    return {};
  }

 private:
  std::span<const double> rates() const {
    return study_.rates.empty() ? std::span<const double>(kRates) : study_.rates;
  }

  Status run_one(const PolynomialMethod& method, std::uint64_t seed, const PolynomialSplit& split,
                 Progress& progress, PolynomialRow& row) const {
    const std::string name = fmt::format("{}-{}-{}", set_.name, name_of(method), seed);
    const std::string key = key_of(set_, name_of(method), seed, content_, split.train.size(), rates());
    if (const auto kept = store_.find(name, key)) {
      const auto rows = parse_polynomial_rows(*kept);
      if (rows && rows->size() == 1) {
        row = rows->front();
        progress.skip();
        return {};
      }
    }
    auto one = run_polynomial(method, text_, split, set_.is_binary(), rates());
    if (!one) return failure(one.error().code, "{}: {}", name, one.error().message);
    one->set = set_.name;
    one->seed = seed;
    row = *one;
    progress.advance();
    return store_.put(name, key, to_csv({row}));
  }

  const PolynomialSet& set_;
  ExampleText text_;
  const PolynomialStudy& study_;
  const JobStore& store_;
  std::uint64_t content_;
};

Status check_names(const PolynomialStudy& study) {
  for (const std::string& name : study.only)
    if (std::ranges::find(polynomial_sets(), name, &PolynomialSet::name) == polynomial_sets().end())
      return failure(ErrorCode::kInvalidOption, "--only {}: there is no such set in these figures", name);
  return {};
}

Result<std::vector<PolynomialRow>> run_sets(FileSystem& files, const PolynomialStudy& study) {
  const auto store = JobStore::open(files, study.output + "/ablht.jobs");
  if (!store) return store.error();
  std::vector<PolynomialRow> rows;
  Progress progress("ablht", 0, study.execution.quiet);
  for (const PolynomialSet& set : polynomial_sets()) {
    if (!study.only.empty() && std::ranges::count(study.only, set.name) == 0) continue;
    auto text = load_set(set, study.folders);
    if (!text && text.error().code == ErrorCode::kNotFound) {
      fmt::print(stderr, "left out: {}\n", text.error().message);
      continue;
    }
    if (!text) return text.error();
    if (const Status status = SetRun(set, std::move(*text), study, *store).run(progress, rows); !status)
      return status.error();
  }
  if (rows.empty())
    return failure(ErrorCode::kNotFound,
                   "none of the sets was found; GLIMPSE_DATA or --tables names their folder");
  return rows;
}

// Those with most features of lin, most first.
std::vector<PolynomialSummary> top_sets(std::vector<PolynomialSummary> sets) {
  const auto given = [](const PolynomialSummary& set) {
    const PolynomialMeans* lin = set.find("lin");
    return lin != nullptr ? lin->features : 0;
  };
  std::ranges::sort(sets, [&](const PolynomialSummary& a, const PolynomialSummary& b) {
    return given(a) != given(b) ? given(a) > given(b) : a.set < b.set;
  });
  sets.resize(std::min(sets.size(), kTopSets));
  return sets;
}

std::vector<std::string> bar_methods() {
  std::vector<std::string> methods{"lin", "quad", "cubic"};
  for (const double exponent : kExponents) methods.push_back(name_of({Expander::kApple, exponent}));
  return methods;
}

std::string script_of(std::string_view name, const std::vector<PolynomialSummary>& sets,
                      const std::string& output) {
  const std::vector<std::string> tradeoff{"lin",       "quad",       "cubic",   "apple-0.125", "apple-0.25",
                                          "apple-0.5", "apple-0.75", "apple-1", "apple-best"};
  const std::vector<std::string> distributions{"lin",        "quad",  "cubic",   "apple-1",
                                               "apple-best", "ssm-1", "ssm-best"};
  if (name == "ablht-1") return tradeoff_script(sets, tradeoff, output);
  if (name == "ablht-2") return distribution_script(sets, distributions, output);
  const BarValue both[] = {BarValue::kRelativeError, BarValue::kRelativeTime};
  if (name == "ablht-4") return bars_script(top_sets(sets), bar_methods(), both, output);
  const BarValue one[] = {name == "ablht-5"   ? BarValue::kRelativeError
                          : name == "ablht-6" ? BarValue::kRelativeTime
                                              : BarValue::kFeatures};
  return bars_script(sets, bar_methods(), one, output);
}

}  // namespace

std::span<const PolynomialFigure> polynomial_figures() { return kFigures; }

Status run_polynomial_figures(FileSystem& files, std::span<const std::string> names,
                              const PolynomialStudy& study) {
  if (const Status status = check_names(study); !status) return status;
  std::vector<std::string> others(names.begin(), names.end());
  if (std::erase(others, kParallelTable) > 0)
    if (const Status status = run_parallel_table(files, study); !status) return status;
  if (others.empty()) return {};
  const auto rows = run_sets(files, study);
  if (!rows) return rows.error();
  const std::vector<PolynomialSummary> sets = summarise(*rows);
  for (const auto& [name, text] :
       {std::pair{study.output + "/ablht.csv", std::string(polynomial_header()) + to_csv(*rows)},
        std::pair{study.output + "/ablht-summary.csv", summary_csv(sets)}})
    if (const Status status = write_file(name, text); !status) return status;
  for (const std::string& name : others) {
    const std::string path = fmt::format("{}/{}", study.output, name);
    if (name == "ablht-table-2") {
      if (const Status status = write_file(path + ".md", polynomial_page(sets)); !status) return status;
      continue;
    }
    const std::string script = path + ".gnuplot";
    if (const Status status = write_file(script, script_of(name, sets, path)); !status) return status;
    if (const Status status = run_gnuplot(script); !status) return status;
  }
  return {};
}

}  // namespace glimpse
