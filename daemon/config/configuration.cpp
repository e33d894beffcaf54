#include "daemon/config/configuration.h"

#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <sstream>

#include <boost/program_options.hpp>

#include "base/option_words.h"
#include "daemon/config/described_options.h"
#include "daemon/config/option_rules.h"
#include "base/units.h"
#include "daemon/training/source_name.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

// Takes options out of a variables_map one by one and remembers the first error.
class Reader {
 public:
  explicit Reader(const po::variables_map& variables) : variables_(variables) {}

  const Status& status() const { return status_; }

  bool flag(const char* name) const { return variables_.count(name) > 0; }

  std::vector<std::string> list(const char* name) const {
    return variables_.count(name) > 0 ? variables_[name].as<std::vector<std::string>>()
                                      : std::vector<std::string>{};
  }

  /// Calls `take` with the option's value; an Error it returns is the reader's.
  template <class Take>
  void with(const char* name, const Take& take) {
    if (!status_ || variables_.count(name) == 0) return;
    if (const Status status = take(variables_[name].as<std::string>()); !status) status_ = status;
  }

  void text(const char* name, std::string& target) {
    with(name, [&](const std::string& value) -> Status {
      if (value.empty()) return invalid_option(name, "''", "must not be empty");
      target = value;
      return {};
    });
  }

  template <class T>
  void whole(const char* name, T& target, std::uint64_t lowest, std::uint64_t highest) {
    with(name, [&](const std::string& value) -> Status {
      std::uint64_t number = 0;
      const bool digits =
          !value.empty() && value.find_first_not_of("0123456789") == std::string::npos && value.size() < 20;
      if (digits) number = std::stoull(value);
      if (!digits || number < lowest || number > highest)
        return invalid_option(name, value,
                              fmt::format("must be a whole number from {} to {}", lowest, highest));
      if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>) {
        target = number;
      } else {
        target = static_cast<T>(number);
      }
      return {};
    });
  }

  void percent(const char* name, unsigned& target) {
    with(name, [&](const std::string& value) -> Status {
      unsigned number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      const std::string_view rest(end, static_cast<std::size_t>(value.data() + value.size() - end));
      if (error != std::errc() || rest != "%" || number < 1 || number > 100)
        return invalid_option(name, value, "must be a whole number from 1% to 100%");
      target = number;
      return {};
    });
  }

  void real(const char* name, const std::function<void(double)>& take) {
    with(name, [&](const std::string& value) -> Status {
      LearnerOptions scratch;
      if (!parse_step(value, scratch) || scratch.step != StepKind::kNumber)
        return invalid_option(name, value, "must be a number above 0");
      take(scratch.step_number);
      return {};
    });
  }

  template <class T>
  void choice(const char* name, T& target, const std::vector<std::pair<std::string, T>>& choices) {
    with(name, [&](const std::string& value) -> Status {
      std::string names;
      for (const auto& [word, meaning] : choices) {
        if (word == value) {
          target = meaning;
          return {};
        }
        names += (names.empty() ? "" : ", ") + word;
      }
      return invalid_option(name, value, "must be one of " + names);
    });
  }

  void duration(const char* name, std::chrono::milliseconds& target) {
    with(name, [&](const std::string& value) -> Status {
      const auto parsed = parse_duration(value);
      if (!parsed) return invalid_option(name, value, parsed.error().message);
      target = *parsed;
      return {};
    });
  }

  void money(const char* name, std::optional<Money>& target) {
    with(name, [&](const std::string& value) -> Status {
      const auto parsed = parse_money(value);
      if (!parsed) return invalid_option(name, value, parsed.error().message);
      if (*parsed == 0) return invalid_option(name, value, "must be above 0");
      target = *parsed;
      return {};
    });
  }

  void bytes(const char* name, std::size_t& target) {
    with(name, [&](const std::string& value) -> Status {
      const auto parsed = parse_bytes(value);
      if (!parsed) return invalid_option(name, value, parsed.error().message);
      target = *parsed;
      return {};
    });
  }

 private:
  const po::variables_map& variables_;
  Status status_;
};

