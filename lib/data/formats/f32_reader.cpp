#include "data/formats/f32_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "data/records/npy_header.h"
#include "data/text/text.h"

namespace glimpse {

static_assert(std::endian::native == std::endian::little, "rows are read as they lie in memory");

namespace {

float number_at(std::string_view record, std::size_t index) {
  float value = 0;
  std::memcpy(&value, record.data() + index * sizeof(float), sizeof(float));
  return value;
}

// Rows of singles have bytes that are none; those of a few numbers, as 3.0039, may be letters alone.
bool is_text(std::string_view record) {
  constexpr std::size_t kLeast = 12;
  const auto is_printed = [](char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
  };
  return record.size() >= kLeast && std::all_of(record.begin(), record.end(), is_printed) &&
         record.find_first_of("0123456789") != std::string_view::npos &&
         record.find_first_of(", \t\n;:|") != std::string_view::npos;
}

}  // namespace

std::size_t f32_row_bytes(std::size_t dimension) { return (dimension + 1) * sizeof(float); }

F32Reader::F32Reader(std::size_t dimension, AttributeNames& names, Header header)
    : dimension_(dimension), names_(names), header_(header), at_header_(header == Header::kNpy) {}

Status F32Reader::read_header(std::string_view header) {
  at_header_ = false;
  const auto length = npy_header_length(header);
  Status status;
  if (!length) {
    status = length.error();
  } else if (*length != header.size()) {
    status = failure(ErrorCode::kInvalidInput, "the .npy header is cut short after {} bytes", header.size());
  } else {
    status = check_npy_header(header, dimension_ + 1);
  }
  if (!status) refusal_ = status.error().message;
  if (status) rows_ = npy_rows(header);
  rows_read_ = 0;
  return status;
}

Status F32Reader::open(std::string_view record) {
  has_example_ = false;
  head_ = {};
  names_.keep();
  if (at_header_) return read_header(record);
  if (header_ == Header::kNpy && begins_npy_header(record))  // as no number begins
    if (const auto length = npy_header_length(record); length && *length == record.size())
      return read_header(record);
  GLIMPSE_TRY(names_.check_no_words("rows of f32"));
  if (!refusal_.empty())
    return failure(ErrorCode::kInvalidInput, "row refused, as the first was: {}", refusal_);
  if (record.size() != f32_row_bytes(dimension_)) {
    return failure(ErrorCode::kInvalidInput, "row has {} bytes; a row of dimension {} has {}", record.size(),
                   dimension_, f32_row_bytes(dimension_));
  }
  if (at_first_row_ && is_text(record)) {
    refusal_ = fmt::format("{} is text, and no row of 32-bit numbers: --format csv, svmlight, vw or ndjson",
                           in_quotes(record.substr(0, 24)));
    return failure(ErrorCode::kInvalidInput, "{}", refusal_);
  }
  if (rows_read_ == rows_)
    return failure(ErrorCode::kInvalidInput, "row is behind the last that the .npy header says");
  ++rows_read_;
  at_first_row_ = false;
  const float label = number_at(record, 0);
  if (std::isinf(label)) {
    return failure(ErrorCode::kInvalidInput, "label '{}' is not a finite number", label);
  }
  if (!std::isnan(label)) {
    GLIMPSE_TRY_ASSIGN(head_.label,
                       names_.categories().read_label(static_cast<double>(label), names_.is_open()));
  }
  record_ = record;
  has_example_ = true;
  return {};
}

Status F32Reader::read_attribute(Attribute attribute, double& value) const {
  value = number_at(record_, std::size_t{attribute} + 1);
  if (std::isinf(value)) {
    return failure(ErrorCode::kInvalidInput, "value '{}' of attribute {} is not a finite number", value,
                   attribute);
  }
  return {};
}

Status F32Reader::check_end() const {
  if (rows_.value_or(rows_read_) == rows_read_) return {};
  return failure(ErrorCode::kInvalidInput,
                 "the array ends after {} of the {} rows that its .npy header says: the others are missing",
                 rows_read_, *rows_);
}

Status F32Reader::use_numbers() { return head_.label ? names_.use_all_numbers() : Status(); }

Status F32Reader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  if (!has_example_) return no_example();
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    GLIMPSE_TRY(read_attribute(attributes[i], values[i]));
  }
  return use_numbers();
}

Status F32Reader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  if (!has_example_) return no_example();
  for (std::size_t a = 0; a < dimension_; ++a) {
    Entry& entry = entries.emplace_back(Entry{static_cast<Attribute>(a), 0});
    GLIMPSE_TRY(read_attribute(entry.attribute, entry.value));
  }
  return use_numbers();
}

void F32Reader::prefetch(std::string_view record, std::span<const Attribute> attributes) const {
  if (record.size() < f32_row_bytes(dimension_)) return;
  __builtin_prefetch(record.data());
  for (const Attribute a : attributes)
    __builtin_prefetch(record.data() + (std::size_t{a} + 1) * sizeof(float));
}

}  // namespace glimpse
