#include "glimpsectl/doctor/state_findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_folder.h"
#include "glimpsectl/format/units.h"

namespace glimpse::ctl {

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
    found.mend = fmt::format("chmod o-w {}", question.folder);
  } else if (question.user > 0 && static_cast<uid_t>(question.user) != status.st_uid) {
    found.verdict = Verdict::kWarning;
    found.mend = fmt::format("chown -R {} {}: the daemon runs as that user", question.user, question.folder);
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

}  // namespace glimpse::ctl
