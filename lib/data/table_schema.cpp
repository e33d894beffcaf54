#include "data/table_schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <xxhash.h>

#include "base/numbers.h"

namespace glimpse {

namespace {

constexpr std::uint64_t kLargestNumber = (std::uint64_t{1} << 63) - 1;

// Their places are stored in checkpoints of earlier releases.
constexpr Format kFormats[] = {Format::kAuto,   Format::kSvmlight, Format::kVw, Format::kCsv,
                               Format::kNdjson, Format::kF32,      Format::kNpy};
constexpr std::string_view kHeaders[] = {"auto", "yes", "no"};
constexpr std::string_view kTasks[] = {"auto", "regression", "classes"};

template <class Value>
void take(const Result<Value>& read, Value& value) {
  if (read) value = *read;
}

template <class Value>
void read_word(std::string_view word, std::span<const std::string_view> words, Value& value) {
  const auto place = std::ranges::find(words, word);
  if (place != words.end()) value = static_cast<Value>(place - words.begin());
}

std::string_view word_of_any(char delimiter) { return word_of_delimiter(delimiter).value_or("auto"); }

std::string labels_of(const TableSchema& schema) {
  if (schema.old_columns)
    return *schema.old_columns <= kLargestNumber
               ? fmt::format("--label {}", *schema.old_columns)
               : "other options of --label, --ignore, --header or --decimal-comma";
  std::string text = "--label " + text_of(schema.table.label);
  for (const ColumnChoice& choice : schema.table.further_labels) text += ',' + text_of(choice);
  return text;
}

std::string ignored_of(const TableSchema& schema) {
  if (schema.table.ignored.empty()) return "no --ignore";
  std::string text = "--ignore ";
  for (const ColumnChoice& choice : schema.table.ignored)
    text.append(&choice == &schema.table.ignored.front() ? "" : ",").append(text_of(choice));
  return text;
}

std::string comma_of(const TableSchema& schema) {
  return schema.table.decimal_comma ? "--decimal-comma" : "no --decimal-comma";
}

bool same_labels(const TableSchema& a, const TableSchema& b) {
  if (a.old_columns || b.old_columns)
    return a.old_columns.value_or(columns_of(a.table)) == b.old_columns.value_or(columns_of(b.table));
  return text_of(a.table.label) == text_of(b.table.label) &&
         std::ranges::equal(a.table.further_labels, b.table.further_labels, {}, text_of, text_of);
}

// Columns that are ignored by their names may be more: a table with such a column is read as one without.
bool same_ignored(const TableSchema& a, const TableSchema& b) {
  if (a.old_columns || b.old_columns) return true;  // told with the labels
  const auto covers = [](const std::vector<ColumnChoice>& all, const std::vector<ColumnChoice>& some) {
    return std::ranges::all_of(some, [&](const ColumnChoice& choice) {
      return choice.kind == ColumnChoice::Kind::kName ||
             std::ranges::find(all, text_of(choice), text_of) != all.end();
    });
  };
  return covers(a.table.ignored, b.table.ignored) && covers(b.table.ignored, a.table.ignored);
}

}  // namespace

std::string_view name_of(Task task) { return kTasks[static_cast<std::size_t>(task)]; }

std::string_view name_of(HeaderChoice header) { return kHeaders[static_cast<std::size_t>(header)]; }

std::string text_of(const ColumnChoice& choice) {
  return choice.name.empty() ? fmt::format("{}", choice.number) : choice.name;
}

std::uint64_t columns_of(const TableOptions& table) {
  const bool is_plain = table.further_labels.empty() && table.label.kind == ColumnChoice::Kind::kNumber &&
                        table.ignored.empty() && table.header == HeaderChoice::kAuto && !table.decimal_comma;
  if (is_plain) return table.label.number;
  const auto number_or_name = [](const ColumnChoice& choice) {
    return choice.kind == ColumnChoice::Kind::kNumber ? fmt::format("{}", choice.number) : choice.name;
  };
  std::string text = fmt::format("{}\n{}\n{}\n", static_cast<int>(table.header), table.decimal_comma,
                                 number_or_name(table.label));
  for (const ColumnChoice& choice : table.ignored) text += number_or_name(choice) + '\n';
  for (const ColumnChoice& choice : table.further_labels) text += "label " + number_or_name(choice) + '\n';
  return XXH3_64bits(text.data(), text.size()) | (kLargestNumber + 1);
}

std::string TableSchema::describe() const {
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view value) {
    text.append(name).append("=").append(value).push_back('\0');
  };
  add("format", name_of(format));
  add("index-base", index_base == 0 ? "0" : "1");
  add("absent", name_of(absent));
  add("delimiter", word_of_any(table.delimiter));
  add("header", name_of(table.header));
  add("decimal-comma", table.decimal_comma ? "on" : "off");
  add("task", name_of(task));
  add("labels", name_of(labels));
  add("label", table.label.name);
  for (const ColumnChoice& choice : table.further_labels) add("label", choice.name);
  for (const ColumnChoice& choice : table.ignored) add("ignore", choice.name);
  for (const std::string& name : categories) add("categories", name);
  if (old_columns) add("old-columns", fmt::format("{}", *old_columns));
  return text;
}

