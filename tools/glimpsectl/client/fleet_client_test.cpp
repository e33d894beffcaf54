#include <doctest/doctest.h>

#include "glimpsectl/client/http_client.h"
#include "glimpsectl/client/http_test_support.h"

namespace fleet_client_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

ServerAddress server(const char* text) {
  auto address = parse_server_address(text);
  REQUIRE(address.has_value());
  address->token = "secret";
  return *address;
}

}  // namespace

TEST_CASE("an owner's address is a URL, or a host and port that are asked as the first server was") {
  CHECK(address_of_owner("b:9317", server("http://a:1"))->port == "9317");
  CHECK(!address_of_owner("b:9317", server("http://a:1"))->is_tls);
  CHECK(address_of_owner("b:9317", server("https://a:1"))->is_tls);
  CHECK(address_of_owner("https://b:9317", server("http://a:1"))->is_tls);
  CHECK(address_of_owner("http://b:9317", server("unix:/s"))->token == "secret");
}

TEST_CASE("nobody is sent away from TLS, or to what is no address") {
  CHECK(address_of_owner("http://b:9317", server("https://a:1")).error().message.find("without TLS") !=
        std::string::npos);
  for (const char* bad : {"", "machine", "b:port", "unix:/s", "http://b:1/path"})
    CHECK_MESSAGE(address_of_owner(bad, server("http://a:1")).has_error(), bad);
}

TEST_CASE("a request that is another instance's is sent to its owner once") {
  const TestServer owner([](const TestRequest& request) { return http_reply(200, request.body); },
                         TestServer::Kind::kTcp);
  const TestServer other(
      [&](const TestRequest&) {
        return http_reply(
            409, R"({"error":{"code":"elsewhere"},"owner":")" + owner.address().text.substr(4) + "\"}");
      },
      TestServer::Kind::kTcp);
  const auto reply =
      send_in_fleet(other.address(), std::chrono::seconds(10), "POST", "/v1/ask", "{}", "application/json");
  REQUIRE(reply.has_value());
  CHECK(reply->status == 200);
  CHECK(reply->body == "{}");
  CHECK(other.requests().size() == 1);
}

TEST_CASE("an owner that sends on is not followed") {
  std::string itself;
  const TestServer ring([&](const TestRequest&) { return http_reply(409, R"({"owner":")" + itself + "\"}"); },
                        TestServer::Kind::kTcp);
  itself = ring.address().text.substr(4);
  const auto reply = send_in_fleet(ring.address(), std::chrono::seconds(10), "POST", "/v1/ask", "{}");
  REQUIRE(reply.has_value());
  CHECK(reply->status == 409);
  CHECK(ring.requests().size() == 2);
}

}  // namespace fleet_client_test
