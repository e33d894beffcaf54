#include "data/first_records.h"

#include <algorithm>

#include <boost/json/parse.hpp>

#include "data/formats/csv_cells.h"
#include "data/formats/ndjson_reader.h"
#include "data/records/npy_header.h"
#include "data/records/odd_numbers.h"
#include "data/text/foreign_file.h"
#include "data/text/nearest_name.h"
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

// The first records that are neither blank nor comments: two at most.
class Rows {
 public:
  Rows(std::string_view bytes, bool is_whole) : rest_(without_mark(bytes)), is_whole_(is_whole) {}

  /// False: no other row is there. Then is_at_end() says whether one may come.
  bool next(std::string_view& row) {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      if (end == std::string_view::npos && !is_whole_) return false;
      row = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      if (!is_blank_or_comment(row)) return true;
    }
    return false;
  }
  bool is_at_end() const { return is_whole_; }

 private:
  std::string_view rest_;
  const bool is_whole_;
};

// Strings among the values of an object or an array.
Status find_categories(FirstRecords& first, const boost::json::value& values) {
  const auto look = [&](Attribute attribute, const boost::json::value& value) -> Status {
    if (!value.is_string()) return {};
    const std::string_view word = trimmed({value.get_string().data(), value.get_string().size()});
    double number = 0;  // in quotes it is one as well
    if (is_missing_cell(word) || read_number(word, number)) return {};
    const std::string name =
        first.names.empty() ? fmt::format("value {}", attribute) : in_quotes(first.names[attribute]);
    if (looks_like_date(word))
      return failure(ErrorCode::kInvalidInput,
                     "{} holds dates or times, as {}, which are neither numbers nor categories: {}", name,
                     in_quotes(word),
                     first.names.empty() ? "leave it out" : "leave it out with --ignore " + name);
    first.categories.push_back(attribute);
    return {};
  };
  Attribute attribute = 0;
  if (values.is_array())
    for (const auto& value : values.get_array()) GLIMPSE_TRY(look(attribute++, value));
  if (values.is_object())
    for (; attribute < first.names.size(); ++attribute)
      if (const auto* value = values.get_object().if_contains(first.names[attribute]))
        GLIMPSE_TRY(look(attribute, *value));
  return {};
}

