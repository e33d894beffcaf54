#include "report/units.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

namespace units_test {

using namespace glimpse;
using namespace glimpse;

TEST_CASE("whole numbers are grouped by thousands") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1000) == "1,000");
  CHECK(with_thousands(123456) == "123,456");
  CHECK(with_thousands(1234567) == "1,234,567");
  CHECK(with_thousands(std::numeric_limits<std::uint64_t>::max()) == "18,446,744,073,709,551,615");
}

TEST_CASE("numbers show six digits, whole ones all of them") {
  CHECK(readable_number(0.123456789) == "0.123457");
  CHECK(readable_number(-1234567.0) == "-1,234,567");
  CHECK(readable_number(1e6) == "1,000,000");
  CHECK(readable_number(2.5e-9) == "2.5e-09");
  CHECK(two_digits(0.25431) == "0.25");
  CHECK(two_digits(-0.0996) == "-0.1");
  CHECK(two_digits(123.4) == "120");
  CHECK(two_digits(99.7) == "100");
  CHECK(two_digits(1.26e30) == "1.3e+30");
  CHECK(two_digits(0) == "0");
  CHECK(two_digits(std::nan("")) == "–");
  CHECK(readable_number(1e300) == "1e+300");
  CHECK(readable_number(std::nan("")) == "–");
}

TEST_CASE("a rate never takes more than six characters") {
  CHECK(compact_number(0) == "0");
  CHECK(compact_number(12.34) == "12.3");
  CHECK(compact_number(999.4) == "999");
  CHECK(compact_number(999.6) == "1k");
  CHECK(compact_number(123456) == "123k");
  CHECK(compact_number(1234567) == "1.23M");
  CHECK(compact_number(999.7e3) == "1M");
  CHECK(compact_number(-1) == "–");
  for (double value = 1e-4; value < 1e18; value *= 1.37)
    if (value >= 0.01) CHECK(compact_number(value).size() <= 6);
}

TEST_CASE("durations use the two units that matter") {
  CHECK(readable_duration(0) == "0 s");
  CHECK(readable_duration(0.0123) == "12.3 ms");
  CHECK(readable_duration(0.9999) == "1 s");
  CHECK(readable_duration(1.25) == "1.2 s");
  CHECK(readable_duration(12.34) == "12.3 s");
  CHECK(readable_duration(59.97) == "1 min 00 s");
  CHECK(readable_duration(65) == "1 min 05 s");
  CHECK(readable_duration(3600 * 2 + 3 * 60) == "2 h 03 min");
  CHECK(readable_duration(86400.0 * 3 + 3600 * 4) == "3 d 04 h");
  CHECK(readable_duration(-2) == "-2 s");
  CHECK(readable_duration(9e14) == "10,416,666,666 d 16 h");
  CHECK(readable_duration(1e300) == "1.15741e+295 d");
  CHECK(short_duration(12.9) == "12s");
  CHECK(short_duration(119) == "1m");
  CHECK(short_duration(7300) == "2h");
  CHECK(short_duration(1e6) == "11d");
}

TEST_CASE("percents and counts are as people write them") {
  for (const auto& [percent, text] : {std::pair{0.0, "0"},
                                      {0.734, "0.73"},
                                      {7.34, "7.3"},
                                      {9.96, "10"},
                                      {73.4, "73"},
                                      {99.7, "100"},
                                      {100.0, "100"}})
    CHECK(readable_percent(percent) == text);
  CHECK(counted(0, "example") == "0 examples");
  CHECK(counted(1, "example") == "1 example");
  CHECK(counted(1200, "drift alarm") == "1,200 drift alarms");
}

TEST_CASE("sizes are in powers of 1024") {
  CHECK(readable_bytes(0) == "0 B");
  CHECK(readable_bytes(1023) == "1023 B");
  CHECK(readable_bytes(1536) == "1.5 KiB");
  CHECK(readable_bytes(1024.0 * 1024 - 1) == "1.0 MiB");
}

}  // namespace units_test
