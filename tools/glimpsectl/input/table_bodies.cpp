#include "glimpsectl/input/table_bodies.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/numbers.h"
#include "data/text/text.h"

namespace glimpse::ctl {

namespace {

constexpr std::size_t kRead = std::size_t{64} << 10;
constexpr std::string_view kMissing = "?";  // in columns of any type

// How the numbers of a column are written; nothing: it has none, or nobody knows. `has_comma`: somebody says
// that it is decimal.
std::optional<NumberForm> number_form_in(const SniffedColumn& column, bool has_comma) {
  if (column.type != SniffedColumn::Type::kNumber) return std::nullopt;
  if (has_comma && column.form != NumberForm::kPointGroups &&
      column.form != NumberForm::kBlankGroupsDecimalComma)
    return NumberForm::kDecimalComma;
  if (!has_comma && (column.is_form_ambiguous || column.may_be_groups)) return std::nullopt;
  return column.form;
}

// 1.234,5 becomes 12345e-1, which a column of any form reads. `has_comma`: 3.5
// is no number.
std::string without_divider(std::string_view field, NumberForm form, bool has_comma) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (std::ranges::all_of(field, is_digit)) return std::string(field);
  const Cell cell = classify_cell(field);
  // An exponent has no unit.
  if (cell.type != CellType::kNumber || !cell.is_bare) return std::string(field);
  ColumnForm column;
  column.type = ColumnForm::Type::kNumber;
  column.form = form;
  std::string number;
  if (!append_in_form(field, column, number))
    return (has_comma && field.find('.') != std::string_view::npos ? "'" : "") + std::string(field);
  if (const std::size_t point = number.find('.'); point != std::string::npos) {
    const std::size_t end = std::min(number.find_first_of("eE"), number.size());
    const auto exponent =
        end < number.size() ? whole_text_as<int>(number.substr(end + (number[end + 1] == '+' ? 2 : 1))) : 0;
    if (!exponent) return std::string(field);
    number = number.substr(0, point) + number.substr(point + 1, end - point - 1) +
             fmt::format("e{}", *exponent - static_cast<int>(end - point - 1));
  }
  return number;
}

}  // namespace

Result<std::unique_ptr<TableBodies>> TableBodies::open(const std::string& path, const std::string& called,
                                                       std::string& format, std::vector<std::string> names,
                                                       const TableOptions& options) {
  GLIMPSE_TRY_ASSIGN(const Format given, parse_format(format.empty() ? "auto" : format));
  std::unique_ptr<TableBodies> table(new TableBodies(path, called, options));
  if (!table->file_.is_open())
    return failure(ErrorCode::kSystem, "'{}' cannot be opened: {}", called, std::strerror(errno));
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return failure(ErrorCode::kInvalidInput, "'{}' is a directory: name a file", called);
  std::string& bytes = table->beginning_;
  std::string_view sample;
  for (bool is_end = false; !is_end && sample.empty(); sample = sample_of(bytes, {})) {
    GLIMPSE_TRY_ASSIGN(const auto more, table->read(kRead));
    is_end = more.empty();
    bytes += more;
  }
  const bool is_whole = sample.empty();
  if (bytes.find_first_not_of(" \t\r\n") == std::string::npos)
    return failure(ErrorCode::kInvalidInput, "'{}' is empty", called);
  TableHints hints = hints_of(options);
  hints.column_names = std::move(names);
  auto sniffed = sniff(is_whole ? bytes : sample, is_whole, given, hints);
  if (!sniffed) return failure(sniffed.error().code, "'{}': {}", called, sniffed.error().message);
  format = name_of(sniffed->format);
  if (sniffed->format != Format::kCsv) return std::unique_ptr<TableBodies>();
  GLIMPSE_TRY(table->take_form(*sniffed));
  return table;
}

Status TableBodies::take_form(const Sniffed& sniffed) {
  const SniffedTable& of = sniffed.table;
  rows_.emplace(of.dialect, sniffed.encoding, sniffed.mark, true);
  for (const SniffedColumn& column : of.columns) {
    if (!of.first_names.empty()) names_.push_back(column.name);
    columns_.push_back({marks_of(options_.missing, column.name, columns_.size() + 1),
                        number_form_in(column, options_.decimal_comma), true, form_of(column),
                        column.type == SniffedColumn::Type::kDate && !column.is_order_ambiguous, std::nullopt,
                        0});
  }
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  for (const ColumnChoice& choice : options_.ignored) {
    const auto column = find(text_of(choice));
    if (!column)
      return failure(ErrorCode::kInvalidInput, "--ignore {}: '{}' has no such column{}", text_of(choice),
                     called_, did_you_mean(choice.name, known));
    columns_[*column].is_sent = false;
  }
  return {};
}

// Up to so many bytes; none at the end.
Result<std::string> TableBodies::read(std::size_t size) {
  std::string bytes(size, '\0');
  in_.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!buffer_.status())
    return failure(buffer_.status().error().code, "'{}': {}", called_, buffer_.status().error().message);
  bytes.resize(static_cast<std::size_t>(in_.gcount()));
  return bytes;
}

std::optional<std::size_t> TableBodies::find(const std::string& column) const {
  const auto named = std::ranges::find(names_, column);
  if (named != names_.end()) return static_cast<std::size_t>(named - names_.begin());
  const ColumnChoice choice = parse_column(column);
  if (choice.kind == ColumnChoice::Kind::kName) return std::nullopt;
  const std::size_t place = choice.kind == ColumnChoice::Kind::kLast ? columns_.size() - 1 : choice.number;
  return place < columns_.size() ? std::optional(place) : std::nullopt;
}

