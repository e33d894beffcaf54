#include "lab/experiments/parallel.h"

#include <atomic>
#include <doctest/doctest.h>

namespace parallel_test {

using namespace glimpse;

TEST_CASE("every job is called once, and the first Error in their order is returned") {
  std::vector<std::atomic<int>> calls(50);
  REQUIRE(parallel_for(50, 3, [&](std::size_t i) -> Status {
            ++calls[i];
            return {};
          }).has_value());
  for (const auto& count : calls) CHECK(count == 1);
  const Status failed = parallel_for(50, 1, [](std::size_t i) -> Status {
    if (i < 7) return {};
    return failure(ErrorCode::kSystem, "{}", i);
  });
  CHECK(failed.error().message == "7");
}

TEST_CASE("the time left is that of the jobs computed, not of those whose result was kept") {
  Progress progress("running", 80, true);
  progress.skip(60);
  CHECK(progress.line(5) == "running: 60 of 80 done");
  progress.advance();
  progress.advance();
  CHECK(progress.line(10) == "running: 62 of 80 done, 90 s left");
  progress.expect(20);
  CHECK(progress.line(10) == "running: 62 of 100 done, 190 s left");
  CHECK(progress.computed() == 2);
}

}  // namespace parallel_test
