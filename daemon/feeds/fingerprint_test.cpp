#include <algorithm>
#include <doctest/doctest.h>
#include <string>

#include "daemon/feeds/block.h"

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

}  // namespace fingerprint_test
