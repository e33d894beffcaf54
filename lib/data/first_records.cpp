#include "data/first_records.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/date_parts.h"
#include "data/formats/csv_cells.h"
#include "data/formats/ndjson_reader.h"
#include "data/records/cell.h"
#include "data/records/npy_header.h"
#include "data/text/arff.h"
#include "data/text/foreign_file.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

Error needs_dimension(Format format) {
  const bool is_rows = format == Format::kF32;
  return failure(
      ErrorCode::kInvalidInput, "{} does not tell how many attributes there are{}: give --dimension D{}",
      name_of(format), is_rows ? "" : ", as what is 0 is left out of a line",
      is_rows ? "; a row has the label and D attributes" : ", or --attributes FILE with their names");
}

// Records that are neither blank nor comments. Lines of CR alone are one.
class Rows {
 public:
  Rows(std::string_view bytes, bool is_whole, bool has_comments = true)
      : rest_(without_mark(bytes)),
        is_whole_(is_whole ||
                  (bytes.find('\n') == std::string_view::npos && bytes.find('\r') != std::string_view::npos)),
        has_comments_(has_comments) {}

  /// False: no other row is there.
  bool next(std::string_view& row) {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      if (end == std::string_view::npos && !is_whole_) return false;
      row = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      if (!is_blank_or_comment(row) || (!has_comments_ && !trimmed(row).empty())) return true;
    }
    return false;
  }

 private:
  std::string_view rest_;
  const bool is_whole_;
  const bool has_comments_;
};

// A value of JSON as a cell of a table. Numbers are read as they are, whatever the form of the others.
std::string_view cell_of(const boost::json::value& value) {
  if (value.is_number() || value.is_bool()) return "0";
  return value.is_string() ? trimmed({value.get_string().data(), value.get_string().size()})
                           : std::string_view();
}

void note_column(FirstRecords& first, const SniffedColumn& column, std::optional<Attribute> attribute,
                 std::string_view called, std::string_view argument) {
  for (const std::string& note : notes_of(column, argument, !attribute))
    first.remarks.push_back(fmt::format("{}: {}", called, note));
  if (attribute && are_many_odd(column)) first.odd.push_back(*attribute);
}

// The shape of an array tells it.
Result<std::optional<FirstRecords>> read_npy(std::string_view bytes, bool is_whole) {
  GLIMPSE_TRY_ASSIGN(const auto length, npy_header_length(bytes));
  if (length == 0 && !is_whole) return std::optional<FirstRecords>();
  if (length == 0) return failure(ErrorCode::kInvalidInput, "the .npy header is cut short");
  GLIMPSE_TRY_ASSIGN(const auto columns, npy_columns(bytes.substr(0, length)));
  GLIMPSE_TRY(check_npy_header(bytes.substr(0, length), columns));
  FirstRecords first;
  first.format = Format::kNpy;
  first.dimension = columns - 1;
  return std::optional(std::move(first));
}

using RowFields = std::vector<std::string_view>;

Status lay_out(FirstRecords& first, const RowFields& row, const TableOptions& options) {
  AttributeNames unknown(0);
  const std::size_t beside = TableLayout::beside_attributes(options);
  if (!first.has_header && row.size() <= beside)
    return failure(
        ErrorCode::kInvalidInput,
        "the first row has {} field{}, which leaves no attribute beside the label{}: is it a table, "
        "and --delimiter right?",
        row.size(), row.size() == 1 ? "" : "s", beside == 1 ? "" : " and what other options name");
  GLIMPSE_TRY_ASSIGN(auto layout, first.has_header
                                      ? TableLayout::with_header(options, row, unknown)
                                      : TableLayout::without_header(options, row.size() - beside));
  if (layout.dimension() == 0)
    return failure(ErrorCode::kInvalidInput, "the header leaves no attribute beside the label{}",
                   options.ignored.empty() ? "" : " and what is ignored: leave less out with --ignore");
  if (first.has_header && options.label.name.empty() && layout.label() && row[*layout.label()].empty())
    return failure(
        ErrorCode::kInvalidInput,
        "column #{} has no name in the header, and would be the label: --label NAME chooses another",
        *layout.label() + 1);
  first.layout = std::move(layout);
  first.dimension = first.layout.dimension();
  first.names = first.layout.names();
  if (first.has_header && first.layout.label()) first.label_name = row[*first.layout.label()];
  for (const std::size_t column : first.layout.further_labels())
    first.further_label_names.emplace_back(first.has_header ? row[column] : std::string_view());
  return AttributeNames(first.dimension).fix(first.names);
}

