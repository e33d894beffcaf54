#include "glimpsectl/command_line.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <sstream>

#include "glimpsectl/command_table.h"

namespace command_line_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

CommandLine parsed(const std::vector<std::string>& arguments) {
  return parse_command_line(arguments, "tcp:localhost:1").value();
}

std::string refusal(const std::vector<std::string>& arguments) {
  const auto line = parse_command_line(arguments, "tcp:localhost:1");
  if (line) return "accepted";
  CHECK(line.error().code == ErrorCode::kInvalidOption);
  return line.error().message;
}

}  // namespace

TEST_CASE("options stand before or behind the command") {
  for (const auto& arguments :
       {std::vector<std::string>{"--server", "tcp:h:9", "--timeout=2s", "model", "--top", "5"},
        std::vector<std::string>{"model", "--top=5", "--timeout", "2s", "--server=tcp:h:9"}}) {
    const auto line = parsed(arguments);
    CHECK(line.row->name == "model");
    CHECK(line.server.text == "tcp:h:9");
    CHECK(line.timeout == std::chrono::seconds(2));
    CHECK(line.top == 5);
    CHECK(line.format == "table");
  }
}

TEST_CASE("without options the defaults of the manual hold") {
  const auto line = parsed({"watch"});
  CHECK(line.server.text == "tcp:localhost:1");
  CHECK(line.timeout == std::chrono::seconds(10));
  CHECK(line.every == std::chrono::seconds(1));
  CHECK_FALSE(line.count.has_value());
  CHECK_FALSE(line.json);
  CHECK(parsed({"predict"}).file == "-");
  CHECK(parsed({"learn", "-"}).file == "-");
  CHECK(parsed({"learn", "train.vw"}).file == "train.vw");
  CHECK(parsed({"model", "--json"}).format == "json");
  CHECK(parse_server_address(kDefaultServer).has_value());
}

TEST_CASE("checkpoint writes one, checkpoint inspect reads one") {
  CHECK(parsed({"checkpoint"}).row->name == "checkpoint");
  const auto line =
      parse_command_line({"checkpoint", "--json", "inspect", "x.safetensors"}, "nonsense").value();
  CHECK(line.row->name == "checkpoint inspect");
  CHECK(line.file == "x.safetensors");
  CHECK(line.json);
}

TEST_CASE("what is asked, told and abandoned is taken apart") {
  const auto ask = parsed({"ask", "--count", "7", "--available", "age,17", "--ttl=12h"});
  CHECK(ask.row->name == "ask");
  CHECK(ask.count == 7);
  CHECK(ask.plan.available == std::vector<std::string>{"age", "17"});
  CHECK(ask.plan.ttl == "12h");
  CHECK_FALSE(ask.plan.for_prediction);
  CHECK_FALSE(parsed({"ask"}).count.has_value());

  const auto known = parsed({"ask", "--for", "prediction", "--known", "age=3,a=b=-0.5"});
  CHECK(known.plan.for_prediction);
  REQUIRE(known.plan.known.size() == 2);
  CHECK(known.plan.known[0].attribute == "age");
  CHECK(known.plan.known[0].value == 3);
  CHECK(known.plan.known[1].attribute == "a=b");
  CHECK(known.plan.known[1].value == -0.5);
  CHECK(known.plan.known[1].word.empty());
  CHECK(parsed({"ask", "--for", "prediction", "--known", "sex=M"}).plan.known[0].word == "M");

  CHECK(parsed({"tell"}).file == "-");
  CHECK(parsed({"tell", "answers"}).file == "answers");
  const auto plans = parsed({"plans", "--after", "3f9a2b-1", "--limit", "5"});
  CHECK(plans.after == "3f9a2b-1");
  CHECK(plans.limit == 5);
  CHECK(parsed({"abandon", "a-1", "a-2"}).ids == std::vector<std::string>{"a-1", "a-2"});
}

TEST_CASE("help and version need nothing else") {
  CHECK(parse_command_line({"--help"}, "nonsense").value().row->name == "help");
  CHECK(parse_command_line({"model", "-h"}, "nonsense").value().row->name == "help");
  CHECK(parse_command_line({"help"}, "nonsense").value().row->name == "help");
  CHECK(parse_command_line({"--version"}, "nonsense").value().row->name == "version");
  for (const char* word :
       {"status",   "model",       "moments",   "predict",    "learn",   "checkpoint inspect",
        "watch",    "plot",        "--of",      "ask",        "tell",    "plans",
        "abandon",  "--available", "--ttl",     "--for",      "--known", "--after",
        "--limit",  "--top",       "--format",  "--output",   "--every", "--count",
        "--server", "--json",      "--timeout", "exit status"})
    CHECK(help_text().find(word) != std::string::npos);
}

