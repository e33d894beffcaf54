#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

using Types = OptionKind;

bool headers_fit(const Configuration& c) { return c.max_header_bytes <= std::size_t{1} << 30; }

}  // namespace

std::vector<OptionRow> limit_options() {
  return {
      {"max-line SIZE = 16MiB", "longest line", Types::bytes(&Configuration::max_line_bytes),
       R"(Longest line on a stream door, in bytes; a longer one closes its connection. A connection's buffer
may grow to this.)"},
      {"max-header SIZE = 16KiB",
       "all headers of an HTTP request together, its first line included",
       Types::bytes(&Configuration::max_header_bytes),
       {.rules = {{headers_fit, "must be at most 1GiB"}}}},
      {"max-body SIZE = 16MiB", "largest HTTP body", Types::bytes(&Configuration::max_body_bytes),
       R"(Largest body of an HTTP request. While it is worked on, a request takes at most 16 times its body,
the answer to it included, and 96 MiB beside, which a single JSON text of a million values needs.
'max-unfinished' bounds the bodies of all requests together. A larger body holds nobody up: it is
worked off in parts; but one record (a line, a row, an element) is read in one go, so that larger
ones make others wait for longer.)"},
      {"queue SIZE = 16MiB",
       "bytes read but not learned yet, over all doors, before reading pauses; nothing is dropped",
       Types::bytes(&Configuration::queue_bytes)},
      {"max-connections N = 10000",
       "open connections on all doors",
       Types::whole(&Configuration::max_connections, 1, 1000000),
       R"(Open connections on all doors together. More are turned away; 32 on the HTTP door are not, so that
an operator gets in. An idle one takes about 2 KiB and a descriptor; glimpsed asks the system for as
many of these as it needs (LimitNOFILE= of the unit is the most that it gets).)",
       {.reload = Reload::kNow}},
      {"max-connections-per-address N",
       "open connections from one IP address; 0: no limit, the default (100 with --allow-remote)",
       Types::whole(&Configuration::max_connections_per_address, 0, 1000000),
       R"(Open connections from one IP address; an IPv6 address counts as its /64, as who has one has all of
these. 0: no limit. Default: no limit, and 100 with 'allow-remote'. Unix sockets do not count.)",
       {.example = "0", .reload = Reload::kNow}},
      {"max-requests N = 0",
       "requests on one HTTP connection, before it is closed; default 0: no limit",
       Types::whole(&Configuration::max_requests, 0, 1000000000000),
       {.rules = {{has_http, "has no effect without --http ADDRESS"}}, .reload = Reload::kNow}},
      {"max-sources N = 1000",
       "named sources that are known",
       Types::whole(&Configuration::max_sources, 1, 1000000),
       R"(Sources that are known by name (stream connections that begin with '#glimpse source=NAME', and
stdin-source). Each is kept in every checkpoint for good, with its name and its first line: to
forget one would be to learn it twice. More are refused; those of a restored checkpoint are kept in
any case.)",
       {.rules = {{keeps_state, kNoCheckpoints}}}},
      {"max-opening SIZE = 256KiB",
       "what is kept of a named source's beginning, such as a header",
       Types::bytes(&Configuration::max_opening_bytes),
       R"(What is kept of a named source's beginning, in every checkpoint: its header, or the records up to
the first that can be read. A longer first record is refused, and the next is the first.
'max-sources' times this is the most that strangers to whom learning is allowed can make checkpoints
grow.)",
       {.rules = {{keeps_state, kNoCheckpoints}}}},
      {"max-compared N = 2",
       "checkpoints that answer beside the newest model (?checkpoint=NAME), in memory at once",
       Types::whole(&Configuration::max_compared, 0, 100),
       R"(Checkpoints whose models answer requests with ?checkpoint=NAME: each takes the memory of one more
learner and a thread, until others need its place or nobody has asked for five minutes. More: who
compares several waits less; 0: none is answered from. Promotion is not bounded by it.)",
       {.rules = {{keeps_state, kNoCheckpoints}}}},
      {"compared-memory SIZE = 1GiB",
       "of the files of these checkpoints together",
       Types::bytes(&Configuration::compared_bytes),
       R"(Bytes that the files of these checkpoints have together; in memory their learners take about as much,
and as much again for a moment while one is read. A larger checkpoint is refused (413).)",
       {.rules = {{keeps_state, kNoCheckpoints}}}},
      {"max-unfinished SIZE = 256MiB",
       "lines that are not whole, over all connections, and as much of HTTP bodies",
       Types::bytes(&Configuration::max_unfinished_bytes),
       R"(Lines that have begun to come and are not whole, over all stream connections; and as much again of
HTTP bodies, from their first byte to the answer (of each what is beyond 64 KiB). A connection that
goes beyond it is closed, a request answered 503; memory may be twice that. Where records that wait for the ends of
their samples (sample-records) go beyond it, these samples end.)",
       {.reload = Reload::kNow}},
      {"max-unread SIZE = 256MiB",
       "answers of HTTP that have not left, over all connections",
       Types::bytes(&Configuration::max_unread_bytes),
       R"(Answers of HTTP that have not left, over all connections (of each what is beyond 64 KiB). Where
clients do not take theirs, others are told so (503) in place of what would go beyond it, until
'http-timeout' ends those who do not read. One answer alone may be larger, as that of a large model,
and what was changed is always answered.)",
       {.reload = Reload::kNow}},
      {"greeting-timeout TIME = 10s",
       "for a stream connection to show its token, or to end a greeting; default 10s, 0: never",
       Types::duration(&Configuration::greeting_timeout),
       R"(For a stream connection on TCP to show its token, where tokens are asked for, and for any to end a
greeting that it began. 0: never. Rows (f32) that could all be text are waited with for as long, in
case a line of HTTP comes of them.)",
       {.reload = Reload::kNow}},
      {"http-timeout TIME = 30s",
       "for an HTTP request to arrive or its answer to leave, and for a TLS handshake",
       Types::duration(&Configuration::http_timeout),
       {.reload = Reload::kNow}},
      {"idle-timeout TIME = 0",
       "close a stream connection on which nothing moves for this long; default 0: never",
       Types::duration(&Configuration::idle_timeout),
       R"(Close a stream connection on which nothing moved for this long: no byte came in, and no reply was
taken. 0: never. Frees the places of clients that are gone without a word; too short a time cuts off
clients that have little to say. Time in which glimpsed itself pauses reading does not count. Where
a client's machine vanished, or the way to it, the system notices by itself: it asks after TCP peers
that were silent for 60 s, and ends a connection after six questions, 10 s apart, that nobody
answers.)",
       {.reload = Reload::kNow}},
  };
}

