#include "daemon/config/schema_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "base/numbers.h"
#include "daemon/config/schema_choice.h"
#include "data/first_records.h"
#include "data/text/encoding.h"
#include "data/text/text.h"
#include "json/strict_json.h"

namespace glimpse {

namespace {

namespace json = boost::json;

// What the file has of one column.
struct Column {
  std::string name;
  std::optional<std::string> header;  // none: columns have their places alone
  std::string use = "attribute";
  ColumnForm form;

  template <class C, class Part>
  static void each_part(C& column, const Part& part) {
    part("name", column.name);
    part("header", column.header);
    part("use", column.use);
    part("type", column.form.type);
    part("form", column.form.form);
    part("unit", column.form.unit);
    part("day-first", column.form.is_day_first);
    part("year-first", column.form.is_year_first);
    part("missing", column.form.missing);
  }
};

// Objects have no dialect.
struct NoParts {
  template <class C, class Part>
  static void each_part(C&, const Part&) {}
};

template <class T>
constexpr std::size_t kWords = 0;
template <>
constexpr std::size_t kWords<Encoding> = static_cast<std::size_t>(Encoding::kLatin1) + 1;
template <>
constexpr std::size_t kWords<NumberForm> = kNumberForms;
template <>
constexpr std::size_t kWords<ColumnForm::Type> = static_cast<std::size_t>(ColumnForm::Type::kTime) + 1;

template <class T>
json::value json_of(const T& part) {
  if constexpr (kWords<T> > 0)
    return json::value(name_of(part));
  else if constexpr (std::is_same_v<T, char>)
    return json::string(part == 0 ? 0 : 1, part);
  else
    return json::value_from(part);
}

// Empty, or the rule that the value breaks.
template <class T>
std::string read_part(const json::value& value, T& part) {
  if constexpr (kWords<T> > 0) {
    std::string words;
    for (std::size_t i = 0; i < kWords<T>; ++i) {
      part = static_cast<T>(i);
      if (value == json::value(name_of(part))) return {};
      words.append(i == 0 ? "" : ", ").append(name_of(part));
    }
    return "must be one of " + words;
  } else if constexpr (std::is_same_v<T, char>) {
    if (!value.is_string() || value.as_string().size() > 1)
      return "must be one ASCII character, or empty for none";
    part = value.as_string().empty() ? '\0' : value.as_string()[0];
  } else {
    auto read = json::try_value_to<T>(value);
    if (!read)
      return std::is_same_v<T, bool>                       ? "must be true or false"
             : std::is_same_v<T, std::size_t>              ? "must be a whole number from 0 on"
             : std::is_same_v<T, std::vector<std::string>> ? "must be an array of texts, as [\"-999\"]"
                                                           : "must be a text";
    part = std::move(*read);
  }
  return {};
}

// The line of a key of the object of a column, or of the whole (none); of a key that is not there the
// object's.
std::size_t line_of(std::string_view text, std::optional<std::size_t> column, std::string_view key) {
  std::size_t line = 1;
  std::size_t found = 1;
  std::size_t depth = 0;
  std::size_t objects = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t begin = i + 1;
    if (text[i] == '\n') ++line;
    if (text[i] == '}' || text[i] == ']') --depth;
    if ((text[i] == '{' || text[i] == '[') && ++depth == 3 && objects++ == column) found = line;
    if (text[i] != '"') continue;
    for (++i; i < text.size() && text[i] != '"'; ++i)
      if (text[i] == '\\') ++i;
    const bool is_here = column ? depth == 3 && objects == *column + 1 : depth == 1;
    if (is_here && text.substr(begin, i - begin) == key) return line;
  }
  return found;
}

// Reads keys of the object into the parts of `target`. `others`: keys that are no parts.
template <class Target>
Status read_object(const json::object& object, Target& target, std::string_view text,
                   std::optional<std::size_t> column, std::vector<std::string_view> others) {
  const auto refuse = [&](std::string_view key, const std::string& why) {
    return failure(ErrorCode::kInvalidInput, "line {}: {}\"{}\"{}", line_of(text, column, key),
                   column ? column_text(*column) + ": " : "", printable(key), why);
  };
  Status status;
  Target::each_part(target, [&](std::string_view name, auto& part) {
    others.push_back(name);
    const json::value* const value = object.if_contains(name);
    if (value == nullptr) return;
    if (const std::string rule = read_part(*value, part); !rule.empty() && status)
      status = refuse(name, fmt::format(": {} {}", json::serialize(*value), rule));
  });
  for (const auto& entry : object)
    if (std::ranges::find(others, std::string_view(entry.key())) == others.end())
      return refuse(entry.key(), " is no key of this" + did_you_mean(entry.key(), others));
  return status;
}

std::optional<std::size_t> column_of(const ColumnChoice& choice, const TableForm& form) {
  const std::string& name = choice.in_header.empty() ? choice.name : choice.in_header;
  const auto found = std::ranges::find(form.names, name);
  if (!name.empty() && found != form.names.end()) return found - form.names.begin();
  if (choice.kind == ColumnChoice::Kind::kName) return std::nullopt;
  return choice.kind == ColumnChoice::Kind::kLast ? form.columns.size() - 1 : choice.number;
}

// The lines of the file. Where options say something, as --missing, they win over what records showed.
std::vector<std::string> text_lines(const TableSchema& schema) {
  const TableForm& form = *schema.form.table;
  const bool is_of_json = form.is_of_json();
  const TableOptions options = form.with_label(schema.table);
  Dialect dialect = form.dialect;
  if (options.delimiter != 0) {
    dialect.delimiter = options.delimiter;
    dialect.divides_by_runs = false;
  }
  if (options.header == HeaderChoice::kNo) dialect.header_records = 0;
  if (options.header == HeaderChoice::kYes)
    dialect.header_records = std::max<std::size_t>(dialect.header_records, 1);
  dialect.encoding = options.encoding.value_or(dialect.encoding);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < form.columns.size(); ++i) {
    Column& column = columns.emplace_back(
        Column{i < form.names.size() ? form.names[i] : std::string(), {}, "attribute", form.columns[i]});
    if (i < form.header.size()) column.header = form.header[i];
    if (i < form.names.size() && !form.renames && dialect.header_records == 1) column.header = column.name;
  }
  const auto set_use = [&](const ColumnChoice& choice, const std::string& use) {
    if (const auto i = column_of(choice, form); i && *i < columns.size()) columns[*i].use = use;
  };
  if (is_of_json) {
    columns.back().use = "label";
    if (schema.form.is_flat && !options.label.name.empty()) columns.back().name = options.label.name;
  } else {
    for (const ColumnChoice& choice : options.ignored) set_use(choice, "ignored");
    if (options.weight) set_use(*options.weight, "weight");
    set_use(options.label, "label");
    for (std::size_t l = 0; l < options.further_labels.size(); ++l)
      set_use(options.further_labels[l], fmt::format("label {}", l + 2));
  }
  for (const std::string& name : schema.categories)
    if (const auto i = column_of(parse_column(name), form); i && *i < columns.size())
      columns[*i].form = {.type = ColumnForm::Type::kWord, .missing = columns[*i].form.missing};
  std::vector<std::string> lines{
      "{", fmt::format("  \"format\": \"{}\",",
                       name_of(schema.format == Format::kAuto ? schema.form.format : schema.format))};
  if (!is_of_json) {
    Dialect::each_part(dialect, [&](std::string_view name, const auto& part) {
      lines.push_back(fmt::format("  \"{}\": {},", name, json::serialize(json_of(part))));
    });
    lines.push_back(fmt::format("  \"decimal-comma\": {},", options.decimal_comma));
  }
  lines.emplace_back("  \"columns\": [");
  for (Column& column : columns) {
    const auto number = static_cast<std::size_t>(&column - columns.data()) + 1;
    const bool is_used = column.use != "ignored";
    for (const std::string& mark :
         is_used ? marks_of(options.missing, column.name, number) : std::vector<std::string>())
      if (!is_mark(mark, column.form.missing)) column.form.missing.push_back(mark);
    std::string line;
    Column::each_part(column, [&](std::string_view name, const auto& part) {
      if (const json::value value = json_of(part); !value.is_null())
        line += fmt::format("{}\"{}\": {}", line.empty() ? "" : ", ", name, json::serialize(value));
    });
    lines.push_back(fmt::format("    {{{}}}{}", line, number < columns.size() ? "," : ""));
  }
  lines.emplace_back("  ]\n}");
  return lines;
}

