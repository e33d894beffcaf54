#include "data/table_schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>
#include <xxhash.h>

#include "base/numbers.h"
#include "data/text/number.h"
#include "data/text/shell_words.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::uint64_t kLargestNumber = (std::uint64_t{1} << 63) - 1;

// Their places are stored in checkpoints of earlier releases.
constexpr Format kFormats[] = {Format::kAuto,   Format::kSvmlight, Format::kVw, Format::kCsv,
                               Format::kNdjson, Format::kF32,      Format::kNpy};
constexpr std::string_view kHeaders[] = {"auto", "yes", "no"};
constexpr std::string_view kColumnTypes[] = {"auto", "number", "words", "date", "time"};
constexpr std::string_view kTasks[] = {"auto", "regression", "classes"};

template <class Value>
void take_if_read(const Result<Value>& read, Value& value) {
  if (read) value = *read;
}

template <class Value>
void read_word(std::string_view word, std::span<const std::string_view> words, Value& value) {
  const auto place = std::ranges::find(words, word);
  if (place != words.end()) value = static_cast<Value>(place - words.begin());
}

using Texts = std::vector<std::string>;

Texts one(std::string_view text) { return {std::string(text)}; }
Texts one_unless_auto(std::string_view text) { return text == "auto" ? Texts() : one(text); }
std::string_view word_of(char delimiter) { return word_of_delimiter(delimiter).value_or("auto"); }

Texts names_of(std::span<const ColumnChoice> choices) {
  Texts names;
  for (const ColumnChoice& choice : choices) names.push_back(text_of(choice));
  return names;
}

std::vector<ColumnChoice> choices_of(std::span<const std::string> names) {
  std::vector<ColumnChoice> columns;
  for (const std::string& name : names) columns.push_back(parse_column(name));
  return columns;
}

// A part of a schema as texts.
struct SchemaEntry {
  std::string_view name;
  Format format;  // only records of it are read by this; kAuto: all are
  Texts (*values)(const TableSchema&);
  void (*set)(const Texts& values, TableSchema&);
};
using S = TableSchema;
constexpr std::string_view kColumnsFrom = "columns-from";
constexpr SchemaEntry kOptions[] = {
    {"format", Format::kAuto, [](const S& s) { return one(name_of(s.format)); },
     [](const Texts& values, S& s) { take_if_read(parse_format(values[0]), s.format); }},
    {"index-base", Format::kSvmlight, [](const S& s) { return one(s.index_base == 0 ? "0" : "1"); },
     [](const Texts& values, S& s) { s.index_base = values[0] == "0" ? 0 : 1; }},
    {"absent", Format::kNdjson, [](const S& s) { return one(name_of(s.absent)); },
     [](const Texts& values, S& s) { take_if_read(parse_absent(values[0]), s.absent); }},
    {"task", Format::kAuto, [](const S& s) { return one(name_of(s.task)); },
     [](const Texts& values, S& s) { read_word(values[0], kTasks, s.task); }},
    {"label", Format::kCsv,
     [](const S& s) {
       Texts names = names_of(s.table.further_labels);
       names.insert(names.begin(), s.table.label.name.empty() ? "" : text_of(s.table.label));
       return names;
     },
     [](const Texts& values, S& s) {
       s.table.label = values[0].empty() ? ColumnChoice() : parse_column(values[0]);
       s.table.further_labels = choices_of(std::span(values).subspan(1));
     }},
    {"ignore", Format::kCsv, [](const S& s) { return names_of(s.table.ignored); },
     [](const Texts& values, S& s) { s.table.ignored = choices_of(values); }},
    {"weight", Format::kCsv,
     [](const S& s) { return s.table.weight ? one(text_of(*s.table.weight)) : Texts(); },
     [](const Texts& values, S& s) {
       s.table.weight = values.empty() ? std::nullopt : std::optional(parse_column(values[0]));
     }},
    {"delimiter", Format::kCsv, [](const S& s) { return one(word_of(s.table.delimiter)); },
     [](const Texts& values, S& s) { s.table.delimiter = delimiter_of_word(values[0]).value_or('\0'); }},
    {"header", Format::kCsv, [](const S& s) { return one(name_of(s.table.header)); },
     [](const Texts& values, S& s) { read_word(values[0], kHeaders, s.table.header); }},
    {"decimal-comma", Format::kCsv, [](const S& s) { return one(s.table.decimal_comma ? "on" : "off"); },
     [](const Texts& values, S& s) { s.table.decimal_comma = values[0] == "on"; }},
    {"missing", Format::kCsv, [](const S& s) { return s.table.missing; },
     [](const Texts& values, S& s) { s.table.missing = values; }},
    {"encoding", Format::kCsv,
     [](const S& s) { return one(s.table.encoding ? name_of(*s.table.encoding) : "auto"); },
     [](const Texts& values, S& s) { s.table.encoding = encoding_of(values[0]); }},
    {"short-rows", Format::kCsv,
     [](const S& s) { return one(s.table.reads_short_rows ? "missing" : "refuse"); },
     [](const Texts& values, S& s) { s.table.reads_short_rows = values[0] == "missing"; }},
    {"categories", Format::kAuto, [](const S& s) { return s.categories; },
     [](const Texts& values, S& s) { s.categories = values; }},
};