namespace {

constexpr std::uint64_t kMany = 1000000000000000000;

bool has_costs(const Configuration& c) { return !c.costs_file.empty(); }
bool plans_live(const Configuration& c) { return c.plan_ttl.count() > 0; }

// The learner's own limit of an example.
OptionRow with_costs() {
  OptionRow option = of_part(learner_option("budget-cost"), &Configuration::learner);
  option.rules.push_back(
      {has_costs, "has no effect without --costs FILE: without prices --budget is the limit"});
  return option;
}

}  // namespace

std::vector<OptionRow> buying_options() {
  return {
      {"costs FILE", "what attributes cost, a line each: ATTRIBUTE PRICE [GROUP]; default: 1 each",
       Types::text(&Configuration::costs_file),
       R"(What attributes cost: a line each, ATTRIBUTE PRICE [GROUP], by name or number from 0; '@GROUP PRICE'
is what the members of a group share, paid once an example; '* PRICE' is for all that are not
listed. Prices have at most six digits after the point. Default: every attribute costs 1.)",
       OptionExtras{.example = "/etc/glimpse/costs.txt"}},
      with_costs(),
      {"total-budget N", "stop buying once so many attributes were bought",
       Types::whole({&Configuration::spending, &SpendingLimits::attributes}, 1, kMany),
       R"(Stop buying once so many attributes were bought, or so much was paid, open plans included: asks are
answered with 409 then and labelled examples skipped, predictions go on. Counted since the beginning
of the stream, over restarts.)",
       OptionExtras{.example = "100000"}},
      {"total-cost C",
       "stop buying once so much was paid",
       Types::parsed({&Configuration::spending, &SpendingLimits::cost}, "an amount above 0",
                     parse_positive_money),
       {.example = "25000",
        .rules = {{has_costs,
                   "has no effect without --costs FILE: without prices --total-budget is the limit"}}}},
      {"max-plans N = 100000",
       "plans of /v1/ask that may be open at once",
       Types::whole(&Configuration::max_plans, 1, 100000000),
       R"(How many plans of /v1/ask may be open at once; of as many closed ones it is remembered what became
of them. A plan takes about 150 bytes, 4 for each of its attributes and, unless pairwise, 16 for
each draw, and is in every checkpoint.)",
       {.rules = {{has_http, "has no effect without --http ADDRESS, where plans are asked for"}}}},
      {"plan-ttl TIME = 7d",
       "how long a plan waits for its values",
       Types::duration(&Configuration::plan_ttl),
       R"(How long a plan waits for its values before it expires, unless the ask says otherwise: ms, s, m, h
or d.)",
       {.rules = {{has_http, "has no effect without --http ADDRESS, where plans are asked for"},
                  {plans_live, "must be above 0"}}}},
  };
}

