#include "glimpsectl/command_table.h"

#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <system_error>

#include "data/table_options.h"
#include "data/text/text.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/option_readers.h"

namespace glimpse::ctl {

namespace {

using Types = OptionKind;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kLargestPartition = std::numeric_limits<std::int32_t>::max();  // as Kafka counts them

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
    return refused("checkpoint merge needs --output FILE, which the merged checkpoint is written to");
  for (const std::string& file : line.files)
    if (is_same_file(file, line.output))
      return refused(
          fmt::format("checkpoint merge: --output '{}' is one of the files that are merged, and would take "
                      "its place: name another file",
                      line.output));
  return {};
}

CommandRow merge_row() {
  return {.name = "checkpoint merge",
          .run = merge_checkpoints,
          .arguments = "FILE FILE…",
          .sentence =
              "make one checkpoint of those of learners of disjoint examples and the same options; "
              "glimpsed --restore FILE goes on from it; needs no daemon",
          .examples = "checkpoint merge monday.safetensors tuesday.safetensors --output week.safetensors",
          .takes = CommandRow::Takes::kFiles,
          .door = CommandRow::Door::kNone,
          .options = {{"output FILE", "write the merged checkpoint to FILE, atomically",
                       Types::text(&CommandLine::output)},
                      {"force",
                       "merge also what read of one file or source, as its examples are disjoint "
                       "all the same",
                       Types::flag(&CommandLine::force)}},
          .settle = settle_merge};
}

CommandRow watch_row() {
  return {.name = "watch",
          .run = watch_progress,
          .sentence =
              "how learning went over a log axis of examples, and one line of progress, again and "
              "again; Ctrl-C ends it; in ASCII where the output is no terminal, or not UTF-8",
          .examples =
              "watch\n"
              "watch --every 5s --count 12",
          .options = {
              {"every TIME = 1s", "time between two lines", Types::positive_duration(&CommandLine::every)},
              {"count N", "end after N lines", Types::whole(&CommandLine::count, 1, kMost)},
              label_row("whose losses are shown, where there are several labels: the first without it")}};
}

CommandRow plot_row() {
  return {
      .name = "plot",
      .run = plot_model,
      .arguments = "[FILE]",
      .sentence =
          "a model as a picture (SVG): how learning went, with standard errors and what happened when; the "
          "attributes that matter; and, of the rows of FILE, which have labels, predicted against true",
      .examples =
          "plot held-out.csv --model sales.glimpsed --output sales.svg\n"
          "plot --of rmse --output curve.svg",
      .takes = CommandRow::Takes::kFile,
      .reads_model = true,
      .options = {
          {"output FILE", "write the SVG to FILE, atomically, instead of standard output",
           Types::text(&CommandLine::output)},
          {"of auto|r2|loss|rmse|wrong = auto",
           "how learning went by what; wrong: the share of classes that was predicted wrongly, of "
           "examples held out; auto: R2 where it is known, else the loss",
           Types::words(&CommandLine::plotted, {"auto", "r2", "loss", "rmse", "wrong"})},
          label_row("which is drawn, where there are several labels: the first without it; the column "
                    "of FILE that is true: the model's own without it")}};
}

CommandRow ask_row() {
  return {.name = "ask",
          .run = ask_for_plans,
          .sentence = "which attributes to buy of the next example: a plan, with its id",
          .examples =
              "ask --count 10\n"
              "ask --for prediction --known age=61,sex=M --count 2",
          .reads_model = true,
          .options = {{"count N = 1", "plans; with --for prediction: attributes to choose",
                       Types::whole(&CommandLine::count, 1, kMost)},
                      {"available A,B,…", "only these attributes, by name or number, can be had",
                       Types::custom(read_available)},
                      {"ttl TIME = the daemon's", "how long the plan waits for its values: 30m, 12h, 7d",
                       Types::any_text({&CommandLine::plan, &PlanRequest::ttl})},
                      {"partition N = the daemon's",
                       "of a fleet: the plan is this partition's, from 0; its owner is asked",
                       Types::whole(&CommandLine::partition, 0, kLargestPartition)},
                      {"for prediction", "instead, which attributes to buy next of an example to predict",
                       Types::choice<bool>({&CommandLine::plan, &PlanRequest::for_prediction},
                                           {{"prediction", true}})},
                      {"known A=X,B=Y,…", "its values that are known already", Types::custom(read_known)},
                      label_row("with --for prediction: which is to be predicted, where there are several")},
          .settle = settle_ask};
}

CommandRow tell_row() {
  return {.name = "tell",
          .run = tell_plans,
          .arguments = "[FILE|-]",
          .sentence =
              "the values and labels of plans, one a line or one JSON array: {\"id\": \"3f9a2b-1842\", "
              "\"label\": 1, \"values\": {\"age\": 61}, \"refused\": [7]}; telling again what was told "
              "before does no harm",
          .examples = "tell answers.ndjson",
          .takes = CommandRow::Takes::kFile};
}

CommandRow plans_row() {
  return {.name = "plans",
          .run = list_plans,
          .sentence = "the plans that are open",
          .examples = "plans --limit 10",
          .options = {{"after ID", "behind this one", Types::any_text(&CommandLine::after)},
                      {"limit N = 100", "at most", Types::whole(&CommandLine::limit, 1, kMost)}}};
}

Status settle_test(CommandLine& line) {
  if (line.model.empty())
    return refused(
        "test needs --model PATH, a checkpoint or a state directory: a daemon evaluates what learn sends it "
        "while it is frozen (glimpsectl freeze)");
  return line.file == "-" ? refused("test needs a file") : Status();
}

Status settle_fit(CommandLine& line) {
  if (line.budget == "auto") line.budget.clear();
  if (line.label.empty()) return refused("fit needs --label NAME, the column that is to be predicted");
  return {};
}

CommandRow doctor_row() {
  return {.name = "doctor",
          .run = nullptr,
          .sentence =
              "look for what is wrong with a daemon and its machine: doors, versions, limits, the state "
              "directory, "
              "its room and its newest checkpoint, the configuration, units, the clock; each with its mend",
          .examples =
              "doctor\n"
              "doctor --state-directory state --server 127.0.0.1:9318",
          .options = {{"state-directory DIR = /var/lib/glimpse", "the daemon's",
                       Types::text(&CommandLine::state_directory)},
                      {"config FILE = " GLIMPSE_CONFIGURATION, "the daemon's",
                       Types::text(&CommandLine::configuration)},
                      {"daemon FILE = glimpsed beside glimpsectl, else in PATH",
                       "the program that checks the configuration, for which 20 s are given",
                       Types::text(&CommandLine::daemon)}}};
}

CommandRow describe_row() {
  return {
      .name = "describe",
      .run = describe_tables,
      .arguments = "FILE…|- [-- OPTIONS]",
      .sentence =
          "what a table seems to be: dialect, columns, types, missing values, what learning would do with "
          "them; OPTIONS are glimpsed's; needs no daemon",
      .examples =
          "describe sales.csv --label amount\n"
          "describe sales.csv -- --ignore id",
      .takes = CommandRow::Takes::kTables,
      .gives = " dry-run json rows input label check-config help version ",
      .door = CommandRow::Door::kNone,
      .options = {label_row("the column that is to be predicted")}};
}

CommandRow fit_row() {
  return {
      .name = "fit",
      .run = fit_tables,
      .arguments = "FILE…|- --label NAME [-- OPTIONS]",
      .sentence =
          "learn a model from tables and report on it: how well it predicts a tenth that it was not learned "
          "from, and which columns matter; the model that is saved has learned all; OPTIONS are "
          "glimpsed's; needs no daemon",
      .examples =
          "fit sales.csv --label amount\n"
          "fit 'sales-*.csv.gz' --label amount --budget 5 -o small.glimpsed\n"
          "fit sales.csv --label amount -- --ignore id,date",
      .takes = CommandRow::Takes::kTables,
      .gives =
          " input label budget state-directory restore hold-out learn serve http listen page dry-run json "
          "rows check-config help version log-level progress clip ",
      .door = CommandRow::Door::kNone,
      .options =
          {label_row("the column that is to be predicted"),
           {"budget K|10%|all|auto = auto",
            "attributes to observe in each row; auto: all up to 256, and as many more as take a minute "
            "of one core, which learns rows * K^2 = 1e9 a second",
            Types::any_text(&CommandLine::budget)},
           {"output FILE = FILE without its ending, and .glimpsed; model.glimpsed", "where the model goes",
            Types::text(&CommandLine::output)}},
      .settle = settle_fit};
}

Status settle_serve(CommandLine& line) {
  if (line.files.size() == 1) return {};
  return refused(
      fmt::format("serve takes one model, a checkpoint or a state directory, not {}", line.files.size()));
}

CommandRow serve_row() {
  return {.name = "serve",
          .run = serve_model,
          .arguments = "MODEL [-- OPTIONS]",
          .sentence =
              "run glimpsed on a model, a checkpoint or a state directory: it answers, and learns nothing; "
              "OPTIONS are glimpsed's; Ctrl-C ends it",
          .examples =
              "serve sales.glimpsed --http 127.0.0.1:9318\n"
              "serve sales.glimpsed --state-directory state",
          .takes = CommandRow::Takes::kTables,
          .gives = " serve state-directory restore learn dry-run json rows check-config help version ",
          .door = CommandRow::Door::kNone,
          .no_json = "it becomes glimpsed, whose log is lines",
          .options = {{"http ADDRESS = 127.0.0.1:9318", "where it answers, as glimpsed's; port 0: a free one",
                       Types::text({&CommandLine::server, &ServerAddress::text})},
                      {"state-directory DIR",
                       "learn on from a copy of the model in DIR; where DIR has a model already, "
                       "that one is served",
                       Types::text(&CommandLine::state_directory)}},
          .settle = settle_serve};
}

std::vector<CommandRow> all_commands() {
  return {
      describe_row(),
      fit_row(),
      serve_row(),
      {.name = "status",
       .run = show_status,
       .sentence = "what the daemon is doing",
       .examples = "status --brief\n"
                   "status --server 127.0.0.1:9318 --json\n"
                   "status --model sales.glimpsed",
       .reads_model = true,
       .options = {checkpoint_row("what this checkpoint says of its time"),
                   {"brief", "the ten lines that matter, not all", Types::flag(&CommandLine::brief)}}},
      model_row(),
      moments_row(),
      predict_row(),
      explain_row(),
      {.name = "test",
       .run = test_model,
       .arguments = "FILE [-- OPTIONS]",
       .sentence =
           "how well a model predicts the rows of FILE, which have labels: R2, errors in the label's unit; "
           "of classes the share that is wrong, log loss and calibration; of --model PATH alone; columns and "
           "OPTIONS are as those of predict",
       .examples = "test held-out.csv --model sales.glimpsed",
       .takes = CommandRow::Takes::kFile,
       .reads_model = true,
       .reads_table = true,
       .options = {examples_format("auto")},
       .settle = settle_test},
      learn_row(),
      send_row(),
      stream_row(),
      {.name = "checkpoint",
       .run = write_checkpoint_now,
       .sentence = "write a checkpoint now; returns when it is durable"},
      {.name = "freeze",
       .run = change_freeze,
       .sentence = "learn nothing from now on: labelled examples are evaluated and counted alone; returns "
                   "when that is durable"},
      {.name = "unfreeze", .run = change_freeze, .sentence = "learn again"},
      {.name = "checkpoints", .run = list_checkpoints, .sentence = "those that are kept, the newest first"},
      {.name = "promote",
       .run = promote_checkpoint,
       .arguments = "NAME",
       .sentence = "the model of this checkpoint takes the place of the newest, and learns on from there; "
                   "what came since is not learned again; returns when that is durable",
       .examples = "promote 200000",
       .takes = CommandRow::Takes::kCheckpoint},
      {.name = "checkpoint inspect",
       .run = inspect_checkpoint,
       .arguments = "FILE",
       .sentence = "verify a checkpoint and list what is in it; needs no daemon",
       .examples = "checkpoint inspect sales.glimpsed",
       .takes = CommandRow::Takes::kFile,
       .door = CommandRow::Door::kNone},
      merge_row(),
      watch_row(),
      plot_row(),
      ask_row(),
      tell_row(),
      plans_row(),
      {.name = "abandon",
       .run = abandon_plans,
       .arguments = "ID…",
       .sentence = "plans whose attributes will not be bought",
       .examples = "abandon 3f9a2b-1842",
       .takes = CommandRow::Takes::kIds},
      doctor_row(),
      {.name = "help",
       .run = show_help,
       .arguments = "[COMMAND]",
       .sentence = "this, or what one command does, with examples",
       .examples = "help fit",
       .door = CommandRow::Door::kNone,
       .no_json = "it is for people"},
      {.name = "version",
       .run = show_version,
       .sentence = "the version",
       .door = CommandRow::Door::kNone,
       .no_json = "it is one line"}};
}

}  // namespace

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> table = all_commands();
  return table;
}

