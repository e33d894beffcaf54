#include "daemon/net/connection_count.h"

#include <doctest/doctest.h>
#include <vector>

namespace glimpse::connection_count_test {

TEST_CASE("places are limited in all and for each address, and come back") {
  ConnectionCount count;
  count.limit = 4;
  count.limit_per_address = 2;
  std::string why;
  std::vector<ConnectionCount::Place> places;
  places.push_back(count.take("10.0.0.1", 0, why));
  places.push_back(count.take("10.0.0.1", 0, why));
  CHECK(count.open() == 2);
  CHECK(count.take("10.0.0.1", 0, why) == nullptr);
  CHECK(why == "--max-connections-per-address is reached for 10.0.0.1");
  CHECK(count.refused.address == 1);

  places.push_back(count.take("10.0.0.2", 0, why));
  places.push_back(count.take("", 0, why));  // a Unix socket
  CHECK(places.back() != nullptr);
  CHECK(count.take("10.0.0.3", 0, why) == nullptr);
  CHECK(why == "--max-connections is reached");
  CHECK(count.refused.total == 1);

  places.erase(places.begin());
  CHECK(count.open() == 3);
  CHECK(count.take("10.0.0.1", 0, why) != nullptr);
  places.clear();
  CHECK(count.open() == 0);
}

TEST_CASE("a door with spare places is open when the others are full") {
  ConnectionCount count;
  count.limit = 2;
  std::string why;
  std::vector<ConnectionCount::Place> places;
  for (int i = 0; i < 2; ++i) places.push_back(count.take("", 0, why));
  CHECK(count.take("", 0, why) == nullptr);
  places.push_back(count.take("", 1, why));
  CHECK(places.back() != nullptr);
  CHECK(count.take("", 1, why) == nullptr);
  CHECK(count.open() == 3);
}

TEST_CASE("without a limit for each address one may take them all, and Unix sockets never count for one") {
  ConnectionCount count;
  count.limit = 100;
  std::string why;
  std::vector<ConnectionCount::Place> places;
  for (int i = 0; i < 100; ++i) places.push_back(count.take("::1", 0, why));
  CHECK(places.back() != nullptr);
  CHECK(count.take("::1", 0, why) == nullptr);
  places.clear();
  count.limit_per_address = 1;
  for (int i = 0; i < 3; ++i) places.push_back(count.take("", 0, why));
  CHECK(places.back() != nullptr);
}

TEST_CASE("an IPv6 address counts as its /64, and a mapped one as the IPv4 address that it is") {
  ConnectionCount count;
  count.limit = 100;
  count.limit_per_address = 2;
  std::string why;
  std::vector<ConnectionCount::Place> places;
  places.push_back(count.take("2001:db8:1:2::1", 0, why));
  places.push_back(count.take("2001:db8:1:2:ffff::1", 0, why));
  CHECK(count.take("2001:db8:1:2:a:b:c:d", 0, why) == nullptr);
  CHECK(why == "--max-connections-per-address is reached for 2001:db8:1:2::/64");
  places.push_back(count.take("2001:db8:1:3::1", 0, why));
  CHECK(places.back() != nullptr);
  places.erase(places.begin());
  places.push_back(count.take("2001:db8:1:2::2", 0, why));
  CHECK(places.back() != nullptr);

  // The same bits on another interface are another network.
  for (const char* address : {"fe80::1%1", "fe80::2%1", "fe80::1%2", "fe80::2%2"})
    places.push_back(count.take(address, 0, why));
  CHECK(places.back() != nullptr);
  CHECK(count.take("fe80::3%1", 0, why) == nullptr);

  places.push_back(count.take("10.0.0.1", 0, why));
  places.push_back(count.take("::ffff:10.0.0.1", 0, why));
  CHECK(places.back() != nullptr);
  CHECK(count.take("::ffff:10.0.0.1", 0, why) == nullptr);
  CHECK(why == "--max-connections-per-address is reached for 10.0.0.1");
  places.push_back(count.take("::ffff:10.0.0.2", 0, why));
  CHECK(places.back() != nullptr);
  places.clear();
  CHECK(count.open() == 0);
  CHECK(count.take("2001:db8:1:2::9", 0, why) != nullptr);
}

}  // namespace glimpse::connection_count_test
