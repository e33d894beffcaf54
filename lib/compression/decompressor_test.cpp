#include "compression/decompressor.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "base/random.h"
#include "compression/packing_test_support.h"

namespace decompressor_test {

using namespace glimpse;

namespace {

std::string some_text(std::size_t size) {
  Random random(7);
  std::string text;
  while (text.size() < size) text += fmt::format("{:.3f},", random.uniform());
  return text;
}

// In pieces of `piece` bytes into a room of `room`.
Result<std::string> decompress(std::string_view bytes, std::size_t piece, std::size_t room, bool& is_whole) {
  const auto decompressor = Decompressor::for_bytes(bytes);
  REQUIRE(decompressor);
  std::string text;
  std::vector<char> space(room);
  std::string_view given = bytes.substr(0, piece);
  for (;;) {
    if (given.empty()) break;
    const auto step = decompressor->decompress(given, space);
    if (!step) return step.error();
    text.append(space.data(), step->produced);
    bytes.remove_prefix(step->consumed);
    const bool is_stuck = step->consumed == 0 && step->produced == 0;
    if (is_stuck && given.size() == bytes.size()) break;
    given = bytes.substr(0, is_stuck ? given.size() + piece : piece);
  }
  is_whole = decompressor->is_whole();
  return text;
}

}  // namespace

TEST_CASE("what gzip and zstd wrote comes back, in pieces of any size") {
  const std::string text = some_text(300000);
  for (const std::string& bytes : {gzip_of(text), zstd_of(text)})
    for (const std::size_t piece : {1UL, 7UL, 4096UL, 1UL << 20})
      for (const std::size_t room : {1UL, 100UL, 1UL << 16}) {
        if (piece * room < 100) continue;  // for no reason but time
        CAPTURE(piece);
        CAPTURE(room);
        bool is_whole = false;
        const auto back = decompress(bytes, piece, room, is_whole);
        REQUIRE(back.has_value());
        CHECK(*back == text);
        CHECK(is_whole);
      }
}

TEST_CASE("several compressed streams, one behind the other, are one") {
  const std::string text = some_text(1000);
  for (const std::string& bytes : {gzip_of(text), zstd_of(text)}) {
    bool is_whole = false;
    const auto back = decompress(bytes + bytes, 100, 4096, is_whole);
    REQUIRE(back.has_value());
    CHECK(*back == text + text);
    CHECK(is_whole);
  }
}

TEST_CASE("the end of the data at the end of the room is the end, and asks for more input") {
  constexpr std::size_t kRoom = 1000;
  for (const std::size_t size :
       {0UL, 1UL, kRoom - 1, kRoom, kRoom + 1, 3 * kRoom - 1, 3 * kRoom, 3 * kRoom + 1}) {
    const std::string text(size, 'x');
    for (const std::string& bytes : packings_of(text)) {
      CAPTURE(size);
      const auto decompressor = Decompressor::for_bytes(bytes);
      std::string_view given = bytes;
      std::string space(kRoom, '\0');
      std::string back;
      for (bool needs_input = false; !needs_input;) {
        const auto step = decompressor->decompress(given, space);
        REQUIRE(step.has_value());
        given.remove_prefix(step->consumed);
        back.append(space, 0, step->produced);
        needs_input = step->needs_input;
      }
      CHECK(given.empty());
      CHECK(decompressor->is_whole());
      CHECK(back == text);
    }
  }
}

TEST_CASE("what is cut short is not whole, and what is broken is an error") {
  const std::string text = some_text(10000);
  for (std::string bytes : {gzip_of(text), zstd_of(text)}) {
    bool is_whole = true;
    const auto cut = decompress(bytes.substr(0, bytes.size() - 5), 4096, 4096, is_whole);
    CHECK_FALSE((cut.has_value() && is_whole));
    for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 40; ++i)
      bytes[i] = static_cast<char>(bytes[i] ^ 0x55);
    is_whole = true;
    const auto broken = decompress(bytes, 4096, 4096, is_whole);
    const bool is_noticed = !broken.has_value() || !is_whole || *broken != text;
    CHECK(is_noticed);
  }
}

TEST_CASE("text is not taken for compressed") {
  for (const std::string_view text : {"", "1,2,3\n", "{\"label\": 1}", "\x1f\x8b", "\x28\xb5\x2f"})
    CHECK(Decompressor::for_bytes(text) == nullptr);
}

}  // namespace decompressor_test
