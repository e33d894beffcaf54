#include "glimpsectl/command_line.h"

#include <doctest/doctest.h>

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
    CHECK(line.command == Command::kModel);
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
  CHECK(parsed({"checkpoint"}).command == Command::kCheckpoint);
  const auto line =
      parse_command_line({"checkpoint", "--json", "inspect", "x.safetensors"}, "nonsense").value();
  CHECK(line.command == Command::kInspect);
  CHECK(line.file == "x.safetensors");
  CHECK(line.json);
}

TEST_CASE("help and version need nothing else") {
  CHECK(parse_command_line({"--help"}, "nonsense").value().command == Command::kHelp);
  CHECK(parse_command_line({"model", "-h"}, "nonsense").value().command == Command::kHelp);
  CHECK(parse_command_line({"help"}, "nonsense").value().command == Command::kHelp);
  CHECK(parse_command_line({"--version"}, "nonsense").value().command == Command::kVersion);
  for (const char* word :
       {"status", "model", "moments", "predict", "learn", "checkpoint inspect", "watch", "--top", "--format",
        "--output", "--every", "--count", "--server", "--json", "--timeout", "exit status"})
    CHECK(help_text().find(word) != std::string_view::npos);
}

TEST_CASE("a wrong command line is refused with what is wrong") {
  CHECK(refusal({}) == "a command is missing (glimpsectl --help lists them)");
  CHECK(refusal({"stats"}) == "'stats' is not a command (glimpsectl --help lists them)");
  CHECK(refusal({"status", "extra"}) == "status does not take 'extra': it has no arguments");
  CHECK(refusal({"learn", "a", "b"}) == "learn does not take 'b': one file alone");
  CHECK(refusal({"status", "--top", "3"}) == "--top is not an option of status");
  CHECK(refusal({"status", "--stat"}) == "unrecognised option '--stat'");
  CHECK(refusal({"status", "--js"}) == "unrecognised option '--js'");
  CHECK(refusal({"model", "--top", "-1"}) == "--top '-1' must be a whole number from 1");
  CHECK(refusal({"model", "--format", "xml"}) == "--format 'xml' must be table, json, csv or safetensors");
  CHECK(refusal({"learn", "--format", "f32"}) == "--format 'f32' must be auto, svmlight, vw, csv or ndjson");
  CHECK(refusal({"model", "--json", "--format", "csv"}) == "--format 'csv' contradicts --json");
  CHECK(refusal({"model", "--format=csv", "--top=3"}) == "--top '3' is for tables, but the format is csv");
  CHECK(refusal({"moments", "--json", "--output", "x"}) ==
        "--output 'x' writes CSV, which contradicts --json");
  CHECK(refusal({"watch", "--every", "1"}).find("--every '1' must be a number with its unit") == 0);
  CHECK(refusal({"status", "--server", "h:1"}) == "--server 'h:1' must be tcp:HOST:PORT or unix:PATH");
  CHECK(refusal({"checkpoint", "inspect"}) == "checkpoint inspect must be told a file");
  CHECK(refusal({"checkpoint", "now"}) == "checkpoint does not take 'now': it has no arguments");
  const auto line = parse_command_line({"status"}, "nonsense");
  CHECK(line.error().message ==
        "--server 'nonsense' must be tcp:HOST:PORT or unix:PATH (from $GLIMPSE_SERVER)");
}