namespace {

bool may_have_classes(const Configuration& c) { return c.classes.task != Task::kRegression; }
const OptionRule kIsForClasses{may_have_classes, "contradicts --task regression"};
bool has_one_label(const Configuration& c) { return c.learner.labels.size() < 2; }
const OptionRule kIsForOneLabel{has_one_label, "has no effect with several labels, which are numbers"};

Status read_classes(const std::string& text, Configuration& c) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    if (name.empty()) return invalid_option("classes", text, "must be names of classes, with commas between");
    if (name == "?")
      return invalid_option("classes", text,
                            "has the class ?, which no label names: it asks for a prediction");
    if (std::ranges::find(c.classes.names, name) != c.classes.names.end())
      return invalid_option("classes", text, fmt::format("names {} twice", name));
    c.classes.names.push_back(name);
    begin = end + 1;
  }
  return {};
}

}  // namespace

std::vector<OptionRow> class_options() {
  return {
      {"task WHICH = auto",
       "what labels are: numbers (regression), classes, or classes where they are words (auto, "
       "default)",
       Types::choice<Task>(
           {&Configuration::classes, &ClassOptions::task},
           {{"auto", Task::kAuto}, {"regression", Task::kRegression}, {"classes", Task::kClasses}}),
       R"(What labels are. auto: classes where the first is a word or 'classes' names them, else numbers.
classes: also where they are numbers, as 0 to 9 of digits, in every format. regression: numbers; where
labels are words, there are two, and they are 0 and 1. pairwise and pairwise-screened learn any number
of classes, other algorithms two.)"},
      {"classes NAMES",
       "names of classes, with commas between: they are known before any example, in this order; "
       "others may come; may be repeated",
       Types::custom(read_classes, {{&Configuration::classes, &ClassOptions::names}}).repeated(),
       R"(Labels are classes, and these are known before any example, in this order: in answers, in /v1/model
and in confusion counts. Without it classes have the order in which they come. Others may come later,
up to 'max-classes' in all. With commas between; may be repeated.)",
       {.example = "no,yes", .rules = {kIsForClasses}}},
      {"max-classes N = 100",
       "classes at most; a label that would be one more is refused; default 100",
       Types::whole({&Configuration::classes, &ClassOptions::most}, 1, ClassOptions::kLargestMost),
       R"(How many classes there may be; a label that would be one more is refused, and so is the record. So a
column of names that was taken for the label is noticed. Where pairs are kept a class takes 32 bytes
for each attribute and for each category, and as many numbers in each model that is kept. Models take
time by the cube of their classes: of 1000 about a second.)",
       {.rules = {kIsForClasses, kIsForOneLabel}}},
      {"predict WHICH = label",
       "what stream doors reply of classes: CLASS PROBABILITY (label, default), or "
       "CLASS:PROBABILITY or CLASS:SCORE of all of them (probabilities, scores)",
       Types::choice<PredictAs>(&Configuration::predict_as, {{"label", PredictAs::kLabel},
                                                             {"probabilities", PredictAs::kProbabilities},
                                                             {"scores", PredictAs::kScores}}),
       R"(What stream doors reply where labels are classes. label: the most likely class and its probability,
as 'spam 0.93'. probabilities: 'ham:0.07 spam:0.93', those of all classes. scores: the same of the
linear scores, of which probabilities are made: exp(slope * score), as shares of their sum. A class with
a space or a colon in its name is written as a JSON string. /v1/predict has ?predict= for it.)",
       {.rules = {kIsForClasses}, .reload = Reload::kNow}},
  };
}

