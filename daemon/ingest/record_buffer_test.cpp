#include "daemon/ingest/record_buffer.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "base/random.h"

namespace record_buffer_test {

using namespace glimpse;

namespace {

// Feeds `text` in pieces of up to `most` bytes and gives the records, with what each block kept them in
// alive.
std::vector<Bytes> cut(RecordBuffer& buffer, std::string_view text, std::size_t most, std::uint64_t seed) {
  Random random(seed);
  std::vector<Bytes> blocks;
  while (!text.empty()) {
    const std::span<char> room = buffer.room();
    REQUIRE(!room.empty());
    const std::size_t count = std::min({room.size(), text.size(), 1 + random.below(most)});
    text.copy(room.data(), count);
    buffer.filled(count);
    text.remove_prefix(count);
    for (auto records = buffer.take_records();; records = buffer.take_records()) {
      REQUIRE(records.has_value());
      if (!*records) break;
      blocks.push_back(std::move(**records));
    }
  }
  return blocks;
}

std::string joined(const std::vector<Bytes>& blocks) {
  std::string text;
  for (const Bytes& block : blocks) text += block.view;
  return text;
}

}  // namespace

TEST_CASE("records come out whole and in order, whatever the pieces in which they come in") {
  std::string text;
  for (int n = 0; n < 2000; ++n) text += std::string(static_cast<std::size_t>(n % 37), 'x') + "\n";
  BufferPool pool(64, 4);
  for (const std::size_t most : {1, 7, 64, 1000}) {
    CAPTURE(most);
    RecordBuffer buffer(Framing::lines(1000), pool);
    const std::vector<Bytes> blocks = cut(buffer, text, most, most);
    CHECK(joined(blocks) == text);  // also the first, whose memory was read into long ago
    for (const Bytes& block : blocks) CHECK(block.view.back() == '\n');
    CHECK(buffer.size() == 0);
  }
}

TEST_CASE("a record that is longer than the pool's buffers comes out whole") {
  BufferPool pool(64, 4);
  RecordBuffer buffer(Framing::lines(10000), pool);
  const std::string text = std::string(5000, 'y') + "\nshort\n";
  CHECK(joined(cut(buffer, text, 50, 1)) == text);
}

TEST_CASE("a line over the limit is an error, after the records before it") {
  BufferPool pool(64, 4);
  RecordBuffer buffer(Framing::lines(10), pool);
  const std::string_view text = "good\nfar too long a line\n";
  text.copy(buffer.room().data(), text.size());
  buffer.filled(text.size());
  auto records = buffer.take_records();
  REQUIRE(records.has_value());
  REQUIRE(records->has_value());
  CHECK((*records)->view == "good\n");
  CHECK(buffer.take_records().error().code == ErrorCode::kTooLarge);
}

TEST_CASE("what is begun of a record can be taken, and then nothing is left") {
  BufferPool pool(64, 4);
  RecordBuffer buffer(Framing::rows(8), pool);
  CHECK(joined(cut(buffer, "01234567abc", 100, 1)) == "01234567");
  CHECK(buffer.size() == 3);
  CHECK(buffer.take_rest().view == "abc");
  CHECK(buffer.size() == 0);
  CHECK(buffer.take_rest().view.empty());

  RecordBuffer lines(Framing::lines(1000), pool);
  CHECK(joined(cut(lines, "1\nlong rest", 100, 1)) == "1\n");
  CHECK(lines.take_rest().view == "long rest");
  CHECK(joined(cut(lines, "2\n3\n4", 100, 1)) == "2\n3\n");
}

TEST_CASE("a pool gives memory again that was given back, and outlives itself in what it gave") {
  std::shared_ptr<char[]> kept;
  {
    BufferPool pool(32, 1);
    auto first = pool.take();
    auto second = pool.take();
    const char* const address = first.get();
    CHECK(second.get() != address);
    first.reset();
    second.reset();  // one is kept
    kept = pool.take();
    CHECK(kept.get() == address);
  }
  kept[31] = 'x';
  CHECK(kept[31] == 'x');
}

TEST_CASE("a buffer in which nothing waits holds no memory") {
  BufferPool pool(64, 1);
  const char* const address = pool.take().get();
  RecordBuffer idle(Framing::lines(10), pool);
  CHECK(joined(cut(idle, "a\n", 10, 1)) == "a\n");
  CHECK(pool.take().get() == address);
}

TEST_CASE("buffers that a rush left behind go, and those in use stay") {
  BufferPool pool(64, 8);
  {
    std::vector<std::shared_ptr<char[]>> rush;
    for (int n = 0; n < 12; ++n) rush.push_back(pool.take());
  }
  CHECK(pool.idle() == 8);
  const auto two_at_a_time = [&pool](std::size_t takes) {
    for (std::size_t n = 0; n < takes; n += 2) {
      const auto first = pool.take();
      const auto second = pool.take();
    }
  };
  two_at_a_time(3 * BufferPool::kWindow);
  CHECK(pool.idle() == 2);
  two_at_a_time(3 * BufferPool::kWindow);
  CHECK(pool.idle() == 2);
}

}  // namespace record_buffer_test
