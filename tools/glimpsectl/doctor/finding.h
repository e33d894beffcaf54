#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/file.h"

namespace glimpse::ctl {

/// How bad it is. glimpsectl doctor ends with the worst of them as its exit status.
enum class Verdict : int { kOk = 0, kWarning = 1, kError = 2 };

const char* name_of(Verdict verdict);

/// One thing that was looked at.
struct Finding {
  Verdict verdict = Verdict::kOk;
  std::string what;        ///< "room for checkpoints"
  std::string value;       ///< as it is
  std::string constraint;  ///< as it should be
  std::string mend;        ///< what to do; empty where all is well
};

using Findings = std::vector<Finding>;

/// kOk without any.
Verdict worst_of(const Findings& findings);
/// For people: a line each, and below those that are not well what is wanted and what to do.
std::string findings_report(const Findings& findings);
/// {"verdict": …, "findings": [{"verdict", "what", "value", "constraint", "mend"}]}.
std::string findings_json(const Findings& findings);

/// What a state directory is looked at for.
struct StateQuestion {
  std::string folder;
  std::chrono::system_clock::time_point now;
  /// Whose process uses it, by number; negative: not known.
  long user = -1;
};

/// Its kind, owner and mode; the room for checkpoints beside the newest one's size; whether that verifies,
/// and its format; those set aside; those from the future. Nothing is changed. Cost: the newest checkpoint is
/// read whole, and is in memory twice.
Findings state_findings(const StateQuestion& question, FileSystem& files);

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
