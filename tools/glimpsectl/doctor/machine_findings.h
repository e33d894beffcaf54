#pragma once

#include <string>

#include "glimpsectl/doctor/finding.h"

namespace glimpse::ctl {

/// Where a machine says what it gives a process. Tests have folders of their own.
struct Machine {
  std::string proc = "/proc";                  ///< of processes
  std::string cgroups = "/sys/fs/cgroup";      ///< control groups, version 2
  std::string booted = "/run/systemd/system";  ///< is there where systemd runs
};

/// What limits the process `pid` ("self": this one): open files, the size of files and of its addresses, the
/// memory of its control group. glimpsed locks no memory, so that limit is of no matter. What cannot be read
/// is not told.
Findings limit_findings(const Machine& machine, const std::string& pid);

/// Whether the wall clock is kept right by somebody, and is later than this program's time.
Findings clock_findings();

/// The units of systemd/: whether they are there, enabled and running, how often they were restarted, what
/// was added to them. One finding where there is no systemd. Runs systemctl.
Findings unit_findings(const Machine& machine);

/// What glimpsed says of the configuration file (--check-config), and who may read the secrets that it names.
/// Runs `program`.
Findings configuration_findings(const std::string& program, const std::string& file);

}  // namespace glimpse::ctl
