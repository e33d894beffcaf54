#include "daemon/ingest/reply_writer.h"

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace reply_writer_test {

using namespace glimpse;

namespace {

struct Pipe {
  Pipe() {
    ::signal(SIGPIPE, SIG_IGN);  // as glimpsed does
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  }
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  void close_reading() {
    ::close(ends[0]);
    ends[0] = -1;
  }
  // Waits for at least one byte.
  std::string read() const {
    std::string some(65536, '\0');
    const ssize_t count = ::read(ends[0], some.data(), some.size());
    REQUIRE(count >= 0);
    some.resize(static_cast<std::size_t>(count));
    return some;
  }
  std::array<int, 2> ends{};
};

std::string numbered_lines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += std::to_string(i) + "\n";
  return lines;
}

}  // namespace

TEST_CASE("what is appended is written in order, however slowly it is read") {
  const Pipe pipe;
  const std::string lines = numbered_lines(100000);  // more than a pipe holds
  ReplyWriter writer(pipe.ends[1]);
  for (std::size_t at = 0; at < lines.size(); at += 1000) writer.append(0, lines.substr(at, 1000));
  CHECK_FALSE(writer.idle());
  std::string read;
  while (read.size() < lines.size()) read += pipe.read();
  CHECK(read == lines);
}

TEST_CASE("reading waits for room, and the trainer never does") {
  const Pipe pipe;
  const std::atomic<bool> stopping{false};
  ReplyWriter writer(pipe.ends[1], 1000);
  CHECK(writer.wait_for_room(stopping));
  writer.append(0, std::string(200000, '\n'));  // comes back although nobody reads
  std::thread reader([&] { CHECK(writer.wait_for_room(stopping)); });
  for (std::size_t left = 200000; left > 0;) left -= pipe.read().size();
  reader.join();
}

TEST_CASE("input whose replies are still to come counts as well") {
  const Pipe pipe;
  const std::atomic<bool> stopping{false};
  ReplyWriter writer(pipe.ends[1], 1000);
  writer.expect(1000);
  std::thread reader([&] { CHECK(writer.wait_for_room(stopping)); });
  writer.append(1000, "");
  reader.join();
}

TEST_CASE("a stop wakes who waits for room") {
  const Pipe pipe;
  std::atomic<bool> stopping{false};
  ReplyWriter writer(pipe.ends[1], 1000);
  writer.expect(1000);
  std::thread reader([&] { CHECK_FALSE(writer.wait_for_room(stopping)); });
  stopping = true;
  writer.wake();
  reader.join();
}

TEST_CASE("abandoning does not wait for the reader, and counts the lines that it never got") {
  static const Pipe& pipe = *new Pipe;  // never closed: the writer may still be amid a write
  ReplyWriter writer(pipe.ends[1]);
  writer.append(0, numbered_lines(100000));
  // The first write is counted once the second, of PIPE_BUF bytes as well, has begun.
  for (std::size_t read = 0; read <= PIPE_BUF;) read += pipe.read().size();
  const std::size_t dropped = writer.abandon();
  CHECK(writer.abandon() == 0);
  CHECK(writer.idle());
  CHECK(dropped > 0);
  CHECK(dropped < 100000);
}

TEST_CASE("a reader that is gone makes room for ever") {
  Pipe pipe;
  pipe.close_reading();
  const std::atomic<bool> stopping{false};
  ReplyWriter writer(pipe.ends[1], 1000);
  for (int i = 0; i < 100; ++i) {
    writer.append(0, std::string(2000, '\n'));
    CHECK(writer.wait_for_room(stopping));
  }
  while (!writer.idle()) std::this_thread::yield();
  CHECK(writer.lost() == 200000);
  CHECK(writer.abandon() == 0);
}

}  // namespace reply_writer_test
