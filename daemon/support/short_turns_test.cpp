#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>
#include <thread>

#include "daemon/support/event_loop.h"

namespace short_turns_test {

using namespace glimpse;

TEST_CASE("a thread that asks for short turns keeps its policy and its priority") {
  std::thread([] {
    const int policy = ::sched_getscheduler(0);
    const int nice = ::getpriority(PRIO_PROCESS, 0);
    ask_for_short_turns();  // which a sandbox may refuse
    CHECK(::sched_getscheduler(0) == policy);
    CHECK(::getpriority(PRIO_PROCESS, 0) == nice);
  }).join();
}

TEST_CASE("a thread of another policy is left alone") {
  std::thread([] {
    const sched_param none{};
    if (::sched_setscheduler(0, SCHED_BATCH, &none) != 0) return;
    CHECK_FALSE(ask_for_short_turns());
    CHECK(::sched_getscheduler(0) == SCHED_BATCH);
  }).join();
}

}  // namespace short_turns_test