const std::vector<OptionRow>& common_options() {
  static const std::vector<OptionRow> table{
      {"server ADDRESS = $GLIMPSE_SERVER, else unix:/run/glimpse/http.sock",
       "the daemon's --http address: tcp:HOST:PORT or HOST:PORT, tls:HOST:PORT, unix:PATH or "
       "https://HOST:PORT",
       Types::custom(read_server)},
      {"model PATH",
       "a checkpoint, or a state directory and its newest one, in place of a running daemon: "
       "status, model, moments, predict, explain, test, plot and ask --for prediction",
       Types::text(&CommandLine::model)},
      {"ca FILE = the system's",
       "whom to trust with TLS: PEM certificates of authorities, or the server's own",
       Types::text({&CommandLine::server, &ServerAddress::authorities})},
      {"token-file FILE",
       "the token to show, where the daemon asks for one; nobody but owner and group may read it",
       Types::custom(read_token)},
      {"json",
       "print JSON, of a daemon its answer as it is: one document, or one a line where there are several",
       Types::flag(&CommandLine::json)},
      {"timeout TIME = 10s",
       "longest time without a sign of life of the server; a number with ms, s, m or h; an answer "
       "as a whole may take 60 times as long, and longer while 16 KiB a second come",
       Types::positive_duration(&CommandLine::timeout)},
      {"max-answer SIZE = 1GiB", "a longer answer of the server is refused",
       Types::bytes(&CommandLine::max_answer)}};
  return table;
}