TEST_CASE("help of a command lists the options alone that do something for it, with its own defaults") {
  const auto helped = [](const char* name) {
    const auto& table = command_table();
    return help_text(
        *std::find_if(table.begin(), table.end(), [&](const auto& c) { return c.name == name; }));
  };
  struct Expected {
    const char* command;
    std::vector<const char*> has;
    std::vector<const char*> lacks;
  };
  for (const Expected& expected : std::vector<Expected>{
           {"describe",
            {"--json"},
            {"--server", "--model PATH", "--ca ", "--token-file", "--timeout", "--max-answer"}},
           {"fit", {"--json"}, {"--server", "--model PATH", "--timeout"}},
           {"serve", {"--http"}, {"--server", "--json", "--timeout"}},
           {"checkpoint merge", {"--json"}, {"--server", "--model PATH"}},
           {"model", {"--server", "--model PATH", "--ca ", "--json", "--timeout", "--max-answer"}, {}},
           {"freeze", {"--server", "--json"}, {"--model PATH"}},
           {"send", {"--ca ", "--timeout"}, {"--server", "--json", "--model PATH", "--max-answer"}},
           {"test", {"--model PATH", "--timeout", "--json"}, {"--server", "--ca "}}}) {
    CAPTURE(expected.command);
    const std::string text = helped(expected.command);
    for (const char* option : expected.has)
      CHECK(text.find("\n  " + std::string(option)) != std::string::npos);
    for (const char* option : expected.lacks)
      CHECK(text.find("\n  " + std::string(option)) == std::string::npos);
  }
  const auto words_of = [&](const char* name) {
    std::istringstream text(helped(name));
    std::string words;
    for (std::string word; text >> word;) words += word + " ";
    return words;
  };
  CHECK(words_of("predict").find("without it probabilities in a table, else label") != std::string::npos);
  CHECK(words_of("predict").find("without it auto where a table is written, else ndjson") !=
        std::string::npos);
  CHECK(words_of("explain").find("csv or ndjson; default auto") != std::string::npos);
}

TEST_CASE("help of a command begins with examples that its command line takes") {
  for (const CommandRow& command : command_table()) {
    CAPTURE(command.name);
    const std::string text = help_text(command);
    CHECK(text.starts_with(fmt::format("  glimpsectl {}", command.name)));
    for (const OptionRow& option : command.options)
      CHECK(text.find("\n  --" + option.name) != std::string::npos);
    std::istringstream lines(examples_of(command));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      std::istringstream words(line.substr(line.find("glimpsectl") + 10, line.find(" < ")));
      std::vector<std::string> arguments;
      for (std::string word; words >> word && word != "<";) arguments.push_back(word);
#ifndef GLIMPSE_HAS_KAFKA
      if (line.find("kafka://") != std::string::npos) continue;
#endif
      const auto read = parse_command_line(arguments, "tcp:localhost:1");
      CHECK_MESSAGE(read.has_value(), (read ? "" : read.error().message));
      if (read) CHECK(read->row->name == command.name);
    }
  }
  const auto helped = [](const std::vector<std::string>& arguments) {
    const CommandLine line = parsed(arguments);
    CHECK(line.row->name == "help");
    return line.helped == nullptr ? "all" : std::string(line.helped->name);
  };
  CHECK(helped({"help"}) == "all");
  CHECK(helped({"--help"}) == "all");
  CHECK(helped({"help", "checkpoint", "merge"}) == "checkpoint merge");
  CHECK(helped({"predict", "new.csv", "--help"}) == "predict");
  CHECK(helped({"-h", "fit"}) == "fit");
  CHECK(refusal({"help", "stats"}).ends_with("did you mean 'status'?"));
}

TEST_CASE("the values that --help says hold where none is given do hold") {
  for (const CommandRow& command : command_table())
    for (const OptionRow& option : command.options) {
      const std::string standard = option.standard;
      if (standard.empty() || standard == "the daemon's") continue;
      CAPTURE(option.name);
      CommandLine line;
      CHECK(option.read(line, standard).has_value());
      CHECK(line.top == CommandLine().top);
      CHECK(line.every == CommandLine().every);
      CHECK(line.patience == CommandLine().patience);
      CHECK(line.memory == CommandLine().memory);
      if (option.name == "to") CHECK(line.server.text == kDefaultStream);
    }
  CHECK(parsed({"status", "--timeout", "10s"}).timeout == CommandLine().timeout);
}

