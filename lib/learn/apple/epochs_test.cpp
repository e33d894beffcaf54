#include "learn/apple/epochs.h"

#include <doctest/doctest.h>
#include <vector>

namespace epochs_test {

using namespace glimpse;

namespace {

std::vector<std::uint64_t> ends(std::uint64_t examples, std::optional<std::uint64_t> horizon) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t n = 0; n <= examples; ++n)
    if (ends_epoch(n, horizon)) all.push_back(n);
  return all;
}

}  // namespace

TEST_CASE("epochs end at sixths of the horizon, five times") {
  CHECK(ends(2000, 600) == std::vector<std::uint64_t>{100, 200, 300, 400, 500});
  CHECK(ends(100, 16) == std::vector<std::uint64_t>{2, 5, 8, 10, 13});
  CHECK(ends(100, 6) == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
  CHECK(ends(100, 3) == std::vector<std::uint64_t>{1, 2});
  CHECK(ends(100, 1).empty());
  constexpr std::uint64_t kHuge = 1000000000000000000;
  CHECK(ends_epoch(kHuge / 6, kHuge));
  CHECK(ends_epoch(kHuge / 6 * 5 + 3, kHuge));
  CHECK_FALSE(ends_epoch(kHuge / 6 * 5, kHuge));
}

TEST_CASE("without a horizon they end at powers of two from 256 on") {
  CHECK(ends(3000, std::nullopt) == std::vector<std::uint64_t>{256, 512, 1024, 2048});
}

}  // namespace epochs_test
