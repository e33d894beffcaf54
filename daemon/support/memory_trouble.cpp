#include "daemon/support/memory_trouble.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <spdlog/spdlog.h>

namespace glimpse {

namespace {
using Clock = std::chrono::steady_clock;
std::atomic<std::uint64_t> count{0};
std::atomic<Clock::rep> last_logged{0};
}  // namespace

void note_memory_trouble(const char* what) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  const Clock::rep now = Clock::now().time_since_epoch().count();
  Clock::rep last = last_logged.load(std::memory_order_relaxed);
  constexpr Clock::rep kPause = std::chrono::duration_cast<Clock::duration>(std::chrono::seconds(1)).count();
  if ((last != 0 && now - last < kPause) || !last_logged.compare_exchange_strong(last, now)) return;
  try {
    spdlog::error("not enough memory: {}", what);
  } catch (const std::exception&) {  // not even for that
  }
}

std::uint64_t memory_troubles() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace glimpse