bool is_word(const boost::json::value& value) {
  if (!value.is_string()) return false;
  const std::string_view text(value.get_string().data(), value.get_string().size());
  return cell_kind(trimmed(text), false) == CellKind::kWord;
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
Result<std::optional<FirstRecords>> read_object(std::string_view row, Rows& rows,
                                                const TableOptions& options) {
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
    if (!rows.is_at_end() || element.empty()) return std::optional<FirstRecords>();
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
  GLIMPSE_TRY(find_categories(first, values));
  AttributeNames names(first.dimension);
  GLIMPSE_TRY(names.fix(first.names));
  NdjsonReader reader(first.dimension, names, Absent::kAuto, options);
  if (first.is_flat && options.further_labels.empty()) first.label_name = reader.flat_label();
  if (object != nullptr)
    if (const auto* label = object->if_contains(first.is_flat ? first.label_name : "label"))
      first.has_label_words = is_word(*label);
  std::vector<Entry> entries;
  GLIMPSE_TRY(reader.open(row));
  GLIMPSE_TRY(reader.reveal_all(entries));
  return std::optional(std::move(first));
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

using Fields = std::vector<std::string_view>;

// Whether `first` is a header above `second`. Nothing: they do not tell.
std::optional<bool> is_header(const Fields& first, const Fields& second, bool decimal_comma) {
  bool has_number = false;
  bool has_word_above = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const CellKind kind = cell_kind(first[i], decimal_comma);
    if (kind == CellKind::kNumber && !may_be_name(first[i])) return false;
    has_number = has_number || kind == CellKind::kNumber;
    has_word_above = has_word_above || (kind == CellKind::kWord && i < second.size() &&
                                        cell_kind(second[i], decimal_comma) == CellKind::kNumber);
  }
  if (has_word_above) return true;
  if (has_number) return false;
  return second.empty() ? std::optional(true) : std::nullopt;
}

bool has_word(const Fields& row, bool decimal_comma) {
  return std::any_of(row.begin(), row.end(), [decimal_comma](std::string_view field) {
    return cell_kind(field, decimal_comma) == CellKind::kWord;
  });
}

// Attributes that are words hold categories; dates are neither.
Status find_categories(FirstRecords& first, const Fields& row, bool decimal_comma) {
  if (!first.layout.fits(row.size())) return {};
  const bool with_label = first.layout.has_label(row.size());
  for (std::size_t column = 0; column < row.size(); ++column) {
    if (cell_kind(row[column], decimal_comma) != CellKind::kWord) continue;
    const auto attribute = first.layout.attribute(column, with_label);
    const bool is_label = with_label && column == first.layout.label();
    if (!attribute && !is_label) continue;
    const std::string_view name = is_label              ? std::string_view(first.label_name)
                                  : first.names.empty() ? std::string_view()
                                                        : first.names[*attribute];
    std::string called = column_text(column, name);
    if (is_label)
      called =
          fmt::format("column #{} (the label{})", column + 1, name.empty() ? "" : ", " + in_quotes(name));
    const bool is_date = looks_like_date(row[column]);
    if (is_date)
      return failure(ErrorCode::kInvalidInput,
                     "{} holds dates or times, as {}, which are neither numbers nor categories: {}", called,
                     in_quotes(row[column]),
                     is_label ? "--label NAME or last says which column the label is"
                              : "leave it out with --ignore" + column_argument(column, name));
    if (has_control_character(row[column]))
      return failure(ErrorCode::kInvalidInput, "{}: {} has control characters: it is damaged", called,
                     in_quotes(row[column]));
    if (looks_like_odd_number(row[column])) {
      const std::string mend = cell_mend(row[column], decimal_comma);
      if (mend.empty())
        return failure(ErrorCode::kInvalidInput, "{}",
                       odd_number_advice(name.empty() ? fmt::format("#{}", column + 1) : name, row[column]));
      return failure(ErrorCode::kInvalidInput, "{}: {} is no number{}", called, in_quotes(row[column]), mend);
    }
    if (attribute) first.categories.push_back(*attribute);
    first.has_label_words = first.has_label_words || is_label;
  }
  return {};
}

// The fields of a row, which lie in `split`.
Result<Fields> fields_of(std::string_view row, char delimiter, CsvFields& split) {
  GLIMPSE_TRY(split.split(row, delimiter));
  Fields fields;
  for (const std::string_view field : split.fields()) fields.push_back(trimmed(field));
  return fields;
}

Status lay_out(FirstRecords& first, const Fields& row, const TableOptions& options) {
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
  first.is_label_given = !options.label.name.empty();
  first.layout = std::move(layout);
  first.dimension = first.layout.dimension();
  first.names = first.layout.names();
  if (first.has_header && first.layout.label()) first.label_name = row[*first.layout.label()];
  for (const std::size_t column : first.layout.further_labels())
    first.further_label_names.emplace_back(first.has_header ? row[column] : std::string_view());
  return AttributeNames(first.dimension).fix(first.names);
}

// The other format that a row divided by blanks is written in; none: it may be a table's.
std::optional<Format> other_format(const Fields& fields, char delimiter) {
  if (delimiter != ' ' && delimiter != '\t') return std::nullopt;
  bool has_pair = false;
  bool has_pairs_alone = true;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view field = fields[i];
    if (field.starts_with('|') || field.ends_with('|')) return Format::kVw;
    const std::size_t colon = field.find(':');
    std::uint64_t index = 0;
    const bool is_pair = colon != std::string_view::npos && read_index(field.substr(0, colon), index) &&
                         cell_kind(field.substr(colon + 1), false) == CellKind::kNumber;
    has_pair = has_pair || is_pair;
    has_pairs_alone = has_pairs_alone && (is_pair || i == 0);
  }
  return has_pair && has_pairs_alone ? std::optional(Format::kSvmlight) : std::nullopt;
}

// What is divided otherwise than is thought, or not into rows.
Status check_first_row(std::string_view row, const Fields& fields, char delimiter) {
  if (const auto other = other_format(fields, delimiter))
    return failure(ErrorCode::kInvalidInput, "the first row, {}, is no table but {}: --format {} reads it",
                   in_quotes(row), glimpse::name_of(*other), glimpse::name_of(*other));
  if (trimmed(row).find('\r') != std::string_view::npos)
    return failure(ErrorCode::kInvalidInput,
                   "lines end with CR alone, as those of old Macs: tr '\\r' '\\n' makes lines of them");
  if (delimiter == ' ' && trimmed(row).find("  ") != std::string_view::npos &&
      row.find('"') == std::string_view::npos)
    return failure(ErrorCode::kInvalidInput,
                   "the first row, {}, has several blanks between fields, and each single one divides: "
                   "sed 's/^ *//; s/ *$//; s/  */ /g' FILE leaves one",
                   in_quotes(row));
  if (fields.size() > 1) return {};
  if (const char other = delimiter_of(row, false); row.find(other) != std::string_view::npos)
    return failure(ErrorCode::kInvalidInput, "the first row, {}, has one field: --delimiter {} divides it",
                   in_quotes(row), delimiter_word(other));
  return failure(
      ErrorCode::kInvalidInput,
      "the first row, {}, has one field, and a label and attributes are needed: --delimiter C says what "
      "divides them",
      in_quotes(row));
}

