#include "glimpsectl/reports/watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/units.h"
#include "report/fields.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

struct Column {
  std::string_view title;
  std::size_t width;
  bool left = false;
};

constexpr std::array<Column, 9> kColumns{{{"time", 8, true},
                                          {"examples", 13},
                                          {"ex/s", 6},
                                          {"phase", 6, true},
                                          {"loss ± error", 15},
                                          {"R2 ± error", 12},
                                          {"rmse", 8},
                                          {"queue", 8},
                                          {"ckpt", 4}}};

// Of kColumns: examples, R2, the rate, the phase, the loss, the time, the queue, the checkpoint, the root.
constexpr std::array<std::size_t, kColumns.size()> kByImportance{1, 5, 2, 3, 4, 0, 7, 8, 6};

// So many of the most important columns fit.
std::size_t columns_in(std::size_t room) {
  std::size_t used = 0;
  for (std::size_t k = 0; k < kByImportance.size(); ++k) {
    used += kColumns[kByImportance[k]].width + (k > 0 ? 1 : 0);
    if (used > room) return k;
  }
  return kByImportance.size();
}

std::string join_important(const std::vector<std::string>& cells, std::size_t count) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto place = std::ranges::find(kByImportance, i) - kByImportance.begin();
    if (static_cast<std::size_t>(place) >= count) continue;
    if (!line.empty()) line += ' ';
    line += padded(cells[i], kColumns[i].width, kColumns[i].left);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string join(const std::vector<std::string>& cells, std::size_t room) {
  std::size_t count = columns_in(room);
  std::string line = join_important(cells, count);
  while (display_width(line) > room) line = join_important(cells, --count);
  return line;
}

std::string rate(const boost::json::object& now, const boost::json::object* before, std::string_view name,
                 double seconds) {
  const auto to = number_in(now, name);
  const auto from = before == nullptr ? std::nullopt : number_in(*before, name);
  if (!to || !from || *to < *from || !(seconds > 0)) return std::string(kAbsent);
  return compact_number((*to - *from) / seconds);
}

bool is_frozen(const boost::json::object& now) { return is_true(now, "frozen"); }

// While frozen what is learned stands still; records that come are judged, and those losses go on.
std::string losses_named(const boost::json::object& now, const std::string& learned,
                         const std::string& frozen) {
  return is_frozen(now) && number_in(now, frozen) ? frozen : learned;
}

std::string r2(const boost::json::object& now) {
  const std::string name = losses_named(now, "recent_r2", "frozen_recent_r2");
  const auto value = number_in(now, name);
  if (!value) return std::string(kAbsent);
  const auto error = number_in(now, name + "_error");
  return fixed_text(*value, 3) + (error ? fmt::format(" ± {:.1g}", *error) : std::string());
}

std::string loss(const boost::json::object& now) {
  const std::string name = losses_named(now, "progressive_loss", "frozen_loss");
  const auto value = number_in(now, name);
  if (!value) return std::string(kAbsent);
  const auto error = number_in(now, name + "_error");
  return fmt::format("{:.4g}", *value) + (error ? fmt::format(" ± {:.2g}", *error) : std::string());
}

template <class Show>
std::string shown(const boost::json::object& now, std::string_view name, Show show) {
  const auto value = number_in(now, name);
  return value ? show(*value) : std::string(kAbsent);
}

}  // namespace

Status choose_label(boost::json::object& status, std::string_view label) {
  if (label.empty()) return {};
  const auto* const labels = status.if_contains("labels");
  if (labels == nullptr || !labels->is_array())
    return failure(ErrorCode::kInvalidInput, "--label {}: this glimpsed has one label", printable(label));
  std::string names;
  for (const boost::json::value& each : labels->get_array()) {
    const auto* const name = each.is_object() ? each.get_object().if_contains("name") : nullptr;
    if (name == nullptr || !name->is_string()) continue;
    if (std::string_view(name->get_string()) == label) {
      const boost::json::object of_label = each.get_object();
      for (const auto& [key, value] : of_label) status[key] = value;
      return {};
    }
    names += (names.empty() ? "" : ", ") + printable(std::string_view(name->get_string()));
  }
  return failure(ErrorCode::kInvalidInput, "--label {}: no label is called so; there are {}",
                 printable(label), names);
}

std::string watch_header(std::size_t room) {
  std::vector<std::string> titles;
  for (const auto& column : kColumns) titles.emplace_back(column.title);
  return join(titles, room);
}

std::string watch_line(std::string_view time, const boost::json::object& now,
                       const boost::json::object* before, double seconds, std::size_t room) {
  const auto* phase = now.if_contains("phase");
  const auto phase_text = is_frozen(now)     ? "frozen"
                          : phase == nullptr ? std::string(kAbsent)
                                             : printable(field_text("phase", *phase));
  const std::vector<std::string> cells{std::string(time),
                                       shown(now, "examples", readable_number),
                                       rate(now, before, "examples", seconds),
                                       clipped(phase_text, kColumns[3].width),
                                       loss(now),
                                       r2(now),
                                       shown(now, losses_named(now, "recent_rmse", "frozen_recent_rmse"),
                                             [](double root) { return fmt::format("{:.4g}", root); }),
                                       shown(now, "queue_bytes", readable_bytes),
                                       shown(now, "checkpoint_age_seconds", short_duration)};
  return join(cells, room);
}

}  // namespace glimpse::ctl
