#include "json/json_arrays.h"

#include <doctest/doctest.h>
#include <string>

#include <boost/json/serialize.hpp>

namespace json_arrays_test {

using namespace glimpse;

namespace {

struct Walk {
  std::string elements;  // "array=element;" of each
  std::string rest;      // the object that came back, or the reason why none did
};

Walk walk(std::string_view text) {
  Walk walk;
  const auto object = walk_arrays(text, {"a", "b"}, [&](std::string_view array, std::string_view element) {
    walk.elements += fmt::format("{}={};", array, element);
    return Status();
  });
  walk.rest = object ? boost::json::serialize(*object) : object.error().message;
  return walk;
}

}  // namespace

TEST_CASE("elements of the named arrays are handed over as they were written") {
  const Walk found = walk(R"( {"x":1, "a" : [1.50, -2e3,null , "s,]", {"k":[1,"}"]}, [ ]], "y":[3]} )");
  CHECK(found.elements == R"(a=1.50;a=-2e3;a=null;a="s,]";a={"k":[1,"}"]};a=[ ];)");
  CHECK(found.rest == R"({"x":1,"a":[],"y":[3]})");
}

TEST_CASE("only arrays at the top count, and only arrays") {
  const Walk found = walk(R"({"z":{"a":[1]},"a":"no","b":[],"w":"\"a\":[1]"})");
  CHECK(found.elements.empty());
  CHECK(found.rest == R"({"z":{"a":[1]},"a":"no","b":[],"w":"\"a\":[1]"})");
}

TEST_CASE("an empty object is walked") { CHECK(walk(" { } ").rest == "{}"); }

TEST_CASE("what is no JSON object is refused, wherever it breaks off") {
  const std::string whole = R"({"x":1,"a":[1,{"k":"v\""}],"y":[2]})";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(walk(whole.substr(0, size)).rest.find("it is not") == 0);
  }
  for (const char* bad :
       {"[]", "1", "<html>", R"({"a":[1,]})", R"({"a":[,1]})", R"({"a":[1 2]})", R"({"x":1}})", R"({"x":})",
        R"({x:1})", R"({"a":[1}])", R"({"x":[1}})", R"({"a":[]],"x":1})"}) {
    CAPTURE(bad);
    CHECK(walk(bad).rest.find("it is not") == 0);
  }
}

TEST_CASE("the walk ends where an element is refused") {
  int seen = 0;
  const auto object =
      walk_arrays(R"({"a":[1,2,3]})", {"a"}, [&](std::string_view, std::string_view) -> Status {
        if (++seen == 2) return failure(ErrorCode::kCorrupt, "enough");
        return {};
      });
  REQUIRE_FALSE(object.has_value());
  CHECK(object.error().message == "enough");
  CHECK(seen == 2);
}

TEST_CASE("numbers are read to the last bit, and nothing else is") {
  CHECK(parse_json_number("0.1").value() == 0.1);
  CHECK(parse_json_number("-1.7976931348623157e308").value() == -1.7976931348623157e308);
  for (const char* bad : {"", "null", "1x", "nan", "inf", "1e999", "\"1\""})
    CHECK_FALSE(parse_json_number(bad).has_value());
}

}  // namespace json_arrays_test