Result<std::optional<FirstRecords>> read_table(std::string_view first_row, Rows& rows, TableOptions options) {
  FirstRecords first;
  if (options.delimiter == 0) options.delimiter = delimiter_of(first_row, options.decimal_comma);
  first.delimiter = options.delimiter;
  CsvFields first_split;
  CsvFields second_split;
  GLIMPSE_TRY_ASSIGN(auto fields, fields_of(first_row, options.delimiter, first_split));
  GLIMPSE_TRY(check_first_row(first_row, fields, options.delimiter));
  Fields second;
  const bool is_said = options.header == HeaderChoice::kYes;
  if (is_said || has_word(fields, options.decimal_comma)) {
    std::string_view row;
    if (!rows.next(row)) {
      if (!rows.is_at_end()) return std::optional<FirstRecords>();
    } else if (auto split = fields_of(row, options.delimiter, second_split); split) {
      second = std::move(*split);
    }
    const auto header = is_said ? std::optional(true) : is_header(fields, second, options.decimal_comma);
    const bool has_words_alone = std::none_of(fields.begin(), fields.end(), [&](std::string_view field) {
      return cell_kind(field, options.decimal_comma) == CellKind::kNumber;
    });
    if (options.header == HeaderChoice::kNo && header && *header && has_words_alone && !second.empty())
      return failure(ErrorCode::kInvalidInput,
                     "the first row, {}, has words above numbers: it is a header, and --header no says that "
                     "there is none",
                     in_quotes(first_row));
    if (!header && options.header == HeaderChoice::kAuto)
      return failure(
          ErrorCode::kInvalidInput,
          "the first two rows hold words alone, so that they do not tell whether the first, {}, is a "
          "header: give --header yes or --header no",
          in_quotes(first_row));
    first.has_header = options.header != HeaderChoice::kNo && header.value_or(false);
  }
  if (const Status status = lay_out(first, fields, options); !status) {
    const bool may_be_header = !first.has_header && has_word(fields, options.decimal_comma);
    return failure(status.error().code, "{}{}", status.error().message,
                   may_be_header ? "; the first row is " + in_quotes(first_row) : "");
  }
  Fields& example = first.has_header ? second : fields;
  if (example.size() == first.layout.width() + 1 && example.back().empty()) example.pop_back();
  GLIMPSE_TRY(find_categories(first, example, options.decimal_comma));
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
  if (format == Format::kNdjson)
    return fmt::format("ndjson: {}{}{}{}", attributes, names.empty() ? ", by number" : ", by name",
                       label_name.empty() ? "" : ", label " + in_quotes(label_name), describe_categories());
  std::string text =
      fmt::format("csv: {}{}, {}", has_header ? "header" : "no header",
                  delimiter == ',' ? "" : ", divided by " + delimiter_word(delimiter), attributes);
  const auto add = [&](const char* use, std::size_t column, const std::string& name) {
    text += has_header ? fmt::format(", {} {} (column #{})", use, in_quotes(name), column + 1)
                       : fmt::format(", {} in column #{}", use, column + 1);
  };
  if (layout.label()) add("label", *layout.label(), label_name);
  if (has_label_words) text += " of words";
  if (layout.label() && !is_label_given)
    text += fmt::format(", as --label is left out (--label{} chooses another)", has_header ? " NAME" : "=#N");
  for (std::size_t l = 0; l < further_label_names.size(); ++l)
    add("label", layout.further_labels()[l], further_label_names[l]);
  if (layout.weight()) add("weight", *layout.weight(), has_header ? layout.chosen_names().back() : "");
  text += describe_categories();
  if (const std::size_t ignored = layout.left_out(); ignored > 0)
    text += fmt::format(", {} column{} ignored", ignored, ignored == 1 ? "" : "s");
  return text;
}

Result<std::optional<FirstRecords>> read_first_records(std::string_view bytes, bool is_whole, Format format,
                                                       const FormatOptions& options) {
  if (format == Format::kF32) return needs_dimension(format);
  if (format == Format::kNpy && bytes.empty()) return std::optional<FirstRecords>();
  if (format == Format::kNpy) return read_npy(bytes, is_whole);
  if (const std::string other = foreign_file(bytes); !other.empty())
    return Error{ErrorCode::kInvalidInput, other};
  Rows rows(bytes, is_whole);
  std::string_view row;
  if (!rows.next(row)) return std::optional<FirstRecords>();
  if (format == Format::kAuto) format = detect_format(row);
  if (format == Format::kVw && std::count(row.begin(), row.end(), '|') > 1 &&
      row.find(':') == std::string_view::npos)
    return failure(
        ErrorCode::kInvalidInput,
        "the first row, {}, is divided by |, as lines of vw are: of a table say so with --format csv "
        "--delimiter '|'",
        in_quotes(row));
  if (format == Format::kSvmlight || format == Format::kVw) return needs_dimension(format);
  return format == Format::kNdjson ? read_object(row, rows, options.table)
                                   : read_table(row, rows, options.table);
}

}  // namespace glimpse