namespace {

// What is not learned must have been learned before.
bool can_be_frozen(const Configuration& c) {
  return c.learn != Learning::kOff || (c.restore == "auto" ? keeps_state(c) : c.restore != "never");
}
bool tests_what_was_held_out(const Configuration& c) { return c.learn != Learning::kTest || c.hold_out > 0; }
bool has_checkpoints(const Configuration& c) {
  return c.checkpoint_every.count() > 0 || c.checkpoint_examples > 0;
}
// A named checkpoint is read wherever it lies, also where none are written.
bool can_restore(const Configuration& c) {
  return keeps_state(c) || (c.restore != "auto" && c.restore != "never");
}

}  // namespace

std::vector<OptionRow> durability_options() {
  return {
      {"state-directory DIR", "where checkpoints are kept; without it nothing survives a restart",
       Types::text(&Configuration::state_directory), OptionExtras{.example = "/var/lib/glimpse"}},
      {"checkpoint-every TIME = 30s",
       "time between checkpoints",
       Types::duration(&Configuration::checkpoint_every),
       R"(Time between checkpoints (nothing is written while nothing comes in), and examples between them (0:
by time only). What came in since the last checkpoint is lost in a crash, except for input files,
which are read again from there. Learning pauses for about 10 ms per million attributes.)",
       {.rules = {{keeps_state, kNoCheckpoints},
                  {has_checkpoints, "needs --checkpoint-examples N, or there would be no checkpoints"}},
        .reload = Reload::kNow}},
      {"checkpoint-examples N = 0",
       "examples between checkpoints; default 0: by time only",
       Types::whole(&Configuration::checkpoint_examples, 0, 1000000000000000),
       {.rules = {{keeps_state, kNoCheckpoints}}, .reload = Reload::kNow}},
      {"checkpoint-share P% = 50%",
       "of the time, at most so much goes into checkpoints that senders of named sources ask for",
       Types::percent(&Configuration::checkpoint_share),
       R"(Senders of named sources ask for checkpoints between these: at their end, and when half of what they
can keep is not durable. One at a time is made for all who have asked by then, and after each there
is a rest, so that they take at most this share of the time. More: senders through pipes wait less;
less: the disk has more time for others.)",
       {.rules = {{keeps_state, kNoCheckpoints}}, .reload = Reload::kNow}},
      {"checkpoint-keep N = 3",
       "checkpoints kept",
       Types::whole(&Configuration::checkpoint_keep, 1, 1000),
       R"(How many to keep. More than one guards against a disk that damages files.)",
       {.rules = {{keeps_state, kNoCheckpoints}}}},
      {"restore WHICH = auto",
       "auto (default: the newest), never, or a checkpoint's path",
       Types::text(&Configuration::restore).with_choices({"auto", "never"}),
       R"(auto: the newest that verifies and can be restored. never: start from nothing. A path: that
checkpoint.)",
       {.rules = {{can_restore, kNoCheckpoints}}}},
      {"learn WHETHER = auto",
       "on, off (labelled examples are evaluated and counted, and nothing is learned), test (on, and at the "
       "end the model is evaluated with those of --hold-out), or auto (default): as the checkpoint says",
       Types::choice<Learning>(&Configuration::learn, {{"auto", Learning::kAuto},
                                                       {"on", Learning::kOn},
                                                       {"off", Learning::kOff},
                                                       {"test", Learning::kTest}}),
       R"(Whether labelled examples are learned from. off: the model of the checkpoint answers and stays as it
is; labelled examples are predicted, and counted with their error, and their sources go on behind
them. test: as on, and when the inputs have ended the model predicts the examples that 'hold-out' kept from it,
or of more than fit into 64 MiB some; they count as those that come while it is frozen. on:
they are learned from, also where the checkpoint was made while nothing was. auto: as the
checkpoint says, on where there is none. POST /v1/freeze and /v1/unfreeze change it at run time;
checkpoints keep that, and at the next start on or off wins over it.)",
       {.rules = {{can_be_frozen,
                   "needs a checkpoint to answer from: --state-directory DIR, or --restore with a path"},
                  {tests_what_was_held_out, "needs --hold-out"}}}},
  };
}

