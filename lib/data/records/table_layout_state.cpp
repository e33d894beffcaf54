#include <algorithm>
#include <cstdint>

#include "data/records/table_layout.h"
#include "data/text/number.h"
#include "data/text/text.h"

// What checkpoints know of tables.

namespace glimpse {

std::string TableLayout::describe() const {
  std::string text = fmt::format("width={} label=", width_);
  if (label_) text += fmt::format("{}", *label_);
  text += " ignored=";
  for (std::size_t i = 0; i < ignored_.size(); ++i)
    text += fmt::format("{}{}", i > 0 ? "," : "", ignored_[i]);
  for (std::size_t i = 0; i < further_labels_.size(); ++i)
    text += fmt::format("{}{}", i > 0 ? "," : " further=", further_labels_[i]);
  return text;
}

Result<TableLayout> TableLayout::parse(std::string_view description, std::size_t dimension) {
  const Error corrupt =
      failure(ErrorCode::kCorrupt, "inputs.table is no layout of a table with {} attributes: {}", dimension,
              quoted(description));
  const auto part_of = [&](std::string_view name) {
    const std::size_t place = description.find(name);
    if (place == std::string_view::npos) return std::string_view();
    const std::string_view rest = description.substr(place + name.size());
    return rest.substr(0, rest.find(' '));
  };
  TableLayout layout;
  std::uint64_t number = 0;
  if (!read_index(part_of("width="), number)) return corrupt;
  layout.width_ = number;
  std::vector<bool> is_used(std::min<std::uint64_t>(number, dimension + description.size()));
  const auto use = [&](std::string_view text) {
    if (!read_index(text, number) || number >= is_used.size() || is_used[number]) return false;
    is_used[number] = true;
    return true;
  };
  if (const std::string_view label = part_of("label="); !label.empty()) {
    if (!use(label)) return corrupt;
    layout.label_ = number;
  }
  for (std::string_view rest = part_of("ignored="); !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (!use(one)) return corrupt;
    layout.ignored_.push_back(number);
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  for (std::string_view rest = part_of("further="); !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (!read_index(one, number) || std::ranges::find(layout.ignored_, number) == layout.ignored_.end())
      return corrupt;
    layout.further_labels_.push_back(number);
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  std::vector<std::uint32_t> columns;
  for (std::size_t column = 0; column < is_used.size(); ++column)
    if (!is_used[column]) columns.push_back(static_cast<std::uint32_t>(column));
  if (columns.size() != dimension || is_used.size() != layout.width_) return corrupt;
  layout.finish(std::move(columns));
  return layout;
}

void TableLayout::save(State& state) const {
  if (width_ > 0) state.put_text("inputs.table", describe());
  if (chosen_names_.empty()) return;
  std::string names;
  for (const std::string& name : chosen_names_) names.append(name).push_back('\0');
  std::ranges::copy(names, state.put<std::uint8_t>("inputs.table_names", names.size()).begin());
}

Result<TableLayout> TableLayout::restore(const State& state, std::size_t dimension) {
  const auto text = state.get_text("inputs.table");
  auto layout = text ? parse(*text, dimension) : TableLayout();
  if (!layout || state.find("inputs.table_names") == nullptr) return layout;
  GLIMPSE_TRY_ASSIGN(const auto bytes, state.get<std::uint8_t>("inputs.table_names"));
  for (auto at = bytes.begin(); at != bytes.end();) {
    const auto end = std::find(at, bytes.end(), std::uint8_t{0});
    layout->chosen_names_.emplace_back(at, end);
    at = end == bytes.end() ? end : end + 1;
  }
  return layout;
}

}  // namespace glimpse
