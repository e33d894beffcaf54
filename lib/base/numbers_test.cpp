#include "base/numbers.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>

namespace numbers_test {

using namespace glimpse;

TEST_CASE("all of a text is a number, or it is none") {
  CHECK(whole_text_as<std::uint64_t>("0") == 0);
  CHECK(whole_text_as<std::uint64_t>("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(whole_text_as<std::uint64_t>("ff", 16) == 255);
  CHECK(whole_text_as<std::uint16_t>("65535") == 65535);
  CHECK_FALSE(whole_text_as<std::uint16_t>("65536").has_value());
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "1x", "0x1", "18446744073709551616", "x"})
    CHECK_FALSE(whole_text_as<std::uint64_t>(text).has_value());
}

TEST_CASE("a number is taken off the front, and nothing where there is none") {
  std::string_view text = "12,34";
  CHECK(take_number<unsigned>(text) == 12);
  CHECK(text == ",34");
  CHECK_FALSE(take_number<unsigned>(text).has_value());
  CHECK(text == ",34");
  text = "2.5e1KiB";
  CHECK(take_number<double>(text) == 25);
  CHECK(text == "KiB");
}

TEST_CASE("finite numbers, and those that are not") {
  CHECK(finite_number("-0.5") == -0.5);
  CHECK(finite_number("1e308") == 1e308);
  CHECK(whole_text_as<double>("inf") == std::numeric_limits<double>::infinity());
  for (const char* text : {"", "inf", "nan", "1e999", "1.5 ", "1,5", "."})
    CHECK_FALSE(finite_number(text).has_value());
}

}  // namespace numbers_test