namespace {

constexpr const char* kNoFleet = "has no effect without --fleet GROUP";
constexpr std::string_view kScheme = "kafka://";

bool is_fleet(const Configuration& c) { return !c.fleet.group.empty(); }
bool reads_one_topic(const Configuration& c) {
  return c.inputs.size() == 1 && c.inputs.front().starts_with(kScheme);
}
bool keeps_no_state(const Configuration& c) { return c.state_directory.empty(); }
bool restores_nothing(const Configuration& c) { return c.restore == "auto" || c.restore == "never"; }
// Their states merge (MERGING.md).
bool merges(const Configuration& c) {
  const std::string& name = c.learner.algorithm;
  return c.learner.products == 0 && name != "aer" && name != "apple";
}
bool has_no_limit(const Configuration& c) { return !c.spending.attributes && !c.spending.cost; }
bool learns(const Configuration& c) { return c.learn == Learning::kAuto; }
bool is_not_strict(const Configuration& c) { return !c.strict; }
bool knows_attributes(const Configuration& c) {
  return c.learner.dimension > 0 || !c.attributes_file.empty();
}

// As Kafka permits names of topics, of which the group's is a part.
Result<std::string> parse_name(const std::string& text) {
  const bool is_plain = !text.empty() && text.size() <= 200 && text != "." && text != ".." &&
                        std::ranges::all_of(text, [](char c) {
                          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                 c == '.' || c == '_' || c == '-';
                        });
  if (is_plain) return text;
  return failure(ErrorCode::kInvalidOption, "must be 1 to 200 of letters, digits, '.', '_' and '-'");
}

OptionMember of_fleet(const auto& member) { return {&Configuration::fleet, member}; }

}  // namespace

std::vector<OptionRow> fleet_options() {
  return {
      {"fleet GROUP",
       "learns from --input kafka://… together with all others of this group",
       Types::parsed(of_fleet(&FleetOptions::group), "", parse_name),
       R"(One instance of a fleet: those with the same group share the topic of 'input', each learns from the
partitions that it is given, and each answers with the model of all. State is kept in a topic of the
same brokers, so there is no state-directory; doors answer, and teach nothing. How many attributes
there are is told by dimension or attributes. See daemon/fleet/FLEET.md.)",
       {.example = "sales",
        .rules =
            {{reads_one_topic, "needs one --input kafka://HOST:PORT/TOPIC, and no other"},
             {keeps_no_state, "keeps its state in a topic: --state-directory has no place beside it"},
             {restores_nothing, "keeps its state in a topic: --restore PATH has no place beside it"},
             {merges, "folds the states of partitions, which those of aer, apple and --products cannot be"},
             {has_no_limit,
              "has no limit of its own to what is bought: --total-budget and --total-cost are of one "
              "learner"},
             {learns, "has no --learn: its doors teach nothing, and its topic does"},
             {is_not_strict,
              "has no --strict: a record that cannot be read would end every instance that comes to it; such "
              "records are counted in refused_records"},
             {knows_attributes, "needs --attributes FILE or --dimension D, so that all instances agree"}}}},
      {"fleet-states TOPIC = GROUP-states",
       "the topic of the fleet's states; it is made where it is not there",
       Types::parsed(of_fleet(&FleetOptions::states), "", parse_name),
       R"(The topic that holds the state of each partition, compacted, with as many partitions as the input.
It is made where it is not there. Give a fleet that is to start from nothing another group.)",
       {.rules = {{is_fleet, kNoFleet}}}},
      {"fleet-commit-every TIME = 10s",
       "time between a partition's states in their topic, and so how old the fleet's model gets",
       Types::duration(of_fleet(&FleetOptions::commit_every)),
       R"(Time between the states of a partition in their topic. So old does the fleet's model get, and so
much is learned again by another instance where one is killed; each state is written whole.)",
       {.rules = {{is_fleet, kNoFleet},
                  {+[](const Configuration& c) { return c.fleet.commit_every.count() > 0; },
                   "must be above 0"}}}},
      {"fleet-session TIME = 10s",
       "how long an instance may be silent before its partitions are given to others",
       Types::duration(of_fleet(&FleetOptions::session)),
       R"(How long an instance may be silent before the brokers give its partitions to others: what it had
not committed is learned again there. At least what the brokers allow (group.min.session.timeout.ms,
6s by default), and at most what they allow (group.max.session.timeout.ms, 30m by default).)",
       {.rules = {{is_fleet, kNoFleet},
                  {+[](const Configuration& c) {
                     return c.fleet.session >= std::chrono::seconds(1) &&
                            c.fleet.session <= std::chrono::minutes(30);
                   },
                   "must be from 1s to 30m, the most that brokers allow by default "
                   "(group.max.session.timeout.ms)"}}}},
      {"fleet-instance NAME",
       "a name of this instance alone: it keeps its partitions where it comes back within a session",
       Types::parsed(of_fleet(&FleetOptions::instance), "", parse_name),
       R"(A name that no other instance of the group has (group.instance.id). One that comes back within
'fleet-session' has its partitions again, and no other instance is disturbed.)",
       {.example = "machine-1", .rules = {{is_fleet, kNoFleet}}}},
      {"fleet-address TEXT",
       "where this instance answers, as the others tell it; its first --http door without it",
       Types::text(of_fleet(&FleetOptions::address)),
       R"(Where this instance answers, HOST:PORT or http(s)://HOST:PORT. The others show it in /v1/status and
on the page as the owner of its partitions, and send those there who ask for plans of these. Without
it: the first TCP door of 'http', with the machine's name where that is open to all addresses.)",
       {.example = "machine-1.example:9317",
        .rules = {{is_fleet, kNoFleet},
                  {+[](const Configuration& c) { return c.fleet.address.size() <= 255; },
                   "must have at most 255 bytes"}}}},
      {"fleet-state-limit SIZE = 1GiB",
       "the largest state of a partition that goes into messages",
       Types::bytes(of_fleet(&FleetOptions::most_state_bytes)),
       R"(The largest state of a partition that goes into messages of the topic of states. A larger one goes
to 'fleet-state-folder', and is refused where there is none. The same on all instances.)",
       {.rules = {{is_fleet, kNoFleet}}}},
      {"fleet-state-folder PATH",
       "a folder that all instances share, for states beyond --fleet-state-limit",
       Types::text(of_fleet(&FleetOptions::state_folder)),
       R"(A folder that all instances of the fleet share, and no other fleet does: a state beyond
'fleet-state-limit' is a file there, and the topic of states holds its name, size and checksum. A file
that is renamed must be seen by all at once. Files that no message names any more are removed.)",
       {.example = "/srv/glimpse/sales", .rules = {{is_fleet, kNoFleet}}}},
  };
}