void read_learner(Reader& reader, LearnerOptions& o) {
  constexpr std::uint64_t kLargest = 1000000000000000000;
  reader.whole("dimension", o.dimension, 1, std::uint64_t{1} << 31);
  reader.whole("budget", o.budget, 1, std::uint64_t{1} << 31);
  reader.text("algorithm", o.algorithm);
  reader.with("step", [&](const std::string& value) { return parse_step(value, o); });
  reader.real("radius", [&](double value) { o.radius = value; });
  reader.whole("horizon", o.horizon, 1, kLargest);
  reader.with("phase1", [&](const std::string& value) { return parse_phase1(value, o); });
  reader.real("phase1-radius", [&](double value) { o.phase1_radius = value; });
  reader.real("phase1-step", [&](double value) { o.phase1_step = value; });
  reader.real("delta", [&](double value) { o.delta = value; });
  reader.with("confidence", [&](const std::string& value) { return parse_confidence(value, o); });
  reader.real("half-norm", [&](double value) { o.half_norm = value; });
  reader.choice<Split>("split", o.split, {{"even", Split::kEven}, {"paper", Split::kPaper}});
  reader.choice<InnerSampling>("inner-sampling", o.inner_sampling,
                               {{"improved", InnerSampling::kImproved}, {"plain", InnerSampling::kPlain}});
  reader.choice<std::optional<Draws>>("draws", o.draws,
                                      {{"separate", Draws::kSeparate}, {"pairs", Draws::kPairs}});
  reader.choice<std::optional<bool>>("control-variates", o.control_variates, {{"on", true}, {"off", false}});
  reader.choice<bool>("bias", o.bias, {{"on", true}, {"off", false}});
  reader.choice<std::optional<Ball>>("ball", o.ball, {{"l2", Ball::kL2}, {"l1", Ball::kL1}});
  reader.bytes("pair-memory", o.pair_memory);
  reader.whole("active", o.active, 2, kLargest);
  reader.whole("half-life", o.half_life, 1, 1000000000000);
  reader.choice<Outliers>("outliers", o.outliers, {{"bound", Outliers::kBound}, {"keep", Outliers::kKeep}});
  reader.real("max-importance", [&](double value) { o.max_importance = value; });
  reader.choice<Drift>("drift", o.drift, {{"off", Drift::kOff}, {"auto", Drift::kAuto}});
  reader.whole("seed", o.seed, 0, kLargest);
}

Status read_doors(Reader& reader, Configuration& c) {
  c.inputs = reader.list("input");
  reader.with("stdin-source", [&](const std::string& value) -> Status {
    if (const Status status = check_source_name("--stdin-source", value); !status)
      return failure(ErrorCode::kInvalidOption, "{}", status.error().message);
    c.stdin_source = value;
    return {};
  });
  for (const std::string& text : reader.list("listen")) {
    const auto address = parse_address("listen", text);
    if (!address) return address.error();
    c.listen.push_back(*address);
  }
  reader.with("http", [&](const std::string& value) -> Status {
    const auto address = parse_address("http", value);
    if (!address) return address.error();
    c.http = *address;
    return {};
  });
  c.serve = reader.flag("serve");
  c.allow_remote = reader.flag("allow-remote");
  reader.text("token-file", c.token_file);
  reader.text("socket-group", c.socket_group);
  reader.text("tls-cert", c.tls_certificate);
  reader.text("tls-key", c.tls_key);
  reader.with("format", [&](const std::string& value) -> Status {
    const auto format = parse_format(value);
    if (!format)
      return invalid_option("format", value, "must be one of auto, svmlight, vw, csv, ndjson, f32, npy");
    c.format = *format;
    return {};
  });
  reader.whole("index-base", c.index_base, 0, 1);
  reader.whole("label-column", c.label_column, 0, std::uint64_t{1} << 31);
  reader.choice<char>("delimiter", c.delimiter, {{",", ','}, {";", ';'}, {"tab", '\t'}, {"space", ' '}});
  reader.choice<bool>("validate", c.validate_full, {{"planned", false}, {"full", true}});
  reader.choice<Replies>(
      "replies", c.replies,
      {{"unlabelled", Replies::kUnlabelled}, {"all", Replies::kAll}, {"none", Replies::kNone}});
  reader.with("clip", [&](const std::string& value) -> Status {
    const auto clip = parse_clip(value);
    if (!clip) return clip.error();
    c.clip = *clip;
    return {};
  });
  reader.choice<SolverPlace>("solver", c.solver,
                             {{"auto", SolverPlace::kAuto},
                              {"inline", SolverPlace::kInline},
                              {"background", SolverPlace::kBackground}});
  c.strict = reader.flag("strict");
  return reader.status();
}

