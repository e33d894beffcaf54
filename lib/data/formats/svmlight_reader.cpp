#include "data/formats/svmlight_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "data/formats/csv_cells.h"
#include "data/formats/sparse_line.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {
// Behind the label.
std::string_view tokens_of(std::string_view line) {
  line = trimmed(line);
  const char* const end = line.data() + line.size();
  const char* const label_end = find_blank(line.data(), end);
  const auto first = static_cast<std::size_t>(label_end - line.data());
  if (line.substr(0, first).find(':') == std::string_view::npos) line.remove_prefix(first);
  return trimmed(line);
}
constexpr TokenRule kRules[] = {{'#', 0, tokens_of}, {'#', 1, tokens_of}};
}  // namespace

SvmlightReader::SvmlightReader(std::size_t dimension, unsigned index_base, AttributeNames& names,
                               const TextKernel& kernel)
    : dimension_(dimension), index_base_(index_base), names_(names), line_(dimension, index_base, kernel) {}

const TokenRule* SvmlightReader::token_rule() const { return &kRules[index_base_]; }

Status SvmlightReader::open(std::string_view record) {
  has_example_ = false;
  head_ = {};
  names_.keep();
  record = without_mark(record);
  if (is_blank_or_comment(record)) return {};
  GLIMPSE_TRY(names_.check_no_words("svmlight"));
  record = trimmed(record.substr(0, record.find('#')));
  if (record.empty()) return {};

  const char* const begin = record.data();
  const char* const label_end = find_blank(begin, begin + record.size());
  const std::string_view first = record.substr(0, static_cast<std::size_t>(label_end - begin));
  features_ = record;
  if (first.find(':') == std::string_view::npos) {
    features_.remove_prefix(first.size());
    if (first != "?") {
      double label = 0;
      const bool is_number = read_number(first, label);
      if (!is_number && !names_.categories().has_label_words()) {
        const bool is_table = first.find_first_of(",;\t") != std::string_view::npos;
        if (!is_table) return label_is_no_number(first);
        if (trimmed(features_).find(':') != std::string_view::npos)
          return failure(
              ErrorCode::kInvalidInput,
              "{} are several labels, and a line of svmlight has one: sed -E 's/^([^ ,]*),[^ ]*/\\1/' "
              "FILE keeps the first",
              in_quotes(first));
        return failure(ErrorCode::kInvalidInput, "{}: of a table say --format csv",
                       not_a_number("label", first).message);
      }
      GLIMPSE_TRY_ASSIGN(head_.label, is_number ? names_.categories().read_label(label, names_.is_open())
                                                : names_.categories().read_label(first, names_.is_open()));
    }
  }
  // Where there is one, it is mostly here: the rest then is what SparseLine reads.
  features_ = trimmed(features_);
  if (features_.starts_with("qid:")) {
    const char* const query = features_.data();
    features_.remove_prefix(static_cast<std::size_t>(find_blank(query, query + features_.size()) - query));
  }
  has_example_ = true;
  return {};
}

// False when one of them is a number that may not be said, which the slower way names.
bool SvmlightReader::uses_numbers_of_line() { return !head_.label || line_.use_numbers(names_); }

// Calls visit(attribute, text of its value), which returns a Status, for every index:value pair.
template <class Visit>
Status SvmlightReader::for_each_feature(Visit visit) {
  constexpr std::ptrdiff_t kMostDigits = 19;  // of which every number fits 64 bits
  const char* at = features_.data();
  const char* const end = at + features_.size();
  for (;;) {
    at = skip_blanks(at, end);
    if (at == end) return {};
    const char* const field = at;
    std::uint64_t index = 0;
    while (at != end && is_digit(*at) && at - field < kMostDigits) {
      index = index * 10 + static_cast<std::uint64_t>(*at++ - '0');
    }
    const char* const colon = at;
    at = find_blank(at, end);
    if (colon == field || colon == end || *colon != ':') {
      const std::string_view text(field, static_cast<std::size_t>(at - field));
      if (text.starts_with("qid:")) continue;
      return odd_field(text);
    }
    if (index < index_base_ || index - index_base_ >= dimension_) {
      return out_of_range(std::string_view(field, static_cast<std::size_t>(at - field)));
    }
    const auto attribute = static_cast<Attribute>(index - index_base_);
    if (head_.label) {
      if (auto status = names_.use_number(attribute); !status)
        return failure(ErrorCode::kInvalidInput, "index {}: {}", index, status.error().message);
    }
    const std::string_view value(colon + 1, static_cast<std::size_t>(at - colon - 1));
    GLIMPSE_TRY(visit(attribute, value));
  }
}

