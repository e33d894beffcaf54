#include "daemon/config/schema_choice.h"

#include <algorithm>
#include <optional>
#include <spdlog/spdlog.h>
#include <string>
#include <vector>

#include "daemon/config/schema_file.h"
#include "data/records/attribute_names.h"
#include "data/text/text.h"
#include "learn/options/pair_products.h"
#include "learn/options/state_options.h"

namespace glimpse {

namespace {

void set_schema(Configuration& c, const TableSchema& schema) {
  c.format = schema.format;
  c.index_base = schema.index_base;
  c.table = schema.table;
  c.absent = schema.absent;
  c.categories = schema.categories;
  c.classes.task = schema.task;
  c.learner.labels = c.table.label_names();
}

// What the state knows of the tables that it was learned from.
struct KnownTable {
  TableLayout layout;
  AttributeNames names;
  TableOptions chosen = {};  // with the names of its first header

  bool has_columns() const { return layout.width() > 0 || !layout.chosen_names().empty(); }
  // A column of rows with the label; none: it was chosen by its name, or rows are not so wide.
  std::optional<std::size_t> place_of(const ColumnChoice& choice) const {
    const bool is_last = choice.kind == ColumnChoice::Kind::kLast;
    const std::size_t place = is_last ? layout.width() - 1 : choice.number;
    return choice.kind != ColumnChoice::Kind::kName && place < layout.width() ? std::optional(place)
                                                                              : std::nullopt;
  }
  bool ignores(std::size_t column) const {
    return column != layout.weight() &&
           std::ranges::count(layout.ignored(), column) > std::ranges::count(layout.further_labels(), column);
  }
  std::string_view name_at(std::size_t column) const {
    if (column >= layout.width()) return {};
    if (column == layout.label()) return label_name();
    for (const auto& [option, choice] : chosen.choices())
      if (place_of(*choice) == column) return choice->in_header;
    const auto attribute = layout.attribute(column, true);
    return attribute ? names.name(*attribute) : std::string_view();
  }
  bool has_name(std::string_view name) const {
    return names.find(name) || std::ranges::count(layout.chosen_names(), name) > 0;
  }
  std::string_view label_name() const {
    return layout.chosen_names().empty() ? std::string_view() : layout.chosen_names().front();
  }
};

// Whether the column given is that of before, which is at `place` and called `name`.
bool is_column(const ColumnChoice& given, const ColumnChoice& before, const KnownTable& table,
               std::optional<std::size_t> place, std::string_view name) {
  if (text_of(given) == text_of(before)) return true;
  return (place && table.place_of(given) == place) || (!name.empty() && given.name == name);
}

// Several labels that were chosen by numbers are called as in the model: by those of an earlier release, too.
void name_labels(TableOptions& table, const State& state) {
  if (table.further_labels.empty()) return;
  TableOptions earlier = table;
  earlier.label.name = earlier_text_of(earlier.label);
  for (ColumnChoice& label : earlier.further_labels) label.name = earlier_text_of(label);
  if (label_line(earlier.label_names()) == option_of(state, "labels")) table = std::move(earlier);
}

// A command line of earlier releases.
Status check_numbers(const Configuration& c, const KnownTable& table) {
  for (const auto& [option, choice] : c.table.choices())
    if (const auto number = bare_number(*choice); number && !table.has_name(choice->name))
      return Error{ErrorCode::kInvalidOption,
                   counts_from_1(option, choice->name, *number, table.name_at(*number)).message};
  return {};
}

// Adds the columns of `given` that tables of before did not have.
Status add_ignored(std::vector<ColumnChoice>& ignored, const TableSchema& given, const KnownTable& table) {
  for (const ColumnChoice& choice : given.table.ignored) {
    const auto is_known = [&](const ColumnChoice& known) {
      return text_of(known) == text_of(choice) || known.in_header == choice.name;
    };
    const auto place = table.place_of(choice);
    if (std::ranges::any_of(ignored, is_known) || (place && table.ignores(*place))) continue;
    const bool is_the_label = choice.name == table.label_name() || (place && place == table.layout.label());
    if (is_the_label || table.names.find(choice.name) || (place && table.names.are_complete()))
      return failure(ErrorCode::kInvalidOption,
                     "--ignore{}: is {} of the checkpoint's model, which needs it: leave it out of --ignore, "
                     "or begin with a new --state-directory",
                     as_argument(choice.name), is_the_label ? "the label" : "an attribute");
    if (table.has_columns() && !table.names.are_complete())
      return failure(ErrorCode::kInvalidOption,
                     "--ignore{}: the checkpoint's records were read without it, and their columns are known "
                     "by their places: leave it out of --ignore, or insist with --schema-change allow",
                     as_argument(choice.name));
    ignored.push_back(choice);
  }
  return {};
}

// The options of a description that another one has not, or with another value.
void report_taken(const std::string& given, const std::string& now) {
  std::string taken;
  for (std::string_view rest = now; !rest.empty();) {
    const std::string_view entry = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(entry.size() + 1);
    // A label that was not given is the first column, and this start may have called it by its name.
    const bool is_option = !entry.ends_with('=') &&
                           std::ranges::count(TableSchema::options(), entry.substr(0, entry.find('='))) > 0;
    if (is_option && ('\0' + given).find(fmt::format("{}{}{}", '\0', entry, '\0')) == std::string::npos)
      taken.append(" --").append(entry);
  }
  if (!taken.empty()) spdlog::info("records are read as the checkpoint says:{}", valid_utf8(taken));
}

}  // namespace

TableSchema schema_of(const Configuration& c) {
  TableSchema schema{c.format, c.index_base, c.table, c.absent, c.categories, c.classes.task};
  if (c.decided) schema.form = record_form_of(*c.decided);
  return schema;
}

Status name_category_columns(std::vector<std::string>& categories, const TableLayout& layout, bool is_table,
                             const AttributeNames& names) {
  for (std::string& text : categories) {
    const ColumnChoice choice = parse_column(text);
    const auto number = bare_number(choice);
    if (names.find(text)) continue;
    if (number && is_table) {
      const bool is_known = *number < layout.dimension();
      const auto attribute = static_cast<Attribute>(*number);
      const std::size_t column = is_known ? layout.column(attribute, true) : *number;
      const std::string_view name = is_known ? names.name(attribute) : std::string_view();
      return Error{ErrorCode::kInvalidOption, counts_from_1("categories", text, column, name).message};
    }
    if (choice.kind != ColumnChoice::Kind::kNumber) continue;
    const auto attribute =
        choice.number < layout.width() ? layout.attribute(choice.number, true) : std::nullopt;
    if (!attribute)
      return failure(ErrorCode::kInvalidOption, "--categories={}: is no column of an attribute{}", text,
                     layout.width() == 0
                         ? " that is known before a table is read: give the attribute's name, or "
                           "its number from 0"
                         : "");
    text = names.callable_name(*attribute);
  }
  return {};
}

Result<bool> take_schema(Configuration& c, const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto known, TableSchema::restore(state));
  KnownTable table{{}, AttributeNames(number_of(state, "dimension"))};
  GLIMPSE_TRY(table.names.restore(state));
  if (auto layout = TableLayout::restore(state, table.names.dimension()); layout)
    table.layout = std::move(*layout);
  if (known) table.layout.name_choices(table.chosen = known->table);
  name_labels(table.chosen, state);
  name_labels(c.table, state);
  c.learner.labels = c.table.label_names();
  const bool is_table = table.has_columns() || (known && known->form.format == Format::kCsv);
  if (is_table) GLIMPSE_TRY(check_numbers(c, table));
  GLIMPSE_TRY(name_category_columns(c.categories, table.layout, is_table, table.names));
  const TableSchema given = schema_of(c);
  if (!known && state.find("inputs.schema_options") != nullptr) {  // no record was learned from so far
    GLIMPSE_TRY_ASSIGN(const auto text, state.get<std::uint8_t>("inputs.schema_options"));
    TableSchema now = TableSchema::parse({reinterpret_cast<const char*>(text.data()), text.size()});
    for (const std::string_view option : TableSchema::options())
      if (c.given.contains(option)) now.take(option, given);
    if (c.decided) now.table = given.table;
    set_schema(c, now);
    report_taken(given.describe(), now.describe());
    return true;
  }
  if (!known && state.find("inputs.schemas") != nullptr) return true;  // the same, of an earlier release
  if (!known || known->old_columns) {
    const auto difference = known ? known->difference(given, Format::kAuto) : std::nullopt;
    const std::string changed =
        difference ? fmt::format("; {} was given before, and now {}", difference->here, difference->there)
                   : "";
    spdlog::warn(
        "the checkpoint is of an earlier release, and does not hold how its records were read: this "
        "start's options hold{}",
        changed);
    return false;
  }
  TableSchema now = *known;
  now.table = table.chosen;
  bool changes_table = c.decided && c.allows_schema_change;
  if (c.decided && !changes_table) GLIMPSE_TRY(check_decided(c, now));
  if (c.decided) now.table.delimiter = given.table.delimiter;
  if (changes_table) now.table = given.table;
  TableSchema reported = given;
  for (const std::string_view option : TableSchema::options()) {
    if (!c.given.contains(option)) continue;
    if (option == "categories") {  // those of before are in the state
      for (const std::string& name : given.categories)
        if (std::ranges::find(now.categories, name) == now.categories.end()) now.categories.push_back(name);
      continue;
    }
    if (option == "ignore") {
      const Status status = add_ignored(now.table.ignored, given, table);
      // All columns of before, perhaps by other names.
      if (given.table.ignored.size() >= now.table.ignored.size()) reported.table.ignored = now.table.ignored;
      if (status) continue;
      if (!c.allows_schema_change) return status.error();
    }
    const bool is_one = given.table.further_labels.empty() && known->table.further_labels.empty();
    if (option == "label" && is_one &&
        is_column(given.table.label, known->table.label, table, table.layout.label(), table.label_name()))
      continue;
    if (option == "weight" && known->table.weight &&
        is_column(*given.table.weight, *known->table.weight, table, table.layout.weight(),
                  now.table.weight->in_header))
      continue;
    TableSchema changed = *known;
    changed.take(option, given);
    auto difference = known->difference(changed, Format::kAuto);
    // Nothing was said of a label, and no table came.
    if (option == "label" && is_one && known->table.label.name.empty() && !table.has_columns())
      difference.reset();
    if (difference && !c.allows_schema_change)
      return failure(ErrorCode::kInvalidOption,
                     "{}: the checkpoint's records were read with {}, and the same record would be read "
                     "differently: leave the option out, which reads as before, or {}",
                     difference->there, difference->here,
                     option == "task" || given.table.further_labels.size() > 0
                         ? "begin with a new --state-directory"
                         : "insist with --schema-change allow");
    changes_table =
        changes_table || option == "ignore" || ((option == "label" || option == "weight") && difference);
    now.take(option, given);
  }
  set_schema(c, now);
  report_taken(reported.describe(), now.describe());
  return changes_table;
}

void keep_schema(Configuration& next, const Configuration& running) {
  TableSchema schema = schema_of(next);
  const auto value_of = [](const Configuration& c, std::string_view name) {
    const auto value = c.given.find(name);
    return value != c.given.end() ? std::optional(value->second) : std::nullopt;
  };
  for (const std::string_view option : TableSchema::options())
    if (value_of(next, option) == value_of(running, option)) schema.take(option, schema_of(running));
  set_schema(next, schema);
}

}  // namespace glimpse
