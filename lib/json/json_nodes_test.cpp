#include "json/json_nodes.h"

#include <doctest/doctest.h>

namespace json_nodes_test {

using namespace glimpse;
using Kind = JsonNode::Kind;

namespace {
std::string reserved(std::size_t bytes = 4096) {
  std::string arena;
  arena.reserve(bytes);
  return arena;
}
}  // namespace

TEST_CASE("a text becomes nodes in order, each with where it ends") {
  JsonNodes json(100);
  std::string arena = reserved();
  REQUIRE(json.parse(R"( {"id":"a\u0041\n","values":{"17":0.5,"x":null},"list":[1e2,true,[]]} )", arena)
              .has_value());
  const auto& n = json.nodes();
  REQUIRE(n.size() == 9);
  CHECK(n[0].kind == Kind::kObject);
  CHECK(n[0].end == 9);
  CHECK(n[1].key == "id");
  CHECK(n[1].text == "aA\n");
  CHECK(n[2].key == "values");
  CHECK(n[2].end == 5);
  CHECK(n[3].key == "17");
  CHECK(n[3].text == "0.5");
  CHECK(n[4].kind == Kind::kNull);
  CHECK(n[5].key == "list");
  CHECK(n[6].text == "1e2");
  CHECK(n[6].key.empty());
  CHECK(n[7].truth);
  CHECK(n[8].kind == Kind::kArray);
  CHECK(n[8].end == 9);
}

TEST_CASE("texts parsed one after another keep their words in one arena") {
  JsonNodes json(100);
  std::string arena = reserved();
  REQUIRE(json.parse(R"("first")", arena).has_value());
  const std::string_view first = json[0].text;
  REQUIRE(json.parse(R"("second")", arena).has_value());
  CHECK(first == "first");
  CHECK(json[0].text == "second");
}

TEST_CASE("what is no JSON text is refused, and leaves no nodes") {
  JsonNodes json(5);
  std::string arena = reserved();
  for (const char* text : {"", "{", "[1,]", "{\"a\":1}x", "nul", "[1] [2]", "\"\x01\""}) {
    INFO(text);
    CHECK(json.parse(text, arena).error().code == ErrorCode::kInvalidInput);
    CHECK(json.nodes().empty());
  }
  CHECK(json.parse("[1,2,3,4]", arena).has_value());
  CHECK(json.parse("[1,2,3,4,5]", arena).error().code == ErrorCode::kTooLarge);
  JsonNodes roomy(1000);
  CHECK(roomy.parse(std::string(100, '[') + std::string(100, ']'), arena).error().code ==
        ErrorCode::kInvalidInput);
}

}  // namespace json_nodes_test
