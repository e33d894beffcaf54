#include "glimpsectl/reports/history_lines.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "glimpsectl/format/table.h"
#include "glimpsectl/format/units.h"

namespace glimpse::ctl {
namespace {

constexpr std::size_t kAxisColumns = 52;  // of the axis
constexpr std::size_t kLabel = 7;
constexpr std::size_t kEventsTold = 3;
constexpr double kLeastR2 = -0.5;

constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr const char* kLetters[] = {".", ":", "-", "=", "+", "*", "#", "@"};
constexpr int kLevels = 8;

class Axis {
 public:
  explicit Axis(const std::vector<double>& examples) : first_(examples.front()), last_(examples.back()) {}

  std::size_t column(double examples) const {
    const double share = std::log(examples / first_) / std::log(last_ / first_);
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(kAxisColumns - 1) +
                                    0.5);
  }

  /// 1, 10, 100, … where there is room.
  std::string numbers() const {
    std::string line(kAxisColumns, ' ');
    std::size_t free = 0;
    for (double power = std::pow(10, std::ceil(std::log10(first_) - 1e-9)); power <= last_; power *= 10) {
      const std::string text = compact_number(power);
      const std::size_t at = column(power);
      if (at < free || at + text.size() > line.size()) continue;
      line.replace(at, text.size(), text);
      free = at + text.size() + 1;
    }
    return line;
  }

 private:
  double first_;
  double last_;
};

// In each column the newest value; where no sample fell the one before goes on.
std::vector<double> in_columns(const Axis& axis, const std::vector<double>& examples,
                               const std::vector<double>& values) {
  std::vector<double> line(kAxisColumns, std::nan(""));
  std::size_t k = 0;
  double value = std::nan("");
  for (std::size_t c = 0; c < kAxisColumns; ++c) {
    for (; k < values.size() && axis.column(examples[k]) <= c; ++k)
      if (std::isfinite(values[k])) value = values[k];
    line[c] = value;
  }
  return line;
}

std::string drawn(const std::vector<double>& line, double low, double high, bool has_utf8) {
  std::string text;
  for (const double value : line) {
    if (!std::isfinite(value)) {
      text += ' ';
      continue;
    }
    const double share = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.5;
    const int level = std::min(static_cast<int>(share * kLevels), kLevels - 1);
    text += has_utf8 ? kBlocks[level] : kLetters[level];
  }
  return text;
}

class Lines {
 public:
  Lines(const HistoryData& history, bool has_utf8)
      : history_(history), has_utf8_(has_utf8), axis_(history.column("examples")) {}

  std::string text() {
    if (!add("R2", "recent_r2", kLeastR2)) add("loss", "recent_loss", 0);
    add("held R2", "held_out_recent_r2", kLeastR2);
    add("ex/s", "rate", 0);
    line("", axis_.numbers(), "examples");
    add_events();
    return text_;
  }

 private:
  void line(const std::string& label, const std::string& drawing, const std::string& value) {
    std::string row = padded(label, kLabel, true) + ' ' + padded(drawing, kAxisColumns, true) + ' ' + value;
    row.erase(row.find_last_not_of(' ') + 1);
    text_ += row + '\n';
  }

  // False: nothing is known of it.
  bool add(const std::string& label, const std::string& column, double least) {
    const auto& errors = history_.column(column + "_error");
    std::vector<double> values = history_.column(column);
    for (std::size_t i = 0; i < std::min(values.size(), errors.size()); ++i)
      if (!std::isfinite(errors[i])) values[i] = std::nan("");  // of an example or two: it says nothing
    const auto known = std::ranges::find_if(values.rbegin(), values.rend(),
                                            [](double value) { return std::isfinite(value); });
    if (known == values.rend()) return false;
    const std::vector<double> columns = in_columns(axis_, history_.column("examples"), values);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double value : columns)
      if (std::isfinite(value)) {
        low = std::min(low, std::max(value, least));
        high = std::max(high, value);
      }
    if (least == 0) low = 0;
    const double error = errors.empty() ? std::nan("") : errors.back();
    std::string shown = column == "rate" ? compact_number(*known) : fmt::format("{:.4g}", *known);
    if (std::isfinite(error)) shown += fmt::format(" {} {:.2g}", has_utf8_ ? "±" : "+-", error);
    line(label, drawn(columns, low, high, has_utf8_), shown);
    return true;
  }

  void add_events() {
    if (history_.events.empty()) return;
    std::string row(kAxisColumns, ' ');
    for (const HistoryData::Event& event : history_.events)
      if (event.examples >= 1) row[axis_.column(event.examples)] = '^';
    std::string words;
    const std::size_t skipped = history_.events.size() - std::min(kEventsTold, history_.events.size());
    for (std::size_t k = skipped; k < history_.events.size(); ++k) {
      const HistoryData::Event& event = history_.events[k];
      words += fmt::format("{}{} at {}", words.empty() ? "" : "; ", event_text(event),
                           readable_number(event.examples));
    }
    line("", row, "");
    text_ += std::string(kLabel + 1, ' ') + (skipped > 0 ? "... " : "") + clip(words) + '\n';
  }

  std::string clip(const std::string& words) const {
    constexpr std::size_t kRoom = 79 - kLabel - 1 - 4;
    if (has_utf8_) return clipped(words, kRoom);
    if (display_width(words) <= kRoom) return words;
    constexpr std::string_view kSign = "…";
    std::string cut = clipped(words, kRoom - 2);  // not within a character: names of labels may have any
    return cut.replace(cut.size() - kSign.size(), kSign.size(), "...");
  }

  const HistoryData& history_;
  const bool has_utf8_;
  const Axis axis_;
  std::string text_;
};

}  // namespace

std::string history_lines(const HistoryData& history, bool has_utf8) {
  if (history.column("examples").size() < 2) return {};
  return Lines(history, has_utf8).text();
}

}  // namespace glimpse::ctl
