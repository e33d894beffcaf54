#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "data/text/text.h"
#include "data/text/text_kernel.h"

namespace text_kernel_json_test {

// mark_members() and mark_elements() of every kernel that this processor runs, against a descent through the
// grammar byte by byte.

using namespace glimpse;

namespace {

using Keys = std::vector<std::pair<std::size_t, std::size_t>>;

struct Flat {
  std::size_t length = 0;
  std::size_t count = 0;
  Keys keys;
  std::vector<std::pair<std::size_t, std::size_t>> values;  // with the blanks around them
  bool has_high = false;
};

class Descent {
 public:
  Descent(std::string_view text, char close) : text_(text), close_(close) {}

  std::optional<Flat> flat() {
    skip();
    if (take(close_)) return end();
    for (;;) {
      if (close_ == '}') {
        skip();
        const std::size_t begin = at_ + 1;
        if (!string() || at_ - 1 == begin) return std::nullopt;
        flat_.keys.emplace_back(begin, at_ - 1);
        skip();
        if (!take(':')) return std::nullopt;
      }
      const std::size_t begin = flat_.values.empty() && close_ == ']' ? 0 : at_;
      skip();
      if (!string() && !word("null") && !number()) return std::nullopt;
      skip();
      flat_.values.emplace_back(begin, at_);
      ++flat_.count;
      if (take(close_)) return end();
      if (!take(',')) return std::nullopt;
    }
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool word(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte == '\\' || byte < 0x20) return false;
      flat_.has_high = flat_.has_high || byte >= 0x80;
    }
    return take('"');
  }
  std::size_t digits() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ - begin;
  }
  bool number() {
    take('-');
    const bool is_zero = peek() == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (is_zero && whole > 1)) return false;
    if (take('.') && digits() == 0) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      const std::size_t exponent = digits();
      if (exponent == 0 || exponent > 4) return false;
    }
    return true;
  }
  std::optional<Flat> end() {
    flat_.length = at_;
    return flat_;
  }

  std::string_view text_;
  const char close_;
  std::size_t at_ = 0;
  Flat flat_;
};

std::string blanks(Random& random) {
  constexpr std::string_view kBlanks[] = {"", "", "", " ", "  ", "\t", "\r "};
  return std::string(kBlanks[random.below(std::size(kBlanks))]);
}

std::string text_of(Random& random) {
  constexpr std::string_view kTexts[] = {"a",    "17",       "x y",    ",:",  "}]{[",
                                         "null", "\xc3\xa9", "-1.5e3", "\x7f"};
  std::string text(kTexts[random.below(std::size(kTexts))]);
  if (random.below(30) == 0) text += std::string(random.below(200), 'k');
  return text;
}

std::string value_of(Random& random) {
  constexpr std::string_view kValues[] = {"0",     "-0",       "10",   "0.5",   "-0.25",  "1e5",
                                          "2E-05", "3.25e+10", "null", "-7e-1", "1234.0", "1e999",
                                          "100",   "0e0",      "-1",   "0.000"};
  const std::uint64_t kind = random.below(12);
  if (kind == 0) return "\"" + text_of(random) + "\"";
  if (kind == 1) return std::string(1 + random.below(150), '7');
  if (kind == 2) return "0." + std::string(1 + random.below(150), '3');
  return std::string(kValues[random.below(std::size(kValues))]);
}

std::string flat_text(Random& random, bool is_object, std::size_t members) {
  std::string text = blanks(random);
  for (std::size_t i = 0; i < members; ++i) {
    if (i > 0) text += "," + blanks(random);
    if (is_object) text += "\"" + text_of(random) + "\"" + blanks(random) + ":" + blanks(random);
    text += value_of(random) + blanks(random);
  }
  return text + (is_object ? "}" : "]") + (random.below(3) == 0 ? " , \"x\": 1}" : "");
}

void change(std::string& text, Random& random) {
  constexpr std::string_view kAlphabet = "\"\"\\:,,{}[]-+.eE0179null \t\r\nx\xc3\x80\xff\x01";
  for (std::uint64_t n = random.below(3); n > 0 && !text.empty(); --n) {
    const std::size_t at = random.below(text.size());
    const char c = kAlphabet[random.below(kAlphabet.size())];
    switch (random.below(4)) {
      case 0:
        text[at] = c;
        break;
      case 1:
        text.insert(at, 1 + random.below(2), c);
        break;
      case 2:
        text.erase(at, 1 + random.below(3));
        break;
      default:
        if (random.below(4) == 0) text.resize(at);
    }
  }
}

// Memory of exactly the size, so that the address sanitizer sees a step beyond it.
struct Exactly {
  explicit Exactly(std::string_view text) : memory(new char[text.size()]) {
    std::copy(text.begin(), text.end(), memory.get());
  }
  std::unique_ptr<char[]> memory;
};

