#include "learn/options/prices.h"

#include <doctest/doctest.h>
#include <vector>

namespace prices_test {

using namespace glimpse;

TEST_CASE("amounts are read and written exactly") {
  CHECK(parse_money("7.27").value() == 7270000);
  CHECK(parse_money("0").value() == 0);
  CHECK(parse_money(".5").value() == 500000);
  CHECK(parse_money("3.").value() == 3000000);
  CHECK(parse_money("0.000001").value() == 1);
  CHECK(parse_money("1000000000000").value() == kLargestMoney);
  CHECK(parse_money("0.1").value() + parse_money("0.2").value() == parse_money("0.3").value());
  for (const char* text : {"7.27", "0", "0.5", "3", "0.000001", "1000000000000"})
    CHECK(format_money(parse_money(text).value()) == text);
}

TEST_CASE("what is no amount is refused with its constraint") {
  for (const char* text : {"", ".", "-1", "+1", "1e3", "inf", "nan", "1,5", "0.0000001", "1 "}) {
    INFO(text);
    CHECK_FALSE(parse_money(text).has_value());
  }
  CHECK(parse_money("7\xe2\x82\xac").error().message.starts_with("'7\xe2\x82\xac' must be an amount"));
  CHECK(parse_money("7\n").error().message.starts_with("'7\\x0a' must be an amount"));
  CHECK(parse_money("1000000000000.1").error().message == "'1000000000000.1' is above 1000000000000");
  CHECK(parse_money("99999999999999999999999999").error().message.find("is above") != std::string::npos);
}

TEST_CASE("prices of some attributes keep what they share") {
  Prices prices(3);
  const std::uint32_t blood = prices.add_group(2100000);
  prices.set(0, 1000000);
  prices.set(2, 8300000, blood);
  const Prices some = prices.of(std::vector<Attribute>{2, 0});
  CHECK(some.dimension() == 2);
  CHECK(some.alone(0) == 10400000);
  CHECK(some.alone(1) == 1000000);
}

TEST_CASE("a group's share is paid once a bill") {
  Prices prices(3);
  const std::uint32_t blood = prices.add_group(2100000);
  prices.set(0, 1000000);
  prices.set(1, 7270000, blood);
  prices.set(2, 8300000, blood);
  CHECK(prices.alone(1) == 9370000);
  Bill bill(prices);
  const Attribute all[] = {0, 1, 2};
  CHECK(bill.of(all) == 1000000 + 2100000 + 7270000 + 8300000);
  bill.begin();
  CHECK(bill.next(2) == 10400000);
  bill.add(1);
  CHECK(bill.next(2) == 8300000);
  CHECK(bill.total() == 9370000);
  bill.begin();
  CHECK(bill.next(2) == 10400000);
  CHECK(bill.total() == 0);
}

TEST_CASE("a file of prices names attributes, groups and the rest") {
  AttributeNames names(4);
  REQUIRE(names.fix({"age", "bilirubin", "sgot", "sex"}).has_value());
  for (const char* text : {"# dollars\nage 1\nbilirubin  7.27 blood\nsgot 8.3 blood\n\n@blood 2.10\n* 0.5\n",
                           "age,1\r\nbilirubin,7.27,blood\r\n@blood,2.10\r\n2, 8.3 ,blood\r\n*,0.5",
                           "age\t1\t\nbilirubin\t7.27\tblood\n2\t8.3\tblood\n@blood\t2.10\n3\t.5\n"}) {
    INFO(text);
    const auto prices = parse_prices(text, 4, names);
    REQUIRE(prices.has_value());
    CHECK(prices->own(0) == 1000000);
    CHECK(prices->alone(1) == 9370000);
    CHECK(prices->alone(2) == 10400000);
    CHECK(prices->own(3) == 500000);
    CHECK(prices->groups() == 1);
  }
}

TEST_CASE("errors in a file of prices name the line") {
  AttributeNames names(2);
  const auto message = [&](const char* text) { return parse_prices(text, 2, names).error().message; };
  CHECK(message("0 1\n1\n") == "line 2: must be ATTRIBUTE PRICE [GROUP], @GROUP PRICE or * PRICE");
  CHECK(message("0 1\n5 1\n") ==
        "line 2: attribute 5 must be from 0 to 1 (names come from --attributes FILE)");
  CHECK(message("age 1\n") == "line 1: no attribute is called 'age' (names come from --attributes FILE)");
  CHECK(message("0 1\n0 2\n") == "line 2: attribute 0 has a price already");
  CHECK(message("* 1\n* 2\n") == "line 2: * has a price already");
  CHECK(message("@g 1\n@g 2\n") == "line 2: @g has a price already");
  CHECK(message("@g 1 x\n") == "line 1: 'x' behind the price of @g");
  CHECK(message("0 -1\n") ==
        "line 1: price '-1' must be an amount such as 7.27: digits, and at most six after a point");
  CHECK(message("0 1\n") == "attribute 1 has no price: list it, or add a line '* PRICE' for all others");
  CHECK(message("0 1 blood\n1 1\n") == "group blood has no price: add a line '@blood PRICE'");
}

}  // namespace prices_test
