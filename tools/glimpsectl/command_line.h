#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/records/table_layout.h"
#include "glimpsectl/client/server_address.h"
#include "glimpsectl/reports/plan_reports.h"

namespace glimpse::ctl {

struct CommandRow;

/// What was asked for. Options that do not belong to the command are refused, so each command reads only its
/// own.
struct CommandLine {
  const CommandRow* row = nullptr;     ///< the command, whose run() does what is asked
  const CommandRow* helped = nullptr;  ///< help: of this command alone; nullptr: of all

  ServerAddress server;                               ///< send, stream: of the stream door
  std::string model;                                  ///< that is asked in place of a daemon's; or empty
  std::chrono::milliseconds timeout{10'000};          ///< longest silence of the server
  std::uint64_t max_answer = std::uint64_t{1} << 30;  ///< bytes of an answer of HTTP
  bool json = false;                                  ///< print the body as it is

  /// model, moments: table, json, csv or safetensors; predict, learn: of the examples, empty: the usual
  std::string format;
  /// status, model, moments, predict: of this checkpoint; promote: it. By name or count of examples
  std::string checkpoint;
  bool brief = false;              ///< status: a summary
  bool fresh = false;              ///< model: wait for one of this moment
  bool errors = false;             ///< model: with the standard errors of its weights
  std::size_t attributes = 0;      ///< model: of so many attributes at most; 0: of all
  std::string label;               ///< model, predict: one of several; or empty
  std::string cost;                ///< model: of attributes that cost so much at most; or empty
  std::string picture;             ///< model: a file for the curve; or empty
  std::string output;              ///< model, moments, plot, checkpoint merge: a file; empty: standard output
  std::string plotted = "auto";    ///< plot: what is drawn
  bool explain = false;            ///< predict: why
  std::string predict = "label";   ///< predict: what is told of classes
  std::size_t top = 20;            ///< model, moments, predict --explain: lines of the table
  std::string file = "-";          ///< predict, learn, send, stream, tell, inspect; "-": stdin
  std::vector<std::string> files;  ///< checkpoint merge, fit, describe, serve, plot
  std::vector<std::string> keep;   ///< predict: columns of the table that stand beside its predictions
  std::string budget;              ///< fit: as glimpsed's; empty: what can be had
  std::vector<std::string>
      passed;          ///< fit, describe, serve: options of glimpsed, behind --; else their names
  TableOptions table;  ///< predict, test, explain: of those behind --, how a table is read
  bool allows_missing_columns = false;  ///< the same: it may lack attributes of the model
  bool force = false;                   ///< checkpoint merge: also what is said to be in two of them
  std::string source;                   ///< send: the name of the stream
  std::size_t dimension = 0;            ///< send --format f32
  std::string topic;  ///< send: kafka://HOST:PORT/TOPIC instead of a daemon; empty: a daemon
  std::vector<std::string> kafka_properties;  ///< send --to kafka://…: NAME=VALUE
  std::optional<std::uint32_t> partition;     ///< the same: all goes there. ask: of a fleet's topic
  std::uint64_t message_size = std::uint64_t{16} << 10;  ///< the same: bytes of a message of several records
  std::chrono::milliseconds commit_every{1'000};         ///< the same: the longest time of a transaction
  std::chrono::milliseconds patience{600'000};  ///< send: how long to wait for the daemon to come back
  /// send: how long to wait for a daemon that is not up yet; nothing: as for one that was
  std::optional<std::chrono::milliseconds> wait;
  std::uint64_t memory = std::uint64_t{64} << 20;  ///< send: bytes of a pipe to keep until they are durable
  std::chrono::milliseconds every{1'000};          ///< watch: between two lines
  /// watch: lines; nothing: until interrupted. ask: plans, or attributes to choose; nothing: the server's.
  std::optional<std::uint64_t> count;

  PlanRequest plan;                    ///< ask; its count is the one above
  std::string after;                   ///< plans: behind this one; empty: from the first
  std::optional<std::uint64_t> limit;  ///< plans: at most; nothing: the server's
  std::vector<std::string> ids;        ///< abandon

  std::string state_directory = "/var/lib/glimpse";  ///< doctor, serve
  std::string configuration;                         ///< doctor: a file; empty: the one installed
  std::string daemon;                                ///< doctor: the program; empty: the one beside this

  std::vector<std::string> given;  ///< names of the options that were given
  bool has(std::string_view option) const;
  /// predict: a table of predictions as CSV, and not the lines that daemons were always asked for.
  bool writes_table() const { return !model.empty() || !keep.empty() || !output.empty(); }
};

/// The stream door of the units in systemd/.
inline constexpr std::string_view kDefaultStream = "unix:/run/glimpse-stream.sock";
inline constexpr std::string_view kDefaultServer = "unix:/run/glimpse/http.sock";

/// Reads the arguments behind the program's name. `default_server` is taken without --server; its value is
/// only looked at by commands that need a server. Errors: kInvalidOption, naming option, value and
/// constraint.
Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments,
                                       std::string_view default_server);

/// The manual: commands, options, exit codes. From command_table.h.
std::string help_text();
/// The same of one command: it begins with examples.
std::string help_text(const CommandRow& command);
/// Its examples, a line each.
std::string examples_of(const CommandRow& command);
/// A message that may advise options of glimpsed, as somebody would type them to this command: those that it
/// passes on stand behind --, and those that it does not take are not advised.
std::string as_typed(const CommandLine& line, std::string message);
std::string_view help_sentence();
/// Number and meaning of each exit status.
std::vector<std::pair<int, std::string_view>> exit_statuses();

}  // namespace glimpse::ctl