// What is divided otherwise than is thought, or has a header where somebody says that there is none.
Status check_first_row(std::string_view row, const SniffedTable& table, const TableOptions& options) {
  const Dialect& dialect = table.dialect;
  RecordSplitter splitter(dialect);
  if (!row.empty()) splitter.split(row, true);
  const RowFields& fields = splitter.fields();
  if (options.header == HeaderChoice::kNo && fields.size() == dialect.width) {
    const auto is_number = [](std::string_view field) { return classify_cell(field).is_plain; };
    const auto is_odd = [](const SniffedColumn& c) { return c.odd_record == 1; };
    if (std::ranges::none_of(fields, is_number) && std::ranges::any_of(table.columns, is_odd))
      return failure(ErrorCode::kInvalidInput,
                     "the first row, {}, has words above numbers: it is a header, and --header no says that "
                     "there is none",
                     in_quotes(row));
  }
  if (dialect.width > 1) return {};
  if (const char other = delimiter_of(row, false); row.find(other) != std::string_view::npos)
    return failure(ErrorCode::kInvalidInput, "the first row, {}, has one field: --delimiter {} divides it",
                   in_quotes(row), delimiter_word(other));
  return failure(
      ErrorCode::kInvalidInput,
      "the first row, {}, has one field, and a label and attributes are needed: --delimiter C says what "
      "divides them",
      in_quotes(row));
}

// The names of the columns: those of the header's first record, unless that has gaps and others fill them.
// Behind a # they are those of numpy.savetxt(); R leaves that of the first column out.
void find_names(TableForm& form, const SniffedTable& table) {
  form.names = table.first_names;
  const std::unordered_set<std::string_view> distinct(form.names.begin(), form.names.end());
  const bool has_gaps = distinct.size() < form.names.size() || distinct.contains(std::string_view());
  if (table.dialect.header_records > 1 && has_gaps)
    for (std::size_t i = 0; i < form.names.size(); ++i) form.names[i] = table.columns[i].name;
  const bool ends_empty = table.columns.back().type == SniffedColumn::Type::kEmpty;
  form.renames = form.names.size() + 1 == table.columns.size() && !ends_empty && !form.names.empty();
  if (form.renames) form.names.insert(form.names.begin(), std::string());
  form.renames = form.renames || table.is_header_marked;
}

// A sniffed column, with what options say of it.
struct KnownColumn {
  const SniffedColumn& sniffed;
  std::string called;    // as messages call it
  std::string argument;  // as an option gets it
};

Status check_column(const KnownColumn& column, bool is_label, bool decimal_comma) {
  using Type = SniffedColumn::Type;
  const SniffedColumn& sniffed = column.sniffed;
  const bool is_time = sniffed.type == Type::kDate || sniffed.type == Type::kTime;
  if (is_time && (is_label || sniffed.is_order_ambiguous))
    return failure(ErrorCode::kInvalidInput, "{} holds dates or times, as {}{}", column.called,
                   in_quotes(sniffed.examples.front()),
                   is_label ? ": --label NAME or last says which column the label is"
                            : ", which do not show whether the day or the month stands first: leave it out "
                              "with --ignore" +
                                  column.argument + ", or write 2026-01-31");
  const auto example_with = [&](char c) {
    const auto found = std::ranges::find_if(
        sniffed.examples, [c](const std::string& cell) { return cell.find(c) != std::string::npos; });
    return found != sniffed.examples.end() ? *found : std::string();
  };
  if (sniffed.is_form_ambiguous && !decimal_comma)
    return failure(ErrorCode::kInvalidInput,
                   "{}: {} may have a decimal comma or divide thousands: "
                   "--decimal-comma where it is decimal; else write thousands without it",
                   column.called, in_quotes(example_with(',')));
  if (const std::string point = example_with('.');
      sniffed.type == Type::kNumber && sniffed.form == NumberForm::kPlain && decimal_comma && !point.empty())
    return failure(ErrorCode::kInvalidInput, "{}: {} is no number{}", column.called, in_quotes(point),
                   cell_mend(point, true));
  if (sniffed.type != Type::kWord || sniffed.is_declared) return {};
  if (!sniffed.examples.empty() && has_control_character(sniffed.examples.front()))
    return failure(ErrorCode::kInvalidInput, "{}: {} has control characters: it is damaged", column.called,
                   in_quotes(sniffed.examples.front()));
  const std::string& word = sniffed.odd_number;
  if (word.empty()) return {};
  const std::string mend = cell_mend(word, decimal_comma);
  if (mend.empty())
    return failure(ErrorCode::kInvalidInput, "{}",
                   odd_number_advice(sniffed.name.empty() ? column.argument.substr(1) : sniffed.name, word));
  return failure(ErrorCode::kInvalidInput, "{}: {} is no number{}", column.called, in_quotes(word), mend);
}

// Each of --missing is of a column that there is.
Status check_missing(const TableForm& form, std::size_t width, const TableOptions& options) {
  for (const std::string& text : options.missing) {
    bool is_of_one = false;
    for (std::size_t i = 0; i < width && !is_of_one; ++i)
      is_of_one = !marks_of({&text, 1}, i < form.names.size() ? form.names[i] : std::string(), i + 1).empty();
    const std::string column = text.substr(0, text.rfind('='));
    const std::vector<std::string_view> names(form.names.begin(), form.names.end());
    if (!is_of_one)
      return failure(ErrorCode::kInvalidInput, "--missing {}: there is no column {}{}", text,
                     in_quotes(column), did_you_mean(column, names));
  }
  return {};
}

// How a column of numbers or times is read in the table that was learned from, where it has it; else nullptr.
const ColumnForm* known_form(const std::shared_ptr<const TableForm>& known, const TableForm& form,
                             std::size_t i) {
  if (!known) return nullptr;
  if (i < form.names.size() && !known->names.empty())
    i = static_cast<std::size_t>(std::ranges::find(known->names, form.names[i]) - known->names.begin());
  if (i >= known->columns.size()) return nullptr;
  return known->columns[i].is_read_as_number() ? &known->columns[i] : nullptr;
}

