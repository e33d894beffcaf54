#include "data/auto_reader.h"

#include <utility>

#include "data/text/foreign_file.h"
#include "data/text/text.h"

namespace glimpse {

AutoReader::AutoReader(const FormatOptions& options, AttributeNames& names)
    : options_(options), names_(names) {}

std::size_t AutoReader::line_length(std::string_view rest) {
  if (reader_) return reader_->line_length(rest);
  opening_ = opening_of(rest, question_fields(options_), true);
  return ExampleReader::line_length(rest);
}

std::optional<char> AutoReader::field_delimiter() const {
  return reader_ ? reader_->field_delimiter() : std::nullopt;
}

const TokenRule* AutoReader::token_rule() const { return reader_ ? reader_->token_rule() : nullptr; }

void AutoReader::use_marks(const LineMarks* marks) {
  if (reader_) reader_->use_marks(marks);
}

Status AutoReader::open(std::string_view record) {
  has_example_ = false;
  head_ = {};
  if (!reader_) {
    if (refusal_.empty()) refusal_ = foreign_file(record);
    if (!refusal_.empty()) return Error{ErrorCode::kInvalidInput, refusal_};
    Opening opening = std::exchange(opening_, {});
    if (opening.line.empty()) opening = opening_of(record, question_fields(options_), true);
    if (opening.waits)
      return failure(
          ErrorCode::kInvalidInput,
          "{} may be svmlight's, with no features, or stand above a table, and no line behind it tells: "
          "--format svmlight, or another, says what it is",
          in_quotes(record));
    if (opening.line.empty()) return {};
    reader_ = make_example_reader(detect_format(opening.line), options_, names_);
  }
  auto status = reader_->open(record);
  has_example_ = reader_->has_example();
  head_ = reader_->head();
  return status;
}

Status AutoReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  return reader_ ? reader_->reveal(attributes, values) : no_example();
}

Status AutoReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  return reader_ ? reader_->reveal_all(entries) : no_example();
}

}  // namespace glimpse
