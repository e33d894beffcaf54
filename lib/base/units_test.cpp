#include "base/units.h"

#include <doctest/doctest.h>

using namespace glimpse;
using namespace std::chrono_literals;

TEST_CASE("durations and sizes are read with their units") {
  CHECK(*parse_duration("250ms") == 250ms);
  CHECK(*parse_duration("30s") == 30s);
  CHECK(*parse_duration("30") == 30s);
  CHECK(*parse_duration("2h") == 2h);
  CHECK(*parse_duration("7d") == 168h);
  CHECK(*parse_bytes("4096") == 4096);
  CHECK(*parse_bytes("16MiB") == 16U << 20);
}

TEST_CASE("other words, signs, fractions and overflow are refused") {
  for (const char* bad : {"", "s", "-1s", "1.5s", "1 s", "1w", "99999999999999999999s", "9999999999d"})
    CHECK(parse_duration(bad).has_error());
  for (const char* bad : {"", "0", "-1", "16MB", "1.5MiB", "99999999999GiB"})
    CHECK(parse_bytes(bad).has_error());
}
