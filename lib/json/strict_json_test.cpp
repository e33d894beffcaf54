#include "json/strict_json.h"

#include <doctest/doctest.h>
#include <string>

namespace strict_json_test {

using glimpse::parse_strict_json;

TEST_CASE("JSON is parsed, with blanks around it") {
  const auto value = parse_strict_json(R"( {"a": {"b": [1, {"a": "c"}]}, "b": -2} )");
  REQUIRE(value.has_value());
  CHECK(value->at("a").at("b").at(1).at("a").as_string() == "c");
  CHECK(value->at("b").as_int64() == -2);
}

TEST_CASE("a key that occurs twice in one object is refused at every depth") {
  for (const char* text :
       {R"({"a": 1, "a": 1})", R"({"a": 1, "\u0061": 2})", R"([{"x": {"a": 1, "b": 2, "a": 3}}])"}) {
    const auto value = parse_strict_json(text);
    REQUIRE(!value.has_value());
    CHECK(value.error().message == "a key occurs twice in a JSON object");
    CHECK(value.error().code == glimpse::ErrorCode::kCorrupt);
  }
}

TEST_CASE("what is not JSON, ill-formed UTF-8, deep nesting and anything after the value are refused") {
  for (const std::string& text :
       {std::string(""), std::string("{"), std::string("{} x"), std::string("{}{}"), std::string("\"\xff\""),
        std::string("{\"a\":1,}"), std::string(100'000, '['), std::string("{}\0", 3),
        std::string("\"\0\"", 3)})
    CHECK(!parse_strict_json(text).has_value());
}

}  // namespace strict_json_test
