#include "common/output.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace glimpse::output_test {
namespace {

TEST_CASE("finish writes what the buffer still holds") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  Output output(ends[1]);
  output.buffer() += "hello\n";
  CHECK(output.write_if_full());
  REQUIRE(output.finish().has_value());
  char text[16];
  CHECK(std::string(text, static_cast<std::size_t>(read(ends[0], text, sizeof text))) == "hello\n");
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a reader that went away stops the writing and is no error") {
  ignore_broken_pipes();
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  Output output(ends[1]);
  output.buffer().assign(std::size_t{1} << 20, 'x');
  CHECK_FALSE(output.write_if_full());
  CHECK(output.finish().has_value());
  close(ends[1]);
}

TEST_CASE("a write that fails otherwise is an error that names the cause") {
  const int full = open("/dev/full", O_WRONLY);
  REQUIRE(full >= 0);
  Output output(full);
  output.buffer() += "x";
  const Status status = output.finish();
  REQUIRE(status.has_error());
  CHECK(status.error().message == "cannot write the output: No space left on device");
  close(full);
}

}  // namespace
}  // namespace glimpse::output_test
