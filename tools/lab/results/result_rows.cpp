#include "lab/results/result_rows.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <type_traits>

#include "base/numbers.h"

namespace glimpse {

namespace {

constexpr std::size_t kFields = 6;

// Whether the line has as many fields as a row.
bool split(std::string_view line, std::string_view (&fields)[kFields]) {
  for (std::size_t f = 0; f < kFields; ++f) {
    const std::size_t comma = line.find(',');
    if ((comma == std::string_view::npos) != (f + 1 == kFields)) return false;
    fields[f] = line.substr(0, comma);
    if (f + 1 < kFields) line.remove_prefix(comma + 1);
  }
  return true;
}

template <class Number>
bool read(std::string_view text, Number& value) {
  const auto number = whole_text_as<Number>(text);
  if (!number || !(*number >= 0)) return false;
  value = *number;
  return true;
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
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool ended = end != std::string_view::npos;
    text.remove_prefix(ended ? end + 1 : text.size());
    if (line.empty() || line.front() == '#' || line == result_header().substr(0, result_header().size() - 1))
      continue;
    ResultRow row;
    std::string_view fields[kFields];
    bool sound = ended && split(line, fields);
    if (sound) row.curve = fields[0];
    sound = sound && read(fields[1], row.seed) && read(fields[2], row.examples) &&
            read(fields[3], row.attributes) && read(fields[4], row.test_loss_ratio);
    if (sound && fields[5].empty()) {
      row.classification_error = std::numeric_limits<double>::quiet_NaN();
    } else {
      sound = sound && read(fields[5], row.classification_error) && row.classification_error <= 1;
    }
    if (!sound) return failure(ErrorCode::kCorrupt, "'{}' is not a row of results", line);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace glimpse
