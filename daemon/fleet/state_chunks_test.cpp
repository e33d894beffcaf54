#include "daemon/fleet/state_chunks.h"

#include <doctest/doctest.h>
#include <string>

namespace state_chunks_test {

using namespace glimpse;

TEST_CASE("state chunks: together they are the state, none larger than asked for") {
  const std::string bytes = "0123456789";
  for (std::size_t most = 1; most <= 12; ++most) {
    const auto chunks = StateChunks::cut(bytes, 3, 7, 1000, most);
    REQUIRE(chunks.has_value());
    CHECK(chunks->version().chunks == (bytes.size() + most - 1) / most);
    std::string together;
    for (std::uint32_t c = 0; c < chunks->version().chunks; ++c) {
      CHECK(chunks->payload(c).size() <= most);
      CHECK(chunks->key(c) == ChunkKey{3, 1, c});
      together += chunks->payload(c);
    }
    CHECK(together == bytes);
    CHECK(chunks->version().bytes == bytes.size());
    CHECK(chunks->version().offset == 1000);
  }
}

TEST_CASE("state chunks: successive states of a partition have different keys") {
  const auto odd = StateChunks::cut("a", 0, 1, 5, 10);
  const auto even = StateChunks::cut("b", 0, 2, 6, 10);
  const auto next = StateChunks::cut("c", 0, 3, 7, 10);
  REQUIRE((odd.has_value() && even.has_value() && next.has_value()));
  CHECK(odd->key(0) != even->key(0));
  CHECK(odd->key(0) == next->key(0));
}

TEST_CASE("state chunks: a state of too many messages is refused with its size") {
  const std::string bytes(std::size_t{StateChunks::kMostChunks} + 1, 'x');
  const auto chunks = StateChunks::cut(bytes, 2, 1, 0, 1);
  REQUIRE(chunks.has_error());
  CHECK(chunks.error().code == ErrorCode::kTooLarge);
  CHECK(chunks.error().message.find("partition 2") != std::string::npos);
}

TEST_CASE("chunk key: what is written is read, and nothing else") {
  const ChunkKey key{12, 1, 345};
  CHECK(format_chunk_key(key) == "12/1/345");
  CHECK(parse_chunk_key("12/1/345") == key);
  for (const char* bad : {"", "1", "1/0", "1/0/", "/0/1", "1/2/3", "1/0/3/4", "-1/0/3", "1/0/3 ", "a/0/1",
                          "1//1", "4294967296/0/1"})
    CHECK_MESSAGE(!parse_chunk_key(bad), bad);
}

TEST_CASE("state version: what is written is read back") {
  const StateVersion version{
      .sequence = 1, .offset = 2, .bytes = 3, .checksum = ~std::uint64_t{0}, .chunks = 5};
  const auto read = parse_version(format_version(version));
  REQUIRE(read.has_value());
  CHECK(*read == version);
}

TEST_CASE("state version: a state that is a file has one message, which holds the file's name") {
  const StateVersion version = StateChunks::version_of_file("the state", 3, 70);
  const auto message = StateChunks::of_file("0-3-name", 0, version);
  CHECK(message.version().bytes == 9);
  CHECK(message.key(0) == ChunkKey{0, 1, 0});
  CHECK(message.payload(0) == "0-3-name");
  const auto read = parse_version(format_version(version));
  REQUIRE(read.has_value());
  CHECK(*read == version);
  CHECK(read->in_folder);
  CHECK(parse_version(format_version({.sequence = 3, .chunks = 2, .in_folder = true})).error().code ==
        ErrorCode::kCorrupt);
}

TEST_CASE("state version: a later form is told from a damaged one") {
  std::string header = format_version({.sequence = 1, .offset = 2, .bytes = 3, .checksum = 4, .chunks = 5});
  std::string later = header + "more";
  later[0] = 3;
  const auto of_later = parse_version(later);
  REQUIRE(of_later.has_error());
  CHECK(of_later.error().code == ErrorCode::kMismatch);
  for (std::string damaged :
       {std::string(), header.substr(0, 20), header + "x", '\0' + header.substr(1),
        format_version({.sequence = 0, .chunks = 1}), format_version({.sequence = 1})}) {
    const auto read = parse_version(damaged);
    REQUIRE(read.has_error());
    CHECK(read.error().code == ErrorCode::kCorrupt);
  }
}

}  // namespace state_chunks_test