namespace {

// What belongs to a topic, and what to a daemon.
Status settle_destination(CommandLine& line) {
  if (line.topic.empty()) {
    for (const char* option : {"kafka-property", "partition", "message-size", "commit-every"})
      if (line.has(option))
        return refused(fmt::format("--{} has no effect without --to kafka://HOST:PORT/TOPIC", option));
    return {};
  }
#ifndef GLIMPSE_HAS_KAFKA
  return refused(fmt::format(
      "--to '{}': this glimpsectl was built without Kafka (librdkafka, -DGLIMPSE_KAFKA=ON)", line.topic));
#else
  if (line.has("ca"))
    return refused("--ca is of no use to a topic: --kafka-property ssl.ca.location=FILE says whom to trust");
  if (line.has("token-file"))
    return refused("--token-file is of no use to a topic: --kafka-property sasl.password=@FILE is the like");
  const Status named = check_source_name("--source", line.source);
  return named ? named : refused(named.error().message);
#endif
}

Status settle_send(CommandLine& line) {
  if (line.has("server")) return refused("--server is of no use to send: --to names a stream door");
  if (line.source.empty())
    return refused("send needs --source NAME, under which the daemon counts its records; stream needs none");
  if ((line.format == "f32") != (line.dimension > 0))
    return refused("--dimension and --format f32 belong together: rows have its singles and a label");
  return settle_destination(line);
}

Status settle_stream(CommandLine& line) {
  if (line.has("server")) return refused("--server is of no use to stream: --to names a stream door");
  return {};
}

}  // namespace

