#include "data/formats/dialect_reader.h"

#include <algorithm>
#include <utility>

#include "data/formats/csv_cells.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

TableOptions of_rows(TableOptions options, const TableForm& form) {
  const bool has_header = form.dialect.header_records > 0 || !form.names.empty();
  options.delimiter = ',';
  options.header = has_header ? HeaderChoice::kYes : HeaderChoice::kNo;
  options.decimal_comma = false;
  options.goes_on = true;  // a row is never the beginning of a file
  return options;
}

bool has_line_end(std::string_view name) { return name.find_first_of("\r\n") != std::string_view::npos; }

// A line end is a blank, as a row is a line.
void append_field(std::string_view field, std::string& to) {
  if (!field.starts_with('#') && field.find_first_of(",\"\r\n") == std::string_view::npos) {
    to += field;
    return;
  }
  to += '"';
  for (const char c : field) {
    if (c == '"') to += c;
    to += c == '\n' || c == '\r' ? ' ' : c;
  }
  to += '"';
}

}  // namespace

bool is_plain(const TableForm& form) {
  const Dialect& dialect = form.dialect;
  return dialect.encoding == Encoding::kUtf8 && dialect.delimiter.size() == 1 &&
         word_of_delimiter(dialect.delimiter[0]) && !dialect.divides_by_runs &&
         (dialect.quote == '"' || dialect.quote == 0) && dialect.escape == 0 && dialect.line_end == '\n' &&
         (dialect.comment == 0 || dialect.comment == '#') && dialect.preamble_lines == 0 &&
         dialect.header_records <= 1 && std::ranges::none_of(form.names, has_line_end) &&
         std::ranges::all_of(form.columns, &ColumnForm::is_plain);
}

DialectReader::DialectReader(std::shared_ptr<const TableForm> form, const TableOptions& options,
                             AttributeNames& names, TableLayout* known, const TextKernel& kernel)
    : form_(std::move(form)),
      inner_(of_rows(options, *form_), names, known, kernel),
      splitter_(form_->dialect),
      preamble_left_(options.goes_on ? 0 : form_->dialect.preamble_lines),
      header_left_(options.header == HeaderChoice::kNo ? 0 : form_->dialect.header_records) {}

bool DialectReader::has_names_in_any_order() const {
  if (form_->names.empty() || form_->dialect.header_records != 1) return false;
  const auto& fields = splitter_.fields();
  return std::ranges::is_permutation(fields, form_->names);
}

// Whether the record is a row of the form where a header may stand.
bool DialectReader::is_row() const {
  const auto& columns = form_->columns;
  const auto& fields = splitter_.fields();
  if (fields.size() != columns.size() || (header_left_ > 0 && form_->names.empty())) return false;
  bool has_number = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ColumnForm& column = columns[i];
    if (column.type != ColumnForm::Type::kNumber && column.type != ColumnForm::Type::kTime) continue;
    double value = 0;
    const bool is_number = read_in_form(fields[i], column, value);
    const bool is_missing = is_missing_cell(fields[i]) || is_missing_number(fields[i]) ||
                            std::ranges::find(column.missing, fields[i]) != column.missing.end();
    if (!is_number && !is_missing) return false;
    has_number = has_number || is_number;
  }
  return has_number;
}

Status DialectReader::open(std::string_view record) {
  has_example_ = false;
  head_ = {};
  const Dialect& dialect = form_->dialect;
  if (dialect.encoding != Encoding::kUtf8) {
    text_.clear();
    append_as_utf8(record, dialect.encoding, text_);
    record = text_;
  }
  record = without_mark(record);
  const bool is_blank = record.empty() || (splitter_.split(record, true), splitter_.is_blank());
  if (preamble_left_ > 0) {
    if (is_blank || !(has_names_in_any_order() || is_row())) {
      const auto lines = static_cast<std::size_t>(std::ranges::count(record, dialect.line_end)) + 1;
      preamble_left_ -= std::min(preamble_left_, lines);
      return {};
    }
    preamble_left_ = 0;
  }
  if (is_blank || splitter_.is_comment() || splitter_.has_delimiters_alone()) return {};
  if (header_left_ > 0 && header_.empty() && !has_names_in_any_order() && is_row()) header_left_ = 0;
  if (header_left_ > 0) return open_header();
  if (!std::exchange(has_begun_, true) && !form_->names.empty()) {
    write_names(form_->names);
    GLIMPSE_TRY(inner_.open(row_));
  }
  row_.clear();
  const auto& fields = splitter_.fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) row_ += ',';
    write_cell(fields[i], order_.empty() || i >= order_.size() ? i : order_[i]);
  }
  Status status = inner_.open(row_);
  has_example_ = inner_.has_example();
  head_ = inner_.head();
  return status;
}

Status DialectReader::open_header() {
  const auto& fields = splitter_.fields();
  header_.resize(std::max(header_.size(), fields.size()));
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (!fields[i].empty()) header_[i].append(header_[i].empty() ? "" : " ").append(fields[i]);
  if (--header_left_ > 0) return {};
  has_begun_ = true;
  const auto& names = form_->names;
  if (has_names_in_any_order())
    for (const std::string& name : header_)
      order_.push_back(static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()));
  write_names(names.empty() || !order_.empty() ? header_ : names);
  return inner_.open(row_);
}

template <class Fields>
void DialectReader::write_names(const Fields& names) {
  row_.clear();
  for (const auto& name : names) {
    if (&name != &names.front()) row_ += ',';
    append_field(name, row_);
  }
}

void DialectReader::write_cell(std::string_view cell, std::size_t column) {
  if (column >= form_->columns.size()) return append_field(cell, row_);
  const ColumnForm& form = form_->columns[column];
  if (std::ranges::find(form.missing, cell) != form.missing.end()) return;
  const bool is_number = form.type == ColumnForm::Type::kNumber || form.type == ColumnForm::Type::kTime;
  if (is_number && is_missing_number(cell)) return;
  if (form.is_plain() || !append_in_form(cell, form, row_)) append_field(cell, row_);
}

Status DialectReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  return has_example_ ? inner_.reveal(attributes, values) : no_example();
}

Status DialectReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  return has_example_ ? inner_.reveal_all(entries) : no_example();
}

}  // namespace glimpse