// "number point-groups kg" and further marks for missing values, each behind a tab. Of dates the parts that
// vary stand in place of a unit: "date day-first weekday month".
constexpr std::string_view kDateParts[] = {"weekday", "month", "hour"};  // by bit of DatePart

std::string text_of_parts(std::uint8_t parts) {
  std::string text;
  for (std::size_t part = 0; part < std::size(kDateParts); ++part)
    if ((parts >> part & 1U) != 0) text.append(text.empty() ? "" : " ").append(kDateParts[part]);
  return text;
}

std::uint8_t parts_of(std::string_view text) {
  std::uint8_t parts = 0;
  for (std::size_t part = 0; part < std::size(kDateParts); ++part)
    if (text.find(kDateParts[part]) != std::string_view::npos) parts |= static_cast<std::uint8_t>(1U << part);
  return parts;
}

Texts column_texts(const S& s) {
  Texts texts;
  if (!s.form.table) return texts;
  for (const ColumnForm& column : s.form.table->columns) {
    std::string text = fmt::format("{}\t{}\t{}", name_of(column.type),
                                   column.is_day_first    ? "day-first"
                                   : column.is_year_first ? "year-first"
                                                          : name_of(column.form),
                                   column.unit + text_of_parts(column.date_parts));
    for (const std::string& mark : column.missing) text.append("\t").append(mark);
    texts.push_back(std::move(text));
  }
  return texts;
}

void set_columns(const Texts& texts, S& s) {
  if (!s.form.table) return;
  for (std::string_view text : texts) {
    ColumnForm& column = s.form.table->columns.emplace_back();
    for (std::size_t part = 0; !text.empty(); ++part) {
      const std::string_view word = text.substr(0, text.find('\t'));
      text.remove_prefix(std::min(word.size() + 1, text.size()));
      if (part == 0) read_word(word, kColumnTypes, column.type);
      if (part == 1) column.is_day_first = word == "day-first";
      if (part == 1) column.is_year_first = word == "year-first";
      if (part == 1) column.form = number_form_of(word);
      if (part == 2 && column.holds_days()) column.date_parts = parts_of(word);
      if (part == 2 && !column.holds_days()) column.unit = word;
      if (part > 2) column.missing.emplace_back(word);
    }
  }
}

