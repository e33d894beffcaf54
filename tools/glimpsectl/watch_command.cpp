#include <algorithm>
#include <chrono>
#include <optional>
#include <signal.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <utility>

#include <boost/json/parse.hpp>

#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/reports/watch.h"

namespace glimpse::ctl {
namespace {

using Clock = std::chrono::steady_clock;

/// Ctrl-C is how a watch ends, at any moment, also while waiting for an answer: nothing is left to tidy up
/// but the line on the terminal.
extern "C" void end_watch_on_terminal(int) {
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, "\n", 1);
  ::_exit(0);
}
extern "C" void end_watch(int) { ::_exit(0); }

std::string local_time() {
  const time_t now = ::time(nullptr);
  tm parts{};
  ::localtime_r(&now, &parts);
  return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

struct Sample {
  std::string body;
  boost::json::object status;
  Clock::time_point taken;
};

Result<Sample> take_sample(const HttpClient& client) {
  const std::string target = "/v1/status";
  auto body = client.get(target);
  if (!body) return body.error();
  const auto taken = Clock::now();
  boost::json::error_code error;
  auto value = boost::json::parse(*body, error);
  if (error || !value.is_object())
    return client.unreadable(target,
                             error ? "it is not JSON: " + error.message() : "it is not a JSON object");
  return Sample{std::move(*body), std::move(value.get_object()), taken};
}

}  // namespace

Status watch_progress(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout);
  // One line is redrawn where that is possible and wanted.
  const bool redraw = console.out_is_terminal && !line.json;
  if (!line.count) ::signal(SIGINT, redraw ? end_watch_on_terminal : end_watch);

  std::optional<Sample> before;
  Status last;
  auto due = Clock::now();
  for (std::uint64_t lines = 0; !line.count || lines < *line.count; ++lines) {
    std::this_thread::sleep_until(due);
    // After a slow answer the missed lines are left out, not made up for.
    due = std::max(due + line.every, Clock::now());
    auto now = take_sample(client);
    if (!now) {
      // A daemon that restarts is worth waiting for; one that was never there is not.
      if (!before) return now.error();
      last = now.error();
      console.err << (redraw ? "\n" : "") << "glimpsectl: " << now.error().message << std::endl;
      continue;
    }
    last = Status();
    std::string text;
    if (line.json) {
      text = with_final_newline(now->body);
    } else {
      if (!before) text += watch_header() + "\n";
      const double seconds = before ? std::chrono::duration<double>(now->taken - before->taken).count() : 0;
      const auto shown = watch_line(local_time(), now->status, before ? &before->status : nullptr, seconds);
      text += redraw ? "\r" + shown + "\x1b[K" : shown + "\n";
    }
    if (auto written = write_output("", text, console); !written) return written;
    before = std::move(*now);
  }
  if (redraw) console.out << std::endl;
  return last;
}

}  // namespace glimpse::ctl
