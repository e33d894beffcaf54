#include "daemon/support/systemd.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <poll.h>
#include <string_view>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

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

namespace {

constexpr std::initializer_list<int> kEnds = {SIGTERM, SIGINT};
// What other programs do something useful for: here they would end the process.
constexpr std::initializer_list<int> kUnused = {SIGUSR1, SIGUSR2};

extern "C" void end_at_once(int) {
  constexpr std::string_view kWords = "glimpsed: ended by a signal before the doors were open\n";
  // Only what a signal's handler may call.
  pollfd writable{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&writable, 1, 0) > 0) (void)!::write(STDERR_FILENO, kWords.data(), kWords.size());
  ::_exit(0);
}

void mask(int how, std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  ::pthread_sigmask(how, &set, nullptr);
}

}  // namespace

SignalGuard::SignalGuard() {
  mask(SIG_BLOCK, {SIGHUP});
  for (const int signal : kEnds) std::signal(signal, end_at_once);
  for (const int signal : kUnused) std::signal(signal, SIG_IGN);
}

SignalGuard::~SignalGuard() { end(); }

void SignalGuard::end() { mask(SIG_BLOCK, {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}); }

void take_over_signals(boost::asio::signal_set& signals) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) signals.add(signal);
  mask(SIG_UNBLOCK, {SIGHUP});
}

}  // namespace glimpse