// What both have on the first line that differs.
std::optional<TableSchema::Difference> difference(const TableSchema& here, const TableSchema& there) {
  const std::vector<std::string> lines = text_lines(here);
  const std::vector<std::string> others = text_lines(there);
  const auto [line, other] = std::ranges::mismatch(lines, others);
  const auto bare = [](std::string_view text) {
    text = trimmed(text);
    return std::string(text.substr(0, text.size() - (text.ends_with(',') ? 1 : 0)));
  };
  if (line == lines.end() || other == others.end()) return std::nullopt;
  return TableSchema::Difference{bare(*line), bare(*other)};
}

// What contradicts the other lines, or is of no table; empty: nothing.
std::string wrong_in(const TableForm& form) {
  constexpr std::size_t kMostHeaderRecords = 100;
  constexpr std::size_t kMostPreambleLines = 1000000;
  const Dialect& dialect = form.dialect;
  const std::size_t width = form.columns.size();
  if (dialect.width != width && dialect.width != width + 1)  // where rows end with a delimiter
    return fmt::format("\"width\" is {}, and \"columns\" has {}", dialect.width, width);
  if (dialect.header_records > kMostHeaderRecords)
    return fmt::format("\"header-records\" must be at most {}", kMostHeaderRecords);
  if (dialect.preamble_lines > kMostPreambleLines)
    return fmt::format("\"preamble-lines\" must be at most {}", kMostPreambleLines);
  const auto divides_nothing = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '\n' || c == '\r' || c == '.' ||
           c == '-' || c == '"' || c == dialect.quote;
  };
  if (dialect.delimiter.empty() || std::ranges::any_of(dialect.delimiter, divides_nothing))
    return "\"delimiter\" must be neither empty nor a part of cells, a quote or a line's end";
  std::vector<std::string> header = form.header;
  std::ranges::sort(header);
  const auto twice = std::ranges::adjacent_find(header);
  return twice == header.end() ? std::string() : "\"header\": " + in_quotes(*twice) + " stands there twice";
}

