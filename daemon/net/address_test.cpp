#include "daemon/net/address.h"

#include <doctest/doctest.h>

namespace address_test {

using namespace glimpse;

TEST_CASE("addresses of every kind") {
  CHECK(parse_address("http", "[::1]:80")->host == "::1");
  CHECK(parse_address("http", "localhost:80")->kind == Address::Kind::kTcp);
  for (const char* bad :
       {"", ":", "host", "host:", ":80", "host:x", "host:65536", "host:999999", "unix:", "systemd:"})
    CHECK(parse_address("http", bad).has_error());
}

}  // namespace address_test
