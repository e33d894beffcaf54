#include <algorithm>

#include "base/numbers.h"
#include "daemon/config/option_table.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

using Types = OptionKind;

bool has_door(const Configuration& c) { return !c.listen.empty() || has_http(c); }
template <class Is>
bool has_door_that(const Configuration& c, const Is& is) {
  return std::any_of(c.listen.begin(), c.listen.end(), is) || std::any_of(c.http.begin(), c.http.end(), is);
}
bool has_tcp(const Configuration& c) {
  return has_door_that(c, [](const Address& address) { return address.kind != Address::Kind::kUnix; });
}
bool has_unix(const Configuration& c) {
  return has_door_that(c, [](const Address& address) { return address.kind == Address::Kind::kUnix; });
}
bool needs_no_door(const Configuration& c) { return !c.serve || has_door(c); }
bool has_tokens(const Configuration& c) { return !c.allow_remote || !c.token_file.empty(); }
bool has_tls_key(const Configuration& c) { return !c.tls_key.empty(); }
bool has_tls_certificate(const Configuration& c) { return !c.tls_certificate.empty(); }
std::ptrdiff_t standard_inputs(const Configuration& c) {
  return std::count(c.inputs.begin(), c.inputs.end(), "-");
}
bool reads_stdin(const Configuration& c) { return standard_inputs(c) > 0; }
bool reads_stdin_once(const Configuration& c) { return standard_inputs(c) <= 1; }
bool reads_topic(const Configuration& c) {
  return std::ranges::any_of(c.inputs,
                             [](const std::string& input) { return input.starts_with("kafka://"); });
}
bool reads_file(const Configuration& c) {
  return std::ranges::any_of(
      c.inputs, [](const std::string& input) { return input != "-" && !input.starts_with("kafka://"); });
}
bool reads_lines_again(const Configuration& c) { return reads_file(c) || !c.stdin_source.empty(); }
bool may_be_svmlight(const Configuration& c) {
  return c.format == Format::kAuto || c.format == Format::kSvmlight;
}
bool has_pairs(const Configuration& c) {
  return keeps_pairs(c.learner.algorithm) || c.learner.algorithm == kAutomatic;
}

Status read_source_name(const std::string& text, Configuration& c) {
  if (const Status status = check_source_name("--stdin-source", text); !status)
    return failure(ErrorCode::kInvalidOption, "{}", status.error().message);
  c.stdin_source = text;
  return {};
}

// Port 0 is another one each time.
bool is_among(const std::vector<Address>& doors, const Address& address) {
  return (address.kind != Address::Kind::kTcp || address.port != "0") &&
         std::find(doors.begin(), doors.end(), address) != doors.end();
}

// A door that the unit and the file both name is one door.
Status add_door(const char* option, const std::string& text, std::vector<Address>& doors) {
  GLIMPSE_TRY_ASSIGN(const auto address, parse_address(option, text));
  if (!is_among(doors, address)) doors.push_back(address);
  return {};
}

Status read_listen(const std::string& text, Configuration& c) { return add_door("listen", text, c.listen); }
Status read_http(const std::string& text, Configuration& c) {
  GLIMPSE_TRY(add_door("http", text, c.http));
  if (!is_among(c.listen, c.http.back())) return {};
  return invalid_option("http", text, "is a --listen door already; each door needs an address of its own");
}

Status read_grid(const std::string& text, Configuration& c) {
  constexpr std::size_t kMost = 65536;  // a side
  std::string_view rest = text;
  const auto columns = take_number<std::size_t>(rest);
  const bool has_rows = columns && rest.starts_with('x');
  if (has_rows) rest.remove_prefix(1);
  const auto rows = has_rows ? take_number<std::size_t>(rest) : std::nullopt;
  const auto is_side = [](std::size_t side) { return side >= 1 && side <= kMost; };
  if (!rows || !rest.empty() || !is_side(*columns) || !is_side(*rows))
    return invalid_option("attribute-grid", text, "must be COLUMNSxROWS, as 28x28, each from 1 to 65536");
  c.grid = AttributeGrid{*columns, *rows};
  return {};
}