// Of objects: the label, of `schema`, is the last column of their form, and keys that are ignored are none.
Result<TableSchema> objects_of(TableSchema schema, TableForm form) {
  const std::size_t count = form.columns.size();
  if (count < 2 || !schema.table.ignored.empty() || schema.table.weight ||
      !schema.table.further_labels.empty())
    return failure(
        ErrorCode::kInvalidInput,
        "\"use\": of objects one column is the label, and the others, at least one, are attributes");
  const auto label = static_cast<std::ptrdiff_t>(*column_of(schema.table.label, form));
  std::rotate(form.columns.begin() + label, form.columns.begin() + label + 1, form.columns.end());
  std::rotate(form.names.begin() + label, form.names.begin() + label + 1, form.names.end());
  const auto unnamed = static_cast<std::size_t>(std::ranges::count(form.names, std::string()));
  if (unnamed > 0 && unnamed < count)
    return failure(ErrorCode::kInvalidInput, "\"name\" must stand in all columns, or in none");
  if (unnamed > 0) form.names.clear();
  form.header.clear();
  schema.form = record_form_of(form);
  if (!schema.form.is_flat) schema.table.label = {};
  return schema;
}

Result<TableSchema> parse_schema(std::string_view text) {
  const auto parsed = parse_strict_json(text);
  if (!parsed) {
    json::error_code code;
    const std::size_t end = json::stream_parser().write_some(text.data(), text.size(), code);
    return failure(ErrorCode::kInvalidInput, "line {}: {}", 1 + std::ranges::count(text.substr(0, end), '\n'),
                   parsed.error().message);
  }
  const json::object* const object = parsed->if_object();
  const json::value* const columns = object != nullptr ? object->if_contains("columns") : nullptr;
  if (columns == nullptr || !columns->is_array())
    return failure(ErrorCode::kInvalidInput, "must be an object with an array \"columns\"");
  const json::value* const format = object->if_contains("format");
  const bool is_of_json = format != nullptr && *format == "ndjson";
  if (!is_of_json && (format == nullptr || *format != "csv"))
    return failure(ErrorCode::kInvalidInput, "line {}: \"format\" must be \"csv\" or \"ndjson\"",
                   line_of(text, {}, "format"));
  TableSchema schema;
  schema.format = is_of_json ? Format::kNdjson : Format::kCsv;
  TableForm form;
  NoParts none;
  if (is_of_json) {
    GLIMPSE_TRY(read_object(*object, none, text, {}, {"format", "columns"}));
    form.dialect.delimiter.clear();
  } else {
    GLIMPSE_TRY(read_object(*object, form.dialect, text, {}, {"format", "columns", "decimal-comma"}));
  }
  if (const json::value* const comma = object->if_contains("decimal-comma"))
    if (const std::string rule = read_part(*comma, schema.table.decimal_comma); !rule.empty())
      return failure(ErrorCode::kInvalidInput, "line {}: \"decimal-comma\": {}",
                     line_of(text, {}, "decimal-comma"), rule);
  std::map<std::size_t, ColumnChoice> labels;
  std::unordered_set<std::string> seen;
  for (const json::value& value : columns->as_array()) {
    const std::size_t i = form.columns.size();
    Column column;
    if (!value.is_object())
      return failure(ErrorCode::kInvalidInput, "\"columns\": {} must be an object", column_text(i));
    GLIMPSE_TRY(read_object(value.as_object(), column, text, i, {}));
    column.name = one_line(column.name);
    if (column.header) column.header = one_line(*column.header);
    const auto place = parse_column(fmt::format("#{}", i + 1));
    const bool is_first = seen.insert(column.name).second;
    const ColumnChoice choice = column.name.empty() || !is_first ? place : parse_column(column.name);
    const std::size_t label = column.use == "label" ? 1
                              : column.use.starts_with("label ")
                                  ? whole_text_as<std::size_t>(column.use.substr(6)).value_or(0)
                                  : 0;
    if (column.use == "ignored")
      schema.table.ignored.push_back(choice);
    else if (column.use == "weight" && !schema.table.weight)
      schema.table.weight = choice;
    else if (column.use != "attribute" && (label == 0 || !labels.emplace(label, choice).second))
      return failure(
          ErrorCode::kInvalidInput,
          "line {}: {}: \"use\": \"{}\" must be attribute, ignored, or once in all label, label 2 and "
          "so on, and weight",
          line_of(text, i, "use"), column_text(i, column.name), printable(column.use));
    using Type = ColumnForm::Type;
    if (column.use == "ignored") column.form = {};
    if (column.form.type != Type::kNumber) column.form.form = NumberForm::kPlain, column.form.unit.clear();
    column.form.is_day_first = column.form.is_day_first && column.form.type == Type::kDate;
    column.form.is_year_first = column.form.is_year_first && column.form.type == Type::kDate;
    form.columns.push_back(std::move(column.form));
    form.names.push_back(std::move(column.name));
    if (column.header) form.header.push_back(std::move(*column.header));
  }
  if (labels.empty() || labels.rbegin()->first != labels.size() ||
      labels.size() > LearnerOptions::kMostLabels)
    return failure(ErrorCode::kInvalidInput,
                   "\"use\": the label must be a column, and further ones label 2 and so on");
  for (const auto& [number, choice] : labels)
    (number == 1 ? schema.table.label : schema.table.further_labels.emplace_back()) = choice;
  if (is_of_json) {
    GLIMPSE_TRY_ASSIGN(schema, objects_of(std::move(schema), std::move(form)));
  } else {
    if (!form.header.empty() && form.header.size() != form.columns.size())
      return failure(ErrorCode::kInvalidInput, "\"header\" must stand in all columns, or in none");
    if (const std::string wrong = wrong_in(form); !wrong.empty())
      return failure(ErrorCode::kInvalidInput, "{}", wrong);
    if (std::ranges::all_of(form.names, &std::string::empty)) form.names.clear();
    form.renames = form.names != form.header;
    if (!form.renames || form.dialect.header_records != 1) form.header.clear();
    schema.form = record_form_of(form);
    schema.table.delimiter = schema.form.delimiter;
  }
  if (!(TableSchema::parse(schema.describe()).form == schema.form))
    return failure(ErrorCode::kInvalidInput,
                   "has a text with a tab or a NUL: names, units and marks must not");
  return schema;
}

