#include "json/json_elements.h"

#include <algorithm>

#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// Which characters of a JSON text are of a string, its quotes among them.
class StringScan {
 public:
  bool holds(char c) {
    if (!quoted_) return quoted_ = c == '"';
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else {
      quoted_ = c != '"';
    }
    return true;
  }

 private:
  bool quoted_ = false;
  bool escaped_ = false;
};

// The end of the value that begins at `at` with '{' or '['; npos when it is not closed.
std::size_t end_of_element(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  StringScan strings;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (strings.holds(c)) continue;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

void append_line(std::string& lines, std::string_view element) {
  for (const char c : element) lines += c == '\n' || c == '\r' ? ' ' : c;
  lines += '\n';
}

}  // namespace

JsonTexts::JsonTexts(std::string_view body) : body_(body) {
  rest_ = body.substr(skip_space(body, 0));
  is_array_ = !rest_.empty() && rest_[0] == '[';
  if (is_array_) rest_.remove_prefix(1);
}

Result<std::size_t> JsonTexts::count() const {
  JsonTexts texts(body_);
  std::size_t count = 0;
  while (texts.next()) ++count;
  if (!is_array_) return count;
  if (!texts.is_closed_) return failure(ErrorCode::kInvalidInput, "the JSON array is not closed");
  const std::size_t rest = skip_space(texts.rest_, 0);
  if (rest != texts.rest_.size())
    return failure(ErrorCode::kInvalidInput, "something follows the JSON array, at byte {}",
                   body_.size() - texts.rest_.size() + rest);
  return count;
}

std::optional<std::string_view> JsonTexts::next() { return is_array_ ? next_element() : next_line(); }

std::optional<std::string_view> JsonTexts::next_line() {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!trimmed(line).empty()) return line;
  }
  return std::nullopt;
}

std::optional<std::string_view> JsonTexts::next_element() {
  std::size_t depth = 0;
  StringScan strings;
  for (std::size_t at = 0; at < rest_.size() && !is_closed_; ++at) {
    const char c = rest_[at];
    if (strings.holds(c)) continue;
    is_closed_ = c == ']' && depth == 0;
    if ((c == ',' && depth == 0) || is_closed_) {
      const std::string_view element = rest_.substr(0, at);
      rest_.remove_prefix(at + 1);
      const bool is_nothing = is_closed_ && is_first_ && skip_space(element, 0) == element.size();
      is_first_ = false;
      if (is_nothing) return std::nullopt;
      return element;
    }
    if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  if (!is_closed_) rest_ = {};
  return std::nullopt;
}

Result<std::string> examples_as_lines(std::string whole) {
  const std::string_view body = whole;
  const std::size_t begin = skip_space(body, 0);
  if (begin == body.size() || body[begin] != '[') return whole;
  const std::size_t first = skip_space(body, begin + 1);
  const bool holds_examples = first < body.size() && (body[first] == '{' || body[first] == '[');
  const std::size_t end = end_of_element(body, begin);
  if (end == std::string_view::npos) return failure(ErrorCode::kInvalidInput, "the JSON array is not closed");
  if (!holds_examples) return whole;
  if (skip_space(body, end) != body.size()) {
    // Several arrays: NDJSON whose examples are dense, [1,2] a line, would not begin with '[[' or '[{'.
    return failure(ErrorCode::kInvalidInput, "something follows the JSON array of examples, at byte {}",
                   skip_space(body, end));
  }
  std::string lines;
  lines.reserve(body.size() + 1);
  for (std::size_t at = first;;) {
    if (at >= end || (body[at] != '{' && body[at] != '['))
      return failure(ErrorCode::kInvalidInput,
                     "element at byte {} of the JSON array is neither an object nor an array", at);
    const std::size_t stop = end_of_element(body, at);
    append_line(lines, body.substr(at, stop - at));
    at = skip_space(body, stop);
    if (body[at] == ']') return lines;
    if (body[at] != ',')
      return failure(ErrorCode::kInvalidInput, "expected ',' or ']' at byte {} of the JSON array", at);
    at = skip_space(body, at + 1);
  }
}

}  // namespace glimpse
