#include "data/formats/dialect_reader.h"

#include <algorithm>
#include <utility>

#include "data/formats/csv_cells.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

// What divides the fields of rows.
char row_delimiter(const Dialect& dialect) {
  const std::string& delimiter = dialect.delimiter;
  return delimiter.size() == 1 && delimiter != " " && word_of_delimiter(delimiter[0]) ? delimiter[0] : ',';
}

TableOptions of_rows(TableOptions options, const TableForm& form) {
  const bool has_header = form.dialect.header_records > 0 || !form.names.empty();
  options = form.with_label(std::move(options));
  options.delimiter = row_delimiter(form.dialect);
  options.header = has_header ? HeaderChoice::kYes : HeaderChoice::kNo;
  options.decimal_comma = false;
  options.are_lines = false;
  options.goes_on = true;  // a row is never the beginning of a file
  return options;
}

}  // namespace

bool is_plain(const TableForm& form) {
  const Dialect& dialect = form.dialect;
  return dialect.encoding == Encoding::kUtf8 && dialect.delimiter.size() == 1 &&
         word_of_delimiter(dialect.delimiter[0]) && !dialect.divides_by_runs && dialect.quote == '"' &&
         dialect.escape == 0 && dialect.line_end == '\n' &&
         (dialect.comment == 0 || dialect.comment == '#') && dialect.preamble_lines == 0 &&
         dialect.header_records <= 1 && !form.renames &&
         std::ranges::all_of(form.columns, &ColumnForm::is_plain);
}

void declare_dates(const TableForm& form, const TableLayout& layout, AttributeNames& names) {
  for (std::size_t i = 0; i < form.columns.size(); ++i) {
    const ColumnForm& column = form.columns[i];
    if (!column.holds_days()) continue;
    std::optional<Attribute> attribute;
    if (i < form.names.size())
      attribute = names.find(form.names[i]);
    else if (i < layout.width())
      attribute = layout.attribute(i, true);
    if (!attribute) continue;
    names.categories().declare_date(
        {*attribute, column.date_parts,
         [column](std::string_view text, double& days) { return read_in_form(text, column, days); }});
  }
}

DialectReader::DialectReader(std::shared_ptr<const TableForm> form, const TableOptions& options,
                             AttributeNames& names, TableLayout* known, const TextKernel& kernel)
    : form_(std::move(form)),
      names_(names),
      inner_(of_rows(options, *form_), names, known, kernel),
      splitter_(form_->dialect),
      open_quote_(form_->dialect),
      are_lines_(options.are_lines),
      delimiter_(row_delimiter(form_->dialect)),
      may_be_in_place_(form_->dialect.delimiter == std::string_view(&delimiter_, 1) &&
                       !form_->dialect.divides_by_runs && form_->dialect.quote == '"' &&
                       form_->dialect.line_end == '\n' && !form_->is_arff()),
      is_sampled_(options.is_sampled),
      may_be_utf8_(options.may_be_utf8),
      header_(options.header),
      preamble_left_(is_sampled_ && !options.goes_on ? form_->dialect.preamble_lines : 0),
      header_left_(is_sampled_ && header_ != HeaderChoice::kNo ? form_->dialect.header_records : 0) {
  inner_.set_forms(form_->columns);
}

// Of a stream of which no sample was read: whether its first record has names of the form's columns.
bool DialectReader::has_names() const {
  if (header_ != HeaderChoice::kAuto) return header_ == HeaderChoice::kYes;
  const auto is_name = [this](std::string_view raw) {
    const std::string field = one_line(raw);
    return !field.empty() && (std::ranges::find(form_->names, field) != form_->names.end() ||
                              std::ranges::find(form_->header, field) != form_->header.end());
  };
  return std::ranges::any_of(splitter_.fields(), is_name) && !is_row();
}

// Whether the numbers and times of the record are of the form, and it has some.
bool DialectReader::is_row() const {
  const auto& columns = form_->columns;
  const auto& fields = splitter_.fields();
  if (fields.size() != columns.size()) return false;
  bool has_number = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ColumnForm& column = columns[i];
    if (!column.is_read_as_number()) continue;
    double value = 0;
    const bool is_number = read_in_form(fields[i], column, value);
    const bool is_missing =
        is_missing_cell(fields[i]) || is_missing_number(fields[i]) || is_mark(fields[i], column.missing);
    if (!is_number && !is_missing) return false;
    has_number = has_number || is_number;
  }
  return has_number;
}

