#include "data/text/dialect.h"

#include <algorithm>

#include "data/text/text.h"

namespace glimpse {

// The length of the delimiter that stands at `at`; 0: none does.
std::size_t RecordSplitter::delimiter_at(std::string_view text, std::size_t at) const {
  if (at >= text.size()) return 0;
  if (dialect_.divides_by_runs) {
    std::size_t end = at;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
    return end - at;
  }
  const std::string& delimiter = dialect_.delimiter;
  if (delimiter.empty() || text[at] != delimiter[0]) return 0;
  return text.compare(at, delimiter.size(), delimiter) == 0 ? delimiter.size() : 0;
}

bool RecordSplitter::is_padding(char c) const {
  if (c != ' ' && c != '\t') return false;
  return !dialect_.divides_by_runs && dialect_.delimiter != std::string_view(&c, 1);
}

// Whether a field may end at `at`, but for blanks: the delimiter, the end of the line or that of the text is
// there.
bool RecordSplitter::ends_field(std::string_view text, std::size_t at) const {
  while (at < text.size() && is_padding(text[at])) ++at;
  if (at >= text.size() || text[at] == dialect_.line_end) return true;
  return delimiter_at(text, at) > 0 || text.substr(at).starts_with("\r\n");
}

// Reads the field whose first quote is at `at`, and moves `at` behind its last.
RecordSplitter::Quoted RecordSplitter::read_quoted(std::string_view text, bool is_whole, Rules rules,
                                                   std::size_t& at) {
  const char quote = dialect_.quote;
  const std::size_t begin = at + 1;
  const std::size_t longest = std::min(text.size(), begin + kLongestRecord);
  bool is_plain = true;
  std::size_t i = begin;
  for (;; ++i) {
    while (i < longest && text[i] != quote && (text[i] != dialect_.escape || dialect_.escape == 0)) ++i;
    if (i >= longest) return is_whole || longest < text.size() ? Quoted::kIsText : Quoted::kGoesOn;
    if (!is_whole && i + 2 >= text.size()) return Quoted::kGoesOn;
    if (text[i] == dialect_.escape && dialect_.escape != 0 && text[i] != quote) {
      is_plain = false;
      ++i;
      continue;
    }
    const bool is_pair = i + 1 < text.size() && text[i + 1] == quote;
    if (ends_field(text, i + 1)) break;
    if (is_pair && rules.doubles_quotes) {
      is_plain = false;
      ++i;
      continue;
    }
    // ,"Great where the text before it seemed to be quoted: the quote before that was text.
    const bool opens = i > begin && delimiter_at(text, i - 1) > 0;
    if (rules.may_open_in_vain && opens) return Quoted::kIsText;
  }
  at = i + 1;
  std::string_view field = text.substr(begin, i - begin);
  if (!is_plain) {
    const std::size_t copy = unescaped_.size();
    for (std::size_t c = 0; c < field.size(); ++c) {
      const bool is_pair =
          rules.doubles_quotes && field[c] == quote && c + 1 < field.size() && field[c + 1] == quote;
      const bool is_escape = dialect_.escape != 0 && field[c] == dialect_.escape && c + 1 < field.size() &&
                             (field[c + 1] == quote || field[c + 1] == dialect_.escape);
      if (is_pair || is_escape) ++c;
      unescaped_ += field[c];
    }
    field = std::string_view(unescaped_).substr(copy);
  }
  fields_.push_back(field);
  are_quoted_.push_back(true);
  return Quoted::kRead;
}

std::size_t RecordSplitter::scan(std::string_view text, bool is_whole, Rules rules) {
  fields_.clear();
  are_quoted_.clear();
  unescaped_.clear();
  std::size_t at = 0;
  if (dialect_.divides_by_runs)
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  for (;;) {
    while (at < text.size() && is_padding(text[at])) ++at;
    Quoted quoted = Quoted::kIsText;
    if (rules.has_quotes && dialect_.quote != 0 && at < text.size() && text[at] == dialect_.quote)
      quoted = read_quoted(text, is_whole, rules, at);
    if (quoted == Quoted::kGoesOn) return 0;
    if (quoted == Quoted::kIsText) {
      std::size_t end = at;
      while (end < text.size() && text[end] != dialect_.line_end && delimiter_at(text, end) == 0) ++end;
      if (end == text.size() && !is_whole) return 0;
      fields_.push_back(trimmed(text.substr(at, end - at)));
      are_quoted_.push_back(false);
      at = end;
    }
    while (at < text.size() && (is_padding(text[at]) || (text[at] == '\r' && dialect_.line_end == '\n')))
      ++at;
    if (at >= text.size()) return is_whole ? text.size() : 0;
    if (text[at] == dialect_.line_end) return at + 1;
    at += std::max<std::size_t>(1, delimiter_at(text, at));
    if (dialect_.divides_by_runs && ends_field(text, at)) {
      while (at < text.size() && text[at] != dialect_.line_end) ++at;
      return at < text.size() ? at + 1 : is_whole ? at : 0;
    }
  }
}

std::size_t RecordSplitter::split(std::string_view text, bool is_whole) {
  const std::size_t end = text.find(dialect_.line_end);
  const std::string_view line = trimmed(text.substr(0, end));
  is_blank_ = line.empty() &&
              (dialect_.delimiter != "\t" || text.substr(0, end).find('\t') == std::string_view::npos);
  is_comment_ = dialect_.comment != 0 && line.starts_with(dialect_.comment);
  if (is_blank_ || is_comment_) {
    fields_.clear();
    are_quoted_.clear();
    if (end == std::string_view::npos) return is_whole ? text.size() : 0;
    return end + 1;
  }
  unescaped_.reserve(std::min(text.size(), kLongestRecord + line.size()));
  const std::size_t length = scan(text, is_whole, {});
  const bool has_quote =
      dialect_.quote != 0 && text.substr(0, length).find(dialect_.quote) != std::string_view::npos;
  if (length == 0 || dialect_.width == 0 || fields_.size() == dialect_.width || !has_quote) return length;
  constexpr Rules kLessStrict[] = {
      {.doubles_quotes = false}, {.may_open_in_vain = true}, {false, true, true}, {.has_quotes = false}};
  const auto off = [this] {
    return fields_.size() > dialect_.width ? fields_.size() - dialect_.width
                                           : dialect_.width - fields_.size();
  };
  Rules best;
  std::size_t least = off();
  for (const Rules rules : kLessStrict) {
    const std::size_t other = scan(text, is_whole, rules);
    if (other == 0 || off() >= least) continue;
    least = off();
    best = rules;
    if (least == 0) return other;
  }
  return scan(text, is_whole, best);
}

bool RecordSplitter::has_delimiters_alone() const {
  return fields_.size() > 1 &&
         std::ranges::all_of(fields_, [](std::string_view field) { return field.empty(); });
}

}  // namespace glimpse
