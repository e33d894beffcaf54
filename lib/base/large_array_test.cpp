#include "base/large_array.h"

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <new>
#include <utility>

namespace large_array_test {

using namespace glimpse;

TEST_CASE("an array begins as zeros, whatever its size, and every element can be written") {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  for (const std::size_t size : {std::size_t{1}, kPage - 1, kPage, kHugePage - 1, kHugePage, kHugePage + 1,
                                 2 * kHugePage + 3 * kPage}) {
    LargeArray<unsigned char> array(size);
    REQUIRE(array.size() == size);
    std::size_t others = 0;
    for (const unsigned char element : array) others += element != 0 ? 1 : 0;
    CHECK(others == 0);
    array[0] = 1;
    array[size - 1] = 2;
    LargeArray<unsigned char> moved(std::move(array));
    CHECK(moved[size - 1] == 2);
  }
  CHECK(LargeArray<double>(0).empty());
}

TEST_CASE("an array as large as a huge page begins at a multiple of one") {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  for (int k = 0; k < 4; ++k) {
    const LargeArray<unsigned char> array(kHugePage + static_cast<std::size_t>(k) * 5000);
    CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % kHugePage == 0);
  }
}

TEST_CASE("an array that no memory holds is refused") {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t size : {kMost, kMost / 4})
    CHECK_THROWS_AS(LargeArray<unsigned char>{size}, std::bad_alloc);
}

}  // namespace large_array_test
