#include "daemon/support/signals.h"

#include <csignal>
#include <initializer_list>
#include <poll.h>
#include <string_view>
#include <unistd.h>

namespace glimpse {

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
