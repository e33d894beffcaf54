#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <xxhash.h>

#include "daemon/feeds/block.h"
#include "daemon/ingest/input_source.h"

namespace fingerprint_test {

using namespace glimpse;

namespace {

std::string content(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  return bytes;
}

std::uint64_t in_pieces(const std::string& bytes, std::size_t piece) {
  Fingerprint fingerprint;
  for (std::size_t at = 0; at < bytes.size(); at += piece) fingerprint.add(bytes.substr(at, piece));
  return fingerprint.value();
}

}  // namespace

TEST_CASE("a fingerprint does not depend on the pieces in which the content came") {
  for (const std::size_t size : {0, 1, 100, 4095, 4096, 4097, 8191, 8192, 20000}) {
    const std::string bytes = content(size);
    const std::size_t part = std::min(size, Fingerprint::kBytes);
    const std::uint64_t whole = Fingerprint(bytes.substr(0, part), bytes.substr(size - part)).value();
    for (const std::size_t piece : {1, 7, 4096, 5000, 100000}) CHECK(in_pieces(bytes, piece) == whole);
  }
}

TEST_CASE("a fingerprint tells content of another beginning, end or length") {
  const std::string bytes = content(20000);
  const std::uint64_t own = in_pieces(bytes, 20000);
  for (const std::size_t place : {0, 4095, 20000 - 4096, 19999}) {
    std::string other = bytes;
    other[place] ^= 1;
    CHECK(in_pieces(other, 20000) != own);
  }
  CHECK(in_pieces(content(19999), 20000) != own);
}

TEST_CASE("the fingerprint that checkpoints hold never changes") {
  CHECK(in_pieces("1 1:1\n", 6) == 2465267419634339664U);
}

TEST_CASE(
    "the first bytes of a replaced file are hashed anew where it is read from its beginning after all") {
  std::string path = std::filesystem::temp_directory_path() / "glimpse-input-XXXXXX";
  ::close(::mkstemp(path.data()));
  std::ofstream(path) << "1 1:1\n2 1:2\n";
  const auto source = InputSource::open(path);
  std::filesystem::remove(path);
  REQUIRE(source.has_value());

  Feed feed;
  feed.position = 12;
  feed.beginning = {6, XXH3_64bits("1 1:1\n", 6)};
  feed.known_fingerprint = 1;  // the bytes behind these were others
  const Status status = (*source)->resume(feed, {});
  REQUIRE_FALSE(status.has_value());
  CHECK(status.error().code == ErrorCode::kCorrupt);

  CHECK((*source)->note_read(0, "1 1:1\n").bytes == 6);
  const InputBeginning whole = (*source)->note_read(6, "2 1:2\n");
  CHECK(whole.bytes == 12);
  CHECK(whole.hash == XXH3_64bits("1 1:1\n2 1:2\n", 12));
}

}  // namespace fingerprint_test