bool reads_all(const ColumnForm& form, const SniffedColumn& column) {
  double value = 0;
  return std::ranges::all_of(column.examples, [&](const std::string& cell) {
    return is_missing_cell(cell) || is_missing_number(cell) || is_mark(cell, form.missing) ||
           read_in_form(cell, form, value);
  });
}

// What becomes of the columns, by what their cells are, and by what they were before.
Status find_kinds(FirstRecords& first, const SniffedTable& table, const FormatOptions& format_options,
                  std::span<const std::string> categories) {
  const TableOptions& options = format_options.table;
  const bool has_commas = std::ranges::any_of(table.columns, [](const SniffedColumn& column) {
    return column.form == NumberForm::kDecimalComma || column.form == NumberForm::kPointGroups ||
           column.form == NumberForm::kBlankGroupsDecimalComma;
  });
  using Type = SniffedColumn::Type;
  const bool is_of_json = first.format == Format::kNdjson;
  const TableLayout& layout = first.layout;
  first.form.columns.resize(layout.width());
  GLIMPSE_TRY(check_missing(first.form, layout.width(), options));
  std::vector<SniffedColumn> columns = table.columns;
  for (std::string& note :
       take_shared_far(columns, [&](std::size_t i) { return layout.attribute(i, true).has_value(); }))
    first.remarks.push_back(std::move(note));
  std::map<NumberForm, std::string> in_form;  // columns whose numbers are written so
  std::string times;
  for (std::size_t i = 0; i < layout.width(); ++i) {
    const auto attribute = layout.attribute(i, true);
    const bool is_label = layout.label() == i;
    if (!attribute && !is_label && layout.weight() != i &&
        std::ranges::find(layout.further_labels(), i) == layout.further_labels().end())
      continue;
    const SniffedColumn& sniffed = columns[i];
    const std::string name = attribute && !first.names.empty() ? first.names[*attribute]
                             : is_label                        ? first.label_name
                             : is_of_json                      ? fmt::format("{}", i)
                                                               : std::string();
    KnownColumn column{sniffed, is_of_json ? in_quotes(name) : column_text(i, name),
                       column_argument(i, name)};
    if (is_label && !is_of_json)
      column.called =
          fmt::format("column #{} (the label{})", i + 1, name.empty() ? "" : ", " + in_quotes(name));
    const bool is_word = std::ranges::any_of(categories, [&](const std::string& text) {
      return text == name || parse_column(text) == parse_column(fmt::format("#{}", i + 1));
    });
    if (is_word) continue;  // by --categories
    GLIMPSE_TRY(check_column(column, is_label, options.decimal_comma));
    SniffedColumn noted = sniffed;
    if (!attribute) noted.odd = 0;  // which is no missing value
    note_column(first, noted, attribute, column.called, column.argument);
    if (sniffed.form != NumberForm::kPlain && !options.decimal_comma)
      (in_form[sniffed.form] += in_form[sniffed.form].empty() ? "" : ", ") += column.called;
    if (is_label && sniffed.odd > 0)
      first.remarks.push_back(fmt::format(
          "{}: {} of {} labels are no numbers, the first is {} in record {}: such rows are refused; --task "
          "classes takes all labels as names of classes",
          column.called, sniffed.odd, sniffed.values, in_quotes(sniffed.odd_cell), sniffed.odd_record));
    ColumnForm& form = first.form.columns[i];
    if (!is_label || sniffed.type != Type::kBool) form = form_of(sniffed);
    if (options.decimal_comma && sniffed.form != NumberForm::kPointGroups) form.form = NumberForm::kPlain;
    form.missing = marks_of(options.missing, name, i + 1);
    switch (sniffed.type) {
      case Type::kBool:
        if (is_label) {
          first.has_label_words = true;
          break;
        }
        [[fallthrough]];
      case Type::kNumber:
        if (sniffed.may_be_groups && has_commas) {  // beside decimal commas
          form.form = NumberForm::kPointGroups;
          first.remarks.push_back(
              fmt::format("{}: {} is a number of thousands, as other columns have decimal commas",
                          column.called, in_quotes(sniffed.examples.front())));
        }
        if (attribute) first.numbers.push_back(*attribute);
        first.has_label_numbers = first.has_label_numbers || is_label;
        break;
      case Type::kDate:
      case Type::kTime:
        if (attribute) first.numbers.push_back(*attribute);
        break;
      case Type::kWord:
        if (attribute) first.categories.push_back(*attribute);
        first.has_label_words = first.has_label_words || is_label;
        break;
      case Type::kEmpty:
        break;
    }
    const ColumnForm* const before = known_form(format_options.form, first.form, i);
    const bool has_other_unit = before != nullptr && form.type == ColumnForm::Type::kNumber &&
                                before->type == form.type && form.unit != before->unit;
    if (has_other_unit)
      first.remarks.push_back(
          fmt::format("{}: its numbers stand beside {}, and in the table before beside {}: {}", column.called,
                      form.unit.empty() ? "nothing" : in_quotes(form.unit),
                      before->unit.empty() ? "nothing" : in_quotes(before->unit),
                      form.unit.empty() || before->unit.empty() ? "both are taken for the same"
                                                                : "they count as missing"));
    if (before != nullptr &&
        (!form.is_read_as_number() || (has_other_unit && !form.unit.empty() && !before->unit.empty()) ||
         reads_all(*before, sniffed)))
      form = *before;
    if (form.holds_days())
      times += fmt::format("{}{}{}", times.empty() ? "" : ", ", column.called,
                           form.date_parts == 0 ? "" : " with " + describe_date_parts(form.date_parts));
  }
  if (!times.empty()) first.remarks.push_back("dates and times are numbers of days in " + times);
  for (const auto& [form, columns] : in_form)
    first.remarks.push_back(fmt::format("numbers are written as {} in {}", describe(form), columns));
  return {};
}

