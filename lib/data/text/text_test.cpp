#include "data/text/text.h"

#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "data/text/encoding.h"
#include "data/text/shell_words.h"

namespace text_test {

using namespace glimpse;

TEST_CASE("blank lines and lines that begin with a hash carry no example") {
  CHECK(is_blank_or_comment(""));
  CHECK(is_blank_or_comment(" \t \r"));
  CHECK(is_blank_or_comment("# 1 2:3"));
  CHECK_FALSE(is_blank_or_comment("1 # 2:3"));
  CHECK_FALSE(is_blank_or_comment(" 1"));
}

TEST_CASE("words of commands are quoted where a shell would read them otherwise") {
  CHECK(shell_word("sales-2024.csv") == "sales-2024.csv");
  CHECK(shell_word("my file.csv") == "'my file.csv'");
  CHECK(shell_word("it's $x") == "'it'\\''s $x'");
  CHECK(shell_word("#1") == "'#1'");
  CHECK(shell_word("") == "''");
  CHECK(as_argument("temp") == " temp");
  CHECK(as_argument("last name") == " 'last name'");
  CHECK(as_argument("#3") == "=#3");
  CHECK(as_argument("# of rooms") == "='# of rooms'");
  CHECK(as_argument("size, \"m\"") == " '\"size, \"\"m\"\"\"'");
}

TEST_CASE("quoted text is one printable line of bounded length") {
  CHECK(in_quotes("abc") == "'abc'");
  CHECK(in_quotes("") == "''");
  CHECK(in_quotes(std::string_view("a\n\0\\\xc3", 5)) == "'a\\x0a\\x00\\\\\\xc3'");
  CHECK(in_quotes("caf\xc3\xa9 \xe4\xb8\xad") == "'caf\xc3\xa9 \xe4\xb8\xad'");
  // No-break blank, right-to-left override, zero-width blank, C1 control, byte order mark, half a letter.
  CHECK(in_quotes("\xc2\xa0\xe2\x80\xae\xe2\x80\x8b\xc2\x85\xef\xbb\xbf\xd8\x9c\xe4\xb8") ==
        "'\\xc2\\xa0\\xe2\\x80\\xae\\xe2\\x80\\x8b\\xc2\\x85\\xef\\xbb\\xbf\\xd8\\x9c\\xe4\\xb8'");
  // Signs, letters of any plane, joined ones.
  for (const char* seen :
       {"5 \xe2\x82\xac", "20 \xc2\xb0 C", "\xe2\x80\x9eja\xe2\x80\x9c", "\xe2\x88\x92 5",
        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac\xef\xb8\x8f", "\xe3\x80\x8c\xe5\x90\x8d\xe3\x80\x8d",
        "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xb4\xd9\x88\xd8\xaf", "\xef\xbd\xb1", "\xc2\xb2"}) {
    CAPTURE(seen);
    CHECK(in_quotes(seen) == "'" + std::string(seen) + "'");
  }
  // A tag, a separator of lines.
  CHECK(in_quotes("\xf3\xa0\x80\xa1\xe2\x80\xa8") == "'\\xf3\\xa0\\x80\\xa1\\xe2\\x80\\xa8'");
  // No character is cut in two.
  CHECK(in_quotes(std::string(39, 'a') + "\xc3\xa9") == "'" + std::string(39, 'a') + "...'");
  std::string cyrillic;
  for (int n = 0; n < 30; ++n) cyrillic += "\xd0\xb6";
  CHECK(in_quotes("a" + cyrillic) == "'a" + cyrillic.substr(0, 38) + "...'");
  CHECK(in_quotes(cyrillic.substr(0, 40)) == "'" + cyrillic.substr(0, 40) + "'");
  CHECK(in_quotes(std::string(40, 'x')) == "'" + std::string(40, 'x') + "'");
  CHECK(in_quotes(std::string(41, 'x')) == "'" + std::string(40, 'x') + "...'");
}

TEST_CASE("trimming takes blanks from both ends only") {
  CHECK(trimmed(" \ta b\r ") == "a b");
  CHECK(trimmed("   ").empty());
}

TEST_CASE("what is not UTF-8 is replaced, and nothing else") {
  CHECK(valid_utf8("age") == "age");
  CHECK(valid_utf8("\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82") == "\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82");
  const std::string no = "\xef\xbf\xbd";
  CHECK(valid_utf8("a\xff") == "a" + no);
  CHECK(valid_utf8("\xc3") == no);
  CHECK(valid_utf8("\xc0\x80") == no + no);           // longer than needed
  CHECK(valid_utf8("\xed\xa0\x80") == no + no + no);  // half a surrogate pair
  CHECK(valid_utf8("\xf4\x90\x80\x80x") == no + no + no + no + "x");
}

TEST_CASE("UTF-8 is told from other bytes") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("quotes \" and \\ and \n and \xc3\xa9 and \xf0\x9f\x99\x82"));
  CHECK(is_utf8(std::string_view("\0", 1)));
  CHECK(!is_utf8("\xe9"));
  CHECK(!is_utf8("\xc3"));
  CHECK(!is_utf8("\xed\xa0\x80"));  // half of a surrogate pair
  CHECK(!is_utf8("\xc0\xaf"));      // longer than it needs to be
}

TEST_CASE("text is UTF-8 where none of its bytes would be replaced") {
  for (const std::string_view bytes :
       {"", "a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x99\x82", "\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    for (std::size_t before = 0; before < 18; ++before) {
      for (const std::size_t behind : {0, 1, 9}) {
        const std::string text = std::string(before, 'x') + std::string(bytes) + std::string(behind, 'y');
        CAPTURE(text);
        CHECK(is_utf8(text) == (valid_utf8(text) == text));
      }
    }
  }
}

}  // namespace text_test