Status DialectReader::open(std::string_view record) {
  has_example_ = false;
  head_ = {};
  const Dialect& dialect = form_->dialect;
  if (dialect.encoding != Encoding::kUtf8 && !(may_be_utf8_ && is_utf8(record))) {
    text_.clear();
    append_as_utf8(record, dialect.encoding, text_);
    record = text_;
  }
  record = without_mark(record);
  if (is_in_place(record)) return open_row(record);
  const bool is_blank = record.empty() || (splitter_.split(record, true), splitter_.is_blank());
  if (preamble_left_ > 0) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(record, dialect.line_end)) + 1;
    preamble_left_ -= std::min(preamble_left_, lines);
    return {};
  }
  const bool has_quote = dialect.quote != 0 && record.find(dialect.quote) != std::string_view::npos;
  if (are_lines_ && (open_quote_.is_open() || (has_quote && !splitter_.is_comment())))
    GLIMPSE_TRY(open_quote_.take(record));
  if (splitter_.is_comment() && form_->is_arff()) return take_arff(record);
  if (is_blank || splitter_.is_comment() || splitter_.has_delimiters_alone()) return {};
  if (header_left_ > 0) {
    --header_left_;
    const bool is_known = dialect.header_records == 1 && (!form_->renames || !form_->header.empty());
    if (!is_known) return header_left_ > 0 ? Status() : begin_with(form_->names);
    if (has_names())
      return open_header(
          {splitter_.fields().begin(),
           splitter_.fields().end()});  // else as in a partition of which another one has the header
  }
  if (!has_begun_ && !is_sampled_ && has_names())
    return open_header({splitter_.fields().begin(), splitter_.fields().end()});
  if (units_left_ > 0 && --units_left_ > 0 && !is_row()) return {};
  units_left_ = 0;
  if (!has_begun_ && !form_->names.empty()) GLIMPSE_TRY(begin_with(form_->names));
  has_begun_ = true;
  GLIMPSE_TRY(splitter_.status());
  row_.clear();
  const auto& fields = splitter_.fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) row_ += delimiter_;
    append_field(fields[i], true, row_, delimiter_);
  }
  return open_row(row_);
}

// Whether a record that is no first row divides at its delimiters alone, and holds an example.
bool DialectReader::is_in_place(std::string_view record) const {
  if (!may_be_in_place_ || !has_dates_declared_ || open_quote_.is_open()) return false;
  const std::string_view content = trimmed(record);
  const auto is_text = [this](char c) { return c != delimiter_ && !is_blank(c); };
  return std::ranges::any_of(content, is_text) && content[0] != '#' && content[0] != form_->dialect.comment &&
         content.find('"') == std::string_view::npos && content.find('\r') == std::string_view::npos;
}

Status DialectReader::open_row(std::string_view row) {
  Status status = inner_.open(row);
  if (!has_dates_declared_) declare_dates(*form_, inner_.layout(), names_);
  has_dates_declared_ = inner_.layout().width() > 0;
  has_example_ = inner_.has_example();
  head_ = inner_.head();
  return status;
}

Status DialectReader::take_arff(std::string_view line) {
  GLIMPSE_TRY(arff_.take(line));
  if (!arff_.is_whole() || arff_.attributes().empty()) return {};
  const ArffHeader header = std::exchange(arff_, {});
  std::vector<std::string> names;
  for (const ArffAttribute& attribute : header.attributes()) names.push_back(attribute.name);
  return open_header(std::move(names));
}

// A header of this stream, whose columns are known by their names.
Status DialectReader::open_header(std::vector<std::string> names) {
  forms_.clear();
  if (form_->renames && names[0].starts_with('#')) names[0] = trimmed(std::string_view(names[0]).substr(1));
  for (std::string& name : names) {
    name = one_line(name);
    const auto renamed = std::ranges::find(form_->header, name);
    const auto place = renamed != form_->header.end()
                           ? renamed - form_->header.begin()
                           : std::ranges::find(form_->names, name) - form_->names.begin();
    const auto column = static_cast<std::size_t>(place);
    if (column < form_->names.size()) name = form_->names[column];
    forms_.push_back(column < form_->columns.size() ? form_->columns[column] : ColumnForm());
  }
  inner_.set_forms(forms_);
  units_left_ = is_sampled_ ? 0 : form_->dialect.header_records;
  return begin_with(names);
}

Status DialectReader::begin_with(const std::vector<std::string>& names) {
  has_begun_ = true;
  row_.clear();
  for (const std::string& name : names) {
    if (&name != &names.front()) row_ += delimiter_;
    append_field(name, true, row_, delimiter_);
  }
  return inner_.open(row_);
}

Status DialectReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  return has_example_ ? inner_.reveal(attributes, values) : no_example();
}

Status DialectReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  return has_example_ ? inner_.reveal_all(entries) : no_example();
}

}  // namespace glimpse