TableSchema TableSchema::parse(std::string_view description) {
  TableSchema schema;
  schema.table.delimiter = 0;
  bool has_label = false;
  while (!description.empty()) {
    const std::string_view entry = description.substr(0, description.find('\0'));
    description.remove_prefix(std::min(entry.size() + 1, description.size()));
    const std::string_view name = entry.substr(0, entry.find('='));
    const std::string_view value = entry.substr(std::min(name.size() + 1, entry.size()));
    if (name == "format") take(parse_format(value), schema.format);
    if (name == "index-base") schema.index_base = value == "0" ? 0 : 1;
    if (name == "absent") take(parse_absent(value), schema.absent);
    if (name == "delimiter") schema.table.delimiter = delimiter_of_word(value).value_or('\0');
    if (name == "header") read_word(value, kHeaders, schema.table.header);
    if (name == "decimal-comma") schema.table.decimal_comma = value == "on";
    if (name == "task") read_word(value, kTasks, schema.task);
    if (name == "labels") read_word(value, kTasks, schema.labels);
    if (name == "label" && std::exchange(has_label, true))
      schema.table.further_labels.push_back(parse_column(value));
    else if (name == "label" && !value.empty())
      schema.table.label = parse_column(value);
    if (name == "ignore") schema.table.ignored.push_back(parse_column(value));
    if (name == "categories") schema.categories.emplace_back(value);
    if (name == "old-columns") schema.old_columns = whole_text_as<std::uint64_t>(value);
  }
  return schema;
}

void TableSchema::save(State& state) const {
  const std::string text = describe();
  std::ranges::copy(text, state.put<std::uint8_t>("inputs.schema", text.size()).begin());
}

Result<std::optional<TableSchema>> TableSchema::restore(const State& state) {
  if (state.find("inputs.schema") != nullptr) {
    const auto bytes = state.get<std::uint8_t>("inputs.schema");
    if (!bytes) return bytes.error();
    return std::optional(parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
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
    const auto bytes = state.get<std::uint8_t>("inputs.schemas");
    if (!bytes) return bytes.error();
    const auto known = restore(state);
    if (!known) return known.error();
    const TableSchema common = known->value_or(TableSchema());
    std::string_view rest(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    while (!rest.empty()) {
      std::size_t end = 0;  // where an empty entry stands
      while (end < rest.size() && rest[end] != '\0')
        end = std::min(rest.find('\0', end), rest.size() - 1) + 1;
      schemas.push_back(end == 0 ? common : parse(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (schemas.size() == count) return schemas;
    return failure(ErrorCode::kCorrupt, "inputs.schemas is of {} inputs, and there are {}", schemas.size(),
                   count);
  }
  constexpr std::size_t kNumbers = 4;  // format, index base, columns, delimiter
  if (state.find("inputs.readings") == nullptr) return schemas;
  const auto numbers = state.get<std::uint64_t>("inputs.readings", count * kNumbers);
  if (!numbers) return numbers.error();
  const auto absent = state.get<std::uint8_t>("inputs.absent", count);
  if (!absent && state.find("inputs.absent") != nullptr) return absent.error();
  for (std::size_t i = 0; i < count; ++i) {
    const auto of_one = numbers->subspan(i * kNumbers, kNumbers);
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
  const auto as = [actual](Format given) { return given == Format::kAuto ? actual : given; };
  const bool is_known = actual != Format::kAuto || (format != Format::kAuto && other.format != Format::kAuto);
  const auto with = [&](const auto& text) { return Difference{text(*this), text(other)}; };
  if (is_known && as(format) != as(other.format))
    return with([](const TableSchema& s) { return fmt::format("--format {}", name_of(s.format)); });
  const Format read = as(format);
  const auto may_be = [read](Format one) { return read == one || read == Format::kAuto; };
  if (may_be(Format::kSvmlight) && index_base != other.index_base)
    return with([](const TableSchema& s) { return fmt::format("--index-base {}", s.index_base); });
  if (may_be(Format::kNdjson) && absent != other.absent)
    return with([](const TableSchema& s) { return fmt::format("--absent {}", name_of(s.absent)); });
  const auto task_of = [](const TableSchema& s) { return s.task != Task::kAuto ? s.task : s.labels; };
  if (task_of(*this) != task_of(other) && task_of(*this) != Task::kAuto && task_of(other) != Task::kAuto)
    return with([&](const TableSchema& s) { return fmt::format("--task {}", name_of(task_of(s))); });
  if (!may_be(Format::kCsv)) return std::nullopt;
  if (!same_labels(*this, other)) return with(labels_of);
  if (!same_ignored(*this, other)) return with(ignored_of);
  if (table.delimiter != other.table.delimiter && table.delimiter != 0 && other.table.delimiter != 0)
    return with([](const TableSchema& s) {
      const std::string_view word = word_of_any(s.table.delimiter);
      return word.size() == 1 ? fmt::format("--delimiter '{}'", word) : fmt::format("--delimiter {}", word);
    });
  if (old_columns || other.old_columns) return std::nullopt;
  if (table.header != other.table.header && table.header != HeaderChoice::kAuto &&
      other.table.header != HeaderChoice::kAuto)
    return with([](const TableSchema& s) { return fmt::format("--header {}", name_of(s.table.header)); });
  if (table.decimal_comma != other.table.decimal_comma) return with(comma_of);
  return std::nullopt;
}

}  // namespace glimpse
