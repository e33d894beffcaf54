#include "daemon/http_types.h"

#include <doctest/doctest.h>

using namespace glimpse;

TEST_CASE("a value of the query is found whole and decoded") {
  CHECK(query_value("format=csv", "format") == "csv");
  CHECK(query_value("a=1&format=a%2Fb+c&b=2", "format") == "a/b c");
  CHECK(query_value("xformat=csv&format", "format").empty());
  CHECK(query_value("", "format").empty());
  CHECK(query_value("format=", "format").empty());
  CHECK(query_value("format=%4", "format") == "%4");
  CHECK(query_value("format=%zz", "format") == "%zz");
}

TEST_CASE("an error is an envelope with the status that fits") {
  const HttpResponse response = error_response(400, "bad", "quote \" and\nline");
  CHECK(response.status == 400);
  CHECK(response.body == "{\"error\":{\"code\":\"bad\",\"message\":\"quote \\\" and\\nline\"}}\n");
  CHECK(error_response(Error{ErrorCode::kNotFound, "x"}).status == 404);
  CHECK(error_response(Error{ErrorCode::kTooLarge, "x"}).status == 413);
  CHECK(error_response(Error{ErrorCode::kUnavailable, "x"}).status == 409);
  CHECK(error_response(Error{ErrorCode::kSystem, "x"}).status == 500);
}