CommandRow learn_row() {
  return {.name = "learn",
          .run = learn_examples,
          .arguments = "[FILE|-]",
          .sentence = "learn from the lines of FILE, sent in pieces of whole lines, or from one JSON array",
          .examples =
              "learn more.csv\n"
              "learn --format vw - < more.vw",
          .takes = CommandRow::Takes::kFile,
          .options = {examples_format("auto")}};
}

CommandRow send_row() {
  return {
      .name = "send",
      .run = send_records,
      .arguments = "[FILE|-]",
      .sentence =
          "send FILE to the stream door, or to a topic of Kafka, under a name, so that each record is "
          "learned exactly once: goes on behind what the daemon has, comes back to a daemon that was "
          "restarted, and returns when all is durable; replies go to standard output",
      .examples =
          "send sales.csv --source sales --to tcp:127.0.0.1:9317\n"
          "send sales.csv --source sales --to kafka://127.0.0.1:9092/sales",
      .takes = CommandRow::Takes::kFile,
      .door = CommandRow::Door::kStream,
      .no_json = "the replies are lines",
      .options = {{"source NAME", "the name of the stream", Types::any_text(&CommandLine::source)},
                  {"to ADDRESS = unix:/run/glimpse-stream.sock",
                   "the daemon's --listen address: tcp:HOST:PORT, tls:HOST:PORT or unix:PATH; or "
                   "a topic, kafka://HOST:PORT[,HOST:PORT]/TOPIC",
                   Types::custom(read_destination)},
                  {"format F = auto",
                   "f32 (with --dimension) and npy are rows; auto, svmlight, vw, csv and ndjson "
                   "are lines",
                   Types::words(&CommandLine::format,
                                {"auto", "svmlight", "vw", "csv", "ndjson", "f32", "npy"})},
                  {"dimension D", "attributes of a row of f32",
                   Types::whole(&CommandLine::dimension, 1, kMost)},
                  {"wait TIME", "how long to wait for a daemon that is not up yet; else as --patience",
                   Types::positive_duration(&CommandLine::wait)},
                  {"patience TIME = 10m",
                   "how long nothing may move before it gives up; a checkpoint that the daemon promised "
                   "counts as moving until one fails",
                   Types::positive_duration(&CommandLine::patience)},
                  {"memory SIZE = 64MiB",
                   "bytes of a pipe to keep until they are durable; the daemon is asked for a "
                   "checkpoint when half of them are not",
                   Types::bytes(&CommandLine::memory)},
                  {"kafka-property NAME=VALUE",
                   "of a topic: a property of librdkafka, as security.protocol=ssl; secrets as "
                   "NAME=@FILE; may be repeated",
                   Types::texts(&CommandLine::kafka_properties)},
                  {"partition N", "of a topic: all goes there; else messages go to its partitions in turn",
                   Types::whole(&CommandLine::partition, 0, kLargestPartition)},
                  {"message-size SIZE = 16KiB",
                   "of a topic: a message is as many whole records as fit, or one; 1: one each",
                   Types::bytes(&CommandLine::message_size)},
                  {"commit-every TIME = 1s",
                   "of a topic: its readers see what was sent so long after it came, at most",
                   Types::positive_duration(&CommandLine::commit_every)}},
      .settle = settle_send};
}