namespace {
bool is_long_enough(const Configuration& c) { return c.history == 0 || c.history >= 16; }
}  // namespace

std::vector<OptionRow> general_options() {
  return {
      {"progress", "print a table of progress (default: when standard error is a terminal)",
       Types::flag(&Configuration::progress)},
      {"history N = 2000",
       "samples of its progress that are kept for GET /v1/history; 0: none",
       Types::whole(&Configuration::history, 0, History::kMost),
       R"(How many samples of its progress are kept, in memory and in checkpoints, for GET /v1/history. They
always go from the first example to now: once there are too many, those go that lie closest on a
log axis of examples, and the newest quarter stays as it came. One takes 224 bytes in a checkpoint
and twice that in memory. 0: none is taken.)",
       {.rules = {{is_long_enough, "must be 0, or at least 16"}}}},
      {"threads N = 0",
       "threads that read records and learn from them; default 0: as many as there are cores",
       Types::whole(&Configuration::threads, 0, 256),
       R"(How many threads read records and learn from them: one learns. The others find the values of the
attributes that it will look at, in the lines to come, and all values of lines that ask for
predictions, as long as that makes the stream faster. They help it to add up the products of pairs of
attributes (pairwise and pairwise-screened, from 12 attributes an example on). The model is the same
to the bit for every number. 1: the thread that learns reads everything. 0: as many as there are
cores. Each takes up to 8 MiB of memory. Files, sockets, solving and HTTP have threads of their own beside these.)"},
      {"log-level LEVEL = info",
       "debug, info (default), warning or error",
       Types::choice<std::string>(
           &Configuration::log_level,
           {{"debug", "debug"}, {"info", "info"}, {"warning", "warning"}, {"error", "error"}}),
       {.reload = Reload::kNow}},
  };
}

}  // namespace glimpse
