#include "learn/gradient/moments_file.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "data/text/text.h"
#include "learn/options/options.h"

namespace glimpse {

namespace {

// A record of the CSV: its fields, of which those in quotes are kept apart.
struct Record {
  std::vector<std::string_view> fields;
  std::deque<std::string> unquoted;
  std::size_t lines = 1;  // names may hold newlines
};

// The record that `rest` begins with, which is taken off it. Nothing: a quote is not closed, or something
// stands behind the closing one.
std::optional<Record> next_record(std::string_view& rest) {
  Record record;
  for (std::size_t at = 0;;) {
    if (at < rest.size() && rest[at] == '"') {
      std::string& field = record.unquoted.emplace_back();
      for (++at;; ++at) {
        if (at == rest.size()) return std::nullopt;
        if (rest[at] == '"' && (at + 1 == rest.size() || rest[at + 1] != '"')) break;
        if (rest[at] == '"') ++at;
        record.lines += rest[at] == '\n';
        field += rest[at];
      }
      ++at;
      record.fields.push_back(field);
    } else {
      const std::size_t end = std::min(rest.find_first_of(",\n", at), rest.size());
      std::string_view field = rest.substr(at, end - at);
      if ((end == rest.size() || rest[end] == '\n') && field.ends_with('\r')) field.remove_suffix(1);
      record.fields.push_back(field);
      at = end;
    }
    if (at < rest.size() && rest[at] == '\r' && (at + 1 == rest.size() || rest[at + 1] == '\n')) ++at;
    if (at == rest.size() || rest[at] == '\n') {
      rest.remove_prefix(std::min(at + 1, rest.size()));
      return record;
    }
    if (rest[at] != ',') return std::nullopt;
    ++at;
  }
}

struct Columns {
  std::optional<std::size_t> attribute, second_moment, count, mean, max_abs;
  std::size_t width = 0;
};

Result<Columns> parse_header(const std::vector<std::string_view>& names) {
  Columns columns;
  for (const std::string_view name : names) {
    const std::size_t place = columns.width++;
    if (name == "attribute") columns.attribute = place;
    if (name == "second_moment") columns.second_moment = place;
    if (name == "count") columns.count = place;
    if (name == "mean") columns.mean = place;
    if (name == "max_abs") columns.max_abs = place;
  }
  if (!columns.attribute || !columns.second_moment)
    return failure(ErrorCode::kInvalidInput,
                   "line 1: the header must name the columns 'attribute' and 'second_moment'");
  return columns;
}

constexpr double kLargestSquare = kLargestMagnitude * kLargestMagnitude;

Result<Moment> parse_row(const Columns& columns, const std::vector<std::string_view>& fields) {
  const auto optional_field =
      [&](const std::optional<std::size_t>& column) -> std::optional<std::string_view> {
    if (!column || fields[*column].empty()) return std::nullopt;
    return fields[*column];
  };
  Moment moment;
  const auto second = finite_number(fields[*columns.second_moment]);
  if (!second || !(*second >= 0 && *second <= kLargestSquare))
    return failure(ErrorCode::kInvalidInput, "second_moment {} must be a number from 0 to {:g}",
                   in_quotes(fields[*columns.second_moment]), kLargestSquare);
  moment.second = *second;
  moment.count = SecondMoments::kCertain;
  if (const auto text = optional_field(columns.count)) {
    const auto count = finite_number(*text);
    if (!count || *count < 0 || std::floor(*count) != *count)
      return failure(ErrorCode::kInvalidInput, "count {} must be a whole number from 0", in_quotes(*text));
    if (*count < SecondMoments::kCertain) moment.count = static_cast<std::uint32_t>(*count);
  }
  if (const auto text = optional_field(columns.mean)) {
    const auto mean = finite_number(*text);
    if (!mean || !(std::abs(*mean) <= kLargestMagnitude))
      return failure(ErrorCode::kInvalidInput, "mean {} must be a number from -{:g} to {:g}",
                     in_quotes(*text), kLargestMagnitude, kLargestMagnitude);
    moment.mean = *mean;
  }
  if (const auto text = optional_field(columns.max_abs)) {
    const auto largest = finite_number(*text);
    if (!largest || !(*largest >= 0 && *largest <= kLargestMagnitude))
      return failure(ErrorCode::kInvalidInput, "max_abs {} must be a number from 0 to {:g}", in_quotes(*text),
                     kLargestMagnitude);
    moment.max_abs = static_cast<float>(*largest);
  }
  return moment;
}

}  // namespace

Result<SecondMoments> parse_moments(std::string_view text, std::size_t dimension) {
  SecondMoments moments(dimension);
  std::vector<bool> given(dimension);
  std::size_t rows = 0;
  double total = 0;
  Columns columns;
  std::size_t line_number = 1;
  std::size_t next_line = 1;
  while (!text.empty()) {
    line_number = next_line;
    const auto record = next_record(text);
    if (!record)
      return failure(
          ErrorCode::kInvalidInput,
          "line {}: a field in quotes must end with a quote, and a comma or the line's end behind it",
          line_number);
    next_line += record->lines;
    const auto& fields = record->fields;
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (columns.width == 0) {
      GLIMPSE_TRY_ASSIGN(columns, parse_header(fields));
      continue;
    }
    if (fields.size() != columns.width)
      return failure(ErrorCode::kInvalidInput, "line {}: {} fields, but the header has {}", line_number,
                     fields.size(), columns.width);
    const auto index = finite_number(fields[*columns.attribute]);
    if (!index || *index < 0 || *index >= static_cast<double>(dimension) || std::floor(*index) != *index)
      return failure(ErrorCode::kInvalidInput, "line {}: attribute {} must be a whole number from 0 to {}",
                     line_number, in_quotes(fields[*columns.attribute]), dimension - 1);
    const auto attribute = static_cast<Attribute>(*index);
    if (given[attribute])
      return failure(ErrorCode::kInvalidInput, "line {}: attribute {} is given twice", line_number,
                     attribute);
    const auto moment = parse_row(columns, fields);
    if (!moment) return failure(ErrorCode::kInvalidInput, "line {}: {}", line_number, moment.error().message);
    moments.set(attribute, *moment);
    given[attribute] = true;
    total += moment->second;
    ++rows;
  }
  if (rows != dimension)
    return failure(ErrorCode::kInvalidInput, "the file has moments of {} attributes, but the dimension is {}",
                   rows, dimension);
  // Above 0 also where the mean is the least of numbers.
  const double floor =
      total > 0 ? std::max(total / static_cast<double>(dimension) * 1e-6, std::numeric_limits<double>::min())
                : 1;
  for (std::size_t i = 0; i < dimension; ++i) {
    Moment moment = moments[i];
    if (moment.second >= floor) continue;
    moment.second = floor;
    moments.set(static_cast<Attribute>(i), moment);
  }
  return moments;
}

}  // namespace glimpse
