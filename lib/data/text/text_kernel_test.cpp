#include "data/text/text_kernel.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/text/text.h"
#include "data/text/text_kernel_select.h"

namespace text_kernel_test {

// Every kernel that this processor runs, against walks over single bytes.

using namespace glimpse;

namespace {

// Bytes in memory of exactly their size, `shift` behind a multiple of 64: the address sanitizer sees a read
// before or behind them, and loads that want an alignment fault.
class Exactly {
 public:
  Exactly(std::string_view text, std::size_t shift) : memory_(new char[text.size() + shift]) {
    std::copy(text.begin(), text.end(), memory_.get() + shift);
    text_ = std::string_view(memory_.get() + shift, text.size());
  }
  const char* begin() const { return text_.data(); }

 private:
  std::unique_ptr<char[]> memory_;
  std::string_view text_;
};

std::string random_text(Random& random, std::size_t size, std::string_view alphabet) {
  std::string text(size, ' ');
  for (char& c : text) c = alphabet[random.below(alphabet.size())];
  return text;
}

std::vector<Place> fields_of(std::string_view text, char delimiter) {
  std::vector<Place> places{{0, text.size()}};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != delimiter) continue;
    places.back().end = i;
    places.push_back({i + 1, text.size()});
  }
  return places;
}

struct Token {
  std::uint32_t begin;
  std::uint32_t name_end;
  bool operator==(const Token&) const = default;
};

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  const char* const start = text.data();
  const char* const end = start + text.size();
  for (const char* at = skip_blanks(start, end); at != end; at = skip_blanks(at, end)) {
    const char* const begin = at;
    at = find_blank(at, end);
    tokens.push_back({static_cast<std::uint32_t>(begin - start),
                      static_cast<std::uint32_t>(std::find(begin, at, ':') - start)});
  }
  return tokens;
}

std::vector<Token> tokens_by(const TextKernel& kernel, const char* begin, std::size_t size, char stop,
                             TokenMarks& marks) {
  std::vector<std::uint32_t> begins(token_room(size));
  std::vector<std::uint32_t> name_ends(token_room(size));
  marks = kernel.mark_tokens(begin, size, stop, begins.data(), name_ends.data());
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < marks.count; ++i) tokens.push_back({begins[i], name_ends[i]});
  return tokens;
}

}  // namespace

TEST_CASE("text kernel: there is a portable one, and names differ") {
  const auto kernels = text_kernels();
  REQUIRE_FALSE(kernels.empty());
  CHECK(kernels.back()->name == "portable");
  CHECK(&text_kernel() == kernels.front());
  for (std::size_t i = 1; i < kernels.size(); ++i) CHECK(kernels[i]->name != kernels[i - 1]->name);
}

TEST_CASE("text kernel: marking ends with the line") {
  Random random(4);
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    for (std::size_t size = 0; size < 400; ++size) {
      std::string text = random_text(random, size, ",1\"\x0b\x8a");
      for (int newlines = 0; newlines < 2 && size > 0; ++newlines) text[random.below(size)] = '\n';
      const Exactly memory(text, random.below(64));
      std::vector<FieldBlock> blocks(field_blocks(size));
      const FieldMarks marks = kernel->mark_fields(memory.begin(), size, ',', blocks.data());
      const std::string line = text.substr(0, text.find('\n'));
      const std::vector<Place> fields = fields_of(line, ',');
      REQUIRE(marks.length == line.size());
      REQUIRE(marks.delimiters == fields.size() - 1);
      REQUIRE(marks.has_quote == (line.find('"') != std::string::npos));
      std::vector<Attribute> columns(fields.size());
      for (Attribute c = 0; c < fields.size(); ++c) columns[c] = c;
      std::vector<Place> places(columns.size());
      kernel->locate_fields(blocks.data(), line.size(), marks.delimiters, columns, places.data());
      for (std::size_t i = 0; i < columns.size(); ++i) {
        REQUIRE(places[i].begin == fields[i].begin);
        REQUIRE(places[i].end == fields[i].end);
      }
    }
  }
}

