#include "daemon/json_elements.h"

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

Result<std::vector<std::string_view>> array_elements(std::string_view body) {
  std::vector<std::string_view> elements;
  std::size_t at = skip_space(body, 0) + 1;  // behind the bracket
  std::size_t begin = at;
  std::size_t depth = 0;
  StringScan strings;
  bool closed = false;
  for (; at < body.size() && !closed; ++at) {
    const char c = body[at];
    if (strings.holds(c)) continue;
    closed = c == ']' && depth == 0;
    if ((c == ',' && depth == 0) || closed) {
      const std::string_view element = body.substr(begin, at - begin);
      const bool empty = skip_space(element, 0) == element.size();
      if (!empty || !closed || !elements.empty()) elements.push_back(element);
      begin = at + 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  if (!closed) return failure(ErrorCode::kInvalidInput, "the JSON array is not closed");
  if (const std::size_t rest = skip_space(body, at); rest != body.size())
    return failure(ErrorCode::kInvalidInput, "something follows the JSON array, at byte {}", rest);
  return elements;
}

Result<std::string> examples_as_lines(std::string_view body) {
  const std::size_t begin = skip_space(body, 0);
  if (begin == body.size() || body[begin] != '[') return std::string(body);
  const std::size_t first = skip_space(body, begin + 1);
  const bool holds_examples = first < body.size() && (body[first] == '{' || body[first] == '[');
  const std::size_t end = end_of_element(body, begin);
  if (end == std::string_view::npos) return failure(ErrorCode::kInvalidInput, "the JSON array is not closed");
  if (!holds_examples) return std::string(body);
  if (skip_space(body, end) != body.size()) {
    // Several arrays: NDJSON whose examples are dense, [1,2] a line, would not begin with '[[' or '[{'.
    return failure(ErrorCode::kInvalidInput, "something follows the JSON array of examples, at byte {}",
                   skip_space(body, end));
  }
  std::string lines;
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