TEST_CASE("a merged checkpoint does not take the place of one that is merged") {
  CHECK(refusal({"checkpoint", "merge", "a", "b", "--output", "a"}) ==
        "checkpoint merge: --output 'a' is one of the files that are merged, and would take its place: name "
        "another file");
}

TEST_CASE("a wrong command line is refused with what is wrong") {
  CHECK(refusal({}) == "a command is missing (glimpsectl --help lists them)");
  CHECK(refusal({"stats"}) ==
        "'stats' is not a command (glimpsectl --help lists them); did you mean 'status'?");
  CHECK(refusal({"frobnicate"}) == "'frobnicate' is not a command (glimpsectl --help lists them)");
  CHECK(refusal({"stream", "--json"}) == "--json is of no use to stream: the replies are lines");
  CHECK(refusal({"status", "extra"}) == "status does not take 'extra': it has no arguments");
  CHECK(refusal({"learn", "a", "b"}) == "learn does not take 'b': one file alone");
  CHECK(refusal({"status", "--top", "3"}) == "--top is not an option of status");
  CHECK(refusal({"status", "--stat"}).starts_with("unrecognised option '--stat'"));
  CHECK(refusal({"status", "--timout", "3s"}) == "unrecognised option '--timout'; did you mean '--timeout'?");
  CHECK(refusal({"status", "--js"}).starts_with("unrecognised option '--js'"));
  CHECK(refusal({"model", "--top", "-1"}) == "--top -1: must be a whole number from 1");
  CHECK(refusal({"model", "--format", "xml"}) ==
        "--format xml: must be one of table, json, csv, safetensors");
  CHECK(refusal({"learn", "--format", "f32"}) ==
        "--format f32: must be one of auto, svmlight, vw, csv, ndjson");
  CHECK(refusal({"model", "--json", "--format", "csv"}) == "--format 'csv' contradicts --json");
  CHECK(refusal({"model", "--format=csv", "--top=3"}) == "--top '3' is for tables, but the format is csv");
  CHECK(refusal({"moments", "--json", "--format", "csv"}) == "--format 'csv' contradicts --json");
  CHECK(refusal({"moments", "--top", "3", "--output", "x"}) ==
        "--top '3' is for tables, but the format is csv");
  CHECK(refusal({"moments", "--format", "safetensors"}) ==
        "--format safetensors: must be one of table, json, csv");
  CHECK(refusal({"watch", "--every", "1x"}).find("--every 1x: must be a time such as") == 0);
  CHECK(refusal({"status", "--server", "h"}) ==
        "--server 'h' must be tcp:HOST:PORT, tls:HOST:PORT or unix:PATH");
  CHECK(refusal({"checkpoint", "inspect"}) == "checkpoint inspect needs a file");
  CHECK(refusal({"checkpoint", "now"}) == "checkpoint does not take 'now': it has no arguments");
  CHECK(refusal({"abandon"}) == "abandon needs the ids of plans (glimpsectl plans lists them)");
  CHECK(refusal({"ask", "plan"}) == "ask does not take 'plan': it has no arguments");
  CHECK(refusal({"ask", "--count", "0"}) == "--count 0: must be a whole number from 1");
  CHECK(refusal({"ask", "--available", "a,,b"}) == "--available a,,b: must be a list such as A,B,C");
  CHECK(refusal({"ask", "--available", "a,"}) == "--available a,: must be a list such as A,B,C");
  CHECK(refusal({"ask", "--for", "fun"}) == "--for fun: must be one of prediction");
  CHECK(refusal({"ask", "--known", "a=1"}).find("--known is for --for prediction") == 0);
  CHECK(refusal({"ask", "--label", "cnt"}).find("--label is for --for prediction") == 0);
  CHECK(parsed({"ask", "--for", "prediction", "--label", "cnt"}).label == "cnt");
  for (const char* known : {"age", "=3", "age="})
    CHECK(refusal({"ask", "--for", "prediction", "--known", known}) ==
          fmt::format("--known {}: must be ATTRIBUTE=VALUE, as in age=3,sex=M", known));
  CHECK(refusal({"plans", "--limit", "x"}) == "--limit x: must be a whole number from 1");
  CHECK(refusal({"plans", "--ttl", "1h"}) == "--ttl is not an option of plans");
  const auto line = parse_command_line({"status"}, "nonsense");
  CHECK(line.error().message ==
        "--server 'nonsense' must be tcp:HOST:PORT, tls:HOST:PORT or unix:PATH (from $GLIMPSE_SERVER)");
}

