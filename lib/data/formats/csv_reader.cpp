#include "data/formats/csv_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "data/records/record_framer.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 6> kMissing{"", "NA", "N/A", "null", "NULL", "?"};
  for (const std::string_view mark : kMissing) {
    if (field == mark) return true;
  }
  return false;
}

// A row that has so many more than it should is not read to its end only to count them.
constexpr std::size_t kFieldsTooMany = 1000;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// nan and infinity in any spelling: no names of columns, and no numbers either.
bool is_not_finite(std::string_view field) {
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) field.remove_prefix(1);
  std::string lower;
  for (const char c : field.substr(0, 9))
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

}  // namespace

CsvReader::CsvReader(std::size_t dimension, std::size_t label_column, char delimiter, AttributeNames& names,
                     const TextKernel& kernel)
    : dimension_(dimension),
      label_column_(label_column),
      delimiter_(delimiter),
      names_(names),
      kernel_(kernel) {}

void CsvReader::mark(std::string_view text) {
  if (own_blocks_.size() < field_blocks(text.size())) own_blocks_.resize(field_blocks(text.size()));
  marks_ = kernel_.mark_fields(text.data(), text.size(), delimiter_, own_blocks_.data());
  blocks_ = own_blocks_.data();
}

void CsvReader::use_marks(const LineMarks* marks) {
  given_ = marks;
  given_line_ = 0;
  given_begin_ = marks != nullptr ? marks->text : nullptr;
}

std::size_t CsvReader::line_length(std::string_view rest) {
  if (given_begin_ == rest.data() && given_ != nullptr && given_line_ < given_->lines.size()) {
    const LineMarks::Line& line = given_->lines[given_line_++];
    marks_ = line.marks;
    blocks_ = given_->blocks.data() + line.first_block;
    measured_ = rest.data();
    given_begin_ += marks_.length + 1;
    return marks_.length;
  }
  measured_ = nullptr;  // also when there is no memory for the marks
  const std::string_view window = rest.substr(0, window_);
  mark(window);
  if (marks_.length < window.size() || window.size() == rest.size()) {
    measured_ = rest.data();
    return marks_.length;
  }
  const std::size_t length = window.size() + length_of_line(rest.substr(window.size()));
  window_ = 2 * length;
  return length;
}

Status CsvReader::open(std::string_view record) {
  const char* const measured = std::exchange(measured_, nullptr);
  has_example_ = false;
  head_ = {};
  names_.keep();
  if (at_first_row_ && record.starts_with("\xef\xbb\xbf")) record.remove_prefix(3);  // a byte order mark
  if (is_blank_row(record)) return {};
  if (!refusal_.empty()) {
    return failure(ErrorCode::kInvalidInput, "row refused, as the header was: {}", refusal_);
  }
  record_ = record;
  // Without the '\r' before a newline there are as many delimiters.
  if (measured != record.data() || marks_.length - record.size() > 1) mark(record);
  if (!marks_.has_quote) {
    // Before a first row is divided, however many fields it has.
    if (auto status = check_width(marks_.delimiters + 1); !status) return status;
  }
  if (marks_.has_quote || at_first_row_) {
    if (auto status = split_.split(record, delimiter_, dimension_ + kFieldsTooMany); !status) return status;
  }
  const std::size_t width = marks_.has_quote ? split_.fields().size() : marks_.delimiters + 1;
  if (auto status = check_width(width); !status) return status;
  has_label_column_ = width == dimension_ + 1;
  if (at_first_row_) {
    at_first_row_ = false;
    if (is_header()) return read_header();
  }
  if (has_label_column_) {
    if (auto status = read_label(trimmed(label_field())); !status) return status;
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
    const std::string_view field = split_.fields()[column];
    // Noise that happens to have the right number of commas must not name the attributes for good.
    if (std::any_of(field.begin(), field.end(), is_control)) {
      auto error = failure(ErrorCode::kInvalidInput,
                           "the row would be a header, but the name of column {} has control characters: {}",
                           column + 1, quoted(field));
      refusal_ = error.message;
      return error;
    }
    if (!has_label_column_ || column != label_column_) names.emplace_back(field);
  }
  auto status = names_.fix(names);
  if (!status) refusal_ = status.error().message;
  return status;
}

