// glimpsectl doctor: what might be wrong with a daemon and the machine that it runs on, each with its mend.

#include <chrono>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/json/object.hpp>

#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/doctor/finding.h"
#include "glimpsectl/doctor/process.h"
#include "glimpsectl/own_daemon.h"
#include "json/strict_json.h"

namespace glimpse::ctl {

namespace {

void append(Findings& all, const Findings& more) { all.insert(all.end(), more.begin(), more.end()); }

/// The process that listens on a Unix socket, as the kernel knows it; 0: not known.
pid_t listener_of(const ServerAddress& server) {
  sockaddr_un address{};
  if (!server.is_unix() || server.path.size() >= sizeof address.sun_path) return 0;
  address.sun_family = AF_UNIX;
  server.path.copy(address.sun_path, server.path.size());
  const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return 0;
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known =
      ::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  ::close(connection);
  return known ? peer.pid : 0;
}

Finding door_finding(const CommandLine& line, const HttpClient& client, bool& answers) {
  Finding found{Verdict::kOk, "door", line.server.text + ": ready", "/readyz?for=learning answers 200", ""};
  const auto reply = client.send("GET", "/readyz?for=learning");
  answers = reply.has_value();
  if (!reply) {
    found.verdict = Verdict::kError;
    found.value = reply.error().message;
    found.mend = "start the daemon, or name its door (--server): RUNBOOK.md, down";
  } else if (reply->status != 200) {
    found.verdict = Verdict::kError;
    found.value = error_of_reply(line.server.text, reply->status, reply->body).message;
    found.mend = reply->status == 401 ? "show a token that may read (--token-file)" : "RUNBOOK.md, not ready";
  }
  return found;
}

Finding version_finding(const HttpClient& client, bool answers, const std::string& program) {
  Finding found{Verdict::kOk, "versions", "glimpsectl " GLIMPSE_VERSION, "all the same", ""};
  bool same = true;
  const auto add = [&](const char* of, const std::string& version) {
    found.value += fmt::format(", {} {}", of, version);
    same = same && version == GLIMPSE_VERSION;
  };
  const auto told = run_program({program, "--version"}, kPatience);
  if (told && told->status == 0) add("glimpsed", word_behind(told->output, "glimpsed"));
  if (answers)
    if (const auto body = client.get("/v1/status"))
      if (const auto status = parse_strict_json(*body); status && status->is_object())
        if (const auto* version = status->as_object().if_contains("version"); version && version->is_string())
          add("the one that runs", std::string(version->as_string()));
  const bool hangs = !told && told.error().code == ErrorCode::kUnavailable;
  if (same && !hangs) return found;
  found.verdict = Verdict::kWarning;
  if (hangs) {
    found.value += ", " + told.error().message;
    found.mend = "find what it waits for, or name the daemon's program (--daemon FILE)";
    return found;
  }
  found.mend = "systemctl restart glimpsed after an upgrade; a glimpsectl elsewhere in PATH may be older";
  return found;
}

}  // namespace

Result<ExitCode> examine(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  const Machine machine;
  const std::string program = daemon_program(line.daemon);
  bool answers = false;
  Findings all{door_finding(line, client, answers)};
  all.push_back(version_finding(client, answers, program));
  const pid_t daemon = answers ? listener_of(line.server) : 0;
  append(all, limit_findings(machine, daemon > 0 ? fmt::format("{}", daemon) : "self"));
  struct stat status{};
  const bool known = daemon > 0 && ::stat(fmt::format("/proc/{}", daemon).c_str(), &status) == 0;
  PosixFileSystem files;
  append(all, state_findings({line.state_directory, std::chrono::system_clock::now(),
                              known ? static_cast<long>(status.st_uid) : -1},
                             files));
  append(all, configuration_findings(
                  program, line.configuration.empty() ? GLIMPSE_CONFIGURATION : line.configuration));
  append(all, unit_findings(machine));
  append(all, clock_findings());
  const std::string text = line.json ? findings_json(all) + "\n" : findings_report(all);
  GLIMPSE_TRY(write_output("", text, console));
  return static_cast<ExitCode>(worst_of(all));
}

}  // namespace glimpse::ctl