// The same of objects, of which the one that is shown in `first` may be the first: as of `table`, which gets
// the attributes in order, and then the label.
Status find_kinds(FirstRecords& first, SniffedTable& table, std::string_view sample, bool is_whole,
                  const std::string& label_key, const TableOptions& options,
                  std::span<const std::string> categories) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < first.names.size(); ++i) places.emplace(first.names[i], i);
  const std::size_t dimension = first.dimension;
  std::vector<std::vector<std::string>> numbers(dimension + 1);  // the first few of each
  std::vector<std::vector<std::string>> marks(dimension + 1);
  for (std::size_t i = 0; i <= dimension; ++i)
    marks[i] = marks_of(options.missing,
                        i == dimension        ? label_key
                        : first.names.empty() ? fmt::format("{}", i)
                                              : first.names[i],
                        i + 1);
  const auto take_value = [&](const TakeCell& take, std::size_t place, const boost::json::value& value) {
    auto& some = numbers[place];
    const bool is_shown = first.sample_records < 100 && some.size() < SniffedColumn::kMostExamples;
    std::string text;
    if (value.is_number() && (is_shown || !marks[place].empty()))
      text = value.is_double() ? fmt::format("{}", value.get_double()) : boost::json::serialize(value);
    if (is_shown && !text.empty() && std::ranges::find(some, text) == some.end()) some.push_back(text);
    const std::string_view cell = cell_of(value);
    const bool is_missing = is_mark(text.empty() ? cell : std::string_view(text), marks[place]);
    take(place, is_missing ? std::string_view() : cell, first.sample_records);
  };
  const auto each_cell = [&](const TakeCell& take) {
    Rows rows(sample, is_whole);
    std::size_t& record = first.sample_records;
    record = 0;
    for (std::string_view row; rows.next(row);) {
      ++record;
      const std::string_view element = json_element(row);
      boost::json::error_code code;
      boost::json::monotonic_resource memory;
      const auto parsed =
          boost::json::parse(boost::json::string_view(element.data(), element.size()), code, &memory);
      if (code) continue;
      const boost::json::object* const object = parsed.if_object();
      if (object != nullptr)
        if (const auto* value = object->if_contains(label_key)) take_value(take, dimension, *value);
      const boost::json::value* values =
          object != nullptr && !first.is_flat ? object->if_contains("values") : &parsed;
      if (values == nullptr) continue;
      if (const auto* const array = values->if_array())
        for (std::size_t i = 0; i < std::min(array->size(), dimension); ++i) take_value(take, i, (*array)[i]);
      if (const auto* const by_name = values->if_object())
        for (const auto& entry : *by_name)
          if (const auto place = places.find(entry.key()); place != places.end())
            take_value(take, place->second, entry.value());
    }
  };
  table.columns = sniff_columns(dimension + 1, each_cell);
  table.records = first.sample_records;
  table.columns[dimension].name = label_key;
  first.form.dialect.delimiter.clear();  // TableForm::is_of_json()
  if (!first.names.empty()) first.form.names = first.names;
  if (!first.names.empty()) first.form.names.push_back(label_key);
  for (std::size_t i = 0; i <= dimension; ++i) {
    SniffedColumn& column = table.columns[i];
    std::erase(column.examples, "0");
    column.examples.insert(column.examples.begin(), numbers[i].begin(), numbers[i].end());
    column.examples.resize(std::min(column.examples.size(), SniffedColumn::kMostExamples));
    if (i < dimension) column.name = first.names.empty() ? fmt::format("{}", i) : first.names[i];
    column.is_declared = column.type == SniffedColumn::Type::kWord;  // any word is fine
    column.far.clear();                                              // --missing is of tables
    if (column.is_declared) column.numbers = 0;
    column.differs = column.differs && first.is_flat;  // whose keys --ignore has
    if (options.decimal_comma && std::exchange(column.is_form_ambiguous, false))
      column.form = NumberForm::kDecimalComma;
    // A plain number in quotes would be read as one.
    if (column.form == NumberForm::kPointGroups)
      return failure(ErrorCode::kInvalidInput, "{}: numbers are written as {}: write them as numbers of JSON",
                     in_quotes(first.form.names.empty() ? fmt::format("{}", i) : first.form.names[i]),
                     describe(column.form));
  }
  FormatOptions in_order;
  in_order.table.label = parse_column("last");
  in_order.table.missing = options.missing;
  GLIMPSE_TRY_ASSIGN(first.layout, TableLayout::without_header(in_order.table, dimension));
  const std::string label_name = std::exchange(first.label_name, label_key);
  GLIMPSE_TRY(find_kinds(first, table, in_order, categories));
  first.label_name = label_name;
  first.layout = {};
  return {};
}

