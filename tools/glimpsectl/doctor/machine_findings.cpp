#include "glimpsectl/doctor/machine_findings.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/secret_file.h"
#include "glimpsectl/doctor/process.h"
#include "glimpsectl/format/units.h"

namespace glimpse::ctl {

namespace {

constexpr double kFewFiles = 10500;  // --max-connections 10000, and what else is open

double number(const std::string& word) { return whole_text_as<double>(word).value_or(-1); }

Finding open_files(const std::string& limits) {
  const std::string most = word_behind(limits, "Max open files");
  Finding found{Verdict::kOk, "open files", most,
                fmt::format("{:.0f} for --max-connections 10000", kFewFiles), ""};
  if (most == "unlimited" || number(most) >= kFewFiles) return found;
  found.verdict = Verdict::kWarning;
  found.mend = "LimitNOFILE=65536 in the unit, ulimit -n 65536, or a smaller --max-connections";
  return found;
}

Finding unlimited(const std::string& limits, const char* key, const char* what, const char* mend) {
  const std::string most = word_behind(limits, key);
  Finding found{Verdict::kOk, what, most, "unlimited", ""};
  if (most == "unlimited") return found;
  found.verdict = Verdict::kWarning;
  found.mend = mend;
  return found;
}

/// The folder of a process' control group.
std::string group_of(const Machine& machine, const std::string& pid) {
  const std::string groups = text_of_file(machine.proc + "/" + pid + "/cgroup");
  const std::size_t at = groups.find("0::");
  if (at == std::string::npos) return machine.cgroups;
  return machine.cgroups + groups.substr(at + 3, groups.find('\n', at) - at - 3);
}

void add_memory(const std::string& group, Findings& all) {
  std::string most = text_of_file(group + "/memory.max");
  const std::string used = text_of_file(group + "/memory.current");
  while (!most.empty() && most.back() == '\n') most.pop_back();
  if (most.empty()) return;
  Finding found{Verdict::kOk, "memory of the control group", "unlimited",
                "nine tenths of the limit at most, and no process killed", ""};
  const double limit = number(most);
  const double now = number(used.substr(0, used.find('\n')));
  if (limit > 0) found.value = fmt::format("{} of {}", readable_bytes(now), readable_bytes(limit));
  const double killed = number(word_behind(text_of_file(group + "/memory.events"), "oom_kill"));
  if (killed > 0) found.value += fmt::format(", {} killed for it", counted(killed, "process"));
  if (killed > 0 || (limit > 0 && now > 0.9 * limit)) {
    found.verdict = Verdict::kWarning;
    found.mend = "raise MemoryMax=, or let it take less: RUNBOOK.md, memory short";
  }
  all.push_back(found);
}

}  // namespace

Findings limit_findings(const Machine& machine, const std::string& pid) {
  Findings all;
  const std::string limits = text_of_file(machine.proc + "/" + pid + "/limits");
  if (!limits.empty())
    all = {open_files(limits),
           unlimited(limits, "Max file size", "size of files",
                     "LimitFSIZE=infinity in the unit, or ulimit -f unlimited: a checkpoint may be larger"),
           unlimited(limits, "Max address space", "addresses",
                     "LimitAS=infinity in the unit, or ulimit -v unlimited; MemoryMax= bounds memory")};
  add_memory(group_of(machine, pid), all);
  return all;
}

Findings clock_findings() {
  Finding found{Verdict::kOk, "clock", "kept right", "kept right by somebody (NTP)", ""};
  timex state{};  // only asks
  if (::adjtimex(&state) < 0) {
    found.value = fmt::format("not known: {}", std::strerror(errno));
  } else if ((state.status & STA_UNSYNC) != 0) {
    found.verdict = Verdict::kWarning;
    found.value = "nobody keeps it right";
    found.mend = "timedatectl set-ntp true: alerts on ages and plans that expire go by it; learning does not";
  }
  return {found};
}

Findings unit_findings(const Machine& machine) {
  if (::access(machine.booted.c_str(), F_OK) != 0)
    return {{Verdict::kOk, "units", "systemd does not run here", "none is needed", ""}};
  Findings all;
  for (const std::string unit : {"glimpsed.service", "glimpsed.socket"}) {
    const auto shown =
        run_program({"systemctl", "show", unit, "--property",
                     "LoadState,ActiveState,UnitFileState,NRestarts,DropInPaths,Documentation"},
                    kPatience);
    Finding found{Verdict::kOk, unit, "", "installed, enabled and active, and not restarted", ""};
    if (!shown || shown->status != 0) {
      found.verdict = Verdict::kWarning;
      found.value = shown ? shown->output.substr(0, shown->output.find('\n')) : shown.error().message;
      found.mend = "systemctl show " + unit;
      all.push_back(found);
      continue;
    }
    const auto says = [&](const char* key) { return word_behind(shown->output, std::string(key) + "="); };
    const double restarts = number(says("NRestarts"));
    found.value = fmt::format("{}, {}, {}", says("LoadState"), says("UnitFileState"), says("ActiveState"));
    if (restarts > 0) found.value += fmt::format(", restarted {:.0f} times", restarts);
    if (!says("DropInPaths").empty()) found.value += ", changed by " + says("DropInPaths");
    if (says("LoadState") != "loaded") {
      found.value = says("LoadState");
      found.mend = "install the package, or cmake --install and systemctl daemon-reload";
    } else if (says("UnitFileState") != "enabled") {
      found.mend = "systemctl enable --now glimpsed.socket glimpsed.service";
    } else if (says("ActiveState") != "active") {
      found.mend = fmt::format("systemctl start {0}; journalctl -u {0} says why it ended", unit);
    } else if (restarts > 0) {
      found.mend = "journalctl -u glimpsed -p warning: RUNBOOK.md, down";
    } else if (says("Documentation").empty()) {
      found.mend = "an older unit stands before the package's: systemctl cat " + unit;
    }
    if (!found.mend.empty()) found.verdict = Verdict::kWarning;
    all.push_back(found);
  }
  return all;
}

Findings configuration_findings(const std::string& program, const std::string& file) {
  if (::access(file.c_str(), F_OK) != 0)
    return {{Verdict::kWarning, "configuration", file + ": is not there", "a file that glimpsed can use",
             "name it (--config FILE), or install the package"}};
  Finding found{Verdict::kOk, "configuration", file, "glimpsed --config FILE --check-config succeeds", ""};
  const auto checked = run_program({program, "--config", file, "--check-config"}, kPatience);
  if (!checked) {
    found.verdict = Verdict::kWarning;
    found.value += ": not looked at: " + checked.error().message;
    found.mend = checked.error().code == ErrorCode::kUnavailable
                     ? "find what it waits for, or name the daemon's program (--daemon FILE)"
                     : "name the daemon's program (--daemon FILE)";
  } else if (checked->status != 0) {
    std::string last = checked->output;
    while (!last.empty() && last.back() == '\n') last.pop_back();
    last = last.substr(last.rfind('\n') + 1);
    found.verdict = Verdict::kError;
    found.value += ": " + last;
    found.mend = "mend what it names, then systemctl reload or restart glimpsed";
  }
  Findings all{found};
  const std::string text = text_of_file(file);
  for (const char* option : {"token-file", "tls-key"}) {
    const std::string path = word_behind(text, option);
    if (path.empty()) continue;
    Finding secret{Verdict::kOk, option, path, "nobody but its owner changes it, or owner and group read it",
                   ""};
    if (const Status fine = check_secret_file(option, path); !fine) {
      secret.verdict = Verdict::kError;
      secret.value = fine.error().message;
      secret.mend = fmt::format("chown root:glimpse {0} && chmod 640 {0}", path);
    }
    all.push_back(secret);
  }
  return all;
}

}  // namespace glimpse::ctl
