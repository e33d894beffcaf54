#include "daemon/config/schema_choice.h"

#include <algorithm>
#include <optional>
#include <spdlog/spdlog.h>
#include <string>
#include <vector>

#include "data/records/attribute_names.h"
#include "data/text/text.h"
#include "learn/options/state_options.h"

namespace glimpse {

namespace {

// The options of a schema, by what they are called.
struct SchemaOption {
  std::string_view name;
  std::string_view older_name;
  void (*take)(const TableSchema& from, TableSchema& to);
};
constexpr std::string_view kLabel = "label";
constexpr std::string_view kIgnore = "ignore";
constexpr std::string_view kCategories = "categories";
constexpr SchemaOption kOptions[] = {
    {"format", {}, [](const TableSchema& from, TableSchema& to) { to.format = from.format; }},
    {"index-base", {}, [](const TableSchema& from, TableSchema& to) { to.index_base = from.index_base; }},
    {"absent", {}, [](const TableSchema& from, TableSchema& to) { to.absent = from.absent; }},
    {"task", {}, [](const TableSchema& from, TableSchema& to) { to.task = from.task; }},
    {kLabel, "label-column",
     [](const TableSchema& from, TableSchema& to) {
       to.table.label = from.table.label;
       to.table.further_labels = from.table.further_labels;
     }},
    {kIgnore, {}, [](const TableSchema& from, TableSchema& to) { to.table.ignored = from.table.ignored; }},
    {"delimiter",
     {},
     [](const TableSchema& from, TableSchema& to) { to.table.delimiter = from.table.delimiter; }},
    {"header", {}, [](const TableSchema& from, TableSchema& to) { to.table.header = from.table.header; }},
    {"decimal-comma",
     {},
     [](const TableSchema& from, TableSchema& to) { to.table.decimal_comma = from.table.decimal_comma; }},
    {kCategories, {}, [](const TableSchema& from, TableSchema& to) { to.categories = from.categories; }},
};

bool is_given(const Configuration& c, const SchemaOption& option) {
  return c.given.contains(option.name) || c.given.contains(option.older_name);
}

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

  bool has_columns() const { return layout.width() > 0 || !layout.chosen_names().empty(); }
  std::string_view label_name() const {
    return layout.chosen_names().empty() ? std::string_view() : layout.chosen_names().front();
  }
};

// Whether the labels given are those of before, perhaps by another of their names.
bool are_labels(const TableSchema& given, const TableSchema& before, const KnownTable& table) {
  const bool same =
      text_of(given.table.label) == text_of(before.table.label) &&
      std::ranges::equal(given.table.further_labels, before.table.further_labels, {}, text_of, text_of);
  if (same || !given.table.further_labels.empty() || !before.table.further_labels.empty()) return same;
  if (before.table.label.name.empty() && !table.has_columns()) return true;  // no table came so far
  const ColumnChoice& label = given.table.label;
  const auto place = label.kind == ColumnChoice::Kind::kLast ? table.layout.width() - 1 : label.number;
  return (label.kind != ColumnChoice::Kind::kName && place == table.layout.label()) ||
         (!table.label_name().empty() && label.name == table.label_name());
}

// Adds the columns of `given` that tables of before did not have.
Status add_ignored(std::vector<ColumnChoice>& ignored, const TableSchema& given, const KnownTable& table) {
  for (const ColumnChoice& choice : given.table.ignored) {
    const auto is_known = [&](const ColumnChoice& known) {
      return text_of(known) == text_of(choice) || known.in_header == choice.name;
    };
    if (std::ranges::any_of(ignored, is_known)) continue;
    if (table.names.find(choice.name) || choice.name == table.label_name())
      return failure(
          ErrorCode::kInvalidOption,
          "--ignore {}: is {} of the checkpoint's model, which needs it: leave it out of --ignore, "
          "or begin with a new --state-directory",
          choice.name, choice.name == table.label_name() ? "the label" : "an attribute");
    if (table.has_columns() && !table.names.are_complete())
      return failure(
          ErrorCode::kInvalidOption,
          "--ignore {}: the checkpoint's records were read without it, and their columns are known "
          "by their places: leave it out of --ignore, or insist with --schema-change allow",
          choice.name);
    ignored.push_back(choice);
  }
  return {};
}

// The entries of a description that another one does not have.
void report_taken(const std::string& given, const std::string& now) {
  std::string taken;
  for (std::string_view rest = now; !rest.empty();) {
    const std::string_view entry = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(entry.size() + 1);
    if (('\0' + given).find(fmt::format("{}{}{}", '\0', entry, '\0')) == std::string::npos)
      taken.append(" --").append(entry);
  }
  if (!taken.empty()) spdlog::info("records are read as the checkpoint says:{}", valid_utf8(taken));
}

}  // namespace

TableSchema schema_of(const Configuration& c) {
  return {c.format, c.index_base, c.table, c.absent, c.categories, c.classes.task};
}

Result<bool> take_schema(Configuration& c, const State& state) {
  const auto restored = TableSchema::restore(state);
  if (!restored) return restored.error();
  const std::optional<TableSchema>& known = *restored;
  const TableSchema given = schema_of(c);
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
  KnownTable table{{}, AttributeNames(number_of(state, "dimension"))};
  if (const Status status = table.names.restore(state); !status) return status.error();
  if (auto layout = TableLayout::restore(state, table.names.dimension()); layout)
    table.layout = std::move(*layout);
  TableSchema now = *known;
  table.layout.name_choices(now.table);
  bool changes_table = false;
  for (const SchemaOption& option : kOptions) {
    if (!is_given(c, option)) continue;
    if (option.name == kCategories) {  // those of before are in the state
      for (const std::string& name : given.categories)
        if (std::ranges::find(now.categories, name) == now.categories.end()) now.categories.push_back(name);
      continue;
    }
    const bool same_label = option.name == kLabel && are_labels(given, *known, table);
    if (same_label && table.has_columns()) continue;
    if (option.name == kIgnore) {
      const Status status = add_ignored(now.table.ignored, given, table);
      if (status) continue;
      if (!c.allows_schema_change) return status.error();
    }
    TableSchema changed = *known;
    option.take(given, changed);
    const auto difference = known->difference(changed, Format::kAuto);
    const bool is_same = !difference || same_label;
    if (!is_same && !c.allows_schema_change)
      return failure(ErrorCode::kInvalidOption,
                     "{}: the checkpoint's records were read with {}, and the same record would be read "
                     "differently: leave the option out, which reads as before, or {}",
                     difference->there, difference->here,
                     option.name == "task" || given.table.further_labels.size() > 0
                         ? "begin with a new --state-directory"
                         : "insist with --schema-change allow");
    changes_table = changes_table || option.name == kIgnore || (option.name == kLabel && !is_same);
    option.take(given, now);
  }
  now.labels = Task::kAuto;
  set_schema(c, now);
  report_taken(given.describe(), now.describe());
  return changes_table;
}

void keep_schema(Configuration& next, const Configuration& running) {
  TableSchema schema = schema_of(next);
  const auto value_of = [](const Configuration& c, std::string_view name) {
    const auto value = c.given.find(name);
    return value != c.given.end() ? std::optional(value->second) : std::nullopt;
  };
  for (const SchemaOption& option : kOptions)
    if (value_of(next, option.name) == value_of(running, option.name) &&
        value_of(next, option.older_name) == value_of(running, option.older_name))
      option.take(schema_of(running), schema);
  set_schema(next, schema);
}

}  // namespace glimpse
