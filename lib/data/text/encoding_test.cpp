#include "data/text/encoding.h"

#include <doctest/doctest.h>
#include <string>

namespace encoding_test {

using namespace glimpse;
using namespace std::string_view_literals;

std::string as_utf8(std::string_view text, Encoding encoding) {
  std::string converted;
  append_as_utf8(text, encoding, converted);
  return converted;
}

TEST_CASE("the encoding is known by its mark, by zeros beside ASCII, and by what is not UTF-8") {
  CHECK(detect_encoding("y,a\n1,2\n") == Encoding::kUtf8);
  CHECK(detect_encoding("\xef\xbb\xbfy,a\n") == Encoding::kUtf8);
  CHECK(detect_encoding("gr\u00f6\u00dfe,\U0001f600\n") == Encoding::kUtf8);
  CHECK(detect_encoding("\xff\xfey\0"sv) == Encoding::kUtf16Le);
  CHECK(detect_encoding("y\0,\0a\0\n\0"sv) == Encoding::kUtf16Le);
  CHECK(detect_encoding("\0y\0,\0a\0\n"sv) == Encoding::kUtf16Be);
  CHECK(detect_encoding("gr\xf6\xdf"
                        "e,a\n1,2\n") == Encoding::kLatin1);
  CHECK(detect_encoding("\x80 5,\x93quoted\x94 and more\n") == Encoding::kWindows1252);
  CHECK(detect_encoding("") == Encoding::kUtf8);
  CHECK(detect_encoding("a character is cut \xe2\x82") == Encoding::kUtf8);
}

TEST_CASE("a broken byte among many characters of UTF-8 makes no other encoding") {
  std::string text;
  for (int n = 0; n < 20; ++n) text += "gr\u00f6\u00dfe,1\n";
  for (const std::size_t place : {std::size_t{0}, text.size() / 2, text.size()}) {
    std::string broken = text;
    broken.insert(place, "\xff,2\n");
    CHECK(detect_encoding(broken) == Encoding::kUtf8);
    broken.insert(place,
                  "caf\xe9 \xe9t\xe9 \xfc"
                  "ber \xe4"
                  "lter\n");
    CHECK(detect_encoding(broken) == Encoding::kWindows1252);
  }
}

TEST_CASE("all encodings become UTF-8") {
  CHECK(as_utf8("gr\xf6\xdf", Encoding::kLatin1) == "gr\u00f6\u00df");
  CHECK(as_utf8("\x80 \x96\x9f", Encoding::kWindows1252) == "\u20ac \u2013\u0178");
  CHECK(as_utf8("\x41\x00\xac\x20\x3d\xd8\x00\xde"sv, Encoding::kUtf16Le) == "A\u20ac\U0001f600");
  CHECK(as_utf8("\x00\x41\x20\xac\xd8\x3d\xde\x00"sv, Encoding::kUtf16Be) == "A\u20ac\U0001f600");
  CHECK(as_utf8("\x3d\xd8\x41\x00\x42"sv, Encoding::kUtf16Le) == "\ufffdA\ufffd");
  CHECK(as_utf8("as it is \xff", Encoding::kUtf8) == "as it is \xff");
  CHECK(mark_length("\xff\xfey\0"sv, Encoding::kUtf16Le) == 2);
  CHECK(mark_length("\xef\xbb\xbfy", Encoding::kUtf8) == 3);
  CHECK(mark_length("y", Encoding::kUtf8) == 0);
}

TEST_CASE("half a character of UTF-16 waits for its rest") {
  const std::string_view text = "\x3d\xd8\x00\xde\x41\x00"sv;  // an emoji and A
  for (std::size_t size = 0; size <= text.size(); ++size)
    CHECK(whole_characters(text.substr(0, size), Encoding::kUtf16Le) == (size < 4 ? 0 : size / 2 * 2));
  CHECK(whole_characters("\xd8\x3d"sv, Encoding::kUtf16Be) == 0);
  CHECK(whole_characters("abc", Encoding::kUtf8) == 3);
}

}  // namespace encoding_test