CommandRow stream_row() {
  return {.name = "stream",
          .run = talk_to_stream,
          .arguments = "[FILE|-]",
          .sentence =
              "FILE to the stream door as it is, and the replies to standard output, over one connection; "
              "nobody knows what of it is durable: send does",
          .examples = "stream questions.vw --to tcp:127.0.0.1:9317",
          .takes = CommandRow::Takes::kFile,
          .door = CommandRow::Door::kStream,
          .no_json = "the replies are lines",
          .options = {{"to ADDRESS = unix:/run/glimpse-stream.sock", "the daemon's --listen address",
                       Types::custom(read_stream_door)}},
          .settle = settle_stream};
}

namespace {

Status settle_model(CommandLine& line) {
  if (line.json && !line.format.empty() && line.format != "json")
    return refused(fmt::format("--format '{}' contradicts --json", line.format));
  if (line.format.empty()) line.format = line.json ? "json" : "table";
  if (line.has("top") && line.format != "table")
    return refused(fmt::format("--top '{}' is for tables, but the format is {}", line.top, line.format));
  return {};
}

Status settle_any_model(CommandLine& line) {
  GLIMPSE_TRY(settle_model(line));
  if (line.cost.find_first_not_of("0123456789.") != std::string::npos)
    return refused(fmt::format("--cost '{}' must be an amount such as 7.27", line.cost));
  const bool is_small = line.attributes > 0 || !line.cost.empty();
  if (!is_small && line.has("svg"))
    return refused("--svg draws the curve of --attributes N or --cost MONEY: give one of them");
  if (!is_small) return {};
  if (line.format != "table" && line.format != "json")
    return refused(
        fmt::format("--format '{}' is of the whole model: a small one is a table or json", line.format));
  if (line.errors) return refused("--errors is of the whole model: leave it out for a small one");
  if (line.has("top")) return refused("--top is of the whole model: a small one is shown as a whole");
  return {};
}

// A file is for glimpsed --moments, unless something else is said.
Status settle_moments(CommandLine& line) {
  if (line.format.empty() && !line.json && !line.output.empty()) line.format = "csv";
  return settle_model(line);
}

Status settle_predict(CommandLine& line) {
  if (line.has("top") && !line.explain)
    return refused(fmt::format("--top '{}' is for the tables of --explain", line.top));
  if (line.has("predict") && line.explain)
    return refused("--predict has no effect on the tables of --explain");
  if (!line.keep.empty() && (line.explain || line.json))
    return refused(fmt::format("--keep '{}' is for CSV: leave out --{}", line.keep.front(),
                               line.explain ? "explain" : "json"));
  if (line.writes_table() && line.format.empty()) line.format = "auto";
  return {};
}

}  // namespace