// What records showed.
constexpr SchemaEntry kShownEntries[] = {
    {"labels", Format::kAuto, [](const S& s) { return one(name_of(s.labels)); },
     [](const Texts& values, S& s) { read_word(values[0], kTasks, s.labels); }},
    {"read-format", Format::kAuto, [](const S& s) { return one_unless_auto(name_of(s.form.format)); },
     [](const Texts& values, S& s) { take_if_read(parse_format(values[0]), s.form.format); }},
    {"read-delimiter", Format::kCsv, [](const S& s) { return one_unless_auto(word_of(s.form.delimiter)); },
     [](const Texts& values, S& s) { s.form.delimiter = delimiter_of_word(values[0]).value_or('\0'); }},
    {"read-header", Format::kCsv, [](const S& s) { return one_unless_auto(name_of(s.form.header)); },
     [](const Texts& values, S& s) { read_word(values[0], kHeaders, s.form.header); }},
    {"read-flat", Format::kNdjson, [](const S& s) { return s.form.is_flat ? one("yes") : Texts(); },
     [](const Texts& values, S& s) { s.form.is_flat = values[0] == "yes"; }},
    {"sample-records", Format::kAuto,
     [](const S& s) {
       return s.form.sample_records > 0 ? one(fmt::format("{}", s.form.sample_records)) : Texts();
     },
     [](const Texts& values, S& s) {
       s.form.sample_records = whole_text_as<std::uint64_t>(values[0]).value_or(0);
     }},
    {"dialect", Format::kCsv,
     [](const S& s) { return s.form.table ? one(text_of(s.form.table->dialect)) : Texts(); },
     [](const Texts& values, S& s) {
       if (auto dialect = dialect_of(values[0])) s.form.table = TableForm{.dialect = std::move(*dialect)};
     }},
    {"name", Format::kCsv, [](const S& s) { return s.form.table ? s.form.table->names : Texts(); },
     [](const Texts& values, S& s) {
       if (s.form.table) s.form.table->names = values;
     }},
    {"header-name", Format::kCsv, [](const S& s) { return s.form.table ? s.form.table->header : Texts(); },
     [](const Texts& values, S& s) {
       if (s.form.table) s.form.table->header = values;
     }},
    {"renames", Format::kCsv,
     [](const S& s) { return s.form.table && s.form.table->renames ? one("yes") : Texts(); },
     [](const Texts& values, S& s) {
       if (s.form.table) s.form.table->renames = values[0] == "yes";
     }},
    {"column", Format::kCsv, column_texts, set_columns},
    {kColumnsFrom, Format::kCsv, [](const S&) { return one("1"); }, [](const Texts&, S&) {}},
    {"old-columns", Format::kCsv,
     [](const S& s) { return s.old_columns ? one(fmt::format("{}", *s.old_columns)) : Texts(); },
     [](const Texts& values, S& s) { s.old_columns = whole_text_as<std::uint64_t>(values[0]); }},
};

// Numbers of columns in states of earlier releases count from 0.
void count_from_1(std::map<std::string_view, Texts>& given) {
  for (const std::string_view option : {"label", "ignore"}) {
    const auto texts = given.find(option);
    if (texts == given.end()) continue;
    for (std::string& text : texts->second)
      if (std::uint64_t number = 0; read_index(text, number)) text = fmt::format("#{}", number + 1);
  }
}

// The numbers and, of a label that was not given, the default.
Texts compared(const SchemaEntry& option, const TableSchema& schema) {
  Texts values = option.values(schema);
  if (option.name == "label") std::ranges::replace(values, std::string(), "#1");
  // A table with a column that is ignored by its name is read as one without.
  if (option.name != "ignore") return values;
  std::erase_if(values,
                [](const std::string& name) { return parse_column(name).kind == ColumnChoice::Kind::kName; });
  std::ranges::sort(values);
  return values;
}

// As somebody would type it.
std::string typed(const SchemaEntry& option, const TableSchema& schema) {
  if (option.name == "label" && schema.old_columns)
    return *schema.old_columns <= kLargestNumber
               ? fmt::format("--label=#{}", *schema.old_columns + 1)
               : "other options of --label, --ignore, --header or --decimal-comma";
  const Texts values = option.values(schema);
  if (values.empty() || values[0] == "off") return fmt::format("no --{}", option.name);
  if (values[0] == "on") return fmt::format("--{}", option.name);
  std::string text;
  for (const std::string& value : values)
    text.append(text.empty() ? "" : ",").append(value.empty() ? "#1" : value);
  const bool is_mark = option.name == "delimiter" && text.size() == 1;
  return fmt::format("--{}{}", option.name, is_mark ? fmt::format(" '{}'", text) : shell_argument(text));
}

}  // namespace

