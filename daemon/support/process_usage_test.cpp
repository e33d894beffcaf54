#include "daemon/support/process_usage.h"

#include <chrono>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace process_usage_test {

using namespace glimpse;

TEST_CASE("a process that takes memory, descriptors and time says so") {
  const ProcessUsage before = process_usage();
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  std::vector<char> memory(kBytes, 'x');  // touched
  const ProcessUsage after = process_usage();
  ::close(file);
  CHECK(memory[kBytes / 2] == 'x');
  CHECK(after.open_descriptors == before.open_descriptors + 1);
  CHECK(after.resident_bytes > before.resident_bytes + kBytes / 2.0);
  CHECK(after.virtual_bytes >= after.resident_bytes);
  CHECK(after.cpu_seconds >= before.cpu_seconds);
  CHECK(after.cpu_seconds > 0);
  CHECK(after.started_seconds == before.started_seconds);
}

TEST_CASE("a process started before now, and has the descriptors that the system allows") {
  const ProcessUsage usage = process_usage();
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  CHECK(usage.started_seconds <= now);
  CHECK(usage.started_seconds > now - 24 * 3600);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(usage.most_descriptors == static_cast<double>(limit.rlim_cur));
}

}  // namespace process_usage_test
