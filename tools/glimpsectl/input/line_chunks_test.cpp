#include <doctest/doctest.h>
#include <sstream>
#include <vector>

#include "glimpsectl/input/input_bodies.h"

namespace line_chunks_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

std::vector<LineChunks::Chunk> chunks_of(const std::string& text, std::size_t size) {
  std::istringstream in(text);
  LineChunks chunks(in, size);
  std::vector<LineChunks::Chunk> result;
  while (auto chunk = chunks.next().value()) result.push_back(*chunk);
  CHECK_FALSE(chunks.next().value().has_value());
  return result;
}

}  // namespace

TEST_CASE("pieces are whole lines, as many as fit, and know how many came before") {
  const auto chunks = chunks_of("aa\nbb\ncc\nd", 7);
  REQUIRE(chunks.size() == 2);
  CHECK(chunks[0].text == "aa\nbb\n");
  CHECK(chunks[0].lines_before == 0);
  CHECK(chunks[1].text == "cc\nd");
  CHECK(chunks[1].lines_before == 2);
}

TEST_CASE("a line longer than a piece stays whole") {
  const auto chunks = chunks_of("a\nbbbbbbbbbbbbbbbbbbbb\nc\n", 4);
  REQUIRE(chunks.size() == 3);
  CHECK(chunks[1].text == "bbbbbbbbbbbbbbbbbbbb\n");
  CHECK(chunks[2].text == "c\n");
  CHECK(chunks[2].lines_before == 2);
}

TEST_CASE("whatever the size of a piece, all of the text comes back in order") {
  std::string text;
  for (int i = 0; i < 60; ++i) text += std::string(static_cast<std::size_t>(i * i % 17), 'x') + '\n';
  text += "last";
  for (std::size_t size = 1; size < 80; ++size) {
    std::string joined;
    for (const auto& chunk : chunks_of(text, size)) {
      CHECK((chunk.text.ends_with('\n') || chunk.text.ends_with("last")));
      joined += chunk.text;
    }
    CHECK(joined == text);
  }
}

TEST_CASE("an empty stream has no pieces") { CHECK(chunks_of("", 10).empty()); }

TEST_CASE("a stream that breaks is an error, not an end") {
  std::istringstream in("abc");
  in.setstate(std::ios::badbit);
  LineChunks chunks(in);
  const auto chunk = chunks.next();
  REQUIRE_FALSE(chunk.has_value());
  CHECK(chunk.error().code == ErrorCode::kSystem);
}

}  // namespace line_chunks_test
