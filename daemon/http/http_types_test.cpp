#include "daemon/http/http_types.h"

#include <doctest/doctest.h>

namespace http_types_test {

using namespace glimpse;

TEST_CASE("gzip is taken where it is named, and not with a weight of 0") {
  for (const char* yes : {"gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8", "deflate ,gzip;q=1"})
    CHECK(takes_gzip(yes));
  for (const char* no : {"", "identity", "br, deflate", "gzip;q=0", "gzip; q=0.000, br", "x-gzip", "gzipped"})
    CHECK_FALSE(takes_gzip(no));
}

TEST_CASE("a value of the query is found whole and decoded") {
  CHECK(query_value("format=csv", "format") == "csv");
  CHECK(query_value("a=1&format=a%2Fb+c&b=2", "format") == "a/b c");
  CHECK(query_value("xformat=csv&format", "format").empty());
  CHECK(query_value("", "format").empty());
  CHECK(query_value("format=", "format").empty());
  CHECK(query_value("format=%4", "format") == "%4");
  CHECK(query_value("format=%zz", "format") == "%zz");
}

TEST_CASE("a parameter that is not known is refused with those there are, and one that comes twice") {
  const auto refusal = [](const char* query, const char* known) {
    HttpRequest request;
    request.path = "/v1/x";
    request.query = query;
    const auto refused = refuse_parameters(request, known);
    if (!refused) return std::string();
    CHECK(refused->status == 400);
    return refused->body;
  };
  for (const char* query : {"", "format=csv", "&a=1&&format=x=y&", "format", "a=&format="})
    CHECK(refusal(query, "format,a") == "");
  CHECK(refusal("", "") == "");
  CHECK(
      refusal("format=csv&source=a", "format,a,b") ==
      R"({"error":{"code":"unknown_parameter","message":"/v1/x has no parameter 'source'; there are format, )"
      "a and b\"}}\n");
  CHECK(refusal("formats=csv", "format").find("no parameter 'formats'; there is format alone") !=
        std::string::npos);
  CHECK(refusal("lable=cnt", "format,label").find("there are format and label; did you mean 'label'?") !=
        std::string::npos);
  CHECK(refusal("colour=red", "format,label").find("did you mean") == std::string::npos);
  CHECK(refusal("a", "").find("/v1/x has no parameters, and so not 'a'") != std::string::npos);
  for (const char* query : {"%66ormat=csv", "=b", "format=csv&Format=a", "format,a=1"})
    CHECK(refusal(query, "format,a").find("unknown_parameter") != std::string::npos);
  for (const char* query : {"format=csv&format=csv", "format=csv&a&format", "a&a=2"})
    CHECK(refusal(query, "format,a").find("repeated_parameter") != std::string::npos);
  CHECK(refusal("a=1&format=x&a=2", "format,a").find("a is given twice") != std::string::npos);
}

TEST_CASE("a key is taken out of the query, with each of its values, and the rest stays as it was") {
  CHECK(without_key("", "a").empty());
  CHECK(without_key("a", "a").empty());
  CHECK(without_key("a=1&a=2", "a").empty());
  CHECK(without_key("a=1&b=%20&a&aa=3", "a") == "b=%20&aa=3");
  CHECK(without_key("b=1&&c", "a") == "b=1&&c");
  CHECK(without_key("xa=1&%61=2", "a") == "xa=1&%61=2");
}

TEST_CASE("what a client sent leaves an error valid JSON") {
  CHECK(error_response(400, "bad", "format '\xff' \xc3\xa4 \xed\xa0\x80").body ==
        "{\"error\":{\"code\":\"bad\",\"message\":\"format '\xef\xbf\xbd' \xc3\xa4 "
        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}}\n");
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

}  // namespace http_types_test
