#include "daemon/bodies/history_body.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

#include <boost/json.hpp>

#include "daemon/http/http_types.h"
#include "data/text/number.h"
#include "data/text/text.h"
#include "learn/gauge/label_range.h"

namespace glimpse {

namespace json = boost::json;

namespace {

using C = HistoryColumn;

// What R2, its error and the root are made of. The baseline is the labels' variance where it is not known.
struct OfLoss {
  std::string_view name;
  C loss;
  C error;
  C baseline;
};
constexpr OfLoss kLosses[] = {
    {"", C::kProgressiveLoss, C::kProgressiveLossError, C::kLabelVariance},
    {"recent_", C::kRecentLoss, C::kRecentLossError, C::kRecentBaseline},
    {"held_out_", C::kHeldOutLoss, C::kHeldOutLossError, C::kHeldOutBaseline},
    {"held_out_recent_", C::kHeldOutRecentLoss, C::kHeldOutRecentLossError, C::kHeldOutRecentBaseline},
};
constexpr std::string_view kOfEach[] = {"r2", "r2_error", "rmse"};

double sample_value(const HistorySample& sample, std::size_t column, std::size_t label) {
  const auto value = [&](C of) { return sample.of_label(of, label); };
  if (column < kHistoryColumnCount) {
    const auto of = static_cast<C>(column);
    const bool is_loss = std::ranges::any_of(kLosses, [&](const OfLoss& loss) { return loss.loss == of; });
    return is_loss ? NonNegative{value(of), 0}.value() : value(of);
  }
  const std::size_t derived = column - kHistoryColumnCount;
  const OfLoss& of = kLosses[derived / std::size(kOfEach)];
  const std::size_t which = derived % std::size(kOfEach);
  if (which == 2) return NonNegative{value(of.loss), 0}.root();
  const double baseline = value(of.baseline);
  const LossShare share =
      share_of(value(of.loss), value(of.error), std::isnan(baseline) ? value(C::kLabelVariance) : baseline);
  return which == 1 ? share.error : share.r2();
}

void append_number(std::string& text, double value) {
  const auto out = std::back_inserter(text);
  if (!std::isfinite(value)) {
    text += "null";
  } else if (value == std::floor(value) && std::abs(value) < 0x1p53) {
    fmt::format_to(out, "{:.0f}", value == 0 ? 0.0 : value);
  } else {
    fmt::format_to(out, "{:.7g}", value);
  }
}

// With milliseconds.
void append_time(std::string& text, double seconds) {
  if (!std::isfinite(seconds)) return append_number(text, seconds);
  fmt::format_to(std::back_inserter(text), "{:.3f}", seconds);
}

void append_column(std::string& text, const HistoryCopy& history, std::size_t first, std::size_t column,
                   std::size_t label) {
  for (std::size_t k = first; k < history.samples.size(); ++k) {
    if (k > first) text += ',';
    const double value = sample_value(history.samples[k], column, label);
    column == static_cast<std::size_t>(C::kTime) ? append_time(text, value) : append_number(text, value);
  }
}

void append_event(std::string& text, const HistoryEvent& event, const std::vector<std::string>& labels) {
  fmt::format_to(std::back_inserter(text), R"({{"event":"{}","time":)", name_of(event.kind));
  append_time(text, event.time);
  text += R"(,"examples":)";
  append_number(text, event.examples);
  text += R"(,"value":)";
  append_number(text, has_value(event.kind) ? event.value : std::nan(""));
  const bool is_of_label =
      event.kind == HistoryEvent::Kind::kWithheld || event.kind == HistoryEvent::Kind::kServedAgain;
  if (is_of_label && event.value >= 1 && event.value <= static_cast<double>(labels.size()))
    text += ",\"label\":" +
            json::serialize(json::string(valid_utf8(labels[static_cast<std::size_t>(event.value) - 1])));
  text += '}';
}

}  // namespace

const std::vector<std::string>& history_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> all(kHistoryColumns.begin(), kHistoryColumns.end());
    for (const OfLoss& of : kLosses)
      for (const std::string_view each : kOfEach) all.emplace_back(fmt::format("{}{}", of.name, each));
    return all;
  }();
  return columns;
}

Result<HistoryQuery> read_history_query(const std::string& query) {
  HistoryQuery read;
  const std::string since = query_value(query, "since");
  if (!since.empty() && !read_index(since, read.since))
    return failure(ErrorCode::kInvalidInput, "since={} must be a whole number of examples", in_quotes(since));
  const std::vector<std::string>& all = history_columns();
  if (!has_key(query, "columns")) {
    read.columns.resize(all.size());
    std::iota(read.columns.begin(), read.columns.end(), std::size_t{0});
    return read;
  }
  std::string_view names;
  const std::string text = query_value(query, "columns");
  for (names = text; !names.empty();) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    const auto found = std::ranges::find(all, name);
    const auto place = static_cast<std::size_t>(found - all.begin());
    if (found == all.end() || std::ranges::find(read.columns, place) != read.columns.end())
      return failure(ErrorCode::kInvalidInput,
                     "columns has {}; must be different ones of those that /v1/history answers with",
                     in_quotes(name));
    read.columns.push_back(place);
  }
  return read;
}

std::string history_json(const HistoryCopy& history, const HistoryQuery& query, const HistoryMoment& now,
                         const std::vector<std::string>& labels) {
  const auto since = static_cast<double>(query.since);
  const auto is_old = [&](const HistorySample& sample) { return sample[C::kExamples] <= since; };
  const auto first = static_cast<std::size_t>(std::ranges::partition_point(history.samples, is_old) -
                                              history.samples.begin());
  std::string text = fmt::format(R"({{"run":{},"examples":{},"promotions":{},"samples":{},"columns":{{)",
                                 now.run, now.examples, now.promotions, history.samples.size() - first);
  bool is_first = true;
  for (const std::size_t column : query.columns) {
    fmt::format_to(std::back_inserter(text), R"({}"{}":[)", is_first ? "" : ",", history_columns()[column]);
    append_column(text, history, first, column, query.label);
    text += ']';
    is_first = false;
  }
  text += R"(},"events":[)";
  is_first = true;
  for (const HistoryEvent& event : history.events) {
    if (event.examples < since) continue;
    if (!is_first) text += ',';
    append_event(text, event, labels);
    is_first = false;
  }
  return text + "]}\n";
}

}  // namespace glimpse