// The names of attributes in an object: those of "values", or keys of a flat object that are neither labels
// nor ignored. Each in the order in which they came.
void note_names(const boost::json::object& object, const NdjsonReader& reader, const TableOptions& options,
                std::vector<std::string>& names) {
  const std::vector<std::string> labels =
      options.further_labels.empty() ? std::vector{reader.flat_label()} : options.label_names();
  for (const auto& entry : object) {
    const std::string key(entry.key());
    const bool is_label = reader.is_flat() && std::ranges::find(labels, key) != labels.end();
    if (!is_label && !reader.ignores(key) && std::ranges::find(names, key) == names.end())
      names.push_back(key);
  }
}

Error no_label(const std::string& label, const std::vector<std::string>& names) {
  constexpr std::size_t kMostTold = 8;
  std::string hint = did_you_mean(label, std::vector<std::string_view>(names.begin(), names.end()));
  if (hint.empty() && !names.empty()) {
    for (std::size_t i = 0; i < std::min(kMostTold, names.size()); ++i)
      hint += (i > 0 ? ", " : "; the first has ") + in_quotes(names[i]);
  }
  return failure(ErrorCode::kInvalidInput,
                 "no object has the key {}, which is the label: --label NAME says which key it is{}",
                 in_quotes(label), hint);
}

// What is no sound example is found by the reader that reads it again. Objects that are flat and have no
// label are passed over, beside their names.
Result<std::optional<FirstRecords>> read_object(std::string_view sample, bool is_whole,
                                                const TableOptions& options,
                                                std::span<const std::string> categories, Sniffed* sniffed) {
  Rows rows(sample, is_whole);
  std::string_view row;
  if (!rows.next(row)) return std::optional<FirstRecords>();
  const auto refuse = [](const char* why) {
    return failure(
        ErrorCode::kInvalidInput,
        "the first object {}, and does not tell how many attributes there are: give --dimension D or "
        "--attributes FILE",
        why);
  };
  FirstRecords first;
  first.format = Format::kNdjson;
  boost::json::value parsed;
  AttributeNames none(1);
  NdjsonReader shown(1, none, Absent::kAuto, options);
  for (;;) {
    const std::string_view element = json_element(row);
    boost::json::error_code code;
    parsed = boost::json::parse(boost::json::string_view(element.data(), element.size()), code);
    const Status status = shown.open(row);
    if (code && !element.empty()) {
      const std::string why = status ? "not valid JSON: " + code.message() : status.error().message;
      return failure(ErrorCode::kInvalidInput, "{}{}", why.starts_with("not ") ? "the first object is " : "",
                     why);
    }
    if (!status && parsed.is_object() && !parsed.get_object().contains("values")) return status.error();
    first.is_flat = shown.is_flat();
    if (first.is_flat) note_names(parsed.get_object(), shown, options, first.names);
    if (!element.empty() && (!first.is_flat || shown.head().label)) break;
    if (rows.next(row)) continue;
    if (element.empty()) return std::optional<FirstRecords>();
    return no_label(shown.flat_label(), first.names);
  }
  if (first.names.empty() && first.is_flat) return refuse("has no values");
  if (parsed.is_object() && !first.is_flat) {
    const auto* const values = parsed.get_object().if_contains("values");
    if (values == nullptr) {
      GLIMPSE_TRY(shown.open(row));
    } else if (values->is_object()) {
      note_names(values->get_object(), shown, options, first.names);
    }
  }
  const boost::json::object* const object = parsed.if_object();
  const boost::json::value& values = object != nullptr && !first.is_flat ? object->at("values") : parsed;
  first.dimension = values.is_array() ? values.get_array().size() : first.names.size();
  std::uint64_t number = 0;
  if (!first.is_flat &&
      std::ranges::any_of(first.names, [&](const std::string& name) { return read_index(name, number); }))
    return refuse("calls attributes by number");
  if (first.dimension == 0) return refuse("has no values");
  AttributeNames names(first.dimension);
  GLIMPSE_TRY(names.fix(first.names));
  if (first.is_flat && options.further_labels.empty()) first.label_name = shown.flat_label();
  SniffedTable table;
  GLIMPSE_TRY(find_kinds(first, table, sample, is_whole, first.is_flat ? first.label_name : "label", options,
                         categories));
  if (sniffed != nullptr) sniffed->table = std::move(table);
  names.categories().set_takes_odd(true);
  for (const Attribute i : first.numbers) names.categories().declare_number(i);
  std::vector<Entry> entries;
  NdjsonReader reader(first.dimension, names, Absent::kAuto, options, nullptr, text_kernel(),
                      std::make_shared<const TableForm>(first.form));
  GLIMPSE_TRY(reader.open(row));
  GLIMPSE_TRY(reader.reveal_all(entries));
  return std::optional(std::move(first));
}

bool is_letter_or_byte(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }

// Whether numbers stand in front of the table, and no text.
bool begins_with_numbers(std::string_view sample, const Sniffed& sniffed) {
  const Dialect& dialect = sniffed.table.dialect;
  if (dialect.preamble_lines == 0) return false;
  std::string text;
  append_as_utf8(sample.substr(sniffed.mark), sniffed.encoding, text);
  std::size_t end = 0;
  for (std::size_t line = 0; line < dialect.preamble_lines && end < text.size(); ++line)
    end = std::min(text.find(dialect.line_end, end), text.size() - 1) + 1;
  return std::ranges::none_of(std::string_view(text).substr(0, end), is_letter_or_byte);
}

// What of the dialect is not certain.
void remark_dialect(FirstRecords& first, const SniffedTable& table, const TableOptions& options,
                    std::string_view first_row) {
  constexpr double kCertainDialect = 0.1;
  constexpr double kCertainHeader = 0.5;
  if (table.certainty < kCertainDialect && options.delimiter == 0)
    first.remarks.push_back(fmt::format("{}, by a small margin before {}: --delimiter says what divides them",
                                        describe_dialect(table.dialect), table.runner_up));
  if (table.header_certainty < kCertainHeader && options.header == HeaderChoice::kAuto)
    first.remarks.push_back(
        fmt::format("the first record, {}, is taken for {}: --header {} where it is {}", in_quotes(first_row),
                    first.has_header ? "the names of the columns" : "an example",
                    first.has_header ? "no" : "yes", first.has_header ? "an example" : "a header"));
}

Result<std::optional<FirstRecords>> read_table(std::string_view sample, bool is_whole,
                                               const FormatOptions& format_options,
                                               std::span<const std::string> categories, Sniffed* shown) {
  TableOptions options = format_options.table;
  TableHints hints = hints_of(options);
  if (const Format format = sniff_format(sample);
      options.delimiter == 0 && (format == Format::kVw || format == Format::kSvmlight)) {
    std::string_view row;
    Rows(sample, true).next(row);
    return failure(ErrorCode::kInvalidInput, "the first row, {}, is no table but {}: --format {} reads it",
                   in_quotes(row), glimpse::name_of(format), glimpse::name_of(format));
  }
  hints.may_lack_label = options.further_labels.empty();
  GLIMPSE_TRY_ASSIGN(Sniffed sniffed, sniff(sample, is_whole, Format::kCsv, hints));
  if (shown != nullptr) *shown = sniffed;
  SniffedTable& table = sniffed.table;
  FirstRecords first;
  first.form.dialect = table.dialect;
  options = first.form.with_label(std::move(options));
  first.has_header = table.dialect.header_records > 0 || first.form.is_arff();
  if (table.dialect.width == 0 || (table.records == 0 && !first.has_header))
    return std::optional<FirstRecords>();
  // Numbers in front of the table are no text, but records that are refused.
  if (begins_with_numbers(sample, sniffed)) {
    first.form.dialect.preamble_lines = 0;
    first.begins_otherwise = true;
  }
  first.sample_records = table.records;
  std::string_view first_row;
  if (sniffed.encoding == Encoding::kUtf8) Rows(sample, true).next(first_row);
  GLIMPSE_TRY(check_first_row(first_row, table, options));
  find_names(first.form, table);
  RowFields fields(table.columns.size());
  std::ranges::copy(first.form.names, fields.begin());
  if (const Status status = lay_out(first, fields, options); !status) {
    const bool may_be_header =
        !first.has_header && std::ranges::any_of(table.columns, [](const SniffedColumn& c) {
          return c.type == SniffedColumn::Type::kWord;
        });
    return failure(status.error().code, "{}{}", status.error().message,
                   may_be_header ? "; the first row is " + in_quotes(first_row) : "");
  }
  first.is_label_given = !format_options.table.label.name.empty();
  GLIMPSE_TRY(find_kinds(first, table, format_options, categories));
  remark_dialect(first, table, options, first_row);
  if (sniffed.encoding == Encoding::kUtf8 && !is_utf8(sample))
    first.remarks.emplace_back(
        "it is taken for UTF-8, and some of its bytes are none: --encoding windows-1252 or latin-1 where it "
        "is");
  return std::optional(std::move(first));
}

}  // namespace

std::string FirstRecords::describe_categories() const {
  constexpr std::size_t kMostNamed = 12;
  if (categories.empty()) return {};
  std::string text = fmt::format(", {} categor{}: ", categories.size(), categories.size() == 1 ? "y" : "ies");
  if (names.empty()) text += categories.size() == 1 ? "attribute " : "attributes ";
  for (std::size_t c = 0; c < std::min(categories.size(), kMostNamed); ++c)
    text += fmt::format("{}{}", c > 0 ? ", " : "",
                        names.empty() ? fmt::format("{}", categories[c]) : valid_utf8(names[categories[c]]));
  return categories.size() > kMostNamed ? text + ", ..." : text;
}

