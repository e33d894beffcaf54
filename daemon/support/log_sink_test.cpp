#include "daemon/support/log_sink.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace log_sink_test {

using namespace glimpse;

namespace {

struct Pipe {
  Pipe() {
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    REQUIRE(::fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 4096);
  }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  // The next line, which is waited for.
  std::string line() {
    std::string text;
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  int ends[2] = {-1, -1};
};

}  // namespace

TEST_CASE(
    "nobody waits for a pipe that is not read: lines stay whole and in order, and dropped ones are counted") {
  Pipe pipe;
  const std::uint64_t before = dropped_log_lines();
  const auto sink = std::make_shared<LogSink>(pipe.ends[1]);
  spdlog::logger logger("test", sink);
  constexpr std::size_t kLines = 20000;
  for (std::size_t i = 0; i < kLines; ++i) logger.info("line {} {}", i, std::string(i % 50, 'x'));
  const std::uint64_t dropped = dropped_log_lines() - before;
  CHECK(dropped > kLines / 2);
  for (std::size_t i = 0; i < kLines - dropped; ++i)
    REQUIRE(pipe.line().ends_with(fmt::format(" info line {} {}", i, std::string(i % 50, 'x'))));
  CHECK(pipe.line().ends_with(
      fmt::format(" warning {} lines of the log were dropped: nobody read standard error", dropped)));
  logger.info("goes on");
  CHECK(pipe.line().ends_with(" info goes on"));
  sink->write("a row\n");
  CHECK(pipe.line() == "a row");
  CHECK(dropped_log_lines() - before == dropped);
}

TEST_CASE("the end waits for the last lines, and not for ever where nobody reads") {
  Pipe pipe;
  {
    spdlog::logger logger("test", std::make_shared<LogSink>(pipe.ends[1]));
    logger.info("the last words");
  }
  CHECK(pipe.line().ends_with("the last words"));
  static const Pipe& unread = *new Pipe;  // as standard error it stays open: the thread still waits for it
  spdlog::logger logger("test", std::make_shared<LogSink>(unread.ends[1]));
  for (int i = 0; i < 1000; ++i) logger.info("nobody reads {}", i);
}

}  // namespace log_sink_test