TEST_CASE("text kernel: fields are marked and located as a walk over single bytes finds them") {
  Random random(3);
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    for (std::size_t size = 0; size < 400; ++size) {
      // Neighbours of ',' and bytes with the top bit are those that sloppy bit tricks take for matches.
      const std::string_view alphabets[] = {
          ",-+\x2d\xac\x80\xff"
          "1",
          ",1234567", ",", "\"!#,01234567890123456789"};
      const std::string text = random_text(random, size, alphabets[size % 4]);
      const Exactly memory(text, random.below(64));
      std::vector<FieldBlock> blocks(field_blocks(size));
      const FieldMarks marks = kernel->mark_fields(memory.begin(), size, ',', blocks.data());
      const std::vector<Place> fields = fields_of(text, ',');
      REQUIRE(marks.delimiters == fields.size() - 1);
      REQUIRE(marks.has_quote == (text.find('"') != std::string::npos));

      std::vector<Attribute> columns;
      const std::uint64_t one_in = 1 + random.below(8);
      for (Attribute c = 0; c < fields.size(); ++c)
        if (random.below(one_in) == 0) columns.push_back(c);
      std::vector<Place> places(columns.size());
      kernel->locate_fields(blocks.data(), size, marks.delimiters, columns, places.data());
      for (std::size_t i = 0; i < columns.size(); ++i) {
        REQUIRE(places[i].begin == fields[columns[i]].begin);
        REQUIRE(places[i].end == fields[columns[i]].end);
      }
    }
  }
}

TEST_CASE("text kernel: tokens begin behind blanks, and names end at the first colon or blank") {
  Random random(4);
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    for (std::size_t size = 0; size < 400; ++size) {
      // The last makes names that reach across whole blocks.
      const std::string_view alphabets[] = {
          " \t\r:0123456789",
          " :1",
          " 1",
          "1",
          ":|# 12\n\v\x1f!\xa0\xba\x8d",
          " :11111111111111111111111111111111111111111111111111111111111111"};
      for (const std::string_view alphabet : alphabets) {
        const std::string text = random_text(random, size, alphabet);
        CAPTURE(text);
        const Exactly memory(text, random.below(64));
        TokenMarks marks;
        const auto tokens = tokens_by(*kernel, memory.begin(), size, '|', marks);
        REQUIRE(tokens == tokens_of(text));
        REQUIRE(marks.has_stop == (text.find('|') != std::string::npos));
        REQUIRE(marks.all_pairs == std::all_of(tokens.begin(), tokens.end(), [&](const Token& token) {
                  return token.name_end < size && text[token.name_end] == ':';
                }));
      }
    }
  }
}

TEST_CASE("text kernel: the n-th bit is selected without an instruction for it") {
  Random random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    std::uint64_t marks = random.bits();
    if (trial % 3 == 0) marks &= random.bits() & random.bits();
    if (trial % 3 == 1) marks |= random.bits() | random.bits();
    if (trial == 2) marks = ~std::uint64_t{0};
    unsigned n = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
      if ((marks >> bit & 1) == 0) continue;
      REQUIRE(select_one_by_words(marks, n) == bit);
      ++n;
    }
  }
}

TEST_CASE("text kernel: digits make their number") {
  const auto check = [](std::uint32_t number, int width) {
    const std::string text = "1234567:" + fmt::format("{:0{}}", number, width);
    const char* const end = text.data() + text.size();
    REQUIRE(number_of_digits(name_digits(text.data(), text.data() + 8, end)) == number);
    REQUIRE(number_of_digits(name_digits(text.data() + 8, text.data() + 8, end)) == number);
  };
  for (std::uint32_t number = 0; number < 20000; ++number) check(number, static_cast<int>(number % 9));
  for (std::uint32_t number = 0; number < 100'000'000; number += 9973) check(number, 0);
  check(99'999'999, 0);
  for (int byte = 0; byte < 256; ++byte)
    for (int place = 0; place < 8; ++place)
      CHECK((not_digits((std::uint64_t{0x0900010203080907} & ~(std::uint64_t{255} << (8 * place))) |
                        static_cast<std::uint64_t>(byte) << (8 * place)) != 0) == (byte > 9));
}