void check_members(const TextKernel& kernel, const std::string& text) {
  const Exactly exact(text);
  std::vector<std::uint32_t> begins(token_room(text.size()));
  std::vector<std::uint32_t> ends(token_room(text.size()));
  const JsonMarks marks = kernel.mark_members(exact.memory.get(), text.size(), begins.data(), ends.data());
  const auto expected = Descent(text, '}').flat();
  REQUIRE((marks.length > 0) == expected.has_value());
  if (!expected) return;
  REQUIRE(marks.length == expected->length);
  REQUIRE(marks.count == expected->count);
  REQUIRE(marks.has_high == expected->has_high);
  for (std::size_t i = 0; i < marks.count; ++i)
    REQUIRE(std::pair<std::size_t, std::size_t>(begins[i], ends[i]) == expected->keys[i]);
}

void check_elements(const TextKernel& kernel, const std::string& text) {
  const Exactly exact(text);
  std::vector<FieldBlock> blocks(field_blocks(text.size()));
  const JsonMarks marks = kernel.mark_elements(exact.memory.get(), text.size(), blocks.data());
  const auto expected = Descent(text, ']').flat();
  REQUIRE((marks.length > 0) == expected.has_value());
  if (!expected) return;
  REQUIRE(marks.length == expected->length);
  REQUIRE(marks.count == expected->count);
  REQUIRE(marks.has_high == expected->has_high);
  if (marks.count == 0) return;
  std::vector<Attribute> columns(marks.count);
  for (Attribute c = 0; c < columns.size(); ++c) columns[c] = c;
  std::vector<Place> places(marks.count);
  kernel.locate_fields(blocks.data(), marks.length - 1, marks.count - 1, columns, places.data());
  for (std::size_t i = 0; i < marks.count; ++i)
    REQUIRE(std::pair(places[i].begin, places[i].end) == expected->values[i]);
}

}  // namespace

TEST_CASE("text kernel: members and elements are marked as a descent through the grammar finds them") {
  Random random(31);
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    int right = 0;
    for (int trial = 0; trial < 20000; ++trial) {
      const bool is_object = trial % 2 == 0;
      std::string text = flat_text(random, is_object, random.below(trial % 10 == 0 ? 60 : 8));
      if (trial % 4 < 2) change(text, random);
      CAPTURE(text);
      if (is_object)
        check_members(*kernel, text);
      else
        check_elements(*kernel, text);
      right += static_cast<int>(Descent(text, is_object ? '}' : ']').flat().has_value());
    }
    CHECK(right > 10000);
    CHECK(right < 19000);
  }
}

// Every short text of the bytes that matter, so that no rule of the grammar is missing; and behind 62 bytes,
// so that it lies across two blocks.
TEST_CASE("text kernel: short texts are right where the grammar says so") {
  constexpr std::string_view kAlphabet = "\":,-.0e1+ n";
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    for (std::size_t size = 0; size <= 4; ++size) {
      std::size_t texts = 1;
      for (std::size_t i = 0; i < size; ++i) texts *= kAlphabet.size();
      for (std::size_t n = 0; n < texts; ++n) {
        std::string text;
        for (std::size_t rest = n, i = 0; i < size; ++i, rest /= kAlphabet.size())
          text += kAlphabet[rest % kAlphabet.size()];
        CAPTURE(text);
        check_elements(*kernel, text + "]");
        check_elements(*kernel, std::string(62, ' ') + text + "]");
        check_members(*kernel, "\"a\":" + text + "}");
        check_members(*kernel, std::string(58, ' ') + "\"a\":" + text + "}");
        check_members(*kernel, "\"a\":1" + text + "\"b\":2}");
      }
    }
  }
}

TEST_CASE("text kernel: what lies across two blocks is one token") {
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    for (std::size_t before = 50; before < 140; ++before) {
      for (const std::string_view value :
           {"null", "nul", "nulll", "-0.5", "-00.5", "1.2.3", "1.25e-17", "1.25e-", "01", "1e12345", "\"}\"",
            "\"\"", "0.125, 7", "1 2", "null null"}) {
        CAPTURE(before);
        CAPTURE(value);
        check_elements(*kernel, fmt::format("\"{}\",{}]", std::string(before, 'x'), value));
        check_elements(*kernel, fmt::format("{}{}]", std::string(before, ' '), value));
        check_members(*kernel, fmt::format("\"{}\":{},\"b\":1}}", std::string(before, 'x'), value));
        check_members(*kernel, fmt::format("\"a\":0.{},\"b\":{}}}", std::string(before, '1'), value));
      }
    }
  }
}

}  // namespace text_kernel_json_test
