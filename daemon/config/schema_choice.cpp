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

constexpr std::string_view kOlderLabel = "label-column";

bool is_given(const Configuration& c, std::string_view option) {
  return c.given.contains(option) || (option == "label" && c.given.contains(kOlderLabel));
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
  // A column of rows with the label; none: it was chosen by its name, or rows are not so wide.
  std::optional<std::size_t> place_of(const ColumnChoice& choice) const {
    const bool is_last = choice.kind == ColumnChoice::Kind::kLast;
    const std::size_t place = is_last ? layout.width() - 1 : choice.number;
    return choice.kind != ColumnChoice::Kind::kName && place < layout.width() ? std::optional(place)
                                                                              : std::nullopt;
  }
  bool ignores(std::size_t column) const {
    return std::ranges::count(layout.ignored(), column) > std::ranges::count(layout.further_labels(), column);
  }
  std::string_view label_name() const {
    return layout.chosen_names().empty() ? std::string_view() : layout.chosen_names().front();
  }
};

// Whether the label given is the column of before, perhaps by another of its names.
bool is_label(const ColumnChoice& given, const ColumnChoice& before, const KnownTable& table) {
  if (text_of(given) == text_of(before)) return true;
  const auto place = table.place_of(given);
  return (place && place == table.layout.label()) ||
         (!table.label_name().empty() && given.name == table.label_name());
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
      return failure(
          ErrorCode::kInvalidOption,
          "--ignore {}: is {} of the checkpoint's model, which needs it: leave it out of --ignore, "
          "or begin with a new --state-directory",
          choice.name, is_the_label ? "the label" : "an attribute");
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
  return {c.format, c.index_base, c.table, c.absent, c.categories, c.classes.task};
}

Result<bool> take_schema(Configuration& c, const State& state) {
  const auto restored = TableSchema::restore(state);
  if (!restored) return restored.error();
  const std::optional<TableSchema>& known = *restored;
  const TableSchema given = schema_of(c);
  if (!known && state.find("inputs.schema_options") != nullptr) {  // no record was learned from so far
    GLIMPSE_TRY_ASSIGN(const auto text, state.get<std::uint8_t>("inputs.schema_options"));
    TableSchema now = TableSchema::parse({reinterpret_cast<const char*>(text.data()), text.size()});
    for (const std::string_view option : TableSchema::options())
      if (is_given(c, option)) now.take(option, given);
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
  KnownTable table{{}, AttributeNames(number_of(state, "dimension"))};
  if (const Status status = table.names.restore(state); !status) return status.error();
  if (auto layout = TableLayout::restore(state, table.names.dimension()); layout)
    table.layout = std::move(*layout);
  TableSchema now = *known;
  table.layout.name_choices(now.table);
  bool changes_table = false;
  TableSchema reported = given;
  for (const std::string_view option : TableSchema::options()) {
    if (!is_given(c, option)) continue;
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
    if (option == "label" && is_one && is_label(given.table.label, known->table.label, table)) continue;
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
    changes_table = changes_table || option == "ignore" || (option == "label" && difference);
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
    if (value_of(next, option) == value_of(running, option) &&
        (option != "label" || value_of(next, kOlderLabel) == value_of(running, kOlderLabel)))
      schema.take(option, schema_of(running));
  set_schema(next, schema);
}

}  // namespace glimpse