std::string FirstRecords::describe() const {
  const std::string attributes = fmt::format("{} attribute{}", dimension, dimension == 1 ? "" : "s");
  if (format == Format::kNpy) return fmt::format("npy: {}, label in column #1", attributes);
  if (format == Format::kSvmlight || format == Format::kVw)
    return fmt::format("{}: {}", glimpse::name_of(format), attributes);
  if (format == Format::kNdjson)
    return fmt::format("ndjson: {}{}{}{}", attributes, names.empty() ? ", by number" : ", by name",
                       label_name.empty() ? "" : ", label " + in_quotes(label_name), describe_categories());
  const Dialect& dialect = form.dialect;
  std::string text(form.is_arff() ? "arff: " : "csv: ");
  if (dialect.encoding != Encoding::kUtf8) text.append(glimpse::name_of(dialect.encoding)).append(", ");
  text += form.is_arff()                ? "header"
          : !has_header                 ? "no header"
          : dialect.header_records == 1 ? "header"
                                        : fmt::format("header of {} records", dialect.header_records);
  if (dialect.preamble_lines > 0) text += fmt::format(" in line {}", dialect.preamble_lines + 1);
  if (std::string how = describe_dialect(dialect); how != "fields divided by ','" && !form.is_arff())
    text += ", " + (how.starts_with("fields ") ? how.substr(7) : how);
  text += ", " + attributes;
  const auto add = [&](const char* use, std::size_t column, const std::string& name) {
    text += has_header ? fmt::format(", {} {} (column #{})", use, in_quotes(name), column + 1)
                       : fmt::format(", {} in column #{}", use, column + 1);
  };
  if (layout.label()) add("label", *layout.label(), label_name);
  if (has_label_words) text += " of words";
  if (layout.label() && !is_label_given)
    text += fmt::format(", as --label is left out{} (--label{} chooses another)",
                        form.is_arff() ? " and ARFF has it last" : "", has_header ? " NAME" : "=#N");
  for (std::size_t l = 0; l < further_label_names.size(); ++l)
    add("label", layout.further_labels()[l], further_label_names[l]);
  if (layout.weight()) add("weight", *layout.weight(), has_header ? layout.chosen_names().back() : "");
  text += describe_categories();
  if (const std::size_t ignored = layout.left_out(); ignored > 0)
    text += fmt::format(", {} column{} ignored", ignored, ignored == 1 ? "" : "s");
  return text;
}

Result<std::optional<FirstRecords>> read_first_records(std::string_view bytes, bool is_whole, Format format,
                                                       const FormatOptions& options,
                                                       const SampleLimits& limits,
                                                       std::span<const std::string> categories,
                                                       Sniffed* sniffed) {
  if (sniffed != nullptr && format != Format::kAuto) sniffed->format = format;
  if (format == Format::kF32) return needs_dimension(format);
  if (format == Format::kNpy && bytes.empty()) return std::optional<FirstRecords>();
  if (format == Format::kNpy) return read_npy(bytes, is_whole);
  const Encoding encoding = options.table.encoding.value_or(detect_encoding(bytes));
  const bool is_wide = encoding == Encoding::kUtf16Le || encoding == Encoding::kUtf16Be;
  const std::string other = foreign_file(bytes);
  if (!other.empty() && !is_wide && !bytes.starts_with("sep=")) return Error{ErrorCode::kInvalidInput, other};
  const std::string_view sample = sample_of(bytes, limits);
  if (sample.empty() && !is_whole) return std::optional<FirstRecords>();
  is_whole = is_whole && (sample.empty() || sample.size() == bytes.size());
  if (!is_whole) bytes = sample;
  Rows rows(bytes, is_whole);
  std::string_view row;
  if (!rows.next(row)) {
    if (!is_whole && bytes.find_first_of("\r\n") == std::string_view::npos)
      return failure(
          ErrorCode::kInvalidInput,
          "the first record is longer than the sample of {} bytes: --sample-bytes says how many it has",
          limits.bytes);
    // Of a table whose rows all begin with #.
    const bool may_be_table = (format == Format::kAuto || format == Format::kCsv) &&
                              Rows(bytes, is_whole, false).next(row) &&
                              row.find_first_of(",;\t|") != std::string_view::npos;
    if (!may_be_table) return std::optional<FirstRecords>();
    format = Format::kCsv;
  }
  if (format == Format::kAuto) format = sniff_format(bytes);
  if (sniffed != nullptr)
    *sniffed = {.format = format,
                .encoding = encoding,
                .mark = mark_length(bytes, encoding),
                .bytes = bytes.size(),
                .table = {}};
  if (is_wide && format != Format::kCsv) return Error{ErrorCode::kInvalidInput, other};
  if (format == Format::kVw && std::count(row.begin(), row.end(), '|') > 1 &&
      row.find(':') == std::string_view::npos)
    return failure(
        ErrorCode::kInvalidInput,
        "the first row, {}, is divided by |, as lines of vw are: of a table say so with --format csv "
        "--delimiter '|'",
        in_quotes(row));
  if (format == Format::kSvmlight || format == Format::kVw) {
    if (options.dimension == 0) return needs_dimension(format);
    FirstRecords first;
    first.format = format;
    first.dimension = options.dimension;
    return std::optional(std::move(first));
  }
  return format == Format::kNdjson ? read_object(bytes, is_whole, options.table, categories, sniffed)
                                   : read_table(bytes, is_whole, options, categories, sniffed);
}

