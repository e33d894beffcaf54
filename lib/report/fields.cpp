#include "report/fields.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>

#include "json/json_arrays.h"
#include "report/units.h"

namespace glimpse {
namespace {

constexpr std::size_t kListItems = 10;  // of a list in one line

std::optional<double> number_of(const boost::json::value& value) {
  if (!value.is_number()) return std::nullopt;
  return value.to_number<double>();
}

std::string number_text(std::string_view name, const boost::json::value& value) {
  // These say which, not how many: separators would only hinder a user who copies them.
  if (name == "attribute" || name == "seed" || name == "pid") return boost::json::serialize(value);
  const double number = value.to_number<double>();
  if (name.ends_with("_timestamp_seconds")) return readable_number(number);
  if (name.ends_with("_seconds")) return readable_duration(number);
  if (name.ends_with("_bytes") && number >= 0) return readable_bytes(number);
  if (value.is_uint64()) return with_thousands(value.get_uint64());
  if (value.is_int64() && value.get_int64() >= 0)
    return with_thousands(static_cast<std::uint64_t>(value.get_int64()));
  return readable_number(number);
}

bool is_rows(const boost::json::value& value) {
  const auto* array = value.if_array();
  return array != nullptr && !array->empty() &&
         std::all_of(array->begin(), array->end(), [](const auto& item) { return item.is_object(); });
}

void add_rows(const std::string& prefix, const boost::json::object& object, Table& fields,
              std::vector<std::pair<std::string, Table>>& lists) {
  for (const auto& field : object) {
    const std::string name = prefix + std::string(field.key());
    if (const auto* inner = field.value().if_object(); inner != nullptr && !inner->empty()) {
      add_rows(name + ".", *inner, fields, lists);
    } else if (is_rows(field.value())) {
      lists.emplace_back(name, table_of(field.value().get_array()));
    } else {
      fields.add({name, field_text(name, field.value())});
    }
  }
}

// "examples", or "…_examples".
bool is_called(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [name](std::string_view word) {
    return name == word || (name.ends_with(word) && name[name.size() - word.size() - 1] == '_');
  });
}

bool can_be(std::string_view name, double number) {
  if (is_called(name, {"abandoned", "accepted", "beyond_budget", "bytes", "count", "error_count", "examples",
                       "expired", "failures", "frozen", "given", "held_out", "learned", "open", "predictions",
                       "skipped", "unlabelled", "values"}))
    return number >= 0 && number < 0x1p64 && number == std::floor(number);
  if (name.ends_with("_loss") || is_called(name, {"rmse", "brier", "error", "cost"})) return number >= 0;
  if (is_called(name, {"probability"})) return number >= 0 && number <= 1;
  return !is_called(name, {"r2"}) || number <= 1;
}

}  // namespace

Status check_numbers(const boost::json::object& object) {
  for (const auto& field : object) {
    if (field.key() == "weights") continue;  // whose names are those of attributes, as "open"
    if (const auto* const inner = field.value().if_object()) GLIMPSE_TRY(check_numbers(*inner));
    if (const auto* const list = field.value().if_array())
      for (const auto& item : *list)
        if (item.is_object()) GLIMPSE_TRY(check_numbers(item.get_object()));
    if (const auto number = number_of(field.value()); number && !can_be(field.key(), *number))
      return failure(ErrorCode::kCorrupt, "its '{}' is {}, which cannot be", std::string_view(field.key()),
                     boost::json::serialize(field.value()));
  }
  return {};
}

Status check_number(std::string_view text, double least, double most) {
  if (text == "null") return {};
  GLIMPSE_TRY_ASSIGN(const double number, parse_json_number(text));
  if (number >= least && number <= most) return {};
  return failure(ErrorCode::kCorrupt, "it has the number {} where {} to {} can be", text, least, most);
}

Result<boost::json::object> parse_answer(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(auto object, parse_object(body));
  GLIMPSE_TRY(check_numbers(object));
  return object;
}

std::optional<double> number_in(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value == nullptr ? std::nullopt : number_of(*value);
}

std::string word_in(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool is_true(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::string field_text(std::string_view name, const boost::json::value& value) {
  if (value.is_null()) return std::string(kAbsent);
  if (value.is_bool()) return value.get_bool() ? "yes" : "no";
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_number()) return number_text(name, value);
  if (is_rows(value) || value.is_object()) return boost::json::serialize(value);

  const auto& items = value.get_array();
  if (items.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), kListItems); ++i)
    text += (i == 0 ? "" : ", ") + field_text(name, items[i]);
  if (items.size() > kListItems) text += fmt::format(", … ({} in all)", with_thousands(items.size()));
  return text;
}

std::string object_report(const boost::json::object& object) {
  Table fields({{"", true}, {"", true}});
  std::vector<std::pair<std::string, Table>> lists;
  add_rows("", object, fields, lists);
  std::string text = fields.text();
  for (const auto& [name, table] : lists) text += fmt::format("\n{}\n{}", printable(name), table.text());
  return text;
}

Table table_of(const boost::json::array& rows) {
  std::vector<Table::Column> columns;
  for (const auto& row : rows) {
    for (const auto& field : row.as_object()) {
      const auto same = [&](const auto& column) { return column.title == std::string_view(field.key()); };
      auto column = std::find_if(columns.begin(), columns.end(), same);
      if (column == columns.end()) column = columns.insert(columns.end(), {std::string(field.key()), false});
      column->left = column->left || !(field.value().is_number() || field.value().is_null());
    }
  }
  Table table(columns);
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const auto& column : columns) {
      const auto* value = row.get_object().if_contains(column.title);
      cells.push_back(value == nullptr ? std::string(kAbsent) : field_text(column.title, *value));
    }
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace glimpse
