#include "data/delimiters.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>

#include "base/random.h"

using namespace glimpse;

TEST_CASE("delimiters are counted and skipped as a walk over single bytes would") {
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    // Neighbours of ',' and bytes with the top bit are those that sloppy bit tricks take for matches.
    constexpr char kBytes[] = {',', ',', '-', '+', '\x2d', '\xac', '\0', '\x80', '\xff', '1'};
    std::string text(random.below(40), ' ');
    for (char& c : text) c = kBytes[random.below(sizeof kBytes)];
    const auto total = static_cast<std::size_t>(std::count(text.begin(), text.end(), ','));
    REQUIRE(count_delimiters(text, ',') == total);

    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const char* expected = begin;
    for (std::size_t n = 0; n <= total; ++n) {
      REQUIRE(behind_delimiter(begin, end, ',', n) == expected);
      expected = std::find(expected, end, ',') + 1;
    }
    REQUIRE(behind_delimiter(begin, end, ',', total + 1) == nullptr);
  }
}