std::string_view CsvReader::field_of(const Place& place) const {
  return std::string_view(record_.data() + place.begin, place.end - place.begin);
}

std::string_view CsvReader::label_field() const {
  if (marks_.has_quote) return split_.fields()[label_column_];
  Place place{0, record_.size()};
  if (label_column_ == 0) {
    for (const FieldBlock* block = blocks_; marks_.delimiters > 0; ++block) {
      if (block->delimiters == 0) continue;
      place.end = static_cast<std::size_t>(block - blocks_) * 64 +
                  static_cast<std::size_t>(std::countr_zero(block->delimiters));
      break;
    }
    return field_of(place);
  }
  const auto column = static_cast<Attribute>(label_column_);
  kernel_.locate_fields(blocks_, record_.size(), marks_.delimiters, {&column, 1}, &place);
  return field_of(place);
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

Status CsvReader::use_numbers() { return head_.label ? names_.use_all_numbers() : Status(); }

Status CsvReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  if (!has_example_) return no_example();
  columns_.assign(attributes.begin(), attributes.end());
  if (has_label_column_) {
    for (Attribute& column : columns_) column += static_cast<Attribute>(column >= label_column_);
  }
  places_.resize(columns_.size());
  if (marks_.has_quote) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (auto status = read_value(columns_[i], split_.fields()[columns_[i]], values[i]); !status)
        return status;
    }
    return use_numbers();
  }
  kernel_.locate_fields(blocks_, record_.size(), marks_.delimiters, columns_, places_.data());
  // Numbers are read many at once; the other fields, which are missing, padded or wrong, one by one.
  kernel_.read_numbers(record_.data(), places_.data(), places_.size(), values.data());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!std::isnan(values[i])) continue;
    if (auto status = read_value(columns_[i], field_of(places_[i]), values[i]); !status) return status;
  }
  return use_numbers();
}

Status CsvReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  if (!has_example_) return no_example();
  // The label is read as well, and its entry then becomes that of the attribute behind it, or is taken away.
  const std::size_t width = dimension_ + (has_label_column_ ? 1 : 0);
  const std::size_t label_column = has_label_column_ ? label_column_ : width;
  entries.resize(width);
  constexpr std::size_t kAtOnce = 64;
  std::array<Place, kAtOnce> places{};
  std::array<double, kAtOnce> values;
  const FieldBlock* block = blocks_;
  std::uint64_t ends = block->delimiters;  // those of the block that are left
  std::size_t begin = 0;
  for (std::size_t first = 0; first < width; first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, width - first);
    if (marks_.has_quote) {
      values.fill(std::numeric_limits<double>::quiet_NaN());
    } else {
      const std::size_t delimited = std::min(count, marks_.delimiters - first);
      for (std::size_t i = 0; i < delimited; ++i) {
        while (ends == 0) ends = (++block)->delimiters;
        places[i].begin = begin;
        places[i].end =
            static_cast<std::size_t>(block - blocks_) * 64 + static_cast<std::size_t>(std::countr_zero(ends));
        begin = places[i].end + 1;
        ends &= ends - 1;
      }
      if (delimited < count) places[delimited] = Place{begin, record_.size()};
      kernel_.read_numbers(record_.data(), places.data(), count, values.data());
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t column = first + i;
      if (std::isnan(values[i])) {
        const std::string_view field = marks_.has_quote ? split_.fields()[column] : field_of(places[i]);
        if (auto status = read_value(column, field, values[i]); !status) return status;
      }
      const auto attribute = static_cast<Attribute>(column - static_cast<std::size_t>(column > label_column));
      entries[attribute] = Entry{attribute, values[i]};
    }
  }
  entries.resize(dimension_);
  return use_numbers();
}

}  // namespace glimpse
