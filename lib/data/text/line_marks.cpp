#include "data/text/line_marks.h"

#include <algorithm>
#include <cstring>

namespace glimpse {

namespace {
constexpr std::size_t kLeastLine = 128;  // bytes in the mean
constexpr std::size_t kLeastToken = 8;
// For whose tokens there is room at once. A longer line is much work for the trainer as well.
constexpr std::size_t kLongestLine = std::size_t{32} << 10;

// For the tokens of one more line.
template <class T>
T* room_behind(std::vector<T>& all, std::size_t used, std::size_t more) {
  if (all.size() < used + more) all.resize(used + used / 4 + more);
  return all.data() + used;
}
}  // namespace

bool mark_tokens_of_lines(std::string_view text, const TokenRule& rule, const TextKernel& kernel,
                          TokenLines& found) {
  const std::size_t most_lines = text.size() / kLeastLine;
  const std::size_t most_tokens = text.size() / kLeastToken;
  found.lines.clear();
  found.lines.reserve(most_lines);
  std::size_t next = 0;
  std::vector<std::uint32_t>& name_ends = found.name_ends;
  for (std::size_t at = 0; at < text.size();) {
    if (found.lines.size() == most_lines) return false;
    const auto* const end = static_cast<const char*>(std::memchr(text.data() + at, '\n', text.size() - at));
    const std::size_t length = (end != nullptr ? end : text.data() + text.size()) - (text.data() + at);
    if (length > kLongestLine) return false;
    std::string_view whole = text.substr(at, length);
    if (whole.ends_with('\r')) whole.remove_suffix(1);
    const std::string_view tokens = rule.tokens(whole);
    const std::size_t room = token_room(tokens.size());
    std::uint32_t* const begins = room_behind(found.begins, next, room);
    std::uint32_t* const numbers = room_behind(found.numbers, next, room);
    std::uint32_t* const ends = room_behind(name_ends, 0, room);
    const TokenMarks marks = kernel.mark_tokens(tokens.data(), tokens.size(), rule.stop, begins, ends);
    TokenLines::Line& line = found.lines.emplace_back();
    line.begin = tokens.data();
    line.size = static_cast<std::uint32_t>(tokens.size());
    line.length = static_cast<std::uint32_t>(length);
    line.first = static_cast<std::uint32_t>(next);
    line.count = static_cast<std::uint32_t>(marks.count);
    line.all_pairs = marks.all_pairs;
    line.is_plain =
        !marks.has_stop && kernel.read_names(tokens.data(), begins, ends, marks.count, rule.base, numbers);
    at += length + 1;
    if (!line.is_plain) continue;
    if (next + marks.count > most_tokens) return false;
    std::uint8_t* const sizes = room_behind(found.name_sizes, next, marks.count);
    for (std::size_t i = 0; i < marks.count; ++i) sizes[i] = static_cast<std::uint8_t>(ends[i] - begins[i]);
    next += marks.count;
  }
  return true;
}

bool mark_lines(std::string_view text, char delimiter, const TextKernel& kernel, LineMarks& marks) {
  const std::size_t most_lines = text.size() / kLeastMarkedLine;
  const std::size_t room = text.size() / 64 + 2 * (most_lines + 1);
  marks.blocks.reserve(room);
  if (marks.blocks.size() < room) marks.blocks.resize(room);
  marks.lines.clear();
  marks.lines.reserve(most_lines);
  marks.text = text.data();
  marks.tokens.lines.clear();
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (marks.lines.size() == most_lines) return false;
    const FieldMarks line =
        kernel.mark_fields(text.data() + at, text.size() - at, delimiter, marks.blocks.data() + next);
    if (line.has_quote) return false;
    marks.lines.push_back({line, next});
    next += field_blocks(line.length);
    at += line.length + 1;
  }
  return true;
}

bool mark_lines(std::string_view text, const TokenRule& rule, const TextKernel& kernel, LineMarks& marks) {
  marks.text = text.data();
  marks.lines.clear();
  return mark_tokens_of_lines(text, rule, kernel, marks.tokens);
}

}  // namespace glimpse
