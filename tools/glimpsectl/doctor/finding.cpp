#include "glimpsectl/doctor/finding.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <unistd.h>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/numbers.h"
#include "base/secret_file.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_folder.h"
#include "data/text/shell_words.h"
#include "glimpsectl/doctor/process.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {

namespace json = boost::json;

const char* name_of(Verdict verdict) {
  constexpr const char* kNames[] = {"ok", "warning", "error"};
  return kNames[static_cast<int>(verdict)];
}

Verdict worst_of(const Findings& findings) {
  Verdict worst = Verdict::kOk;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

std::string findings_report(const Findings& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, display_width(finding.what));
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{:<7}  {}  {}\n", name_of(finding.verdict), padded(finding.what, width, true),
                        printable(finding.value));
    if (finding.verdict == Verdict::kOk) continue;
    text += fmt::format("         wanted: {}\n         mend: {}\n", printable(finding.constraint),
                        printable(finding.mend));
  }
  return text;
}

std::string findings_json(const Findings& findings) {
  json::array all;
  for (const Finding& finding : findings)
    all.push_back(json::object{{"verdict", name_of(finding.verdict)},
                               {"what", finding.what},
                               {"value", finding.value},
                               {"constraint", finding.constraint},
                               {"mend", finding.mend}});
  return json::serialize(json::object{{"verdict", name_of(worst_of(findings))}, {"findings", all}});
}

