#include "daemon/support/memory_trouble.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <spdlog/spdlog.h>

namespace glimpse {

namespace {
using Clock = std::chrono::steady_clock;
constexpr Clock::rep kPause = std::chrono::duration_cast<Clock::duration>(std::chrono::seconds(1)).count();

struct Trouble {
  std::atomic<std::uint64_t> count{0};
  std::atomic<Clock::rep> last_logged{0};

  // Whether it is to be logged.
  bool note() noexcept {
    count.fetch_add(1, std::memory_order_relaxed);
    const Clock::rep now = Clock::now().time_since_epoch().count();
    Clock::rep last = last_logged.load(std::memory_order_relaxed);
    return (last == 0 || now - last >= kPause) && last_logged.compare_exchange_strong(last, now);
  }
};
Trouble memory;
Trouble fault;
}  // namespace

void note_memory_trouble(const char* what) noexcept {
  if (!memory.note()) return;
  try {
    spdlog::error("not enough memory: {}", what);
  } catch (const std::exception&) {  // not even for that
  }
}

void note_fault(const char* what, const char* why) noexcept {
  if (!fault.note()) return;
  try {
    spdlog::error("a fault of glimpsed, and the rest goes on: {}: {}", what, why);
  } catch (const std::exception&) {
  }
}

std::uint64_t memory_troubles() noexcept { return memory.count.load(std::memory_order_relaxed); }
std::uint64_t faults() noexcept { return fault.count.load(std::memory_order_relaxed); }

}  // namespace glimpse
