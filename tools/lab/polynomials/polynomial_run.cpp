#include "lab/polynomials/polynomial_run.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <iterator>

#include "base/random.h"
#include "data/text/number.h"
#include "lab/polynomials/polynomial_learner.h"

namespace glimpse {

namespace {

constexpr double kTrainingShare = 0.8;  // ABHLT14 §3.1
constexpr std::size_t kLeastExamples = 10;

struct Range {
  double least = 0;
  double most = 0;
  double clip(double x) const { return std::isnan(x) ? least : std::clamp(x, least, most); }
};

Range label_range(const ExampleText& text, std::span<const std::uint32_t> rows) {
  Range range{text.label(rows[0]), text.label(rows[0])};
  for (const std::uint32_t row : rows) {
    range.least = std::min(range.least, text.label(row));
    range.most = std::max(range.most, text.label(row));
  }
  return range;
}

Result<double> test_error(const PolynomialLearner& learner, const ExampleText& text,
                          std::span<const std::uint32_t> rows, bool is_binary, const Range& range) {
  double sum = 0;
  const Status status = read_examples(text, rows, [&](std::span<const Entry> entries, double label) {
    const double predicted = range.clip(learner.predict(entries));
    if (is_binary)
      sum += (predicted >= 0) == (label > 0) ? 0 : 1;
    else
      sum += (predicted - label) * (predicted - label);
  });
  if (!status) return status.error();
  return sum / static_cast<double>(rows.size());
}

}  // namespace

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Result<PolynomialSplit> split_examples(const ExampleText& text, std::uint64_t seed, std::size_t most) {
  if (text.size() < kLeastExamples)
    return failure(ErrorCode::kInvalidInput, "{} examples are too few: at least {}", text.size(),
                   kLeastExamples);
  PolynomialSplit split;
  Random random(seed);
  const RowOrder order = shuffled_order(text.size(), random);
  const auto training = static_cast<std::size_t>(kTrainingShare * static_cast<double>(text.size()));
  const auto place = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  split.test.assign(place(training), order.end());
  split.train.assign(order.begin(), place(std::min(training, most)));
  split.idempotent.assign(text.dimension(), true);
  std::vector<double> values(text.dimension(), 0);
  const Status status = read_examples(text, split.train, [&](std::span<const Entry> entries, double) {
    for (const Entry& entry : entries) {
      double& value = values[entry.attribute];
      if (value == 0) value = entry.value;
      if (value != entry.value) split.idempotent[entry.attribute] = false;
    }
  });
  if (!status) return status.error();
  return split;
}

Result<PolynomialRow> run_polynomial(const PolynomialMethod& method, const ExampleText& text,
                                     const PolynomialSplit& split, bool is_binary,
                                     std::span<const double> rates) {
  const Range range = label_range(text, split.train);
  PolynomialRow best;
  for (const double rate : rates) {
    PolynomialOptions options;
    options.method = method;
    options.idempotent = split.idempotent;
    options.examples = split.train.size();
    options.rate = rate;
    PolynomialLearner learner(options);
    double loss = 0;
    const double begin = thread_seconds();
    Status status = read_examples(text, split.train, [&](std::span<const Entry> entries, double label) {
      const double residual = range.clip(learner.learn(entries, label)) - label;
      loss += residual * residual;
    });
    if (!status) return status.error();
    const double seconds = thread_seconds() - begin;
    loss /= static_cast<double>(split.train.size());
    if (rate != rates.front() && loss >= best.progressive) continue;
    const auto error = test_error(learner, text, split.test, is_binary, range);
    if (!error) return error.error();
    best.method = name_of(method);
    best.rate = rate;
    best.error = *error;
    best.progressive = loss;
    best.seconds = seconds;
    best.features = learner.mean_features();
    best.slots = learner.slots();
    best.parents = learner.parents();
  }
  const double begin = thread_seconds();
  double sum = 0;
  const Status status = read_examples(text, split.train, [&](std::span<const Entry> entries, double label) {
    sum += label + (entries.empty() ? 0 : entries[0].value);
  });
  if (!status) return status.error();
  if (std::isnan(sum)) return failure(ErrorCode::kCorrupt, "a value is no number");
  best.reading = thread_seconds() - begin;
  return best;
}

std::string_view polynomial_header() {
  return "set,method,seed,rate,error,progressive_loss,seconds,reading_seconds,features,slots,parents\n";
}

std::string to_csv(const std::vector<PolynomialRow>& rows) {
  std::string text;
  for (const PolynomialRow& row : rows)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{:.6f},{:.6f},{},{},{}\n", row.set,
                   row.method, row.seed, row.rate, row.error, row.progressive, row.seconds, row.reading,
                   row.features, row.slots, row.parents);
  return text;
}

Result<std::vector<PolynomialRow>> parse_polynomial_rows(std::string_view text) {
  std::vector<PolynomialRow> rows;
  if (text.starts_with(polynomial_header())) text.remove_prefix(polynomial_header().size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    std::vector<std::string_view> fields;
    for (std::string_view rest = line;;) {
      const std::size_t comma = rest.find(',');
      fields.push_back(rest.substr(0, comma));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    PolynomialRow row;
    double* const numbers[] = {&row.rate,    &row.error,   &row.progressive,
                               &row.seconds, &row.reading, &row.features};
    bool is_sound = end != std::string_view::npos && fields.size() == 11 && read_index(fields[2], row.seed) &&
                    read_index(fields[9], row.slots) && read_index(fields[10], row.parents);
    for (std::size_t i = 0; is_sound && i < std::size(numbers); ++i)
      is_sound = read_number(fields[3 + i], *numbers[i]);
    if (!is_sound) return failure(ErrorCode::kCorrupt, "no row of results: '{}'", line);
    row.set = fields[0];
    row.method = fields[1];
    rows.push_back(std::move(row));
    text.remove_prefix(end + 1);
  }
  return rows;
}

}  // namespace glimpse
