#include "learn/options/state_options.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "learn/options/learner_option_table.h"

namespace glimpse {

std::string_view option_of(const State& state, std::string_view name) {
  const auto text = state.get_text("learner.options");
  if (!text) return {};
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(name) && line.substr(name.size()).starts_with('='))
      return line.substr(name.size() + 1);
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : rest.size());
  }
  return {};
}

std::size_t number_of(const State& state, std::string_view name) {
  std::string_view text = option_of(state, name);
  return take_number<std::size_t>(text).value_or(0);
}

std::vector<std::string> labels_of(std::string_view line) {
  std::vector<std::string> labels(line.empty() ? 0 : 1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool is_doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (is_doubled) labels.back() += line[++i];
      if (!is_doubled) quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      labels.emplace_back();
    } else {
      labels.back() += line[i];
    }
  }
  return labels;
}

namespace {

constexpr std::size_t kAnyPairs = std::size_t{1} << 46;  // bytes

Error not_known(std::string_view line) {
  return failure(ErrorCode::kMismatch, "the state is of {}, which this build does not know", line);
}

bool is_open(std::string_view value) { return value == "none" || value == "unknown"; }

Status read_line(std::string_view line, LearnerOptions& options) {
  const std::string_view name = line.substr(0, line.find('='));
  if (name.size() == line.size()) return not_known(line);
  const std::string_view value = line.substr(name.size() + 1);
  if (is_open(value)) return {};
  if (name == "budget" && is_full_information(options.algorithm)) return {};
  if (name == "budget-cost")
    return failure(
        ErrorCode::kUnavailable,
        "--budget-cost: a state of {} does not hold the prices that it goes by, and cannot be used "
        "without them",
        options.algorithm);
  if (name == "labels") {
    options.labels = labels_of(value);
    return {};
  }
  const OptionRow* const row = find_row(learner_option_table(), name);
  if (row == nullptr || !row->read(options, std::string(value))) return not_known(line);
  return {};
}

}  // namespace

Result<LearnerOptions> described_options(std::string_view text) {
  LearnerOptions options;
  options.pair_memory = kAnyPairs;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    GLIMPSE_TRY(read_line(line, options));
  }
  // What is not described is as it was in the first builds.
  if (is_budgeted_first_order(options.algorithm)) {
    options.draws = options.draws.value_or(Draws::kSeparate);
    options.control_variates = options.control_variates.value_or(false);
  }
  if (const Status status = validate(options); !status)
    return failure(ErrorCode::kMismatch, "the state's options: {}", status.error().message);
  if (describe(options) != text)
    return failure(ErrorCode::kMismatch, "the state's options are not those that this build would write");
  return options;
}

}  // namespace glimpse
