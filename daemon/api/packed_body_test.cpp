#include "daemon/api/packed_body.h"

#include <array>
#include <doctest/doctest.h>
#include <zlib.h>

namespace packed_body_test {

using namespace glimpse;

namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

TEST_CASE("a packed body becomes what was packed, also of several parts") {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7 % 1000) + ",1\n";
  const std::string packed = gzip(text);
  CHECK(is_packed(packed));
  CHECK_FALSE(is_packed(text));
  CHECK(unpacked(packed, text.size()).value() == text);
  CHECK(unpacked(packed + gzip("x"), text.size() + 1).value() == text + "x");
  CHECK(unpacked(gzip(""), 0).value().empty());
  CHECK(unpacked(gzip(std::string(65536, 'a')), 65536).value() == std::string(65536, 'a'));  // fills the room
}

TEST_CASE("a packed body that is too large, damaged or cut short is refused") {
  const std::string packed = gzip(std::string(1000000, 'a'));
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