Status SvmlightReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  if (!has_example_) return no_example();
  // Otherwise the line does not ascend, or something is wrong with it, and the slower way says what.
  if (line_.read(features_, '#', false, attributes) && line_.read_planned(1, values) &&
      uses_numbers_of_line())
    return {};
  // No value of this format is NaN, so NaN stands for "not given so far".
  for (double& value : values) value = std::numeric_limits<double>::quiet_NaN();
  PlanCursor plan(attributes);
  auto status = for_each_feature([&](Attribute attribute, std::string_view text) -> Status {
    const std::size_t i = plan.find(attribute);
    if (i == PlanCursor::kNotPlanned) return {};
    if (!std::isnan(values[i])) return given_twice(attribute);
    if (!read_number(text, values[i])) return bad_value(attribute, text);
    return {};
  });
  for (double& value : values) {
    if (std::isnan(value)) value = 0;
  }
  if (!status) names_.take_back();
  return status;
}

Status SvmlightReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  scratch_.clear();
  if (!has_example_) return no_example();
  if (line_.read(features_, '#', false, {}) && line_.read_all(1, entries) && uses_numbers_of_line())
    return {};
  entries.clear();
  auto status = for_each_feature([&](Attribute attribute, std::string_view text) -> Status {
    scratch_.push_back(attribute);
    Entry& entry = entries.emplace_back(Entry{attribute, 0});
    if (!read_number(text, entry.value)) return bad_value(attribute, text);
    return {};
  });
  if (status) {
    if (const auto twice = repeated_attribute(scratch_)) status = given_twice(*twice);
  }
  if (!status) names_.take_back();
  return status;
}

// Other programs' lines look like these.
std::string SvmlightReader::dialect_hint(std::string_view field) const {
  double number = 0;
  const std::string_view index = field.substr(0, field.find(':'));
  if (!index.empty() && !read_number(index, number)) return {};  // damaged, and no other program's
  if (std::ranges::count(field, ':') == 2)
    return ": LibFFM writes field:index:value: sed -E 's/[0-9]+:([0-9]+:)/\\1/g' FILE | glimpsed "
           "--index-base 0";
  const std::string_view first = features_.substr(0, features_.find_first_of(" \t"));
  // Of an index beyond the model the line may be a question.
  const bool may_be_question = !field.empty() && field.front() != '0' && is_digit(field.front());
  if (head_.label || may_be_question || first.find(':') == std::string_view::npos) return {};
  return ": where lines begin with label:weight, as XGBoost's do, sed -E 's/^([^ :]+):([^ ]+)/\\1 \\2 |/' "
         "FILE "
         "makes vw of them";
}

// What is wrong with a field that does not begin with a short whole number and a colon.
Error SvmlightReader::odd_field(std::string_view field) const {
  const std::size_t colon = field.find(':');
  if (colon == std::string_view::npos) {
    return failure(ErrorCode::kInvalidInput, "field {} is not of the form index:value", in_quotes(field));
  }
  const std::string_view index = field.substr(0, colon);
  std::uint64_t number = 0;
  if (read_index(index, number)) return out_of_range(field);
  return failure(ErrorCode::kInvalidInput, "index {} is not a whole number{}", in_quotes(index),
                 dialect_hint(field));
}

Error SvmlightReader::out_of_range(std::string_view field) const {
  const Error error =
      index_out_of_range(field.substr(0, field.find(':')), dimension_, "svmlight", index_base_);
  const std::string hint = dialect_hint(field);
  return hint.empty() ? error : Error{error.code, error.message + hint};
}

Error SvmlightReader::given_twice(Attribute attribute) const {
  return failure(ErrorCode::kInvalidInput, "index {} is given twice{}",
                 std::uint64_t{attribute} + index_base_, dialect_hint({}));
}

Error SvmlightReader::bad_value(Attribute attribute, std::string_view text) const {
  return failure(ErrorCode::kInvalidInput, "value {} of index {} is not a finite number{}", in_quotes(text),
                 std::uint64_t{attribute} + index_base_,
                 text.find(':') != std::string_view::npos ? dialect_hint("::") : std::string());
}

}  // namespace glimpse
