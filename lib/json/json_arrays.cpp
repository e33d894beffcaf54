#include "json/json_arrays.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/numbers.h"

namespace glimpse {
namespace {

/// Finds its way through JSON by brackets and quotation marks alone. Places past the end read as NUL, so that
/// truncated text ends every loop.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  std::size_t place() const { return at_; }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool take(char c) {
    skip_blanks();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  /// The text of the value that begins here; empty when there is none, or not all of it.
  std::string_view take_value() {
    skip_blanks();
    const std::size_t begin = at_;
    if (peek() == '"') {
      skip_string();
    } else if (peek() == '{' || peek() == '[') {
      skip_brackets();
    } else {
      at_ = std::min(text_.find_first_of(",:]} \t\r\n", at_), text_.size());
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  void skip_string() {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        ++at_;
        return;
      }
    }
    at_ = text_.size();
  }

  void skip_brackets() {
    std::size_t depth = 0;
    do {
      at_ = std::min(text_.find_first_of("\"{}[]", at_), text_.size());
      const char c = peek();
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (at_ < text_.size()) ++at_;
    } while (depth > 0 && at_ < text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Error malformed(const Scanner& scanner) {
  return failure(ErrorCode::kCorrupt, "it is not JSON at byte {}", scanner.place());
}

Status walk_array(Scanner& scanner, std::string_view name, const OnElement& on_element) {
  scanner.take('[');
  if (scanner.take(']')) return {};
  do {
    const std::string_view element = scanner.take_value();
    if (element.empty()) return malformed(scanner);
    GLIMPSE_TRY(on_element(name, element));
  } while (scanner.take(','));
  if (!scanner.take(']')) return malformed(scanner);
  return {};
}

}  // namespace

Result<boost::json::object> walk_arrays(std::string_view text, const std::vector<std::string_view>& arrays,
                                        const OnElement& on_element) {
  Scanner scanner(text);
  if (!scanner.take('{')) return failure(ErrorCode::kCorrupt, "it is not a JSON object");

  // `rest` is the text with "[]" in the place of each array that was walked; `copied` is where its copy has
  // come to.
  std::string rest;
  std::size_t copied = 0;
  bool more = !scanner.take('}');
  while (more) {
    std::string_view key = scanner.take_value();
    if (key.size() < 2 || key.front() != '"' || !scanner.take(':')) return malformed(scanner);
    key = key.substr(1, key.size() - 2);
    scanner.skip_blanks();
    const auto array = std::find(arrays.begin(), arrays.end(), key);
    if (array != arrays.end() && scanner.peek() == '[') {
      rest.append(text.substr(copied, scanner.place() - copied)).append("[]");
      GLIMPSE_TRY(walk_array(scanner, *array, on_element));
      copied = scanner.place();
    } else if (scanner.take_value().empty()) {
      return malformed(scanner);
    }
    more = scanner.take(',');
    if (!more && !scanner.take('}')) return malformed(scanner);
  }
  rest.append(text.substr(copied));

  boost::json::error_code error;
  auto value = boost::json::parse(rest, error);
  if (error) return failure(ErrorCode::kCorrupt, "it is not JSON: {}", error.message());
  return std::move(value.as_object());
}

Result<double> parse_json_number(std::string_view text) {
  const auto value = finite_number(text);
  if (!value) return failure(ErrorCode::kCorrupt, "'{}' is not a number", text.substr(0, 40));
  return *value;
}

Result<boost::json::object> parse_object(std::string_view text) {
  return walk_arrays(text, {}, [](std::string_view, std::string_view) { return Status(); });
}

}  // namespace glimpse
