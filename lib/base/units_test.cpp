#include "base/units.h"

#include <doctest/doctest.h>
#include <limits>

namespace units_test {

using namespace glimpse;
using namespace std::chrono_literals;

TEST_CASE("durations and sizes are read with their units") {
  CHECK(*parse_duration("250ms") == 250ms);
  CHECK(*parse_duration("30s") == 30s);
  CHECK(*parse_duration("30") == 30s);
  CHECK(*parse_duration("2h") == 2h);
  CHECK(*parse_duration("7d") == 168h);
  CHECK(*parse_duration("1.5m") == 90s);
  CHECK(*parse_duration("0.0004s") == 0ms);
  CHECK(*parse_duration("3653d") == 24h * 3653);
  CHECK(*parse_bytes("4096") == 4096);
  CHECK(*parse_bytes("16MiB") == 16U << 20);
}

TEST_CASE("other words, signs and overflow are refused") {
  for (const char* bad : {"", "s", "-1s", "+1s", "1.5.2s", ".", "1e3s", "nans", "infs", "1 s", "1w", "3654d",
                          "99999999999999999999s", "9999999999d"})
    CHECK(parse_duration(bad).has_error());
  for (const char* bad : {"", "0", "-1", "16MB", "1.5MiB", "+1", "1048577GiB", "99999999999GiB"})
    CHECK(parse_bytes(bad).has_error());
}

TEST_CASE("a number that is rounded to 0 has no sign") {
  CHECK(fixed_text(-0.0004, 3) == "0.000");
  CHECK(fixed_text(-0.0, 0) == "0");
  CHECK(fixed_text(-0.0006, 3) == "-0.001");
  CHECK(fixed_text(12.25, 1) == "12.2");
  CHECK(fixed_text(std::numeric_limits<double>::quiet_NaN(), 3) == "nan");
}

}  // namespace units_test
