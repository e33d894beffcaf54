#pragma once

#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/command_line.h"
#include "glimpsectl/input/console.h"

namespace glimpse::ctl {

inline constexpr std::size_t kErrorsShown = 20;  ///< of those a server tells; the others are counted

/// The single commands, which rows of the table name. Messages and the exit code are for the caller to make
/// of the Error; what was printed before stays. They block until done.
Status show_help(const CommandLine& line, Console& console);
Status show_version(const CommandLine& line, Console& console);
Status show_status(const CommandLine& line, Console& console);
Status show_model(const CommandLine& line, Console& console);
Status show_moments(const CommandLine& line, Console& console);
Status write_checkpoint_now(const CommandLine& line, Console& console);
/// Freezes the model, or lets it learn again, as the command says; returns when that is durable.
Status change_freeze(const CommandLine& line, Console& console);
Status list_checkpoints(const CommandLine& line, Console& console);
/// Returns when what it did is durable.
Status promote_checkpoint(const CommandLine& line, Console& console);
Status predict_examples(const CommandLine& line, Console& console);
/// What tables seem to be, as glimpsed --dry-run says it.
Status describe_tables(const CommandLine& line, Console& console);
/// Learns a model of tables, and reports on it.
Status fit_tables(const CommandLine& line, Console& console);
/// glimpsed on a model in a file takes the place of this process. Returns where it cannot be run.
Status serve_model(const CommandLine& line, Console& console);
/// How well the model predicts examples with labels, of which it learns nothing.
Status test_model(const CommandLine& line, Console& console);
/// The names of the attributes of a daemon's model, where they have names. Errors: HttpClient::get()'s.
Result<std::vector<std::string>> attribute_names(const HttpClient& client);
/// The columns of `use` ("label", "ignore", "weight") in the model's tables, of the answer of /v1/status.
std::vector<std::string> columns_for(const boost::json::object& status, std::string_view use);

Status learn_examples(const CommandLine& line, Console& console);
Status inspect_checkpoint(const CommandLine& line, Console& console);
/// Says what became one once it is durable.
Status merge_checkpoints(const CommandLine& line, Console& console);
/// To a daemon, or to a topic.
Status send_records(const CommandLine& line, Console& console);
/// Returns when all records are durable; goes on over as many connections as that takes.
Status send_source(const CommandLine& line, Console& console);
/// The same to a topic of Kafka (line.topic): returns when the brokers have all.
Status send_to_topic(const CommandLine& line, Console& console);
/// Lines as they are, and the replies to them, over one connection; returns when the daemon has answered all.
Status talk_to_stream(const CommandLine& line, Console& console);
/// How learning went, what matters, and what is predicted of a table's rows, as a picture.
Status plot_model(const CommandLine& line, Console& console);
/// Returns after --count lines; without, an interrupt of the process ends it.
Status watch_progress(const CommandLine& line, Console& console);

Status ask_for_plans(const CommandLine& line, Console& console);
Status tell_plans(const CommandLine& line, Console& console);
Status list_plans(const CommandLine& line, Console& console);
/// Goes on behind a plan that cannot be abandoned.
Status abandon_plans(const CommandLine& line, Console& console);

/// What might be wrong with the daemon and its machine; the worst is the exit status: kOk, kRefused for
/// warnings, kUsage for errors. Errors: those of writing.
Result<ExitCode> examine(const CommandLine& line, Console& console);

/// Parses, runs, and says on console.err what failed, in one line that begins with "glimpsectl: ".
ExitCode glimpsectl(const std::vector<std::string>& arguments, std::string_view default_server,
                    Console& console);

}  // namespace glimpse::ctl
