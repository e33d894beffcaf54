#include "report/table.h"

#include <algorithm>
#include <utility>

namespace glimpse {
namespace {

bool continues_a_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string in_ascii(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {" ± ", " +-"}, {"±", "+-"}, {"–", "-"}, {"…", "~"}};
  for (const auto& [sign, letters] : kSigns)
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + letters.size()))
      text.replace(at, sign.size(), letters);
  return text;
}

std::size_t display_width(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_a_code_point));
}

std::string clipped(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t end = 0;
  for (std::size_t column = 0; end < text.size(); ++end)
    if (!continues_a_code_point(text[end]) && ++column == width) break;
  return std::string(text.substr(0, end)) + "…";
}

std::string padded(std::string_view text, std::size_t width, bool left) {
  const std::size_t used = display_width(text);
  const std::string blanks(used < width ? width - used : 0, ' ');
  return left ? std::string(text) + blanks : blanks + std::string(text);
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  bool titled = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(printable(columns_[i].title));
    titled = titled || !titles.back().empty();
    std::size_t width = display_width(titles.back());
    for (const auto& row : rows_) width = std::max(width, display_width(row[i]));
    widths.push_back(width);
  }

  std::string result;
  const auto put = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      line += padded(cells[i], widths[i], columns_[i].left);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  };
  if (titled) put(titles);
  for (const auto& row : rows_) put(row);
  return result;
}

}  // namespace glimpse