OptionRow label_row(const char* sentence) {
  return {"label NAME", sentence, Types::any_text(&CommandLine::label)};
}

OptionRow checkpoint_row(const char* sentence) {
  return {"checkpoint NAME", sentence, Types::custom(read_checkpoint)};
}

CommandRow model_row() {
  return {
      .name = "model",
      .run = show_model,
      .sentence = "where the model comes from, and the attributes that are worth most to it",
      .examples =
          "model --model sales.glimpsed\n"
          "model --attributes 5\n"
          "model --format csv --output weights.csv",
      .reads_model = true,
      .options = {{"format table|json|csv|safetensors = table", "all but the table are the whole model",
                   Types::words(&CommandLine::format, {"table", "json", "csv", "safetensors"})},
                  {"fresh", "wait for a model of this moment, where the newest may be a little older",
                   Types::flag(&CommandLine::fresh)},
                  {"errors",
                   "with standard errors and 90 % intervals of the weights, for a model of "
                   "this moment",
                   Types::flag(&CommandLine::errors)},
                  checkpoint_row("the model of this checkpoint, by its name or by its examples "
                                 "(checkpoints lists them), not the newest"),
                  label_row("the model of this label, of several; else of the first"),
                  {"attributes N",
                   "a model of the N attributes, at most 256, that predict best together, and "
                   "the expected loss of fewer",
                   Types::whole(&CommandLine::attributes, 1, kMost)},
                  {"cost MONEY", "the same of attributes that cost MONEY at most, by the daemon's --costs",
                   Types::any_text(&CommandLine::cost)},
                  {"svg FILE", "--attributes, --cost: draw the expected losses into FILE as well",
                   Types::text(&CommandLine::picture)},
                  {"output FILE", "write to FILE, atomically, instead of standard output",
                   Types::text(&CommandLine::output)},
                  {"top N = 20", "weights in the table", Types::whole(&CommandLine::top, 1, kMost)}},
      .settle = settle_any_model};
}

CommandRow moments_row() {
  return {.name = "moments",
          .run = show_moments,
          .sentence = "what is known of each attribute, those most likely to be looked at first",
          .examples =
              "moments --top 10\n"
              "moments --output moments.csv",
          .reads_model = true,
          .options = {{"format table|json|csv = table",
                       "all but the table have all attributes; csv, the usual with --output, is for "
                       "glimpsed --moments FILE",
                       Types::words(&CommandLine::format, {"table", "json", "csv"})},
                      checkpoint_row("what this checkpoint knows of them"),
                      {"output FILE", "write to FILE, atomically, instead of standard output",
                       Types::text(&CommandLine::output)},
                      {"top N = 20", "attributes in the table", Types::whole(&CommandLine::top, 1, kMost)}},
          .settle = settle_moments};
}

