#include "glimpsectl/commands.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "data/text/shell_words.h"
#include "data/text/text.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/command_table.h"
#include "glimpsectl/doctor/process.h"
#include "glimpsectl/input/console.h"
#include "glimpsectl/own_daemon.h"
#include "glimpsectl/reports/reports.h"
#include "glimpsectl/reports/small_model_report.h"
#include "glimpsectl/reports/status_summary.h"

namespace glimpse::ctl {
namespace {

HttpClient client_of(const CommandLine& line) { return {line.server, line.timeout, line.max_answer}; }

/// Writes the answer to `target` as it is, or the report that `make_report` makes of it.
template <class MakeReport>
Status show(const CommandLine& line, Console& console, const std::string& target,
            const Result<std::string>& body, MakeReport make_report) {
  if (!body) return body.error();
  if (line.json) return write_output(line.output, with_final_newline(*body), console);
  const auto report = make_report(*body);
  if (!report) return client_of(line).unreadable(target, report.error().message);
  return write_output(line.output, *report, console);
}

// `target` may have a query already.
std::string of_checkpoint(const CommandLine& line, const std::string& target) {
  if (line.checkpoint.empty()) return target;
  return target + (target.find('?') == std::string::npos ? "?" : "&") + "checkpoint=" + line.checkpoint;
}

std::string of_label(const CommandLine& line) {
  return line.label.empty() ? std::string() : "&label=" + as_query_value(line.label);
}

// What the daemon writes in the format that is wanted; `target` ends before its name.
Status show_format(const CommandLine& line, Console& console, std::string target, const std::string& wishes) {
  const bool is_table = line.format == "table" && !line.json;
  const std::string format = line.format == "table" && line.json ? "json" : line.format;
  target += format + (is_table ? fmt::format("&top={}", line.top) : "") + wishes;
  GLIMPSE_TRY_ASSIGN(const auto body, client_of(line).get(of_checkpoint(line, target)));
  return write_output(line.output, format == "json" ? with_final_newline(body) : body, console);
}

Status show_text(std::string_view text, Console& console) { return write_output("", text, console); }

}  // namespace

Status show_status(const CommandLine& line, Console& console) {
  const std::string target = of_checkpoint(line, "/v1/status");
  return show(line, console, target, client_of(line).get(target),
              line.brief ? status_summary : status_report);
}

namespace {

Status show_small_model(const CommandLine& line, Console& console) {
  std::string target = "/v1/model?format=json";
  if (line.attributes > 0) target += fmt::format("&attributes={}", line.attributes);
  if (!line.cost.empty()) target += "&cost=" + line.cost;
  target += of_label(line);
  const auto body = client_of(line).get(target);
  if (body && !line.picture.empty()) {
    const auto picture = small_model_picture(*body);
    if (!picture) return client_of(line).unreadable(target, picture.error().message);
    GLIMPSE_TRY(write_output(line.picture, *picture, console));
  }
  if (body && line.format == "json") return write_output(line.output, with_final_newline(*body), console);
  return show(line, console, target, body, small_model_report);
}

}  // namespace

Status show_model(const CommandLine& line, Console& console) {
  if (line.attributes > 0 || !line.cost.empty()) return show_small_model(line, console);
  const bool to_terminal = console.out_is_terminal && (line.output.empty() || line.output == "-");
  if (line.format == "safetensors" && to_terminal)
    return failure(ErrorCode::kInvalidOption,
                   "--format 'safetensors' must have --output FILE or a pipe, not a terminal");
  const std::string wishes =
      std::string(line.fresh ? "&fresh=true" : "") + (line.errors ? "&errors=true" : "") + of_label(line);
  return show_format(line, console, "/v1/model?format=", wishes);
}

Status show_moments(const CommandLine& line, Console& console) {
  return show_format(line, console, "/v1/moments?format=", "");
}

Status write_checkpoint_now(const CommandLine& line, Console& console) {
  const std::string target = "/v1/checkpoint";
  return show(line, console, target, client_of(line).post(target, "", ""), plain_report);
}

Status change_freeze(const CommandLine& line, Console& console) {
  const std::string target = line.row->name == "freeze" ? "/v1/freeze" : "/v1/unfreeze";
  return show(line, console, target, client_of(line).post(target, "", ""), plain_report);
}

Status list_checkpoints(const CommandLine& line, Console& console) {
  const std::string target = "/v1/checkpoints";
  return show(line, console, target, client_of(line).get(target), checkpoints_report);
}

Status promote_checkpoint(const CommandLine& line, Console& console) {
  const std::string target = of_checkpoint(line, "/v1/promote");
  return show(line, console, target, client_of(line).post(target, "", ""), plain_report);
}

Status show_help(const CommandLine& line, Console& console) {
  return show_text(line.helped == nullptr ? help_text() : help_text(*line.helped), console);
}

Status show_version(const CommandLine&, Console& console) {
  return show_text("glimpsectl " GLIMPSE_VERSION "\n", console);
}

Status send_records(const CommandLine& line, Console& console) {
  return line.topic.empty() ? send_source(line, console) : send_to_topic(line, console);
}

namespace {

// --model: by a daemon of the command's own.
Status run_on_model(const CommandLine& line, Console& console) {
  for (const auto& [option, written] : {std::pair("--output", line.output), {"--svg", line.picture}})
    for (const std::string& read : {line.file, line.model}) GLIMPSE_TRY(check_output(option, written, read));
  if (line.model.empty()) return line.row->run(line, console);
  std::vector<std::string> options{"--missing-columns", "allow"};  // the command refuses what is not
  if (line.table.reads_short_rows)
    options.insert(options.end(), {"--short-rows", "missing", "--schema-change", "allow"});
  GLIMPSE_TRY_ASSIGN(const auto daemon, OwnDaemon::start(daemon_program(line.daemon), line.model, options));
  CommandLine of_daemon = line;
  // Nobody else makes it slow: it answers, or ends.
  if (!line.has("timeout")) of_daemon.timeout = std::chrono::hours(24);
  GLIMPSE_TRY_ASSIGN(of_daemon.server, parse_server_address(daemon->address()));
  return line.row->run(of_daemon, console);
}

}  // namespace

ExitCode glimpsectl(const std::vector<std::string>& arguments, std::string_view default_server,
                    Console& console) {
  const auto line = parse_command_line(arguments, default_server);
  Status done;
  if (line && line->row->run == nullptr) {
    const auto worst = examine(*line, console);
    if (worst) return *worst;
    done = worst.error();
  } else {
    done = line ? run_on_model(*line, console) : Status(line.error());
  }
  // What was shown is the work of a command.
  if (!console.out.flush() && done) done = failure(ErrorCode::kSystem, "the output cannot be written");
  if (done) return ExitCode::kOk;
  while (a_signal_ends_this()) ::pause();    // it is why
  if (!console.out && is_output_closed()) {  // as after | head
    ::signal(SIGPIPE, SIG_DFL);
    ::raise(SIGPIPE);
  }
  console.err << "glimpsectl: "
              << printable(line ? as_typed(*line, done.error().message) : done.error().message) << std::endl;
  return exit_code_of(done.error());
}

// glimpsed on a model in a file. This process becomes glimpsed, so that signals and service managers reach
// it.
Status serve_model(const CommandLine& line, Console&) {
  const std::string& model = line.files.front();
  GLIMPSE_TRY_ASSIGN(const auto checkpoint, checkpoint_of(model));
  const std::string address = line.server.text.empty() ? "127.0.0.1:9318" : line.server.text;
  std::vector<std::string> words{daemon_program(line.daemon), "--serve", "--http", address};
  const bool learns = line.has("state-directory");
  if (learns) words.insert(words.end(), {"--state-directory", line.state_directory});
  if (!learns) words.insert(words.end(), {"--learn", "off"});
  // What was learned there goes on.
  const bool goes_on = learns && checkpoint_of(line.state_directory);
  if (!goes_on) words.insert(words.end(), {"--restore", checkpoint});
  words.insert(words.end(), line.passed.begin(), line.passed.end());
  GLIMPSE_TRY(announce_when_ready([&](const std::string& at) {
    return fmt::format(
        "serving {} at {}{}\nnext: glimpsectl predict NEW.csv --server {} -o predictions.csv\n",
        printable(goes_on ? line.state_directory : model), at,
        goes_on  ? std::string(", and learning on there")
        : learns ? ", and learning on from a copy in " + printable(line.state_directory)
                 : ", reading only; --state-directory DIR learns on from a copy",
        shell_word(at));
  }));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  return failure(ErrorCode::kSystem, "cannot run {}: {}", words.front(), std::strerror(errno));
}

}  // namespace glimpse::ctl