Result<Format> parse_format_option(std::string_view text) {
  const auto format = parse_format(text);
  if (!format)
    return failure(ErrorCode::kInvalidOption,
                   "must be one of auto, svmlight, vw, csv, ndjson, f32, npy, arff");
  return format;
}

Status read_clip(const std::string& text, Configuration& c) {
  GLIMPSE_TRY_ASSIGN(c.clip, parse_clip(text));
  return {};
}

Status read_hold_out(const std::string& text, Configuration& c) {
  constexpr const char* kMust = "must be a percentage above 0% and up to 50%, as 1% or 0.5%";
  std::string_view rest = text;
  const auto percent = take_number<double>(rest);
  if (rest != "%" || !percent || !(*percent > 0 && *percent <= 50))
    return invalid_option("hold-out", text, kMust);
  c.hold_out = *percent / 100;
  return {};
}

}  // namespace

std::vector<OptionRow> door_options() {
  return {
      {"input -|FILE|TOPIC",
       "read examples from standard input, a file or a topic, kafka://HOST:PORT/TOPIC; may be repeated: "
       "files are read in the order given",
       Types::texts(&Configuration::inputs),
       R"(Examples from standard input (-), a file, or a topic of Kafka, kafka://HOST:PORT[,HOST:PORT]/TOPIC;
may be repeated. A file and each partition of a topic resume where the checkpoint left them. Several
files are read one after another in the order given, and give the same model each time; pipes and
topics are read beside them as they come, in no certain order.)",
       {.example = "-", .rules = {{reads_stdin_once, "standard input can be given once only"}}}},
      {"last-line WHAT = learn",
       "a file's last line that has no newline: learn it (default), or wait until it has ended",
       Types::choice<bool>(&Configuration::waits_for_line_end, {{"learn", false}, {"wait", true}}),
       R"(The last line of an 'input' file that has no newline: the end of the file ends it (learn), or it is
left for a later start, once it has ended (wait), for files that are still being written. Where a file
goes on within a line that was learned, the rest of that line is skipped with a warning. Rows of f32
and npy always wait until they are whole. The same holds for a named stdin-source; the last line of other
pipes is always read.)",
       {.rules = {{reads_lines_again, "has no effect without --input FILE or --stdin-source"}}}},
      {"replaced-input WHAT = report",
       "a file that was cut short or replaced since the checkpoint: report (default), or read it "
       "from its beginning",
       Types::choice<bool>(&Configuration::reads_replaced, {{"report", false}, {"read", true}}),
       R"(An 'input' file that is not the one that the checkpoint had read (cut short, replaced, rotated) is
reported and not read, while all else works (report), or read from its beginning with the model as it
is (read). A file that was renamed and is given under its new name goes on where it was either way.)",
       {.rules = {{keeps_state, kNoCheckpoints}, {reads_file, "has no effect without --input FILE"}}}},
      {"kafka-property NAME=VALUE",
       "a property of librdkafka for topics, as security.protocol=ssl; secrets as NAME=@FILE; may "
       "be repeated",
       Types::texts(&Configuration::kafka_properties),
       R"(A property of librdkafka for the topics of 'input', as its CONFIGURATION.md has them: TLS, SASL,
buffers, time-outs; may be repeated. A secret (sasl.password, ssl.key.password,
ssl.keystore.password) is given by a file, NAME=@FILE, which nobody but owner and group may read.
Some are glimpse's own and refused, as group.id and auto.offset.reset: positions are kept in
checkpoints, and no message is skipped without a word.)",
       {.example = "security.protocol=sasl_ssl\nsasl.mechanisms=PLAIN\nsasl.username=glimpse\n"
                   "sasl.password=@/etc/glimpse/kafka-password",
        .rules = {{reads_topic, "has no effect without --input kafka://HOST:PORT/TOPIC"}}}},
      {"kafka-lost WHAT = stop",
       "where a topic's retention removed messages that were not learned: stop (default), or skip "
       "them",
       Types::choice<bool>(&Configuration::skips_lost, {{"stop", false}, {"skip", true}}),
       R"(What happens where a topic's retention removed messages before they were learned: reading of that
topic stops with an error that tells which (stop), or goes on behind them with a warning (skip).)",
       {.rules = {{reads_topic, "has no effect without --input kafka://HOST:PORT/TOPIC"},
                  {+[](const Configuration& c) { return c.fleet.group.empty(); },
                   "has no place in a fleet (--fleet), which stops there"}}}},
      {"stdin-source NAME",
       "standard input is this source, always from its beginning: what the restored state holds "
       "of it is skipped",
       Types::custom(read_source_name, {&Configuration::stdin_source}),
       R"(A name for what standard input brings, which is then the same stream at every start, from its
beginning: what the restored state holds of it is skipped, so that after a crash the producer is
simply started again. Needs input = - and state-directory; no connection may carry the same name
meanwhile.)",
       {.example = "NAME",
        .rules = {{keeps_state, kNoCheckpoints}, {reads_stdin, "has no effect without --input -"}}}},
      {"listen ADDRESS", "stream door: tcp:HOST:PORT, unix:PATH or systemd:NAME; may be repeated",
       Types::custom(read_listen, {&Configuration::listen}).repeated(),
       R"(Where examples come in: tcp:HOST:PORT, unix:PATH or systemd:NAME; may be repeated. Labelled lines
are learned from, others answered. Loopback addresses only, unless 'allow-remote' says otherwise. A
connection that begins with '#glimpse source=NAME' is told how much of that stream is inside already
('resume N') and what of it survives ('durable N'): see daemon/stream/SOURCES.md, and glimpsectl
send.)",
       OptionExtras{.example = "unix:/run/glimpse/stream.sock\ntcp:127.0.0.1:9317"}},
      {"http ADDRESS", "HTTP door: HOST:PORT, unix:PATH or systemd:NAME; may be repeated",
       Types::custom(read_http, {&Configuration::http}).repeated(),
       R"(The HTTP API and /metrics: HOST:PORT, unix:PATH or systemd:NAME; may be repeated, as for Prometheus
on TCP beside the Unix socket of the systemd unit. Tokens, TLS and limits hold for each.)",
       OptionExtras{.example = "unix:/run/glimpse/http.sock\n127.0.0.1:9318"}},
      {"page on|off = on",
       "whether GET / of the HTTP door is a page for people",
       Types::choice<bool>(&Configuration::page, {{"on", true}, {"off", false}}),
       R"(Whether GET / of the HTTP door is a page that shows how learning goes. The page itself needs no
token and holds no data; what it shows it asks for, with the token that is typed into it.)",
       {.rules = {{has_http, "has no effect without --http ADDRESS"}}}},
      {"attribute-grid COLUMNSxROWS",
       "attributes are the pixels of a picture, row by row, as 28x28: the page draws them so",
       Types::custom(read_grid, {&Configuration::grid}),
       R"(Attributes are the pixels of a picture, row by row: attribute 0 is at the top left, attribute COLUMNS
begins the second row. The page draws where it looks, and the weights, as such pictures. There must
be as many cells as attributes. Nothing else depends on it.)",
       {.example = "28x28", .rules = {{has_http, "has no effect without --http ADDRESS"}}}},
      {"serve",
       "keep serving after the last --input has ended, or could not be read on",
       Types::flag(&Configuration::serve),
       R"(Keep serving after the last input has ended, or could not be read on (on; then the exit status is 1
in the end), or finish with a checkpoint and a summary (off).)",
       {.rules = {{needs_no_door, "needs a door to serve: --listen or --http"}}}},
      {"allow-remote",
       "open TCP doors on other addresses than loopback ones; needs --token-file",
       Types::flag(&Configuration::allow_remote),
       R"(Open TCP doors on addresses that other machines reach (on), or on loopback ones only (off). Needs
'token-file', and should have 'tls-cert'. Under systemd the unit's IPAddressDeny= and
IPAddressAllow= must say the same (systemctl edit glimpsed).)",
       {.rules = {{has_tokens, "needs --token-file FILE: who comes from elsewhere must prove who it is"}}}},
      {"token-file FILE",
       "on TCP doors a token is needed: lines 'read TOKEN', 'learn TOKEN' and 'write TOKEN'; "
       "default: nobody "
       "needs one",
       Types::text(&Configuration::token_file),
       R"(Who may come in. Lines 'read TOKEN' (predictions, the model, moments, checkpoints, plans, status,
metrics), 'learn TOKEN' (that, and what who brings examples needs: learning, asking, telling, making
checkpoints) and 'write TOKEN' (everything: also freezing the model, and choosing the one that
answers); a token has 16 to 256 printable characters ('openssl rand -hex 24' makes one), and nobody
but owner and group may read the file. With it every client on TCP, loopback too,
must show one: 'Authorization: Bearer TOKEN' on HTTP, a first line '#glimpse token=TOKEN' on a
stream. /healthz and /readyz need none. On Unix sockets the file's permissions decide, and a token
is needed only to be allowed less. Default: who can connect may do everything. SIGHUP reads it
again.)",
       {.example = "/etc/glimpse/tokens",
        .rules = {{has_door, "has no effect without a door: --listen or --http"}},
        .reload = Reload::kNamedFile}},
      {"socket-group GROUP",
       "who may use Unix sockets beside their owner; default: the process' group",
       Types::text(&Configuration::socket_group),
       R"(Unix sockets are for their owner and group (mode 0660). Which group: default the process' own.)",
       {.example = "glimpse", .rules = {{has_unix, "has no effect without a door unix:PATH"}}}},
      {"tls-cert FILE",
       "TLS on the TCP doors: the certificate and those behind it, PEM",
       Types::text(&Configuration::tls_certificate),
       R"(TLS 1.2 and 1.3 on the TCP doors: PEM files of the certificate (with those that lead to an authority
behind it) and of its key. Costs two more descriptors for each connection and another copy of every
byte. SIGHUP reads the files again, for connections that come from then on. The key has no
passphrase, and nobody but owner and group may read its file.)",
       {.example = "/etc/glimpse/certificate.pem",
        .rules = {{has_tls_key, "needs --tls-key FILE"}, {has_tcp, "has no effect without a TCP door"}},
        .reload = Reload::kFile}},
      {"tls-key FILE",
       "and its private key, PEM",
       Types::text(&Configuration::tls_key),
       {.example = "/etc/glimpse/key.pem",
        .rules = {{has_tls_certificate, "needs --tls-cert FILE"}},
        .reload = Reload::kFile}},
      {"format F = auto", "auto (default), svmlight, vw, csv, ndjson, f32, npy or arff",
       Types::parsed(&Configuration::format, "", parse_format_option).with_choices(format_names()),
       R"(auto tells svmlight, vw, csv and ndjson apart by a sample of the first input; of connections, by the first
line that is of one alone. f32 (binary rows) and npy (the same behind the header of numpy.save) must be named. arff,
with a header of its own, is read as csv is.)"},
      {"index-base 0|1 = 1",
       "what svmlight calls the first attribute",
       Types::whole(&Configuration::index_base, 0, 1),
       {.rules = {{may_be_svmlight, "is for --format svmlight or auto only"}}}},
      {"absent WHAT = auto",
       "what an object of JSON does not give: unknown, zero, or auto (default: unknown where every "
       "attribute has a fixed name)",
       Types::choice<Absent>(
           &Configuration::absent,
           {{"auto", Absent::kAuto}, {"unknown", Absent::kUnknown}, {"zero", Absent::kZero}}),
       R"(What an attribute is that an object of JSON (ndjson) does not give: unknown, as null, or zero, for
sparse data. auto: unknown where every attribute has a fixed name, by --attributes, a header or the first record;
a name that is not known is refused then. Else zero.)"},
      {"validate WHICH = planned",
       "of a labelled line, the planned values must be readable (planned, default) or all of them (full)",
       Types::choice<bool>(&Configuration::validate_full, {{"planned", false}, {"full", true}}),
       R"(What must be readable of a labelled line before it is learned from: what finding the planned values
needs, and these (planned); or every value (full), at the price of reading them all.
lib/data/FORMATS.md says what is noticed when, format by format.)"},
      {"replies WHICH = unlabelled", "reply to unlabelled lines (default), all or none",
       Types::choice<Replies>(
           &Configuration::replies,
           {{"unlabelled", Replies::kUnlabelled}, {"all", Replies::kAll}, {"none", Replies::kNone}}),
       R"(Who gets a reply: unlabelled lines; all, as vw --daemon does (then each labelled line is read whole,
to predict it first, and no sample decides how tables are read: sample-records); or none.)"},
      {"hold-out SHARE",
       "share of the labelled records, as 1%, that are predicted whole and never learned: their "
       "loss and R2 are shown beside the progressive ones (default: none)",
       Types::custom(read_hold_out, {&Configuration::hold_out}),
       R"(The share of the labelled records of all doors that are held out: looked at whole, predicted by the
model that judges then, counted apart, and never learned. Which they are is decided by a hash of the
record's number among all, so it is the same through every door and after a restart. Their loss and
R2, with standard errors, are in /v1/status, /metrics, the table of progress and the summary. Plans
that are asked for (POST /v1/plan) are not held out.)",
       OptionExtras{.example = "1%"}},
      {"recent N = 1000", "the recent losses, R2 and shares are of the last N examples",
       Types::whole(&Configuration::recent, 1, 1000000000000),
       R"(What is called recent, in the log, /v1/status, /metrics and on the page, is of the last N examples,
and up to a tenth more: of those learned from, or that came while frozen. Of the records held out it
is as many as are held out of N. It begins again when --drift auto notices a change. It changes
nothing that is learned; another value holds after a restart, for what comes then.)"},
      {"clip WHICH = auto",
       "clip predictions to the labels learned from (auto, default; pairwise: and attributes to "
       "1.5 times the largest value seen, wild values to the mean), to LO:HI, or not (off)",
       Types::custom(read_clip, {&Configuration::clip}).with_choices({"auto", "off"}),
       R"(Predictions on every door are clipped: to the smallest and the largest label learned from so far
(auto; they are label_min and label_max in /v1/status, are kept over restarts, and nothing is
clipped before the first); to a range LO:HI, as in 'clip = -1:1'; or not at all (off), which answers
bias + <weights, x> of /v1/model. Clipping to the right range only lowers the loss. But auto holds
predictions back where the labels to come will lie beyond those seen, and its range never shrinks:
after one wild label it protects from nothing. LO:HI does, where the range is known. With auto,
pairwise and pairwise-screened also take a value beyond 1.5 times the largest absolute one that they
saw of its attribute for that: a weight found among values up to 8 may be hundreds of times too long
for one of 2000. A value that learning would leave out as wild ('outliers') counts as the
attribute's mean. Learning, the model and the progressive loss are never clipped, but apple's, which
are always: to the labels so far.)",
       {.reload = Reload::kNow}},
      {"solver WHERE = auto",
       "pairwise and pairwise-screened solve for their model inline (the same predictions each "
       "time), in the background (nobody waits), or auto (default): in the background where "
       "there is a door and more than 128 attributes",
       Types::choice<SolverPlace>(&Configuration::solver, {{"auto", SolverPlace::kAuto},
                                                           {"inline", SolverPlace::kInline},
                                                           {"background", SolverPlace::kBackground}}),
       R"(Where pairwise and pairwise-screened solve for their model. inline: the trainer does, before a
prediction whose model lacks 2 % of the examples, and for each GET /v1/model; learning stands still
meanwhile (784 attributes: some 10 ms; 4096: a quarter of a second), and the same input, read in one
run, gets the same predictions every time. background: a thread of its own does, from a copy, at a
lower priority; predictions and GET /v1/model take the newest model, which tells its age, and
neither they nor learning wait, except for the very first one. It takes at most about a quarter of
a core while examples come in and the trainer's copying a tenth of its time; a stream that pauses
gets a model of its last example. Predictions then depend on how fast things go; GET
/v1/model?fresh=true does not, on a stream that stands still. The models that judge, of fixed counts
of examples, are the same either way. A thread of its own solves for them, with inline where there
is more than one processor and more than 128 attributes, and learning waits only where one is not
there when it is to judge. auto: background where there is a door (listen or http) and more than 128
attributes; inline where pipes and files alone are read, or a solution takes less than a
millisecond.)",
       {.rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}}},
      {"strict", "stop at the first line that cannot be read; else it is counted, logged and left out",
       Types::flag(&Configuration::strict)},
  };
}

}  // namespace glimpse
