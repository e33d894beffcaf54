#include <array>
#include <doctest/doctest.h>

#include "compression/packing_test_support.h"
#include "daemon/bodies/body_text.h"

namespace packed_body_test {

using namespace glimpse;

TEST_CASE("a packed body becomes what was packed, also of several parts") {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7 % 1000) + ",1\n";
  const std::string packed = gzip_of(text);
  CHECK(is_packed(packed));
  CHECK_FALSE(is_packed(text));
  CHECK(unpacked(packed, text.size()).value() == text);
  CHECK(unpacked(packed + gzip_of("x"), text.size() + 1).value() == text + "x");
  CHECK(unpacked(gzip_of(""), 0).value().empty());
  CHECK(unpacked(gzip_of(std::string(65536, 'a')), 65536).value() ==
        std::string(65536, 'a'));  // fills the room
}

TEST_CASE("a packed body may end where the room does") {
  for (const std::size_t size : {0UL, 65535UL, 65536UL, 65537UL, 131072UL}) {
    const std::string text(size, 'a');
    for (const std::string& bytes : packings_of(text)) CHECK(unpacked(bytes, size).value() == text);
  }
}

TEST_CASE("a packed body that is too large, damaged or cut short is refused") {
  const std::string packed = gzip_of(std::string(1000000, 'a'));
  CHECK(unpacked(packed, 999999).error().code == ErrorCode::kTooLarge);
  CHECK(unpacked_at_most(packed, 999) == 999);
  CHECK(unpacked_at_most(packed, std::size_t{1} << 40) >= 1000000);
  CHECK(unpacked(packed.substr(0, packed.size() - 1), 1000000).error().message ==
        "the body ends amid its gzip data: it is cut short");
  std::string damaged = packed;
  damaged[damaged.size() / 2] ^= 1;
  CHECK(unpacked(damaged, 1000000).error().code == ErrorCode::kInvalidInput);
  CHECK(unpacked(packed + "rest", 1000000).error().code == ErrorCode::kInvalidInput);
}

}  // namespace packed_body_test
