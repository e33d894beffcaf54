#include "daemon/support/large_jobs.h"

#include <atomic>
#include <doctest/doctest.h>
#include <latch>
#include <memory>
#include <new>

namespace large_jobs_test {

using glimpse::LargeJobs;

TEST_CASE("large jobs do not wait for each other, up to a number of them") {
  std::latch all(LargeJobs::kAtOnce);
  std::atomic<int> done{0};
  LargeJobs jobs;
  for (std::size_t i = 0; i < LargeJobs::kAtOnce; ++i)
    jobs.post([&] {
      all.arrive_and_wait();  // each needs all others to have begun
      ++done;
    });
  jobs.join();
  CHECK(done == LargeJobs::kAtOnce);
}

TEST_CASE("more large jobs wait for their turn, and the end waits for all") {
  std::atomic<int> done{0};
  {
    LargeJobs jobs;
    for (int i = 0; i < 1000; ++i) jobs.post([&] { ++done; });
  }
  CHECK(done == 1000);
}

TEST_CASE("a job without memory goes, and with it what it holds, and others go on") {
  const auto held = std::make_shared<int>(1);
  std::atomic<int> done{0};
  LargeJobs jobs;
  jobs.post([held] { throw std::bad_alloc(); });
  jobs.post([&] { ++done; });
  jobs.join();
  CHECK(held.use_count() == 1);
  CHECK(done == 1);
  jobs.post([&, held] { ++done; });  // behind the end
  CHECK(held.use_count() == 1);
  CHECK(done == 1);
}

}  // namespace large_jobs_test
