#pragma once

#include <chrono>
#include <string>
#include <vector>

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

}  // namespace glimpse
