#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <boost/asio/signal_set.hpp>

namespace glimpse {

/// The service manager's side of the daemon. Without a service manager every call does nothing.
/// Thread-safety: from one thread.

/// The listening sockets passed under `name` (FileDescriptorName=).
std::vector<int> inherited_sockets(const std::string& name);

/// State is loaded and doors are open.
void notify_ready(const std::string& status);
void notify_reloading();
void notify_stopping();
/// A pulse for WatchdogSec=.
void notify_watchdog();
/// How often to pulse: half of what the manager allows; 0: no watchdog.
std::chrono::microseconds watchdog_interval();

/// What SIGTERM, SIGINT and SIGHUP do while no event loop waits for them. From its making until
/// take_over_signals() SIGTERM and SIGINT end the process at once with status 0: nothing was learned yet. A
/// checkpoint that is being written then is left over as after a crash. SIGHUP waits for the event loop. From
/// its end on all three wait for ever, so that a second SIGTERM does not change the exit status. SIGUSR1 and
/// SIGUSR2 never do anything. Make one as the first thing in main(), on the main thread.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  /// Before what the event loop's signal_set belongs to is destroyed: the set leaves no handler behind.
  static void end();
};

/// From here on these signals are those of `signals`, SIGHUP that came before among them. On the main
/// thread.
void take_over_signals(boost::asio::signal_set& signals);

}  // namespace glimpse