std::string_view name_of(Task task) { return kTasks[static_cast<std::size_t>(task)]; }

std::string_view name_of(HeaderChoice header) { return kHeaders[static_cast<std::size_t>(header)]; }

std::string_view name_of(ColumnForm::Type type) { return kColumnTypes[static_cast<std::size_t>(type)]; }

std::string earlier_text_of(const ColumnChoice& choice) {
  return choice.kind == ColumnChoice::Kind::kNumber ? fmt::format("{}", choice.number) : choice.name;
}

std::uint64_t columns_of(const TableOptions& table) {
  const bool is_plain = table.further_labels.empty() && table.label.kind == ColumnChoice::Kind::kNumber &&
                        table.ignored.empty() && table.header == HeaderChoice::kAuto && !table.decimal_comma;
  if (is_plain) return table.label.number;
  std::string text = fmt::format("{}\n{}\n{}\n", static_cast<int>(table.header), table.decimal_comma,
                                 earlier_text_of(table.label));
  for (const ColumnChoice& choice : table.ignored) text += earlier_text_of(choice) + '\n';
  for (const ColumnChoice& choice : table.further_labels) text += "label " + earlier_text_of(choice) + '\n';
  return XXH3_64bits(text.data(), text.size()) | (kLargestNumber + 1);
}

const std::vector<std::string_view>& TableSchema::options() {
  static const auto kNames = [] {
    std::vector<std::string_view> names;
    for (const SchemaEntry& option : kOptions) names.push_back(option.name);
    return names;
  }();
  return kNames;
}

void TableSchema::take(std::string_view name, const TableSchema& other) {
  for (const SchemaEntry& option : kOptions)
    if (option.name == name) option.set(option.values(other), *this);
  if (name != "label") return;  // else with what they are called
  table.label = other.table.label;
  table.further_labels = other.table.further_labels;
}

std::string TableSchema::describe() const {
  std::string text;
  const auto add = [&](const SchemaEntry& entry) {
    for (const std::string& value : entry.values(*this))
      text.append(entry.name).append("=").append(value).push_back('\0');
  };
  std::ranges::for_each(kOptions, add);
  std::ranges::for_each(kShownEntries, add);
  return text;
}

TableSchema TableSchema::parse(std::string_view description) {
  std::map<std::string_view, Texts> given;
  while (!description.empty()) {
    const std::string_view entry = description.substr(0, description.find('\0'));
    description.remove_prefix(std::min(entry.size() + 1, description.size()));
    const std::string_view name = entry.substr(0, entry.find('='));
    given[name].emplace_back(entry.substr(std::min(name.size() + 1, entry.size())));
  }
  if (!given.contains(kColumnsFrom)) count_from_1(given);
  TableSchema schema;
  schema.table.delimiter = 0;
  const auto take = [&](const SchemaEntry& entry) {
    if (const auto values = given.find(entry.name); values != given.end()) entry.set(values->second, schema);
  };
  std::ranges::for_each(kOptions, take);
  std::ranges::for_each(kShownEntries, take);
  return schema;
}

void TableSchema::save(State& state) const {
  const std::string text = describe();
  std::ranges::copy(text, state.put<std::uint8_t>("inputs.schema", text.size()).begin());
}