TEST_CASE("moments are a table, or CSV where they go to a file") {
  CHECK(parsed({"moments"}).format == "table");
  CHECK(parsed({"moments", "--format", "csv"}).format == "csv");
  CHECK(parsed({"moments", "--json"}).format == "json");
  CHECK(parsed({"moments", "--output", "x"}).format == "csv");
  CHECK(parsed({"moments", "--output", "x", "--json"}).format == "json");
  CHECK(parsed({"moments", "--output", "x", "--format", "table", "--top", "3"}).format == "table");
}

TEST_CASE("whom to trust is for addresses with TLS, given in any order or by the environment") {
  for (const auto& arguments :
       {std::vector<std::string>{"status", "--ca", "ca.pem", "--server", "tls:h:9"},
        std::vector<std::string>{"--server", "https://h:9", "status", "--ca", "ca.pem"},
        std::vector<std::string>{"send", "--source", "a", "--ca", "ca.pem", "--to", "tls:h:9"}}) {
    CHECK(parsed(arguments).server.authorities == "ca.pem");
    CHECK(parsed(arguments).server.is_tls);
  }
  CHECK(parse_command_line({"status", "--ca", "ca.pem"}, "tls:h:9").value().server.authorities == "ca.pem");
  CHECK(refusal({"status", "--ca", "ca.pem"}) ==
        "--ca 'ca.pem' is for TLS, and tcp:localhost:1 is not: name it tls:localhost:1");
  CHECK(refusal({"status", "--ca", "ca.pem", "--server", "unix:/s"}) ==
        "--ca 'ca.pem' is for TLS, and unix:/s is not: leave it out");
  CHECK(refusal({"status", "--ca", ""}) == "--ca '': must not be empty");
}

TEST_CASE("send waits for a daemon as long as it is told, or as long as for one that went") {
  CHECK_FALSE(parsed({"send", "--source", "a"}).wait.has_value());
  CHECK(parsed({"send", "--source", "a", "--wait", "30s"}).wait == std::chrono::seconds(30));
  CHECK(refusal({"send", "--source", "a", "--wait", "0s"}) == "--wait 0s: must be above 0");
  CHECK(refusal({"status", "--wait", "1s"}) == "--wait is not an option of status");
}

TEST_CASE("send is told a file, a name and a stream door") {
  const auto line =
      parsed({"send", "train.csv", "--source", "a", "--to", "tcp:[::1]:9317", "--patience", "1m"});
  CHECK(line.row->name == "send");
  CHECK(line.file == "train.csv");
  CHECK(line.source == "a");
  CHECK(line.server.host == "::1");
  CHECK(line.patience == std::chrono::minutes(1));
  CHECK(line.memory == 64 << 20);
  CHECK(parsed({"send", "--source", "a", "--memory", "1"}).memory == 1);
  CHECK(parsed({"send", "--source", "a", "--memory", "3GiB"}).memory == std::uint64_t{3} << 30);
  for (const char* size : {"0", "0KiB", "-1", "1.5MiB", "64MB", "", "18446744073709551615KiB", "1e6"})
    CHECK(refusal({"send", "--source", "a", "--memory", size}) ==
          fmt::format("--memory {}: must be a size such as 4096, 64KiB, 16MiB or 2GiB",
                      *size == 0 ? "''" : size));
  CHECK(refusal({"status", "--memory", "1"}) == "--memory is not an option of status");
  CHECK(parsed({"send", "--source", "a"}).server.text == kDefaultStream);
  CHECK(parsed({"send", "--source", "a", "--format", "f32", "--dimension", "7"}).dimension == 7);

  CHECK(refusal({"send"}) ==
        "send needs --source NAME, under which the daemon counts its records; stream needs none");
  CHECK(refusal({"send", "--source", "a", "--to", "here"}) ==
        "--to 'here' must be tcp:HOST:PORT, tls:HOST:PORT or unix:PATH");
  CHECK(refusal({"send", "--source", "a", "--to", "https://h:1"}) ==
        "--to https://h:1: must be tcp:HOST:PORT, tls:HOST:PORT or unix:PATH: a stream door (--listen) does "
        "not "
        "speak HTTP");
  CHECK(refusal({"send", "--source", "a", "--server", "tcp:h:1"}) ==
        "--server is of no use to send: --to names a stream door");
  CHECK(refusal({"send", "--source", "a", "--json"}) == "--json is of no use to send: the replies are lines");
  CHECK(refusal({"send", "--source", "a", "--format", "xml"}) ==
        "--format xml: must be one of auto, svmlight, vw, csv, ndjson, f32, npy");
  for (const auto& arguments : {std::vector<std::string>{"send", "--source", "a", "--format", "f32"},
                                std::vector<std::string>{"send", "--source", "a", "--dimension", "7"}})
    CHECK(refusal(arguments) ==
          "--dimension and --format f32 belong together: rows have its singles and a label");
}