// How examples are written is the server's to understand; only rows of f32, which are no lines, cannot be cut
// here.
OptionRow examples_format(const char* standard, const char* more) {
  return {fmt::format("format F{}{}", *standard == 0 ? "" : " = ", standard),
          fmt::format("of the examples: auto, svmlight, vw, csv or ndjson{}", more),
          Types::words(&CommandLine::format, {"auto", "svmlight", "vw", "csv", "ndjson"})};
}

const std::vector<OptionRow>& table_options() {
  static const std::vector<OptionRow> rows = [] {
    std::vector<OptionRow> of_table = of_part(table_reading_options(), &CommandLine::table);
    of_table.push_back(
        {"missing-columns refuse|allow = refuse",
         "tables that lack columns of the model: refused, or their values are missing",
         Types::choice<bool>(&CommandLine::allows_missing_columns, {{"refuse", false}, {"allow", true}})});
    return of_table;
  }();
  return rows;
}

CommandRow predict_row() {
  return {
      .name = "predict",
      .run = predict_examples,
      .arguments = "[FILE|-] [-- OPTIONS]",
      .sentence =
          "with --model, --keep or --output: a table as CSV, with the prediction of each row and an interval "
          "that should hold nine labels of ten, or with the probability of each class; the format is found "
          "out "
          "as glimpsed does it. Else one prediction a line, for examples of NDJSON lines or one JSON array: "
          "{\"values\": [0.5, 2]} or {\"values\": {\"3\": 0.5}}; files beyond 1 MB go in pieces, each to "
          "the newest model, and a note says where models differ. Each row of a table has one line, also "
          "where "
          "all its cells are empty; blank lines, comments and the header again have none, and a note counts "
          "those between rows. Columns that the model does not have are passed over. OPTIONS say how a table "
          "is read, as those of glimpsed do that are called so: ignore, header, delimiter, decimal-comma, "
          "missing, encoding, short-rows, missing-columns",
      .examples =
          "predict new.csv --keep id --model sales.glimpsed -o predicted.csv\n"
          "predict new.csv --model sales.glimpsed -- --decimal-comma --missing -999\n"
          "predict questions.ndjson --server 127.0.0.1:9318",
      .takes = CommandRow::Takes::kFile,
      .reads_model = true,
      .reads_table = true,
      .options =
          {{"keep A,B,…",
            "columns of the table that stand in front of its predictions, by name, or else as #3 or last; "
            "a name with a comma stands in double quotes",
            Types::custom(read_keep)},
           {"output FILE", "write to FILE, atomically, instead of standard output",
            Types::text(&CommandLine::output)},
           examples_format("", "; without it auto where a table is written, else ndjson"),
           checkpoint_row("by the model of this checkpoint, and not by the newest"),
           label_row("of this label alone, of several; else a line has a number of each"),
           {"explain",
            "a table for each prediction: what each attribute adds to the prediction at "
            "the means, the largest first",
            Types::flag(&CommandLine::explain)},
           {"predict label|probabilities|scores",
            "of classes: the likeliest and its probability, or the numbers of all; without it "
            "probabilities in a table, else label",
            Types::words(&CommandLine::predict, {"label", "probabilities", "scores"})},
           {"top N = 20", "attributes in such a table, at most 1000",
            Types::whole(&CommandLine::top, 1, kMost)}},
      .settle = settle_predict};
}

CommandRow explain_row() {
  CommandRow row = predict_row();
  row.name = "explain";
  row.run = predict_examples;
  row.sentence =
      "what each attribute adds to the prediction of each row, the largest first: predict --explain";
  row.examples = "explain new.csv --model sales.glimpsed --top 5";
  std::erase_if(row.options, [](const OptionRow& option) {
    const std::string_view name = option.name;
    return name == "explain" || name == "predict" || name == "keep";
  });
  for (OptionRow& option : row.options)
    if (option.name == std::string_view("format")) option = examples_format("auto");
  row.settle = [](CommandLine& line) {
    line.explain = true;
    if (line.format.empty()) line.format = "auto";
    return Status();
  };
  return row;
}

}  // namespace glimpse::ctl
