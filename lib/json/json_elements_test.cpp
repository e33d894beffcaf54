#include "json/json_elements.h"

#include <doctest/doctest.h>
#include <string_view>
#include <vector>

namespace json_elements_test {

using glimpse::examples_as_lines;
using glimpse::JsonTexts;

namespace {

using Texts = std::vector<std::string_view>;

Texts texts_of(std::string_view body) {
  Texts all;
  JsonTexts texts(body);
  while (const auto text = texts.next()) all.push_back(*text);
  CHECK(*JsonTexts(body).count() == all.size());
  return all;
}

}  // namespace

TEST_CASE("an array of examples becomes a line each, whatever stands in their strings") {
  CHECK(*examples_as_lines(R"([{"values":[1,2]}, {"tag":"a]\"}b",
    "values":{"1":2}}])") == "{\"values\":[1,2]}\n{\"tag\":\"a]\\\"}b\",     \"values\":{\"1\":2}}\n");
  CHECK(*examples_as_lines(" [[1,2],[3,4]] ") == "[1,2]\n[3,4]\n");
}

TEST_CASE("NDJSON and a single dense example stay as they are") {
  CHECK(*examples_as_lines("{\"values\":[1]}\n{\"values\":[2]}\n") == "{\"values\":[1]}\n{\"values\":[2]}\n");
  CHECK(*examples_as_lines("[1,2]\n[3,4]\n") == "[1,2]\n[3,4]\n");
  CHECK(*examples_as_lines("") == "");
}

TEST_CASE("what is not closed, or followed by more, is refused") {
  for (const char* bad :
       {"[", "[{", "[{]", "[{}", "[{},]", "[{} {}]", "[[1],2]", "[[1]] x", "[{\"a", "[{}}", "[{},"})
    CHECK(examples_as_lines(bad).has_error());
}

TEST_CASE("the elements of an array are cut apart, sound or not") {
  CHECK(texts_of(R"( [{"a":"],\"["}, 5,oops] )") == Texts{R"({"a":"],\"["})", " 5", "oops"});
  CHECK(texts_of("[]").empty());
  CHECK(texts_of("[ ]\n").empty());
  CHECK(texts_of("[1,]") == Texts{"1", ""});
  CHECK(texts_of("[,]") == Texts{"", ""});
  for (const char* bad : {"[", "[1", "[\"a]", "[[1]", "[1] [2]", "[] x", "[1,"})
    CHECK(JsonTexts(bad).count().has_error());
  CHECK(JsonTexts("[1] [2]").count().error().message == "something follows the JSON array, at byte 4");
}

TEST_CASE("what is no array is cut into lines, of which blank ones are none") {
  CHECK(texts_of("\n {\"a\":1}\n\r\n \nx") == Texts{"{\"a\":1}", "x"});
  CHECK(texts_of("").empty());
  CHECK(texts_of(" \n").empty());
}

}  // namespace json_elements_test