// Of the options that were given the first that says something else than the file.
Status check_given(const Configuration& c, const TableSchema& file, const std::string& where) {
  const TableSchema given = schema_of(c);
  for (const std::string_view option : TableSchema::options()) {
    if (!c.given.contains(option)) continue;
    TableSchema changed = file;
    changed.take(option, given);
    if (option == "ignore") std::ranges::copy(file.table.ignored, std::back_inserter(changed.table.ignored));
    if (const auto differs = difference(file, changed))
      return invalid_option(option, c.given.find(option)->second,
                            fmt::format("contradicts {}, which has {} and not {}: leave the option out, or "
                                        "edit the file",
                                        where, differs->here, differs->there));
  }
  return {};
}

}  // namespace

Status take_schema_file(Configuration& c, FileSystem& files) {
  if (c.schema_file.empty()) return {};
  const auto bytes = files.read(c.schema_file);
  if (bytes)
    return take_schema_text(c, {reinterpret_cast<const char*>(bytes->data()), bytes->size()},
                            "--schema " + c.schema_file);
  return bytes.error().code == ErrorCode::kNotFound
             ? Status()
             : failure(ErrorCode::kInvalidOption, "--schema {}: {}", c.schema_file, bytes.error().message);
}

Status take_schema_text(Configuration& c, std::string_view text, const std::string& where) {
  const auto refuse = [&](const Error& error) {
    return failure(ErrorCode::kInvalidOption, "{}: {}", where, error.message);
  };
  const auto schema = parse_schema(text);
  if (!schema) return refuse(schema.error());
  GLIMPSE_TRY(check_given(c, *schema, where));
  const bool is_of_json = schema->form.format == Format::kNdjson;
  for (const std::string_view option : {"label", "ignore", "weight", "delimiter", "decimal-comma"})
    if (TableSchema now = schema_of(c); !is_of_json || (option == "label" && schema->form.is_flat))
      now.take(option, *schema), c.table = now.table;
  c.learner.labels = c.table.label_names();
  c.format = schema->form.format;
  const auto first = records_of_form(*schema->form.table, c.table);
  if (!first) return refuse(first.error());
  if (c.learner.dimension != 0 && c.learner.dimension != first->dimension)
    return invalid_option("dimension", fmt::format("{}", c.learner.dimension),
                          fmt::format("contradicts {}, which has {} attributes", where, first->dimension));
  c.decided = std::make_shared<const TableForm>(*schema->form.table);
  return {};
}

