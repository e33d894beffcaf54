#include "lab/polynomials/parallel_table.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>

#include "common/output.h"
#include "lab/experiments/parallel.h"
#include "lab/polynomials/parallel_polynomials.h"
#include "lab/polynomials/polynomial_sets.h"

namespace glimpse {

namespace {

constexpr const char* kMethods[] = {"lin",     "apple-0.25",    "bigram", "bigram+apple-0.25",
                                    "apple-1", "bigram+apple-1"};
constexpr std::size_t kLearners[] = {1, 2, 4, 8};
constexpr std::string_view kLargestSet = "covtype";  // of the real ones

struct Line {
  std::string set;
  std::string method;
  std::size_t learners = 0;
  ParallelResult result;
};

std::string csv_of(const std::vector<Line>& lines) {
  std::string text =
      "set,method,learners,auc,error,square_error,seconds_with_a_core_each,processor_seconds,parents,"
      "products\n";
  for (const auto& [set, method, learners, result] : lines)
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.6f},{:.6f},{:.6f},{:.3f},{:.3f},{},{}\n", set,
                   method, learners, result.auc, result.error, result.square_error, result.longest,
                   result.total, result.parents, result.products);
  return text;
}

std::string page_of(const std::vector<Line>& lines) {
  std::string text =
      "| set | method | N | AUC | error | squared error | seconds, a core each | seconds, all cores | "
      "parents | "
      "products |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [set, method, learners, result] : lines)
    fmt::format_to(std::back_inserter(text),
                   "| {} | {} | {} | {:.5f} | {:.4f} | {:.4f} | {:.2f} | {:.2f} | {} | {} |\n", set, method,
                   learners, result.auc, result.error, result.square_error, result.longest, result.total,
                   result.parents, result.products);
  return text;
}

bool is_wanted(const PolynomialSet& set, const PolynomialStudy& study) {
  if (study.only.empty()) return set.name == kLargestSet;
  return std::ranges::count(study.only, set.name) > 0 && set.is_binary();
}

Status run_set(const PolynomialSet& set, const ExampleText& text, const PolynomialStudy& study,
               Progress& progress, std::vector<Line>& lines) {
  const auto split = split_examples(text, 1, study.examples);
  if (!split) return split.error();
  progress.expect(std::size(kMethods) * std::size(kLearners));
  for (const char* name : kMethods) {
    const auto method = parse_polynomial_method(name);
    if (!method) return method.error();
    for (const std::size_t learners : kLearners) {
      ParallelOptions options;
      options.method = *method;
      options.learners = learners;
      const auto result = run_parallel(options, text, *split, study.execution.threads);
      if (!result) return result.error();
      lines.push_back({std::string(set.name), name, learners, *result});
      progress.advance();
    }
  }
  return {};
}

}  // namespace

Status run_parallel_table(FileSystem& files, const PolynomialStudy& study) {
  if (const Status status = files.create_directories(study.output); !status) return status;
  std::vector<Line> lines;
  Progress progress("ablht-table-1", 0, study.execution.quiet);
  for (const PolynomialSet& set : polynomial_sets()) {
    if (!is_wanted(set, study)) continue;
    const auto text = load_set(set, study.folders);
    if (!text && text.error().code == ErrorCode::kNotFound) {
      fmt::print(stderr, "left out: {}\n", text.error().message);
      continue;
    }
    if (!text) return text.error();
    if (const Status status = run_set(set, *text, study, progress, lines); !status) return status;
  }
  if (lines.empty())
    return failure(
        ErrorCode::kNotFound,
        "ablht-table-1 needs covtype or --only with binary sets; GLIMPSE_DATA or --tables names the "
        "folder");
  if (const Status status = write_file(study.output + "/ablht-table-1.csv", csv_of(lines)); !status)
    return status;
  return write_file(study.output + "/ablht-table-1.md", page_of(lines));
}

}  // namespace glimpse