Result<std::optional<TableSchema>> TableSchema::restore(const State& state) {
  if (state.find("inputs.schema") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto bytes, state.get<std::uint8_t>("inputs.schema"));
    return std::optional(parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  const auto text = state.get_text("inputs.reading");
  if (!text) return std::optional<TableSchema>();
  // "name=value" lines; the delimiter's byte is a number there.
  std::string entries(*text);
  std::ranges::replace(entries, '\n', '\0');
  TableSchema schema = parse(entries);
  const auto number_behind = [&text](std::string_view name) -> std::uint64_t {
    const std::size_t place = text->find(name);
    if (place == std::string_view::npos) return 0;
    std::string_view rest = text->substr(place + name.size());
    return take_number<std::uint64_t>(rest).value_or(0);
  };
  schema.table.delimiter = static_cast<char>(number_behind("delimiter="));
  schema.old_columns = number_behind("label-column=");
  return std::optional(std::move(schema));
}

Result<std::vector<TableSchema>> TableSchema::of_inputs(const State& state, std::size_t count) {
  std::vector<TableSchema> schemas;
  if (state.find("inputs.schemas") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto bytes, state.get<std::uint8_t>("inputs.schemas"));
    GLIMPSE_TRY_ASSIGN(const auto known, restore(state));
    bool is_known = true;
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!rest.empty()) {
      std::size_t end = 0;  // where an empty entry stands
      while (end < rest.size() && rest[end] != '\0')
        end = std::min(rest.find('\0', end), rest.size() - 1) + 1;
      is_known = is_known && (end > 0 || known);
      schemas.push_back(end == 0 ? known.value_or(TableSchema()) : parse(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (schemas.size() == count) return is_known ? schemas : std::vector<TableSchema>();
    return failure(ErrorCode::kCorrupt, "inputs.schemas is of {} inputs, and there are {}", schemas.size(),
                   count);
  }
  constexpr std::size_t kNumbers = 4;  // format, index base, columns, delimiter
  if (state.find("inputs.readings") == nullptr) return schemas;
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("inputs.readings", count * kNumbers));
  const auto absent = state.get<std::uint8_t>("inputs.absent", count);
  if (!absent && state.find("inputs.absent") != nullptr) return absent.error();
  for (std::size_t i = 0; i < count; ++i) {
    const auto of_one = numbers.subspan(i * kNumbers, kNumbers);
    TableSchema schema;
    if (of_one[0] < std::size(kFormats)) schema.format = kFormats[of_one[0]];
    if (of_one[1] <= 1) schema.index_base = static_cast<unsigned>(of_one[1]);
    schema.old_columns = of_one[2];
    if (of_one[3] <= 255) schema.table.delimiter = static_cast<char>(of_one[3]);
    if (absent && (*absent)[i] <= static_cast<std::uint8_t>(Absent::kZero))
      schema.absent = static_cast<Absent>((*absent)[i]);
    schemas.push_back(std::move(schema));
  }
  return schemas;
}

std::optional<TableSchema::Difference> TableSchema::difference(const TableSchema& other,
                                                               Format actual) const {
  TableSchema here = *this;
  TableSchema there = other;
  if (here.format == Format::kAuto) here.format = form.format != Format::kAuto ? form.format : actual;
  if (here.table.delimiter == 0) here.table.delimiter = form.delimiter;
  if (here.table.header == HeaderChoice::kAuto) here.table.header = form.header;
  for (TableSchema* const one : {&here, &there})
    if (one->task == Task::kAuto) one->task = one->labels;
  if (there.format == Format::kAuto) there.format = actual;
  const bool is_old = old_columns || other.old_columns;  // one number is of most options then
  for (const SchemaEntry& option : kOptions) {
    const bool names_several =
        option.name == "label" && table.further_labels.size() + other.table.further_labels.size() > 0;
    const bool is_read = option.format == Format::kAuto || here.format == Format::kAuto ||
                         option.format == here.format || names_several ||
                         (here.form.is_flat && option.name == "label");
    const bool is_in_number =
        option.name == "ignore" || option.name == "header" || option.name == "decimal-comma";
    if (!is_read || option.name == "categories" || (is_old && is_in_number)) continue;
    const Texts before = compared(option, here);
    const Texts now = compared(option, there);
    bool is_same = before == now;
    if (option.name == "label" && is_old)
      is_same =
          old_columns.value_or(columns_of(table)) == other.old_columns.value_or(columns_of(other.table));
    // Of both the records show it; but auto is a way to read what is absent.
    if (option.name != "absent" && (before == one("auto") || now == one("auto"))) continue;
    if (!is_same)
      return Difference{typed(option, here), typed(option, option.name == "format" ? other : there)};
  }
  return std::nullopt;
}

}  // namespace glimpse