namespace {

constexpr std::uint64_t kMostBytes = ~std::uint64_t{0};
constexpr std::uint64_t kWellOff = 5;  // checkpoints that there is room for
constexpr std::chrono::nanoseconds kAhead = std::chrono::minutes(2);

Finding folder_finding(const StateQuestion& question) {
  Finding found{Verdict::kOk, "state directory", question.folder,
                "a folder that the daemon alone can change, and that it owns", ""};
  struct stat status{};
  if (::stat(question.folder.c_str(), &status) != 0) {
    found.verdict = Verdict::kWarning;
    found.value += ": is not there, or may not be looked into";
    found.mend = "name it (--state-directory DIR), or ask as root; the daemon makes it at its first start";
    return found;
  }
  found.value += fmt::format(", mode {:04o}, owner {}", status.st_mode & 07777U, status.st_uid);
  if (!S_ISDIR(status.st_mode)) {
    found.verdict = Verdict::kError;
    found.mend = "move what is there away";
  } else if ((status.st_mode & S_IWOTH) != 0) {
    found.verdict = Verdict::kError;
    found.mend = "chmod o-w " + shell_word(question.folder);
  } else if (question.user > 0 && static_cast<uid_t>(question.user) != status.st_uid) {
    found.verdict = Verdict::kWarning;
    found.mend = fmt::format("chown -R {} {}: the daemon runs as that user", question.user,
                             shell_word(question.folder));
  }
  return found;
}

Finding room_finding(const std::string& folder, std::uint64_t checkpoint) {
  Finding found{Verdict::kOk, "room for checkpoints", "not known",
                fmt::format("{} of the newest, {} in all", kWellOff,
                            readable_bytes(static_cast<double>(kWellOff * checkpoint))),
                ""};
  const auto free = free_bytes(folder);
  if (!free) return found;
  found.value = readable_bytes(static_cast<double>(*free));
  if (*free < kWellOff * checkpoint) found.verdict = *free < checkpoint ? Verdict::kError : Verdict::kWarning;
  if (found.verdict != Verdict::kOk) found.mend = "make room on its disk: RUNBOOK.md, disk full";
  return found;
}

Finding newest_finding(const CheckpointFolder& checkpoints, const CheckpointFolder::Listed& newest) {
  Finding found{Verdict::kOk, "newest checkpoint", "", fmt::format("verifies, format {}", kCheckpointFormat),
                ""};
  const auto state = checkpoints.load(newest.name, kMostBytes);
  found.value =
      newest.name + (state ? fmt::format(", {}, verifies", readable_bytes(static_cast<double>(newest.bytes)))
                           : ": " + state.error().message);
  if (state) return found;
  found.verdict = Verdict::kError;
  found.mend = state.error().code == ErrorCode::kMismatch
                   ? "install the version that wrote it, or restore a copy of before: RUNBOOK.md, downgrade"
                   : "keep the file, and look after the disk: RUNBOOK.md, refused checkpoint";
  if (state.error().code == ErrorCode::kSystem) found.mend = "ask as root, or as the daemon's user";
  return found;
}

/// The newest by its name, if it cannot be looked into: CheckpointFolder leaves it out.
Findings unreadable_finding(const std::string& folder, FileSystem& files) {
  const auto names = files.list(folder);
  if (!names) return {};
  std::pair<std::uint64_t, std::string> newest;
  for (const std::string& name : *names)
    if (const auto parsed = parse_checkpoint_name(name)) newest = std::max(newest, {parsed->sequence, name});
  if (newest.second.empty()) return {};
  const auto file = files.open(folder + "/" + newest.second, Links::kRefused);
  if (file || file.error().code != ErrorCode::kSystem) return {};
  return {{Verdict::kWarning, "newest checkpoint", file.error().message, "one that verifies",
           "ask as root, or as the daemon's user"}};
}

Finding bad_finding(const std::string& folder, FileSystem& files) {
  Finding found{Verdict::kOk, "checkpoints set aside", "none", "none", ""};
  const auto names = files.list(folder);
  if (!names) return found;
  const auto bad = std::count_if(names->begin(), names->end(), [](const std::string& name) {
    return name.starts_with("checkpoint-") && name.ends_with(".bad");
  });
  if (bad == 0) return found;
  found.verdict = Verdict::kWarning;
  found.value = fmt::format("{}", bad);
  found.mend = "find what damaged them, then remove the files .bad: RUNBOOK.md, refused checkpoint";
  return found;
}

Finding time_finding(const std::vector<CheckpointFolder::Listed>& listed,
                     std::chrono::system_clock::time_point now) {
  Finding found{Verdict::kOk, "times of checkpoints", "none is from the future", "none is from the future",
                ""};
  const std::chrono::nanoseconds since_epoch = now.time_since_epoch();
  for (const auto& checkpoint : listed)
    if (std::chrono::nanoseconds(checkpoint.modified) > since_epoch + kAhead) {
      found.verdict = Verdict::kWarning;
      found.value = fmt::format(
          "{} is {:.0f} s ahead of the clock", checkpoint.name,
          std::chrono::duration<double>(std::chrono::nanoseconds(checkpoint.modified) - since_epoch).count());
      found.mend = "set the clock (timedatectl): alerts on the checkpoint's age are wrong; learning is not";
      return found;
    }
  return found;
}

}  // namespace

Findings state_findings(const StateQuestion& question, FileSystem& files) {
  Findings all{folder_finding(question)};
  if (all.front().verdict == Verdict::kError || ::access(question.folder.c_str(), R_OK | X_OK) != 0)
    return all;
  const CheckpointFolder checkpoints(files, question.folder);
  const auto listed = checkpoints.list();
  const bool any = listed && !listed->empty();
  all.push_back(room_finding(question.folder, any ? listed->front().bytes : 0));
  if (const Findings unreadable = unreadable_finding(question.folder, files); !unreadable.empty()) {
    all.push_back(unreadable.front());
  } else if (any) {
    all.push_back(newest_finding(checkpoints, listed->front()));
    all.push_back(time_finding(*listed, question.now));
  } else {
    all.push_back({Verdict::kWarning, "newest checkpoint", listed ? "there is none" : listed.error().message,
                   "one that verifies", "start the daemon: it writes one at its start"});
  }
  all.push_back(bad_finding(question.folder, files));
  return all;
}

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
      secret.mend = fmt::format("chown root:glimpse {0} && chmod 640 {0}", shell_word(path));
    }
    all.push_back(secret);
  }
  return all;
}

}  // namespace glimpse::ctl
