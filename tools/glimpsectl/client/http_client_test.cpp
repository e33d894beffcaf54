#include "glimpsectl/client/http_client.h"

#include <chrono>
#include <doctest/doctest.h>

#include "glimpsectl/client/http_test_support.h"

namespace http_client_test {

using namespace glimpse;
using namespace glimpse::ctl;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kPatience{5000};

TestServer::Answer always(std::string bytes) {
  return [bytes](const TestRequest&) { return bytes; };
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("a body comes back over TCP and over a socket in the file system") {
  for (const auto kind : {TestServer::Kind::kTcp, TestServer::Kind::kUnix}) {
    const TestServer server(always(http_reply(200, R"({"examples":3})")), kind);
    const HttpClient client(server.address(), kPatience);
    CHECK(client.get("/v1/status").value() == R"({"examples":3})");
    CHECK(client.post("/v1/learn", "1 2:3\n", "text/plain").value() == R"({"examples":3})");
    const auto requests = server.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].method == "GET");
    CHECK(requests[0].target == "/v1/status");
    CHECK(requests[1].method == "POST");
    CHECK(requests[1].body == "1 2:3\n");
    CHECK(requests[1].content_type == "text/plain");
  }
}

TEST_CASE("a reply may be larger than any buffer and need not say how long it is") {
  const std::string body(20 << 20, 'w');
  const TestServer server([&](const TestRequest& request) {
    return request.target == "/sized" ? http_reply(200, body) : "HTTP/1.1 200 OK\r\n\r\n" + body;
  });
  const HttpClient client(server.address(), kPatience);
  CHECK(client.get("/sized").value() == body);
  CHECK(client.get("/unsized").value() == body);
}

TEST_CASE("an answer that is longer than allowed is refused") {
  const TestServer server([](const TestRequest& request) {
    const std::string body(100, ' ');
    return request.target == "/sized" ? http_reply(200, body) : "HTTP/1.1 200 OK\r\n\r\n" + body;
  });
  for (const char* target : {"/sized", "/unsized"}) {
    const auto reply = HttpClient(server.address(), kPatience, 99).get(target);
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().message.find("it is longer than 99 bytes (--max-answer)") != std::string::npos);
    CHECK(HttpClient(server.address(), kPatience, 100).get(target).has_value());
  }
}

TEST_CASE("an answer may take longer the more of it has come") {
  using std::chrono::milliseconds;
  CHECK(HttpClient::longest(milliseconds(10000), 0) == milliseconds(600000));
  const std::uint64_t bytes = 100'000 * HttpClient::kLeastRate;
  CHECK(HttpClient::longest(milliseconds(1), bytes) == milliseconds(100'000'060));
  CHECK(HttpClient::longest(milliseconds(1), 60'000) <
        milliseconds(4000));  // a byte in each millisecond ends
}

TEST_CASE("an error reply gives the server's code and message") {
  const TestServer server(always(http_reply(503, R"({"error":{"code":"not_ready","message":"restoring"}})")));
  const auto reply = HttpClient(server.address(), kPatience).get("/v1/status");
  REQUIRE_FALSE(reply.has_value());
  CHECK(reply.error().code == ErrorCode::kInvalidInput);
  CHECK(reply.error().message == "GET /v1/status: not_ready: restoring");
}

TEST_CASE("an error reply of something else gives its status and first line") {
  CHECK(error_of_reply("GET /", 502, "<html>\r\nmore").message == "GET /: HTTP status 502: <html>");
  CHECK(error_of_reply("GET /", 404, "").message == "GET /: HTTP status 404");
  CHECK(error_of_reply("GET /", 500, R"({"error":{"code":7,"message":"a\u001bb"}})").message ==
        "GET /: ?: a\\x1bb");
  CHECK(error_of_reply("GET /", 500, R"({"error":"x"})").message ==
        R"(GET /: HTTP status 500: {"error":"x"})");
}

TEST_CASE("nobody listening is told with the address and the reason") {
  ServerAddress gone;
  {
    const TestServer server(always(""));
    gone = server.address();
  }
  const auto reply = HttpClient(gone, kPatience).get("/v1/status");
  REQUIRE_FALSE(reply.has_value());
  CHECK(reply.error().code == ErrorCode::kUnavailable);
  CHECK(reply.error().message == "cannot connect to " + gone.text + ": Connection refused");

  const auto missing =
      HttpClient(parse_server_address("unix:/nowhere/http.sock").value(), kPatience).get("/");
  CHECK(missing.error().code == ErrorCode::kUnavailable);
  CHECK(missing.error().message == "cannot connect to unix:/nowhere/http.sock: No such file or directory");
}

TEST_CASE("a server that never answers ends in a time-out") {
  const TestServer server([](const TestRequest&) { return std::nullopt; });
  const auto reply = HttpClient(server.address(), milliseconds(100)).get("/v1/status");
  REQUIRE_FALSE(reply.has_value());
  CHECK(reply.error().code == ErrorCode::kUnavailable);
  CHECK(reply.error().message ==
        server.address().text + ": no answer to GET /v1/status within 100 ms (--timeout)");
}

TEST_CASE("garbage, silence and half an answer are no answers") {
  const TestServer server([](const TestRequest& request) -> std::optional<std::string> {
    if (request.target == "/garbage") return "SSH-2.0-OpenSSH_9.2\r\n";
    if (request.target == "/nothing") return "";
    return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
  });
  const HttpClient client(server.address(), kPatience);
  const auto garbage = client.get("/garbage");
  CHECK(garbage.error().code == ErrorCode::kUnavailable);
  CHECK(contains(garbage.error().message, "that is not one of glimpsed"));
  const auto nothing = client.get("/nothing");
  CHECK(nothing.error().code == ErrorCode::kUnavailable);
  CHECK(contains(nothing.error().message, "closed the connection without an answer to GET /nothing"));
  CHECK(client.get("/half").error().code == ErrorCode::kUnavailable);
}

TEST_CASE("the answer to a body that was refused half-way is still read") {
  const TestServer server(always(http_reply(413, R"({"error":{"code":"too_large","message":"over 1 MB"}})")),
                          TestServer::Kind::kUnix);
  const HttpClient client(server.address(), kPatience);
  const auto reply = client.post("/v1/learn", std::string(5'000'000, '1'), "text/plain");
  REQUIRE_FALSE(reply.has_value());
  CHECK(reply.error().message == "POST /v1/learn: too_large: over 1 MB");
}

}  // namespace http_client_test
