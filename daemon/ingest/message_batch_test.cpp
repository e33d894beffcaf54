#include "daemon/ingest/message_batch.h"

#include <doctest/doctest.h>
#include <string>

namespace message_batch_test {

using glimpse::Block;
using glimpse::BufferPool;
using glimpse::Framing;
using glimpse::MessageBatch;

constexpr std::size_t kBuffer = 64;

TEST_CASE("messages: lines of several messages are one text, and each knows where it ends") {
  BufferPool pool(kBuffer, 2);
  MessageBatch batch(Framing::lines(100), pool);
  batch.add("a 1\nb 2", 10);
  batch.add("c 3\n", 12);
  batch.add("", 13);
  const Block block = batch.take();
  CHECK(block.bytes.view == "a 1\nb 2\nc 3\n\n");
  REQUIRE(block.messages->size() == 3);
  CHECK((*block.messages)[0].end == 8);
  CHECK((*block.messages)[0].offset == 10);
  CHECK((*block.messages)[1].end == 12);
  CHECK((*block.messages)[1].offset == 12);
  CHECK((*block.messages)[2].end == 13);
  CHECK(batch.empty());
}

TEST_CASE("messages: a batch is empty again behind a block, whose bytes stay") {
  BufferPool pool(kBuffer, 2);
  MessageBatch batch(Framing::lines(100), pool);
  const std::string line(40, 'x');
  batch.add(line, 1);
  const Block first = batch.take();
  batch.add("y", 2);
  const Block second = batch.take();
  CHECK(first.bytes.view == line + "\n");
  CHECK(second.bytes.view == "y\n");
  CHECK(second.messages->front().end == 2);
  CHECK(batch.bytes() == 0);
}

TEST_CASE("messages: one that is larger than a buffer is kept whole beside others") {
  BufferPool pool(kBuffer, 2);
  MessageBatch batch(Framing::lines(10'000), pool);
  const std::string large(1000, 'z');
  batch.add("first", 1);
  batch.add(large, 2);
  batch.add(large, 3);
  CHECK(batch.take().bytes.view == "first\n" + large + "\n" + large + "\n");
}

TEST_CASE("messages: a tombstone has no bytes and is told") {
  BufferPool pool(kBuffer, 2);
  MessageBatch batch(Framing::lines(100), pool);
  batch.add_tombstone(5);
  CHECK_FALSE(batch.empty());
  const Block block = batch.take();
  CHECK(block.bytes.size() == 0);
  REQUIRE(block.messages->size() == 1);
  CHECK(block.messages->front().is_tombstone);
}

TEST_CASE("messages: one with a line over the limit is refused, a long one of short lines is not") {
  BufferPool pool(kBuffer, 2);
  MessageBatch batch(Framing::lines(4), pool);
  batch.add("1234\n1234\n1234", 1);
  batch.add("12\n12345\n", 2);
  const Block block = batch.take();
  CHECK(block.bytes.view == "1234\n1234\n1234\n");
  CHECK((*block.messages)[0].refusal == nullptr);
  REQUIRE((*block.messages)[1].refusal != nullptr);
  CHECK((*block.messages)[1].is_oversized);
  CHECK((*block.messages)[1].refusal->find("a line of 5 bytes, over the limit of 4 bytes (--max-line)") !=
        std::string::npos);
  CHECK((*block.messages)[1].end == block.bytes.size());
}

TEST_CASE("messages: rows are whole rows, and npy's header is taken off") {
  BufferPool pool(kBuffer, 2);
  MessageBatch rows(Framing::rows(8), pool);
  rows.add(std::string(16, 'r'), 1);
  rows.add(std::string(9, 'r'), 2);
  const Block block = rows.take();
  CHECK(block.bytes.size() == 16);
  CHECK((*block.messages)[0].refusal == nullptr);
  CHECK((*block.messages)[1].refusal->find("9 bytes of rows") != std::string::npos);

  MessageBatch arrays(Framing::npy_rows(8), pool);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  header.resize(127 - 10, ' ');
  const std::string array = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() + 1) +
                            std::string(1, '\0') + header + "\n" + "12345678";
  arrays.add(array, 1);
  arrays.add("no array at all", 2);
  arrays.add(array + "12345678", 3);
  arrays.add(array.substr(0, array.size() - 8), 4);
  const Block found = arrays.take();
  CHECK((*found.messages)[0].refusal == nullptr);
  CHECK(found.bytes.view == "12345678");
  CHECK((*found.messages)[1].refusal != nullptr);
  CHECK(*(*found.messages)[2].refusal ==
        "the message has 2 rows, and its .npy header says 1; none of it is learned");
  CHECK((*found.messages)[3].refusal->starts_with("the message has 0 rows"));
}

TEST_CASE("messages: the end of a line that is added is that of the table") {
  BufferPool pool(1000, 2);
  auto dialect = std::make_shared<glimpse::Dialect>();
  dialect->encoding = glimpse::Encoding::kUtf16Be;
  MessageBatch batch(Framing::table(dialect, 100), pool);
  batch.add(std::string_view("\0"
                             "1",
                             2),
            0);
  batch.add(std::string_view("\0"
                             "2\0\n",
                             4),
            1);
  CHECK(batch.take().bytes.view == std::string_view("\0"
                                                    "1\0\n\0"
                                                    "2\0\n",
                                                    8));
}

}  // namespace message_batch_test