void read_rest(Reader& reader, Configuration& c) {
  reader.text("moments", c.moments_file);
  reader.text("attributes", c.attributes_file);
  reader.text("costs", c.costs_file);
  reader.money("budget-cost", c.learner.budget_cost);
  reader.whole("total-budget", c.spending.attributes, 1, 1000000000000000000);
  reader.money("total-cost", c.spending.cost);
  reader.whole("max-plans", c.max_plans, 1, 100000000);
  reader.duration("plan-ttl", c.plan_ttl);
  reader.text("state-directory", c.state_directory);
  reader.duration("checkpoint-every", c.checkpoint_every);
  reader.whole("checkpoint-examples", c.checkpoint_examples, 0, 1000000000000000);
  reader.percent("checkpoint-share", c.checkpoint_share);
  reader.whole("checkpoint-keep", c.checkpoint_keep, 1, 1000);
  reader.text("restore", c.restore);
  reader.bytes("max-line", c.max_line_bytes);
  reader.bytes("max-header", c.max_header_bytes);
  reader.bytes("max-body", c.max_body_bytes);
  reader.bytes("queue", c.queue_bytes);
  reader.whole("max-connections", c.max_connections, 1, 1000000);
  reader.whole("max-sources", c.max_sources, 1, 1000000);
  reader.whole("max-connections-per-address", c.max_connections_per_address, 0, 1000000);
  reader.whole("max-requests", c.max_requests, 0, 1000000000000);
  reader.bytes("max-opening", c.max_opening_bytes);
  reader.bytes("max-unfinished", c.max_unfinished_bytes);
  reader.bytes("max-unread", c.max_unread_bytes);
  reader.duration("greeting-timeout", c.greeting_timeout);
  reader.duration("http-timeout", c.http_timeout);
  reader.duration("idle-timeout", c.idle_timeout);
  c.progress = reader.flag("progress");
  reader.choice<std::string>(
      "log-level", c.log_level,
      {{"debug", "debug"}, {"info", "info"}, {"warning", "warning"}, {"error", "error"}});
}

Status check_agreement(const Configuration& c) {
  if (c.serve && c.listen.empty() && !c.http)
    return invalid_option("serve", "on", "needs a door to serve: --listen or --http");
  if (c.checkpoint_every.count() == 0 && c.checkpoint_examples == 0 && !c.state_directory.empty())
    return invalid_option("checkpoint-every", "0",
                          "needs --checkpoint-examples N, or there would be no checkpoints");
  if (c.plan_ttl.count() == 0) return invalid_option("plan-ttl", "0", "must be above 0");
  if (constexpr std::size_t kMost = std::size_t{1} << 30; c.max_header_bytes > kMost)
    return invalid_option("max-header", fmt::format("{}", c.max_header_bytes), "must be at most 1GiB");
  if (c.allow_remote && c.token_file.empty())
    return invalid_option("allow-remote", "on",
                          "needs --token-file FILE: who comes from elsewhere must prove who it is");
  if (c.tls_certificate.empty() != c.tls_key.empty())
    return c.tls_key.empty() ? invalid_option("tls-cert", c.tls_certificate, "needs --tls-key FILE")
                             : invalid_option("tls-key", c.tls_key, "needs --tls-cert FILE");
  std::size_t standard_inputs = 0;
  for (const std::string& input : c.inputs) standard_inputs += input == "-" ? 1 : 0;
  if (standard_inputs > 1) return invalid_option("input", "-", "standard input can be given once only");
  if (c.learner.dimension > 0 && c.label_column > c.learner.dimension)
    return invalid_option(
        "label-column", fmt::format("{}", c.label_column),
        fmt::format("a row has --dimension {} columns beside the label", c.learner.dimension));
  return {};
}

