#include "data/text/number.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

namespace number_test {

using namespace glimpse;

namespace {

double number(std::string_view text) {
  double value = 0;
  REQUIRE_MESSAGE(read_number(text, value), text);
  return value;
}

}  // namespace

TEST_CASE("finite decimal numbers are read and rounded to the nearest double") {
  CHECK(number("0") == 0);
  CHECK(number("+1") == 1);
  CHECK(number("-1") == -1);
  CHECK(number(".5") == 0.5);
  CHECK(number("5.") == 5);
  CHECK(number("1e3") == 1000);
  CHECK(number("+1E+3") == 1000);
  CHECK(number("0.1") == 0.1);
  CHECK(number("9007199254740993") == 9007199254740992.0);
  CHECK(number("7.2057594037927933e16") == 72057594037927936.0);
  CHECK(number("1.7976931348623157e308") == std::numeric_limits<double>::max());
}

TEST_CASE("a number too small for a double becomes zero") {
  CHECK(number("1e-400") == 0);
  CHECK(number("5e-324") == std::numeric_limits<double>::denorm_min());
}

TEST_CASE("what is not wholly a finite number is refused") {
  double value = 0;
  for (const std::string_view text :
       {"",    "+",   "-",    "+-1", "++1",  "abc",  "1x",       "1 ",    " 1",     "0x10", "1e",
        "nan", "NaN", "-nan", "inf", "-inf", "+inf", "infinity", "1e400", "-1e400", "1,5",  "."}) {
    CHECK_FALSE_MESSAGE(read_number(text, value), text);
  }
  CHECK(not_a_number("value", "inf").message == "value 'inf' is not a finite number");
}

TEST_CASE("indices are digits, and those too large for 64 bits stay large") {
  std::uint64_t index = 0;
  CHECK((read_index("0", index) && index == 0));
  CHECK((read_index("007", index) && index == 7));
  CHECK((read_index("18446744073709551614", index) && index == 18446744073709551614u));
  for (const std::string_view text :
       {"18446744073709551615", "18446744073709551616", "99999999999999999999999999999"}) {
    CHECK((read_index(text, index) && index == std::numeric_limits<std::uint64_t>::max()));
  }
  for (const std::string_view text : {"", "-1", "+1", "1.0", "1 ", "a"}) CHECK_FALSE(read_index(text, index));
}

TEST_CASE("an index out of range is told which indices there are") {
  CHECK(index_out_of_range("785", 784, "svmlight", 1).message ==
        "index 785 is out of range: this model has dimension 784, so svmlight indices run from 1 to 784");
  CHECK(index_out_of_range("784", 784, "VW", 0).message ==
        "index 784 is out of range: this model has dimension 784, so VW indices run from 0 to 783");
}

}  // namespace number_test
