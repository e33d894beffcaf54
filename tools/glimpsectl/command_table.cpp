#include "glimpsectl/command_table.h"

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>

#include "glimpsectl/input_rows.h"
#include "glimpsectl/model_rows.h"
#include "glimpsectl/option_readers.h"

namespace glimpse::ctl {

namespace {

using Row = CommandRow;

Status settle_ask(CommandLine& line) {
  if (line.has("known") && !line.plan.for_prediction)
    return refused("--known is for --for prediction: a plan is made before values are");
  if (line.has("label") && !line.plan.for_prediction)
    return refused("--label is for --for prediction: a plan is for all labels");
  if (line.partition && line.plan.for_prediction)
    return refused("--partition is for plans: a prediction is made by the model of all partitions");
  return {};
}

// By name, or by what is there.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return a == b || std::filesystem::equivalent(a, b, none);
}

Status settle_merge(CommandLine& line) {
  if (line.output.empty() || line.output == "-")
    return refused("checkpoint merge must be told --output FILE, which the merged checkpoint is written to");
  for (const std::string& file : line.files)
    if (is_same_file(file, line.output))
      return refused(
          fmt::format("checkpoint merge: --output '{}' is one of the files that are merged, and would take "
                      "its place: name another file",
                      line.output));
  return {};
}

Row merge_row() {
  return {.name = "checkpoint merge",
          .command = Command::kMerge,
          .arguments = "FILE FILE…",
          .sentence =
              "make one checkpoint of those of learners of disjoint examples and the same options; "
              "glimpsed --restore FILE goes on from it; needs no daemon",
          .takes = Row::Takes::kFiles,
          .door = Row::Door::kNone,
          .options = {{.name = "output",
                       .value = "FILE",
                       .sentence = "write the merged checkpoint to FILE, atomically",
                       .type = file_option("output", &CommandLine::output)},
                      {.name = "force",
                       .sentence = "merge also what read of one file or source, as its examples are disjoint "
                                   "all the same",
                       .type = flag_option(&CommandLine::force)}},
          .settle = settle_merge};
}

Row watch_row() {
  return {
      .name = "watch",
      .command = Command::kWatch,
      .sentence =
          "how learning went over a log axis of examples, and one line of progress, again and "
          "again; Ctrl-C ends it; in ASCII where the output is no terminal, or not UTF-8",
      .options = {{.name = "every",
                   .value = "TIME",
                   .sentence = "time between two lines",
                   .standard = "1s",
                   .type = duration_option("every", &CommandLine::every)},
                  {.name = "count",
                   .value = "N",
                   .sentence = "end after N lines",
                   .type = count_option("count", &CommandLine::count)},
                  label_row("whose losses are shown, where there are several labels: the first without it")}};
}

Row plot_row() {
  return {
      .name = "plot",
      .command = Command::kPlot,
      .sentence =
          "how learning went, as a picture: R2 or the loss over examples, with standard errors "
          "and what happened when",
      .options = {{.name = "output",
                   .value = "FILE",
                   .sentence = "write the SVG to FILE, atomically, instead of standard output",
                   .type = file_option("output", &CommandLine::output)},
                  {.name = "of",
                   .value = "auto|r2|loss|wrong",
                   .sentence = "what is drawn; wrong: the share of classes that was predicted wrongly, of "
                               "examples held out; auto: R2 where it is known, else the loss",
                   .standard = "auto",
                   .type = plotted_option()},
                  label_row("which is drawn, where there are several labels: the first without it")}};
}

Row ask_row() {
  return {.name = "ask",
          .command = Command::kAsk,
          .sentence = "which attributes to buy of the next example: a plan, with its id",
          .options = {{.name = "count",
                       .value = "N",
                       .sentence = "plans; with --for prediction: attributes to choose",
                       .standard = "1",
                       .type = count_option("count", &CommandLine::count)},
                      {.name = "available",
                       .value = "A,B,…",
                       .sentence = "only these attributes, by name or number, can be had",
                       .type = available_option()},
                      {.name = "ttl",
                       .value = "TIME",
                       .sentence = "how long the plan waits for its values: 30m, 12h, 7d",
                       .standard = "the daemon's",
                       .type = ttl_option()},
                      {.name = "partition",
                       .value = "N",
                       .sentence = "of a fleet: the plan is this partition's, from 0; its owner is asked",
                       .standard = "the daemon's",
                       .type = partition_option()},
                      {.name = "for",
                       .value = "prediction",
                       .sentence = "instead, which attributes to buy next of an example to predict",
                       .type = purpose_option()},
                      {.name = "known",
                       .value = "A=X,B=Y,…",
                       .sentence = "its values that are known already",
                       .type = known_option()},
                      label_row("with --for prediction: which is to be predicted, where there are several")},
          .settle = settle_ask};
}

Row tell_row() {
  return {.name = "tell",
          .command = Command::kTell,
          .arguments = "[FILE|-]",
          .sentence =
              "the values and labels of plans, one a line or one JSON array: {\"id\": \"3f9a2b-1842\", "
              "\"label\": 1, \"values\": {\"age\": 61}, \"refused\": [7]}; telling again what was told "
              "before does no harm",
          .takes = Row::Takes::kFile};
}

Row plans_row() {
  return {.name = "plans",
          .command = Command::kPlans,
          .sentence = "the plans that are open",
          .options = {{.name = "after",
                       .value = "ID",
                       .sentence = "behind this one",
                       .type = text_option(&CommandLine::after)},
                      {.name = "limit",
                       .value = "N",
                       .sentence = "at most",
                       .standard = "100",
                       .type = count_option("limit", &CommandLine::limit)}}};
}

Row doctor_row() {
  return {.name = "doctor",
          .command = Command::kDoctor,
          .sentence =
              "look for what is wrong with a daemon and its machine: doors, versions, limits, the state "
              "directory, "
              "its room and its newest checkpoint, the configuration, units, the clock; each with its mend",
          .options = {{.name = "state-directory",
                       .value = "DIR",
                       .sentence = "the daemon's",
                       .standard = "/var/lib/glimpse",
                       .type = file_option("state-directory", &CommandLine::state_directory)},
                      {.name = "config",
                       .value = "FILE",
                       .sentence = "the daemon's",
                       .standard = GLIMPSE_CONFIGURATION,
                       .type = file_option("config", &CommandLine::configuration)},
                      {.name = "daemon",
                       .value = "FILE",
                       .sentence = "the program that checks the configuration, for which 20 s are given",
                       .standard = "glimpsed beside glimpsectl, else in PATH",
                       .type = file_option("daemon", &CommandLine::daemon)}}};
}

std::vector<Row> all_commands() {
  return {
      {.name = "status",
       .command = Command::kStatus,
       .sentence = "what the daemon is doing",
       .options = {checkpoint_row("what this checkpoint says of its time"),
                   {.name = "brief",
                    .sentence = "the ten lines that matter, not all",
                    .type = flag_option(&CommandLine::brief)}}},
      model_row(),
      moments_row(),
      predict_row(),
      learn_row(),
      send_row(),
      stream_row(),
      {.name = "checkpoint",
       .command = Command::kCheckpoint,
       .sentence = "write a checkpoint now; returns when it is durable"},
      {.name = "freeze",
       .command = Command::kFreeze,
       .sentence = "learn nothing from now on: labelled examples are judged and counted alone; returns when "
                   "that is durable"},
      {.name = "unfreeze", .command = Command::kUnfreeze, .sentence = "learn again"},
      {.name = "checkpoints",
       .command = Command::kCheckpoints,
       .sentence = "those that are kept, the newest first"},
      {.name = "promote",
       .command = Command::kPromote,
       .arguments = "NAME",
       .sentence = "the model of this checkpoint takes the place of the newest, and learns on from there; "
                   "what came since is not learned again; returns when that is durable",
       .takes = Row::Takes::kCheckpoint},
      {.name = "checkpoint inspect",
       .command = Command::kInspect,
       .arguments = "FILE",
       .sentence = "verify a checkpoint and list what is in it; needs no daemon",
       .takes = Row::Takes::kFile,
       .door = Row::Door::kNone},
      merge_row(),
      watch_row(),
      plot_row(),
      ask_row(),
      tell_row(),
      plans_row(),
      {.name = "abandon",
       .command = Command::kAbandon,
       .arguments = "ID…",
       .sentence = "plans whose attributes will not be bought",
       .takes = Row::Takes::kIds},
      doctor_row(),
      {.name = "help", .command = Command::kHelp, .sentence = "this", .door = Row::Door::kNone},
      {.name = "version", .command = Command::kVersion, .sentence = "the version", .door = Row::Door::kNone}};
}

}  // namespace

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> table = all_commands();
  return table;
}

const std::vector<CommandOption>& common_options() {
  static const std::vector<CommandOption> table{
      {.name = "server",
       .value = "ADDRESS",
       .sentence =
           "the daemon's --http address: tcp:HOST:PORT, tls:HOST:PORT, unix:PATH or https://HOST:PORT",
       .standard = "$GLIMPSE_SERVER, else unix:/run/glimpse/http.sock",
       .type = address_option("server", false)},
      {.name = "ca",
       .value = "FILE",
       .sentence = "whom to trust with TLS: PEM certificates of authorities, or the server's own",
       .standard = "the system's",
       .type = authorities_option()},
      {.name = "token-file",
       .value = "FILE",
       .sentence = "the token to show, where the daemon asks for one; nobody but owner and group may read it",
       .type = token_file_option()},
      {.name = "json",
       .sentence = "print the daemon's answer as it is",
       .type = flag_option(&CommandLine::json)},
      {.name = "timeout",
       .value = "TIME",
       .sentence = "longest time without a sign of life of the server; a number with ms, s, m or h",
       .standard = "10s",
       .type = duration_option("timeout", &CommandLine::timeout)}};
  return table;
}

}  // namespace glimpse::ctl