TEST_CASE("send takes options of a topic for a topic alone") {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"partition", "1"}, {"message-size", "1"}, {"commit-every", "1s"}, {"kafka-property", "a=b"}})
    CHECK(refusal({"send", "--source", "a", "--" + option, value}) ==
          fmt::format("--{} has no effect without --to kafka://HOST:PORT/TOPIC", option));
  CHECK(refusal({"send", "--source", "a", "--partition", "-1"}) ==
        "--partition -1: must be a whole number from 0 to 2147483647");
  CHECK(refusal({"send", "--source", "a", "--partition", "2147483648"})
            .ends_with("must be a whole number from 0 to 2147483647"));
}

#ifdef GLIMPSE_HAS_KAFKA

TEST_CASE("send to a topic has the properties of its client in their order, and its own sizes") {
  const std::vector<std::string> to{"send", "--source", "a", "--to", "kafka://h:1/t"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), to.begin(), to.end());
    return more;
  };
  const auto line = parsed(with({"--kafka-property", "a=b", "--kafka-property", "c=d", "--partition", "0",
                                 "--message-size", "1", "--commit-every", "20ms"}));
  CHECK(line.topic == "kafka://h:1/t");
  CHECK(line.kafka_properties == std::vector<std::string>{"a=b", "c=d"});
  CHECK(line.partition == 0U);
  CHECK(line.message_size == 1);
  CHECK(line.commit_every == std::chrono::milliseconds(20));
  CHECK(parsed(to).message_size == 16 << 10);
  CHECK_FALSE(parsed(to).partition.has_value());
  CHECK(refusal(with({"--ca", "ca.pem"})) ==
        "--ca is of no use to a topic: --kafka-property ssl.ca.location=FILE says whom to trust");
  CHECK(refusal({"send", "--source", "a b", "--to", "kafka://h:1/t"})
            .starts_with("--source 'a b': character 2"));
  CHECK(refusal(with({"--message-size", "0"})).starts_with("--message-size 0: must be a size"));
}

#else

TEST_CASE("send to a topic is refused where this was built without Kafka") {
  CHECK(refusal({"send", "--source", "a", "--to", "kafka://h:1/t"}) ==
        "--to 'kafka://h:1/t': this glimpsectl was built without Kafka (librdkafka, -DGLIMPSE_KAFKA=ON)");
}

#endif

TEST_CASE("options that a message advises stand as the command takes them, and others are not advised") {
  const auto typed = [](const std::vector<std::string>& words, const std::string& message) {
    return as_typed(parse_command_line(words, kDefaultServer).value(), message);
  };
  const std::vector<std::string> fit{"fit", "t.csv", "--label", "y"};
  CHECK(typed(fit, "many are words: --categories a takes all, --ignore a leaves them out") ==
        "many are words: -- --categories a takes all, -- --ignore a leaves them out");
  CHECK(typed(fit, "--label z: no such column; --budget says how many, and -- --dimension D") ==
        "--label z: no such column; --budget says how many, and -- --dimension D");
  CHECK(typed(fit, "unrecognised option '--no-such'") == "unrecognised option '--no-such'");
  const std::vector<std::string> test{"test", "t.csv", "--model", "m"};
  CHECK(typed(test, "3,5 is none: --decimal-comma where the comma is decimal") ==
        "3,5 is none: -- --decimal-comma where the comma is decimal");
  CHECK(typed(test, "'x' is none: --task classes takes words") == "'x' is none");
  CHECK(typed(test, "it is none: --task classes takes words; --ignore a leaves it out") ==
        "it is none; -- --ignore a leaves it out");
  CHECK(typed({"learn", "t.csv"}, "it is none: --task classes takes words") ==
        "it is none: --task classes takes words");
}

}  // namespace command_line_test
