#include "lab/result_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <type_traits>

namespace glimpse {

namespace {

// The next of the fields of a line, which is taken away.
std::string_view take_field(std::string_view& line) {
  const std::size_t comma = line.find(',');
  const std::string_view field = line.substr(0, comma);
  line = comma == std::string_view::npos ? std::string_view() : line.substr(comma + 1);
  return field;
}

template <class Number>
bool read(std::string_view text, Number& value) {
  if constexpr (std::is_floating_point_v<Number>) {
    const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }
}

}  // namespace

std::string_view result_header() {
  return "algorithm,seed,examples,attributes,test_loss_ratio,classification_error\n";
}

std::string to_csv(const std::vector<ResultRow>& rows) {
  std::string text;
  for (const ResultRow& row : rows) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},", row.curve, row.seed, row.examples,
                   row.attributes, row.test_loss_ratio);
    if (!std::isnan(row.classification_error))
      fmt::format_to(std::back_inserter(text), "{}", row.classification_error);
    text += '\n';
  }
  return text;
}

Result<std::vector<ResultRow>> parse_results(std::string_view text) {
  std::vector<ResultRow> rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line == result_header().substr(0, result_header().size() - 1))
      continue;
    ResultRow row;
    std::string_view rest = line;
    row.curve = take_field(rest);
    bool sound = read(take_field(rest), row.seed);
    sound = sound && read(take_field(rest), row.examples);
    sound = sound && read(take_field(rest), row.attributes);
    sound = sound && read(take_field(rest), row.test_loss_ratio);
    if (rest.empty()) {
      row.classification_error = std::numeric_limits<double>::quiet_NaN();
    } else {
      sound = sound && read(rest, row.classification_error);
    }
    if (!sound) return failure(ErrorCode::kCorrupt, "'{}' is not a row of results", line);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace glimpse