// "on", "off" and nothing beside the name of an option without a value, as configuration files write them.
Status insert_flags(po::basic_parsed_options<char>& parsed, const std::string& file) {
  std::vector<po::basic_option<char>> kept;
  for (auto& option : parsed.options) {
    const bool is_flag = option.string_key == "serve" || option.string_key == "strict" ||
                         option.string_key == "progress" || option.string_key == "allow-remote";
    if (is_flag && !option.value.empty()) {
      const std::string value = option.value.front();
      if (value == "off") continue;
      if (value != "on" && !value.empty())
        return failure(ErrorCode::kInvalidOption, "{}: {} = {}: must be on or off", file, option.string_key,
                       value);
      option.value.clear();
    }
    kept.push_back(option);
  }
  parsed.options = kept;
  return {};
}

}  // namespace

bool solves_in_background(const Configuration& c) {
  if (c.solver == SolverPlace::kAuto)
    return c.learner.dimension > kSolvedAtOnce && (!c.listen.empty() || c.http.has_value());
  return c.solver == SolverPlace::kBackground;
}

Result<Invocation> parse_command_line(const std::vector<std::string>& arguments) {
  const po::options_description options = described_options();
  po::variables_map variables;
  std::string file;
  for (const std::string& word : arguments)
    if (word.starts_with('-') && holds_placeholder(word))
      return failure(ErrorCode::kInvalidOption, "unrecognised option '{}'", word);
  try {
    po::options_description all;
    all.add(options).add_options()("arguments", po::value<std::vector<std::string>>());
    po::store(po::command_line_parser(arguments)
                  .options(all)
                  .positional(po::positional_options_description().add("arguments", -1))
                  .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
                  .run(),
              variables);
    if (variables.count("arguments") > 0)
      return failure(
          ErrorCode::kInvalidOption,
          "argument '{}': there are options alone, which begin with --; one that is on or off takes "
          "no value here",
          variables["arguments"].as<std::vector<std::string>>().front());
    if (variables.count("config") > 0) {
      file = variables["config"].as<std::string>();
      std::ifstream stream(file);
      if (!stream) return invalid_option("config", file, "cannot be read");
      std::stringstream lines;
      std::string line;
      for (std::size_t number = 1; std::getline(stream, line); ++number) {
        if (holds_placeholder(line))
          return failure(ErrorCode::kInvalidOption, "{}: line {}: unrecognised option '{}'", file, number,
                         line);
        lines << line << '\n';
      }
      auto parsed = po::parse_config_file(lines, options);
      if (const Status status = insert_flags(parsed, file); !status) return status.error();
      po::store(parsed, variables);
    }
  } catch (const po::error& error) {
    return failure(ErrorCode::kInvalidOption, "{}{}", file.empty() ? "" : file + ": ", error.what());
  }

  Invocation invocation;
  if (variables.count("help") > 0 || variables.count("version") > 0) {
    invocation.action =
        variables.count("help") > 0 ? Invocation::Action::kHelp : Invocation::Action::kVersion;
    return invocation;
  }
  Configuration& c = invocation.configuration;
  Reader reader(variables);
  read_learner(reader, c.learner);
  if (const Status status = read_doors(reader, c); !status) return status.error();
  read_rest(reader, c);
  if (!reader.status()) return reader.status().error();
  if (c.inputs.empty() && c.listen.empty() && !c.http) c.inputs.push_back("-");
  if (const Status status = check_agreement(c); !status) return status.error();
  const auto given = [&](const char* name) {
    return variables.count(name) > 0 ? &variables[name].as<std::string>() : nullptr;
  };
  resolve_algorithm(c, given);
  if (const Status status = check_effects(c, given); !status) return status.error();
  return invocation;
}

