#include "data/csv_reader.h"

#include <array>
#include <cctype>
#include <limits>

#include "data/delimiters.h"
#include "data/number.h"
#include "data/text.h"

namespace glimpse {

namespace {

bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 6> kMissing{"", "NA", "N/A", "null", "NULL", "?"};
  for (const std::string_view mark : kMissing) {
    if (field == mark) return true;
  }
  return false;
}

// nan and infinity in any spelling: no names of columns, and no numbers either.
bool is_not_finite(std::string_view field) {
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) field.remove_prefix(1);
  std::string lower;
  for (const char c : field.substr(0, 9))
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

}  // namespace

CsvReader::CsvReader(std::size_t dimension, std::size_t label_column, char delimiter, AttributeNames& names)
    : dimension_(dimension), label_column_(label_column), delimiter_(delimiter), names_(names) {}

Status CsvReader::open(std::string_view record) {
  has_example_ = false;
  head_ = {};
  if (at_first_row_ && record.starts_with("\xef\xbb\xbf")) record.remove_prefix(3);  // a byte order mark
  if (is_blank_row(record)) return {};
  if (!refusal_.empty()) {
    return failure(ErrorCode::kInvalidInput, "row refused, as the header was: {}", refusal_);
  }
  record_ = record;
  has_quotes_ = record.find('"') != std::string_view::npos;
  if (has_quotes_ || at_first_row_) {
    if (auto status = split_.split(record, delimiter_); !status) return status;
  }
  const std::size_t width = has_quotes_ ? split_.fields().size() : count_delimiters(record, delimiter_) + 1;
  if (auto status = check_width(width); !status) return status;
  has_label_column_ = width == dimension_ + 1;
  if (at_first_row_) {
    at_first_row_ = false;
    if (is_header()) return read_header();
  }
  if (has_label_column_) {
    std::string_view label;
    if (has_quotes_) {
      label = split_.fields()[label_column_];
    } else if (label_column_ == dimension_) {
      label = record.substr(record.rfind(delimiter_) + 1);
    } else {
      const char* const start = record.data();
      const char* const end = start + record.size();
      const char* const begin = behind_delimiter(start, end, delimiter_, label_column_);
      label = std::string_view(begin, static_cast<std::size_t>(end - begin));
      label = label.substr(0, label.find(delimiter_));
    }
    if (auto status = read_label(trimmed(label)); !status) return status;
  }
  has_example_ = true;
  return {};
}

// Tabs are no blanks where they divide fields: a row of empty fields is a row.
bool CsvReader::is_blank_row(std::string_view record) const {
  return is_blank_or_comment(record) && (delimiter_ != '\t' || record.find('\t') == std::string_view::npos);
}

Status CsvReader::check_width(std::size_t width) const {
  if (width == dimension_ || (width == dimension_ + 1 && label_column_ <= dimension_)) return {};
  return failure(ErrorCode::kInvalidInput,
                 "row has {} fields; a model of dimension {} needs {} (label and attributes) or {} "
                 "(attributes alone, to "
                 "get a prediction)",
                 width, dimension_, dimension_ + 1, dimension_);
}

bool CsvReader::is_header() const {
  for (const std::string_view text : split_.fields()) {
    const std::string_view field = trimmed(text);
    double number = 0;
    if (!is_missing(field) && !read_number(field, number) && !is_not_finite(field)) return true;
  }
  return false;
}

Status CsvReader::read_header() {
  std::vector<std::string> names;
  for (std::size_t column = 0; column < split_.fields().size(); ++column) {
    if (!has_label_column_ || column != label_column_) names.emplace_back(split_.fields()[column]);
  }
  auto status = names_.fix(names);
  if (!status) refusal_ = status.error().message;
  return status;
}

Status CsvReader::read_label(std::string_view field) {
  double label = 0;
  if (read_number(field, label)) {
    head_.label = label;
  } else if (!is_missing(field)) {
    return not_a_number("label", field);
  }
  return {};
}

Status CsvReader::read_value(std::size_t column, std::string_view field, double& value) const {
  field = trimmed(field);
  if (read_number(field, value)) return {};
  if (is_missing(field)) {
    value = std::numeric_limits<double>::quiet_NaN();
    return {};
  }
  return failure(ErrorCode::kInvalidInput, "value {} in field {} is not a finite number{}", quoted(field),
                 column + 1,
                 is_not_finite(field) ? ": leave the field empty or write NA where it is missing" : "");
}

std::size_t CsvReader::column_of(Attribute attribute) const {
  return has_label_column_ && attribute >= label_column_ ? std::size_t{attribute} + 1 : attribute;
}

// Walks to the columns column_at(0), …, column_at(count − 1), which ascend, and has each value read into the
// place that the second answer of column_at names.
template <class Visit>
Status CsvReader::for_each_column(std::size_t count, const Visit& column_at) const {
  const char* const end = record_.data() + record_.size();
  const char* at = record_.data();
  std::size_t column = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [wanted, value] = column_at(i);
    std::string_view field;
    if (has_quotes_) {
      field = split_.fields()[wanted];
    } else {
      at = behind_delimiter(at, end, delimiter_, wanted - column);
      column = wanted;
      const char* field_end = at;
      while (field_end != end && *field_end != delimiter_) ++field_end;
      field = std::string_view(at, static_cast<std::size_t>(field_end - at));
    }
    if (auto status = read_value(wanted, field, *value); !status) return status;
  }
  return {};
}

Status CsvReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  if (!has_example_) return no_example();
  return for_each_column(attributes.size(),
                         [&](std::size_t i) { return std::pair(column_of(attributes[i]), &values[i]); });
}

Status CsvReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  if (!has_example_) return no_example();
  for (std::size_t a = 0; a < dimension_; ++a) entries.push_back(Entry{static_cast<Attribute>(a), 0});
  return for_each_column(dimension_, [&](std::size_t i) {
    return std::pair(column_of(entries[i].attribute), &entries[i].value);
  });
}

}  // namespace glimpse
