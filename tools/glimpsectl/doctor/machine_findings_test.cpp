#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <stdlib.h>

#include "glimpsectl/doctor/finding.h"
#include "glimpsectl/doctor/process.h"

namespace machine_findings_test {

using namespace glimpse::ctl;
namespace fs = std::filesystem;

namespace {

/// A machine in a folder of its own, which is removed at the end.
struct Prepared {
  Prepared() {
    std::string path = (fs::temp_directory_path() / "glimpse-doctor-XXXXXX").string();
    REQUIRE(mkdtemp(path.data()) != nullptr);
    folder = path;
    machine = {folder / "proc", folder / "cgroup", folder / "systemd"};
    write("proc/7/cgroup", "0::/glimpsed.service\n");
  }
  ~Prepared() { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  void limit(const std::string& files, const std::string& size) const {
    write("proc/7/limits",
          "Limit                     Soft Limit           Hard Limit           Units\n"
          "Max file size             " +
              size +
              "            unlimited            bytes\n"
              "Max open files            " +
              files +
              "                 524288               files\n"
              "Max address space         unlimited            unlimited            bytes\n");
  }
  void memory(const std::string& most, const std::string& now, const std::string& killed) const {
    write("cgroup/glimpsed.service/memory.max", most + "\n");
    write("cgroup/glimpsed.service/memory.current", now + "\n");
    write("cgroup/glimpsed.service/memory.events", "low 0\noom 0\noom_kill " + killed + "\n");
  }
  /// A systemctl that says this of every unit.
  void systemctl(const std::string& says) const {
    write("bin/systemctl", "#!/bin/sh\nprintf '" + says + "'\n");
    fs::permissions(folder / "bin/systemctl", fs::perms::owner_all);
    fs::create_directories(folder / "systemd");
  }

  fs::path folder;
  Machine machine;
};

/// PATH begins with a folder while this lives.
struct Path {
  explicit Path(const fs::path& folder) : before(std::getenv("PATH")) {
    setenv("PATH", (folder.string() + ":" + before).c_str(), 1);
  }
  ~Path() { setenv("PATH", before.c_str(), 1); }
  const std::string before;
};

Verdict verdict_of(const Findings& all, const std::string& what) {
  for (const Finding& finding : all)
    if (finding.what == what) return finding.verdict;
  FAIL("not looked at: " << what);
  return Verdict::kOk;
}

}  // namespace

TEST_CASE("few descriptors and small files are warned of, each with its mend") {
  const Prepared prepared;
  prepared.limit("65536", "unlimited");
  CHECK(worst_of(limit_findings(prepared.machine, "7")) == Verdict::kOk);
  prepared.limit("1024", "1048576");
  const Findings all = limit_findings(prepared.machine, "7");
  CHECK(verdict_of(all, "open files") == Verdict::kWarning);
  CHECK(verdict_of(all, "size of files") == Verdict::kWarning);
  CHECK(verdict_of(all, "addresses") == Verdict::kOk);
  for (const Finding& finding : all) CHECK(finding.mend.empty() == (finding.verdict == Verdict::kOk));
}

TEST_CASE("the memory of the control group is near its limit, or killed somebody") {
  const Prepared prepared;
  const auto verdict = [&] {
    return verdict_of(limit_findings(prepared.machine, "7"), "memory of the control group");
  };
  prepared.memory("max", "5000", "0");
  CHECK(verdict() == Verdict::kOk);
  prepared.memory("10000", "5000", "0");
  CHECK(verdict() == Verdict::kOk);
  prepared.memory("10000", "9500", "0");
  CHECK(verdict() == Verdict::kWarning);
  prepared.memory("max", "5000", "2");
  CHECK(verdict() == Verdict::kWarning);
}

TEST_CASE("units are installed, enabled, active and not restarted") {
  const Prepared prepared;
  CHECK(worst_of(unit_findings(prepared.machine)) == Verdict::kOk);  // no systemd there
  const Path path(prepared.folder / "bin");
  const auto verdict = [&](const std::string& says) {
    prepared.systemctl(says);
    return worst_of(unit_findings(prepared.machine));
  };
  const std::string fine =
      "Documentation=man:glimpsed(8)\\nLoadState=loaded\\nActiveState=active\\nDropInPaths=\\n";
  CHECK(verdict(fine + "UnitFileState=enabled\\nNRestarts=0\\n") == Verdict::kOk);
  CHECK(verdict(fine + "UnitFileState=enabled\\nNRestarts=3\\n") == Verdict::kWarning);
  CHECK(verdict(fine + "UnitFileState=disabled\\nNRestarts=0\\n") == Verdict::kWarning);
  CHECK(verdict("LoadState=not-found\\nActiveState=inactive\\n") == Verdict::kWarning);
  CHECK(verdict("LoadState=loaded\\nUnitFileState=enabled\\nActiveState=failed\\n") == Verdict::kWarning);
}

TEST_CASE("a word behind its key, at the beginning of a line alone") {
  CHECK(word_behind("a b\nkey  = 12 x\n", "key") == "12");
  CHECK(word_behind("key=\nnext", "key=").empty());
  CHECK(word_behind("monkey 3\n", "key").empty());
  CHECK(word_behind("", "key").empty());
}

TEST_CASE("a program ends with a status, is killed when it takes too long, or is not there") {
  CHECK(run_program({"sh", "-c", "echo told; exit 3"}, std::chrono::seconds(20))->status == 3);
  CHECK(run_program({"sh", "-c", "echo told; echo more >&2"}, std::chrono::seconds(20))->output ==
        "told\nmore\n");
  const auto slow = run_program({"sleep", "1000"}, std::chrono::milliseconds(1));
  CHECK(slow.error().code == glimpse::ErrorCode::kUnavailable);
  CHECK(slow.error().message == "sleep did not end within 0.001 s, and was killed");
  CHECK(run_program({"glimpse-no-such-program"}, std::chrono::seconds(20)).error().code ==
        glimpse::ErrorCode::kNotFound);
}

TEST_CASE("a program that closes its output and goes on is killed as well, and is said not to have ended") {
  const auto silent =
      run_program({"sh", "-c", "exec >&- 2>&-; exec sleep 1000"}, std::chrono::milliseconds(200));
  REQUIRE_FALSE(silent.has_value());
  CHECK(silent.error().code == glimpse::ErrorCode::kUnavailable);
}

}  // namespace machine_findings_test
