#include "glimpsectl/client/server_address.h"

#include <doctest/doctest.h>

namespace server_address_test {

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

TEST_CASE("TLS is a scheme, and so are URLs, whose port may be left out") {
  const auto tls = parse_server_address("tls:[::1]:9318").value();
  CHECK(tls.is_tls);
  CHECK_FALSE(tls.is_url);
  CHECK(tls.host == "::1");
  CHECK(tls.with_tls(false) == "tcp:[::1]:9318");
  CHECK(tls.with_tls(true) == "tls:[::1]:9318");
  CHECK_FALSE(parse_server_address("tcp:h:1").value().is_tls);
  const auto url = parse_server_address("https://glimpse.example:9318/").value();
  CHECK(url.is_tls);
  CHECK(url.is_url);
  CHECK(url.host == "glimpse.example");
  CHECK(url.port == "9318");
  CHECK(url.with_tls(false) == "http://glimpse.example:9318");
  CHECK(parse_server_address("https://h").value().port == "443");
  CHECK(parse_server_address("https://[::1]").value().host == "::1");
  const auto plain = parse_server_address("http://h").value();
  CHECK_FALSE(plain.is_tls);
  CHECK(plain.port == "80");
  CHECK(plain.with_tls(true) == "https://h:80");
}

TEST_CASE("HOST:PORT is TCP, as glimpsed takes it") {
  for (const auto& [text, host] : {std::pair("localhost:80", "localhost"), std::pair("[::1]:80", "::1")}) {
    const auto address = parse_server_address(text);
    REQUIRE(address.has_value());
    CHECK(address->host == host);
    CHECK(address->port == "80");
    CHECK_FALSE(address->is_tls);
  }
}

TEST_CASE("an address that cannot be one is refused with its value and the constraint") {
  for (const std::string& bad : {std::string(),
                                 std::string("localhost"),
                                 std::string("a:b:80"),
                                 std::string("::1:80"),
                                 std::string("ftp://h:1"),
                                 std::string("tcp:"),
                                 std::string("tcp:host"),
                                 std::string("tcp::80"),
                                 std::string("tcp:h:0"),
                                 std::string("tcp:h:65536"),
                                 std::string("tcp:h:http"),
                                 std::string("tls:host"),
                                 std::string("https://"),
                                 std::string("https://h:1/v1/model"),
                                 std::string("https://me@h:1"),
                                 std::string("https://h:"),
                                 std::string("https://::1"),
                                 std::string("HTTPS://h:1"),
                                 std::string("tcp:::1:80"),
                                 std::string("tcp:[]:80"),
                                 std::string("unix:"),
                                 "unix:/" + std::string(200, 'x')}) {
    CAPTURE(bad);
    const auto address = parse_server_address(bad);
    REQUIRE_FALSE(address.has_value());
    CHECK(address.error().code == ErrorCode::kInvalidOption);
    CHECK(address.error().message.find("--server '" + bad + "' ") == 0);
  }
}

}  // namespace server_address_test