std::string schema_text(const TableSchema& schema) {
  std::string text;
  for (const std::string& line : text_lines(schema)) text += line + '\n';
  return text;
}

Status write_schema_file(Configuration& c, FileSystem& files, const TableSchema& schema) {
  const std::string text = schema_text(schema);
  const std::string temporary = fmt::format("{}.{}.tmp", c.schema_file, ::getpid());
  const std::size_t slash = c.schema_file.rfind('/');
  Status status;
  if (!is_utf8(text))
    status =
        failure(ErrorCode::kInvalidInput, "names of columns are no UTF-8: --encoding says what they are in");
  if (status) {
    auto file = files.create(temporary);
    status = file ? (*file)->append(std::as_bytes(std::span(text))) : Status(file.error());
    if (status) status = (*file)->sync();
    if (status) status = files.rename(temporary, c.schema_file);
    if (!status) (void)files.remove(temporary);
  }
  if (status)
    status = files.sync_directory(slash == std::string::npos ? "." : c.schema_file.substr(0, slash + 1));
  return status ? take_schema_file(c, files)
                : failure(status.error().code, "--schema {}: {}", c.schema_file, status.error().message);
}

Status check_decided(const Configuration& c, const TableSchema& known) {
  TableSchema now = schema_of(c);
  now.form.table = *c.decided;
  const auto differs = known.form.table ? difference(now, known) : TableSchema::Difference{"a table", "none"};
  if (!differs) return {};
  return failure(
      ErrorCode::kInvalidOption,
      "--schema {}: has {}, and the checkpoint's records were read with {}: give the file as it was, "
      "begin with a new --state-directory, or insist with --schema-change allow",
      c.schema_file, differs->here, differs->there);
}

}  // namespace glimpse