std::string help_text() {
  std::ostringstream out;
  out << "glimpsed learns a linear model from a stream while looking at a few attributes of each example.\n\n"
         "  producer | glimpsed --dimension 784 --budget 57 --state-directory state\n"
         "  glimpsed --dimension 784 --budget 57 --listen tcp:127.0.0.1:9317 --http 127.0.0.1:9318\n\n"
         "Labelled examples are learned from, unlabelled ones answered with a prediction. Every option may "
         "stand in the\n"
         "file of --config as 'name = value'; conf/glimpsed.conf lists them all with their trade-offs.\n"
      << described_options()
      << "\nExit status: 0 done; 1 failed while running or could not start; 2 the options are wrong.\n";
  return out.str();
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  const po::options_description described =
      described_options();  // the range-for below keeps no temporary alive
  for (const auto& option : described.options())
    if (option->long_name() != "help" && option->long_name() != "version" && option->long_name() != "config")
      names.push_back(option->long_name());
  return names;
}

std::vector<std::string> apply_changes(Configuration& running, const Configuration& wanted) {
  running.log_level = wanted.log_level;
  running.clip = wanted.clip;
  running.checkpoint_every = wanted.checkpoint_every;
  running.checkpoint_examples = wanted.checkpoint_examples;
  running.checkpoint_share = wanted.checkpoint_share;
  running.max_connections = wanted.max_connections;
  running.max_connections_per_address = wanted.max_connections_per_address;
  running.max_requests = wanted.max_requests;
  running.max_unfinished_bytes = wanted.max_unfinished_bytes;
  running.max_unread_bytes = wanted.max_unread_bytes;
  running.greeting_timeout = wanted.greeting_timeout;
  running.http_timeout = wanted.http_timeout;
  running.idle_timeout = wanted.idle_timeout;

  std::vector<std::string> fixed;
  const auto compare = [&](const char* name, bool same) {
    if (!same) fixed.emplace_back(name);
  };
  // A file that was cut short while it was written must not open doors that were locked.
  if (wanted.token_file.empty() && !running.token_file.empty()) {
    fixed.emplace_back("token-file, which the configuration names no more,");
  } else {
    running.token_file = wanted.token_file;
  }
  const auto texts = [](const std::vector<Address>& addresses) {
    std::string all;
    for (const Address& address : addresses) all += address.text() + "\n";
    return all;
  };
  compare("the learner's options", describe(running.learner) == describe(wanted.learner) &&
                                       running.learner.seed == wanted.learner.seed);
  compare("moments", running.moments_file == wanted.moments_file);
  compare("attributes", running.attributes_file == wanted.attributes_file);
  compare("costs", running.costs_file == wanted.costs_file &&
                       running.learner.budget_cost == wanted.learner.budget_cost &&
                       running.spending.attributes == wanted.spending.attributes &&
                       running.spending.cost == wanted.spending.cost);
  compare("plans", running.max_plans == wanted.max_plans && running.plan_ttl == wanted.plan_ttl);
  compare("input", running.inputs == wanted.inputs);
  compare("stdin-source", running.stdin_source == wanted.stdin_source);
  compare("max-sources", running.max_sources == wanted.max_sources);
  compare("max-opening", running.max_opening_bytes == wanted.max_opening_bytes);
  compare("listen", texts(running.listen) == texts(wanted.listen));
  compare("http", (running.http ? running.http->text() : "") == (wanted.http ? wanted.http->text() : ""));
  compare("serve", running.serve == wanted.serve);
  compare("allow-remote", running.allow_remote == wanted.allow_remote);
  compare("socket-group", running.socket_group == wanted.socket_group);
  compare("tls", running.tls_certificate == wanted.tls_certificate && running.tls_key == wanted.tls_key);
  compare("format", running.format == wanted.format && running.index_base == wanted.index_base &&
                        running.label_column == wanted.label_column && running.delimiter == wanted.delimiter);
  compare("validate", running.validate_full == wanted.validate_full);
  compare("replies", running.replies == wanted.replies);
  compare("solver", running.solver == wanted.solver);
  compare("strict", running.strict == wanted.strict);
  compare("state-directory", running.state_directory == wanted.state_directory);
  compare("checkpoint-keep", running.checkpoint_keep == wanted.checkpoint_keep);
  compare("limits", running.max_line_bytes == wanted.max_line_bytes &&
                        running.max_header_bytes == wanted.max_header_bytes &&
                        running.max_body_bytes == wanted.max_body_bytes &&
                        running.queue_bytes == wanted.queue_bytes);
  compare("progress", running.progress == wanted.progress);
  return fixed;
}

}  // namespace glimpse
