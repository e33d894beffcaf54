#include "daemon/support/systemd.h"

#include <cstdint>
#include <cstdlib>
#include <systemd/sd-daemon.h>
#include <time.h>

namespace glimpse {

std::vector<int> inherited_sockets(const std::string& name) {
  char** names = nullptr;
  const int count = sd_listen_fds_with_names(0, &names);
  std::vector<int> sockets;
  for (int i = 0; i < count; ++i) {
    if (name == names[i] && sd_is_socket(SD_LISTEN_FDS_START + i, 0, 0, 1) > 0)
      sockets.push_back(SD_LISTEN_FDS_START + i);
    std::free(names[i]);
  }
  std::free(names);
  return sockets;
}

void notify_ready(const std::string& status) { sd_notifyf(0, "READY=1\nSTATUS=%s", status.c_str()); }

void notify_reloading() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto microseconds =
      static_cast<std::uint64_t>(now.tv_sec) * 1000000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
  sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu", static_cast<unsigned long long>(microseconds));
}

void notify_stopping() { sd_notify(0, "STOPPING=1"); }

void notify_watchdog() { sd_notify(0, "WATCHDOG=1"); }

std::chrono::microseconds watchdog_interval() {
  std::uint64_t limit = 0;
  if (sd_watchdog_enabled(0, &limit) <= 0) return std::chrono::microseconds(0);
  return std::chrono::microseconds(limit / 2);
}

}  // namespace glimpse
