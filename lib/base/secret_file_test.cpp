#include "base/secret_file.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace glimpse::secret_file_test {

TEST_CASE("a file of secrets is for its owner, and for a group to read") {
  std::string path = "/tmp/glimpse-secret-XXXXXX";
  const int descriptor = ::mkstemp(path.data());
  REQUIRE(descriptor >= 0);
  ::close(descriptor);
  for (const unsigned mode : {0400U, 0600U, 0640U, 0700U, 0750U}) {
    ::chmod(path.c_str(), mode);
    CHECK(check_secret_file("tls-key", path).has_value());
  }
  for (const unsigned mode : {0604U, 0602U, 0620U, 0644U, 0666U}) {
    ::chmod(path.c_str(), mode);
    const Status status = check_secret_file("tls-key", path);
    REQUIRE(status.has_error());
    CHECK(status.error().code == ErrorCode::kInvalidOption);
    CHECK(
        status.error().message ==
        fmt::format("--tls-key {}: has mode {:04o}: nobody but its owner may change it, and nobody but owner "
                    "and group may read it (chmod 640)",
                    path, mode));
  }
  ::unlink(path.c_str());
  CHECK(check_secret_file("tls-key", path).error().message ==
        "--tls-key " + path + ": No such file or directory");
  CHECK(check_secret_file("tls-key", "/tmp").error().message == "--tls-key /tmp: is not a regular file");
}

}  // namespace glimpse::secret_file_test
