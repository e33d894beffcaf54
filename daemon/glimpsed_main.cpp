#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/file.h"
#include "daemon/config/command_line.h"
#include "daemon/config/schema_file.h"
#include "daemon/dry_run.h"
#include "daemon/service.h"
#include "daemon/support/log_sink.h"
#include "daemon/support/process_usage.h"
#include "daemon/support/systemd.h"
#include "daemon/topic_doors.h"
#include "daemon/version.h"
#include "data/text/text.h"

namespace {

int refuse(const glimpse::Error& error) {
  const bool options = error.code == glimpse::ErrorCode::kInvalidOption;
  glimpse::write_to_log(fmt::format("{}glimpsed: {}\n", glimpse::writes_to_journal() ? "<3>" : "",
                                    glimpse::printable(error.message)));
  return options ? 2 : 1;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() && ::isatty(STDIN_FILENO) == 1)
    return refuse({glimpse::ErrorCode::kInvalidOption,
                   "is told nothing to read: glimpsed table.csv --label price --budget 5 learns a table; "
                   "--help shows more"});
  auto invocation = glimpse::parse_command_line(arguments);
  if (!invocation) return refuse(invocation.error());
  if (invocation->action == glimpse::Invocation::Action::kHelp) {
    fmt::print("{}", invocation->asks_for_all_help ? glimpse::help_of_all() : glimpse::help_text());
    return 0;
  }
  if (invocation->action == glimpse::Invocation::Action::kVersion) {
    fmt::print("glimpsed {}\n", glimpse::kVersion);
    return 0;
  }

  glimpse::Configuration& configuration = invocation->configuration;
  const auto refuse_placed = [&](const glimpse::Error& error) {
    return refuse(glimpse::placed(error, invocation->places));
  };
  spdlog::set_level(spdlog::level::from_str(configuration.log_level));
  for (const std::string& sentence : invocation->overridden) spdlog::warn("{}", sentence);
  glimpse::PosixFileSystem files;
  if (const glimpse::Status status = glimpse::take_schema_file(configuration, files); !status)
    return refuse_placed(status.error());
  if (invocation->action == glimpse::Invocation::Action::kCheck) {
    if (const glimpse::Status status = glimpse::check_files(configuration, files); !status)
      return refuse_placed(status.error());
    if (const auto topics = glimpse::open_topics(configuration); !topics)
      return refuse_placed(topics.error());
    if (const glimpse::Status status = glimpse::check_learner(configuration, files); !status)
      return refuse_placed(status.error());
    fmt::print("the configuration is fine\n");
    return 0;
  }

  if (invocation->action == glimpse::Invocation::Action::kDryRun) {
    const glimpse::Status printed = glimpse::print_as_read(configuration, files, invocation->dry_run);
    return printed ? 0 : refuse_placed(printed.error());
  }

  glimpse::add_standard_input(configuration);
  const auto& inputs = configuration.inputs;
  if (std::find(inputs.begin(), inputs.end(), "-") != inputs.end() && ::isatty(STDIN_FILENO) == 1)
    spdlog::info(
        "standard input is a terminal: records are typed there, one a line, and Ctrl-D ends them; a file is "
        "read "
        "by its name, as glimpsed table.csv");
  auto prepared = glimpse::prepare(configuration, files);
  if (!prepared) return refuse_placed(prepared.error());
  glimpse::Service service(configuration, arguments, std::move(*prepared));
  if (const glimpse::Status status = service.open(); !status) return refuse_placed(status.error());
  const int exit_status = service.run();
  glimpse::SignalGuard::end();
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  glimpse::hold_standard_descriptors();
  const glimpse::SignalGuard guard;
  glimpse::tune_heap();
  std::signal(SIGPIPE, SIG_IGN);  // a peer that is gone is an error code, not the end
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file over the size limit: a checkpoint that fails
  int status = 1;
  try {
    const auto sink = std::make_shared<glimpse::LogSink>(STDERR_FILENO);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("glimpsed", sink));
    spdlog::flush_on(spdlog::level::critical);
    spdlog::set_error_handler([](const std::string&) {});  // else it waits for standard error itself
    status = run({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    glimpse::write_to_log(
        "glimpsed: not enough memory: the learner takes about 48 bytes an attribute, and as much again for "
        "checkpoints\n");
  } catch (const std::exception& error) {
    glimpse::write_to_log(fmt::format("glimpsed: {}\n", error.what()));
  }
  spdlog::shutdown();  // writes what is left
  return status;
}
