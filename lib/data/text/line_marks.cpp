#include "data/text/line_marks.h"

namespace glimpse {

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
