#include "daemon/net/address.h"

#include <doctest/doctest.h>

namespace address_test {

using namespace glimpse;

TEST_CASE("addresses of every kind") {
  CHECK(parse_address("http", "[::1]:80")->host == "::1");
  CHECK(parse_address("http", "localhost:80")->kind == Address::Kind::kTcp);
  for (const char* bad : {"", ":", "host", "host:", ":80", "host:x", "host:65536", "host:999999",
                          "unix:", "systemd:", "::1:80", "tcp:::1:80"})
    CHECK(parse_address("http", bad).has_error());
}

TEST_CASE("an address is shown as it is typed") {
  for (const char* text : {"tcp:[::1]:80", "tcp:localhost:0", "unix:a b", "systemd:x"})
    CHECK(parse_address("http", text)->text() == text);
  CHECK(parse_address("listen", "[fe80::1%lo]:80")->text() == "tcp:[fe80::1%lo]:80");
}

TEST_CASE("what is no address here is refused with the words to type") {
  CHECK(parse_address("http", "::1:80").error().message ==
        "--http ::1:80: must have its IPv6 address in brackets, as in tcp:[::1]:PORT");
  CHECK(parse_address("listen", "tcp:[::1]").error().message ==
        "--listen tcp:[::1]: must have a port: tcp:[::1]:PORT");
  CHECK(parse_address("http", "HTTP://a:80").error().message ==
        "--http HTTP://a:80: must be an address without http://: --http a:80");
  CHECK(parse_address("http", "http://[::1]:80/").error().message ==
        "--http http://[::1]:80/: must be an address without http://: --http [::1]:80");
  CHECK(
      parse_address("listen", "tls:a:80").error().message ==
      "--listen tls:a:80: must be an address without tls:: --listen a:80 with --tls-cert FILE and --tls-key "
      "FILE");
}

}  // namespace address_test
