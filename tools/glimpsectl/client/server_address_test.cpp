#include "glimpsectl/client/server_address.h"

#include <doctest/doctest.h>

using namespace glimpse;
using namespace glimpse::ctl;

TEST_CASE("a server is a TCP host and port or the path of a socket") {
  const auto tcp = parse_server_address("tcp:localhost:8080").value();
  CHECK_FALSE(tcp.is_unix());
  CHECK(tcp.host == "localhost");
  CHECK(tcp.port == "8080");
  const auto six = parse_server_address("tcp:[::1]:80").value();
  CHECK(six.host == "::1");
  CHECK(six.port == "80");
  const auto local = parse_server_address("unix:/run/glimpse/http.sock").value();
  CHECK(local.is_unix());
  CHECK(local.path == "/run/glimpse/http.sock");
}

TEST_CASE("an address that cannot be one is refused with its value and the constraint") {
  for (const std::string& bad :
       {std::string(), std::string("localhost:80"), std::string("tcp:"), std::string("tcp:host"),
        std::string("tcp::80"), std::string("tcp:h:0"), std::string("tcp:h:65536"), std::string("tcp:h:http"),
        std::string("tcp:::1:80"), std::string("tcp:[]:80"), std::string("unix:"),
        "unix:/" + std::string(200, 'x')}) {
    CAPTURE(bad);
    const auto address = parse_server_address(bad);
    REQUIRE_FALSE(address.has_value());
    CHECK(address.error().code == ErrorCode::kInvalidOption);
    CHECK(address.error().message.find("--server '" + bad + "' ") == 0);
  }
}