TEST_CASE("text kernel: planned names are found among numbers that ascend") {
  Random random(6);
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    for (int trial = 0; trial < 1000; ++trial) {
      std::string text;
      std::vector<std::uint32_t> numbers;
      const std::uint64_t step = trial % 3 == 0 ? 2 : trial % 3 == 1 ? 40 : 5'000'000;
      std::uint64_t number = random.below(step);
      for (std::uint64_t n = random.below(20); n > 0 && number < 100'000'000; --n) {
        numbers.push_back(static_cast<std::uint32_t>(number));
        text +=
            fmt::format("{}{:0{}}:{}", text.empty() ? "" : " ", number, random.below(8), random.below(1000));
        number += 1 + random.below(step);
      }
      std::vector<Attribute> planned;
      std::vector<std::uint32_t> expected;
      const std::uint64_t one_in = 1 + random.below(3);
      for (std::uint32_t candidate = 0; const std::uint32_t is : numbers) {
        for (candidate = std::max(candidate, is > 3 ? is - 3 : 0); candidate <= is; ++candidate) {
          if (random.below(one_in) != 0) continue;
          planned.push_back(candidate);
          const auto token = std::find(numbers.begin(), numbers.end(), candidate) - numbers.begin();
          expected.push_back(candidate == is || static_cast<std::size_t>(token) < numbers.size()
                                 ? static_cast<std::uint32_t>(token)
                                 : kNoToken);
        }
      }
      planned.push_back(99'999'999);  // behind all
      expected.push_back(!numbers.empty() && numbers.back() == 99'999'999
                             ? static_cast<std::uint32_t>(numbers.size() - 1)
                             : kNoToken);
      const Exactly memory(text, random.below(64));
      std::vector<std::uint32_t> begins(token_room(text.size()));
      std::vector<std::uint32_t> name_ends(token_room(text.size()));
      const auto marks =
          kernel->mark_tokens(memory.begin(), text.size(), '#', begins.data(), name_ends.data());
      REQUIRE(marks.count == numbers.size());
      std::vector<std::uint32_t> names(numbers.size());
      REQUIRE(
          kernel->read_names(memory.begin(), begins.data(), name_ends.data(), marks.count, 0, names.data()));
      REQUIRE(names == numbers);
      std::vector<std::uint32_t> found(expected.size());
      const auto base = static_cast<std::uint32_t>(random.below(2));
      for (Attribute& a : planned) a -= base;
      kernel->find_numbers(names.data(), names.size(), planned, base, found.data());
      REQUIRE(found == expected);
    }
  }
}

TEST_CASE("text kernel: names that are no numbers of eight digits, or do not ascend, are noticed") {
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    const auto ascend = [&](std::string_view text, std::uint32_t first = 0) {
      const Exactly memory(text, 0);
      std::vector<std::uint32_t> begins(token_room(text.size()));
      std::vector<std::uint32_t> name_ends(token_room(text.size()));
      const auto marks =
          kernel->mark_tokens(memory.begin(), text.size(), '#', begins.data(), name_ends.data());
      std::vector<std::uint32_t> names(marks.count);
      return kernel->read_names(memory.begin(), begins.data(), name_ends.data(), marks.count, first,
                                names.data());
    };
    CHECK(ascend(""));
    CHECK(ascend("0:1"));
    CHECK_FALSE(ascend("0:1", 1));
    CHECK(ascend("1:1", 1));
    CHECK_FALSE(ascend("1234:1 1235:1", 1235));
    CHECK(ascend("1 2:x 00000003:4 99999999:1"));
    // One that misfits at any place of a line long enough for whole groups.
    for (std::size_t bad = 0; bad < 30; ++bad) {
      for (const std::string_view misfit : {"0", "x", "123456789", "99999999", "1/"}) {
        std::string text;
        for (std::size_t i = 0; i < 30; ++i)
          text += fmt::format("{}:1 ", i == bad ? std::string(misfit) : fmt::format("{}", 10 * i + 5));
        CHECK(ascend(text) == ((misfit == "0" && bad == 0) || (misfit == "99999999" && bad == 29)));
      }
    }
    for (const std::string_view text :
         {"5:1 5:1", "0:1 0:1", "1:1 12:1 7:1", "1:1 05:1 5:1", "123456789:1", "000000001:1", ":1", "1:1 :2",
          "a:1", "1:1 -2:1", "1:1 2/:1", "1:1 \xb2:1", "/:1", "1.5:1", "1:1 qid:3", "99999999:1 a9999999:1",
          "\xff\xff\xff\xff\xff\xff\xff\xff:1", "1:1 2;:1 3:1"})
      CHECK_FALSE_MESSAGE(ascend(text), text);
  }
}

}  // namespace text_kernel_test