Status TableBodies::keep(const std::vector<std::string>& columns, std::string_view option) {
  for (const std::string& column : columns) {
    const auto place = find(column);
    const std::vector<std::string_view> known(names_.begin(), names_.end());
    if (!place)
      return failure(ErrorCode::kInvalidInput, "{}: '{}' has no column '{}'{}", option, called_, column,
                     names_.empty()
                         ? fmt::format("; without a header they are called #1 to #{}", columns_.size())
                         : did_you_mean(column, known));
    kept_.push_back(*place);
  }
  return {};
}

std::string TableBodies::kept_header() const {
  std::string header;
  for (const std::size_t column : kept_) {
    append_field(names_.empty() ? fmt::format("#{}", column + 1) : names_[column], false, header);
    header += ',';
  }
  return header;
}

void TableBodies::send_only(const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < names_.size(); ++i)
    columns_[i].is_sent = columns_[i].is_sent && std::ranges::find(columns, names_[i]) != columns.end();
}

void TableBodies::expect_dates(const std::string& column, std::string_view begin) {
  if (const auto place = find(column); place && columns_[*place].is_order_known)
    columns_[*place].expected_order = Days::order_of(begin == "day", begin == "year");
}

Status TableBodies::check_dates(const std::vector<std::string_view>& fields) const {
  constexpr std::string_view kBegins[] = {"the month", "the day", "the year"};  // by order
  for (std::size_t i = 0; i < std::min(fields.size(), columns_.size()); ++i) {
    const Column& of = columns_[i];
    if (!of.expected_order || !of.is_sent) continue;
    const Days days = read_days(fields[i]);
    const std::size_t order = Days::order_of(of.written.is_day_first, of.written.is_year_first);
    const double here = days.by_order[order];
    if (days.type != CellType::kDate || std::isnan(here) || here == days.by_order[*of.expected_order])
      continue;
    const std::string name = i < names_.size() ? names_[i] : std::string();
    return failure(ErrorCode::kInvalidInput,
                   "'{}' line {}: dates in {} begin with {}, as {}, and with {} in the tables that the model "
                   "was learned from: write them as 2026-01-31, or leave the column out with --ignore{}",
                   called_, rows_->line(), column_text(i, name), kBegins[order], in_quotes(fields[i]),
                   kBegins[*of.expected_order], column_argument(i, name));
  }
  return {};
}

void TableBodies::keep_words(const std::vector<std::string>& columns) {
  for (const std::string& column : columns)
    if (const auto place = find(column)) columns_[*place].form.reset();
}

std::string TableBodies::query() const {
  return fmt::format("?format=csv&header={}&delimiter=%2C&others=ignore", names_.empty() ? "no" : "yes");
}

std::string TableBodies::sent_cell(std::string_view field, std::size_t column) const {
  if (column >= columns_.size()) return std::string(field);
  const Column& of = columns_[column];
  if (!of.is_sent || is_mark(field, of.missing)) return {};
  return of.form ? without_divider(field, *of.form, options_.decimal_comma) : std::string(field);
}

void TableBodies::append_row(const std::vector<std::string_view>& fields, std::string& text) {
  const std::size_t begin = text.size();
  const bool is_empty = std::ranges::all_of(fields, &std::string_view::empty);
  const std::size_t width = is_empty                    ? columns_.size()
                            : options_.reads_short_rows ? std::max(fields.size(), columns_.size())
                                                        : fields.size();
  bool has_value = false;
  for (std::size_t i = 0; i < width; ++i) {
    if (i > 0) text += ',';
    const std::string cell = i < fields.size() ? sent_cell(fields[i], i) : std::string();
    has_value = has_value || !cell.empty();
    if (i < columns_.size() && !is_missing_cell(cell)) ++columns_[i].values;
    append_field(cell, true, text);
  }
  if (!has_value) text.insert(begin, kMissing);
  text += '\n';
}

std::string TableBodies::body_without_values() {
  std::string other = "-";  // of columns that are not sent, which may be labels
  while (std::ranges::find(names_, other) != names_.end()) other += '-';
  std::string text;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (i > 0) text += ',';
    append_field(columns_[i].is_sent ? names_[i] : other, true, text);
  }
  if (!names_.empty()) text += '\n';
  append_row({}, text);
  return text;
}

Result<std::optional<TableBodies::Body>> TableBodies::next(std::size_t size) {
  Body body;
  if (!names_.empty()) {
    body.text = body_without_values();
    body.text.resize(body.text.find('\n') + 1);
  }
  Status dates;
  const auto take = [&](const std::vector<std::string_view>& fields) {
    if (!names_.empty() && std::ranges::equal(fields, names_, {}, one_line)) {
      ++repeats_;
      return true;
    }
    dates = check_dates(fields);
    if (!dates) return false;
    append_row(fields, body.text);
    body.lines.push_back(rows_->line());
    lines_without_row_ = repeats_ + rows_->passed();
    if (kept_.empty()) return body.text.size() < size;
    std::string kept;
    for (const std::size_t column : kept_) {
      if (column < fields.size()) append_field(fields[column], false, kept);
      kept += ',';
    }
    body.kept.push_back(std::move(kept));
    return body.text.size() < size;
  };
  // What is left of the bytes before comes first.
  for (std::string bytes = std::exchange(beginning_, {});;) {
    rows_->read(bytes, is_end_, take);
    GLIMPSE_TRY(dates);
    if (is_end_ || body.text.size() >= size) break;
    GLIMPSE_TRY_ASSIGN(bytes, read(kRead));
    is_end_ = bytes.empty();
  }
  if (body.lines.empty()) return std::optional<Body>();
  return body;
}

}  // namespace glimpse::ctl
