#include "daemon/support/shared_bytes.h"

#include <doctest/doctest.h>

namespace glimpse::shared_bytes_test {

TEST_CASE("connections together hold no more than their limit, and what one lets go of is another's") {
  SharedBytes bytes;
  bytes.limit = 100;
  std::size_t first = 0;
  std::size_t second = 0;
  CHECK(bytes.hold(first, 60));
  CHECK_FALSE(bytes.hold(second, 41));
  CHECK(second == 0);
  CHECK(bytes.hold(second, 40));
  CHECK_FALSE(bytes.hold(first, 61));
  CHECK(first == 60);
  CHECK(bytes.hold(first, 10));
  CHECK(bytes.hold(second, 90));
  CHECK(bytes.total() == 100);
  bytes.limit = 50;  // what is held already stays, and may become less
  CHECK_FALSE(bytes.hold(first, 11));
  CHECK(bytes.hold(second, 80));
  CHECK(bytes.hold(first, 0));
  CHECK(bytes.hold(second, 0));
  CHECK(bytes.total() == 0);
}

TEST_CASE("where one alone may hold any number, the next waits until there is room") {
  SharedBytes bytes;
  bytes.limit = 100;
  std::size_t large = 0;
  std::size_t small = 0;
  CHECK(bytes.hold_any_alone(large, 500));
  CHECK_FALSE(bytes.hold_any_alone(small, 1));
  CHECK(bytes.hold_any_alone(large, 600));
  CHECK(bytes.hold_any_alone(large, 0));
  CHECK(bytes.hold_any_alone(small, 1));
  CHECK_FALSE(bytes.hold_any_alone(large, 100));
  CHECK(bytes.hold_any_alone(large, 99));
  CHECK(bytes.total() == 100);
}

}  // namespace glimpse::shared_bytes_test