namespace {

// What the columns of the form are, of which `label` is the label.
template <class AttributeOf>
void note_types(FirstRecords& first, AttributeOf attribute_of, std::optional<std::size_t> label) {
  using Type = ColumnForm::Type;
  for (std::size_t i = 0; i < first.form.columns.size(); ++i) {
    const Type type = first.form.columns[i].type;
    if (type == Type::kAuto) continue;
    if (label == i)
      (type == Type::kWord ? first.has_label_words : first.has_label_numbers) = true;
    else if (const std::optional<Attribute> attribute = attribute_of(i))
      (type == Type::kWord ? first.categories : first.numbers).push_back(*attribute);
  }
}

}  // namespace

Result<FirstRecords> records_of_form(const TableForm& form, const TableOptions& options) {
  FirstRecords first;
  first.form = form;
  first.is_of_form = true;
  first.is_label_given = true;
  if (form.is_of_json()) {
    first.format = Format::kNdjson;
    first.dimension = form.columns.size() - 1;
    first.is_flat = record_form_of(form).is_flat;
    if (!form.names.empty()) first.names.assign(form.names.begin(), form.names.end() - 1);
    if (first.is_flat) first.label_name = form.names.back();
    note_types(first, [&](std::size_t i) { return static_cast<Attribute>(i); }, first.dimension);
    return first;
  }
  first.has_header = !form.names.empty();
  RowFields names(form.columns.size());
  std::ranges::copy(form.names, names.begin());
  GLIMPSE_TRY(lay_out(first, names, form.with_label(options)));
  first.has_header = form.dialect.header_records > 0;
  note_types(first, [&](std::size_t i) { return first.layout.attribute(i, true); }, first.layout.label());
  return first;
}

RecordForm FirstRecords::record_form() const {
  RecordForm shown{.format = format, .is_flat = is_flat};
  if (format == Format::kCsv) {
    shown = record_form_of(form);
    if (begins_otherwise || has_header)
      shown.header = begins_otherwise ? HeaderChoice::kAuto : HeaderChoice::kYes;
  } else if (format == Format::kNdjson &&
             (is_of_form || !std::ranges::all_of(form.columns, &ColumnForm::is_plain))) {
    shown.table = form;
  }
  shown.sample_records = sample_records;
  return shown;
}

RecordForm FirstRecords::decided_form() const {
  RecordForm shown = record_form();
  if (format == Format::kNdjson) shown.table = form;
  return shown;
}

namespace {

// Whether a record of the stream that begins so asks for a prediction.
bool is_question(std::string_view record, const FirstRecords& first, const FormatOptions& options) {
  if (first.format == Format::kNdjson) {
    boost::json::error_code code;
    const std::string_view element = json_element(record);
    const auto parsed = boost::json::parse(boost::json::string_view(element.data(), element.size()), code);
    if (code || !parsed.is_object()) return false;
    const auto* const label = parsed.get_object().if_contains(first.is_flat ? first.label_name : "label");
    return label == nullptr || label->is_null();
  }
  if (first.format != Format::kCsv || !first.layout.label()) return false;
  RecordSplitter splitter(first.form.dialect);
  splitter.split(record, true);
  const RowFields& fields = splitter.fields();
  if (splitter.is_blank() || splitter.is_comment() || splitter.has_delimiters_alone()) return false;
  const std::size_t beside = TableLayout::beside_attributes(options.table);
  if (!first.has_header && options.dimension > 0 && fields.size() + 1 == options.dimension + beside)
    return true;
  if (!first.layout.has_label(fields.size())) return !first.has_header && first.layout.fits(fields.size());
  const std::size_t label = *first.layout.label();
  const auto& columns = first.form.columns;
  return is_missing_cell(fields[label]) ||
         (label < columns.size() &&
          std::ranges::find(columns[label].missing, fields[label]) != columns[label].missing.end());
}

}  // namespace

Result<std::optional<FirstRecords>> read_first_messages(std::string_view bytes, bool is_whole, Format format,
                                                        const FormatOptions& options,
                                                        const SampleLimits& limits,
                                                        std::span<const std::string> categories,
                                                        Sniffed* sniffed) {
  const bool is_arff = ArffHeader::begins(bytes);
  constexpr std::size_t kShowing = 8;  // records of which each may yet show what the others are
  std::optional<FirstRecords> first;
  std::size_t records = 0;
  std::size_t end = 0;
  while (end < bytes.size() && records < limits.records && end < limits.bytes && format != Format::kNpy) {
    const std::size_t line = bytes.find('\n', end);
    if (line == std::string_view::npos) break;
    const std::string_view record = bytes.substr(end, line - end);
    end = line + 1;
    if (is_blank_or_comment(record) || (is_arff && (record[0] == '%' || ArffHeader::is_line(record))))
      continue;
    ++records;
    if (!first || records <= kShowing)
      if (auto shown = read_first_records(bytes.substr(0, end), true, format, options, limits, categories);
          shown && *shown)
        first = std::move(*shown);
    const bool is_asked = first && (limits.ends_with_any ? records > first->form.dialect.header_records
                                                         : is_question(record, *first, options));
    if (is_asked)
      return read_first_records(bytes.substr(0, end), true, format, options, limits, categories, sniffed);
  }
  const bool is_full = records >= limits.records || end >= limits.bytes;
  return read_first_records(is_full ? bytes.substr(0, end) : bytes, is_whole || is_full, format, options,
                            limits, categories, sniffed);
}

}  // namespace glimpse
