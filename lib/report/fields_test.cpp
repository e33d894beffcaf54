#include "report/fields.h"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

namespace fields_test {

using namespace glimpse;

namespace {

std::string report(std::string_view json) { return object_report(boost::json::parse(json).as_object()); }
std::string text(std::string_view name, std::string_view json) {
  return field_text(name, boost::json::parse(json));
}

}  // namespace

TEST_CASE("a field's name gives its unit") {
  CHECK(text("uptime_seconds", "7384") == "2 h 03 min");
  CHECK(text("queue_bytes", "1536") == "1.5 KiB");
  CHECK(text("examples", "1234567") == "1,234,567");
  CHECK(text("examples", "18446744073709551615") == "18,446,744,073,709,551,615");
  CHECK(text("examples", "1.5e6") == "1,500,000");
  CHECK(text("loss", "0.12345678") == "0.123457");
  CHECK(text("label_mean", "-3") == "-3");
  CHECK(text("attribute", "1234567") == "1234567");
  CHECK(text("last_success_timestamp_seconds", "1700000000") == "1,700,000,000");
}

TEST_CASE("every kind of value has a text") {
  CHECK(text("x", "null") == "–");
  CHECK(text("x", "true") == "yes");
  CHECK(text("x", "\"aerr\"") == "aerr");
  CHECK(text("x", "[]") == "none");
  CHECK(text("x", "[1,null,\"a\",[2]]") == "1, –, a, 2");
  CHECK(text("x", "{\"a\":1}") == "{\"a\":1}");
  CHECK(text("x", "[1,2,3,4,5,6,7,8,9,10,11,12]") == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … (12 in all)");
}

TEST_CASE("a report keeps the server's order, flattens objects and puts lists of objects below") {
  CHECK(report(R"({"algorithm":"aerr","sources":[{"name":"tcp","examples":1200,"open":true},
                   {"name":"a\u001b","position":null}],"clip":{"low":-1,"high":1},"new_thing":7})") ==
        "algorithm  aerr\n"
        "clip.low   -1\n"
        "clip.high  1\n"
        "new_thing  7\n"
        "\n"
        "sources\n"
        "name   examples  open  position\n"
        "tcp       1,200  yes          –\n"
        "a\\x1b         –  –            –\n");
}

TEST_CASE("a weight may have any size, whatever its attribute is called") {
  CHECK(parse_answer(R"({"models":[{"weights":{"open":-0.5,"examples":-1.5}}]})").has_value());
  CHECK(parse_answer(R"({"plans":{"open":-0.5}})").error().message == "its 'open' is -5E-1, which cannot be");
}

TEST_CASE("an empty object is an empty report") { CHECK(report("{}").empty()); }

}  // namespace fields_test
