#include "daemon/config/command_line.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "daemon/config/config_test_support.h"

namespace command_line_test {

using namespace glimpse;
using namespace glimpse::test;
using namespace std::chrono_literals;

TEST_CASE("every option of the learner is read") {
  const LearnerOptions o = read({"--dimension",
                                 "784",
                                 "--budget=57",
                                 "--algorithm",
                                 "two-phase-ddaerr",
                                 "--step",
                                 "theory",
                                 "--radius",
                                 "16",
                                 "--horizon",
                                 "1000",
                                 "--phase1",
                                 "10%",
                                 "--delta",
                                 "0.05",
                                 "--confidence",
                                 "theory",
                                 "--half-norm",
                                 "3",
                                 "--split",
                                 "paper",
                                 "--inner-sampling",
                                 "plain",
                                 "--draws",
                                 "separate",
                                 "--control-variates",
                                 "off",
                                 "--bias",
                                 "off",
                                 "--seed",
                                 "9"})
                               .learner;
  CHECK(o.dimension == 784);
  CHECK(o.budget == 57);
  CHECK(o.algorithm == "two-phase-ddaerr");
  CHECK(o.step == StepKind::kTheory);
  CHECK(o.radius == 16);
  CHECK(o.horizon == 1000);
  CHECK(o.phase1_fraction == 0.1);
  CHECK(o.delta == 0.05);
  CHECK_FALSE(o.confidence.has_value());
  CHECK(o.half_norm == 3);
  CHECK(o.split == Split::kPaper);
  CHECK(o.inner_sampling == InnerSampling::kPlain);
  CHECK(o.draws == Draws::kSeparate);
  CHECK(o.control_variates == false);
  CHECK_FALSE(o.bias);
  CHECK(o.seed == 9);
  const LearnerOptions other = read({"--algorithm", "aerr", "--step", "0.5"}).learner;
  CHECK(other.algorithm == "aerr");
  CHECK(other.step == StepKind::kNumber);
  CHECK(other.step_number == 0.5);
  CHECK_FALSE(other.draws.has_value());
  CHECK_FALSE(other.control_variates.has_value());
  CHECK(read({"--draws", "pairs"}).learner.draws == Draws::kPairs);
  CHECK(read({"--control-variates", "on"}).learner.control_variates == true);
}

TEST_CASE("options of doors, inputs and replies are read") {
  const Configuration c = read_words(
      "--input a --input - --listen tcp:127.0.0.1:1 --listen unix:/s --http systemd:http --http [::1]:9318 "
      "--serve --format csv "
      "--label #3 --weight #2 --delimiter tab --validate full --replies all --clip -1.5:2 --strict --moments "
      "m "
      "--attributes n --progress --log-level error");
  CHECK(c.inputs == std::vector<std::string>{"a", "-"});
  REQUIRE(c.listen.size() == 2);
  CHECK(c.listen[0].text() == "tcp:127.0.0.1:1");
  CHECK(c.listen[1].text() == "unix:/s");
  REQUIRE(c.http.size() == 2);
  CHECK(c.http[0].text() == "systemd:http");
  CHECK(c.http[1].host == "::1");
  CHECK(c.serve);
  CHECK(c.format == Format::kCsv);
  CHECK(read({"--index-base", "0"}).index_base == 0);
  CHECK(c.table.label.number == 2);
  CHECK(c.table.weight->number == 1);
  CHECK(c.table.delimiter == '\t');
  CHECK(c.validate_full);
  CHECK_FALSE(read({}).validate_full);
  CHECK(c.replies == Replies::kAll);
  CHECK(c.clip.text() == "-1.5:2");
  CHECK(read({}).clip.text() == "auto");
  CHECK(c.strict);
  CHECK(c.moments_file == "m");
  CHECK(c.attributes_file == "n");
  CHECK(c.progress);
  CHECK(c.log_level == "error");
}

TEST_CASE("options of checkpoints and limits are read") {
  const Configuration c = read_words(
      "--state-directory d --checkpoint-every 2m --checkpoint-examples 5 --checkpoint-keep 7 --restore never "
      "--max-line 1KiB --max-body 2KiB --queue 3KiB --max-connections 4 --http-timeout 5s --max-opening 7KiB "
      "--max-unfinished 8KiB --max-unread 10KiB --greeting-timeout 9s --max-header 6KiB --idle-timeout 7m");
  CHECK(c.state_directory == "d");
  CHECK(c.checkpoint_every == 2min);
  CHECK(c.checkpoint_examples == 5);
  CHECK(c.checkpoint_keep == 7);
  CHECK(c.restore == "never");
  CHECK(c.max_line_bytes == 1024);
  CHECK(c.max_body_bytes == 2048);
  CHECK(c.queue_bytes == 3072);
  CHECK(c.max_connections == 4);
  CHECK(c.http_timeout == 5s);
  CHECK(c.max_opening_bytes == 7168);
  CHECK(c.max_unfinished_bytes == 8192);
  CHECK(c.max_unread_bytes == 10240);
  CHECK(c.greeting_timeout == 9s);
  CHECK(c.max_header_bytes == 6144);
  CHECK(c.idle_timeout == 7min);
}

TEST_CASE("without doors and inputs, standard input is read") {
  CHECK(read({}).inputs == std::vector<std::string>{"-"});
  CHECK(read({"--http", "127.0.0.1:0"}).inputs.empty());
}

TEST_CASE("help and version need nothing else") {
  CHECK(parse_command_line({"--help"})->action == Invocation::Action::kHelp);
  CHECK(parse_command_line({"--version"})->action == Invocation::Action::kVersion);
}

TEST_CASE(
    "--help shows 25 options by task and three examples; --help all shows each, those of research last") {
  const std::string few = help_text();
  std::size_t shown = 0;
  for (std::size_t at = 0; (at = few.find("\n  --", at)) != std::string::npos; ++at) ++shown;
  CHECK(shown == 25);
  std::size_t examples = 0;
  for (std::size_t at = 0; (at = few.find("\n  ", at)) != std::string::npos; ++at)
    examples += few.find("glimpsed ", at) < few.find('\n', at + 1) ? 1 : 0;
  CHECK(examples == 3);
  CHECK(few.find("\n  --label COLUMN") < few.find("\n  --http ADDRESS"));
  CHECK(few.find("glimpsed --help all shows the other ") != std::string::npos);

  CHECK(parse_command_line({"--help", "all"})->asks_for_all_help);
  CHECK_FALSE(parse_command_line({"--help"})->asks_for_all_help);
  const std::string all = help_of_all();
  for (const OptionRow* const option : option_rows()) {
    CAPTURE(option->name);
    const std::size_t at = all.find("\n  --" + option->name);
    REQUIRE(at != std::string::npos);
    CHECK((at > all.find("\nResearch\n")) == (find_row(research_options(), option->name) != nullptr));
  }
}

TEST_CASE("a '#' in a file begins a comment, unless it is of a column's number") {
  const File file("label = #5 # the fifth\nignore = id,#3\nbudget = 7 # few\n#serve = on\n\t \n[x = 1\n");
  CHECK(refusal({"--config", file.path()}) ==
        fmt::format("{}: line 6: unrecognised option '[x'", file.path()));
  const File good("label = #5 # the fifth\nignore = id,#3\nbudget = 7 #2 is too few\n#serve = on\r\n");
  const Configuration c = read({"--config", good.path()});
  CHECK(c.table.label.number == 4);
  CHECK(c.table.ignored.size() == 2);
  CHECK(c.learner.budget == 7);
  CHECK_FALSE(c.serve);
}

TEST_CASE("what is wrong is named") {
  CHECK(refusal({"--bogus", "1"}).find("bogus") != std::string::npos);
  CHECK(refusal({"--dimension"}).find("dimension") != std::string::npos);
  CHECK(refusal({"--dimension", "1", "--dimension", "2"}).find("dimension") != std::string::npos);
  CHECK(refusal({"--budget", "-2"}) ==
        "--budget -2: must be a whole number from 1, all, or a percentage such as 10%");
  CHECK(refusal({"--radius", "0"}) == "--radius 0: must be a number above 0");
  CHECK(refusal({"--state-directory", ""}) == "--state-directory '': must not be empty");
  CHECK(refusal({"--clip", "3:1"}) ==
        "--clip 3:1: must be auto, off, or LO:HI, two finite numbers with LO below HI");
  for (const char* grid : {"28", "28x", "x28", "0x3", "28x28x1", "28 x 28", "65537x1", "-1x3"})
    CHECK_MESSAGE(refusal({"--attribute-grid", grid})
                      .ends_with(": must be COLUMNSxROWS, as 28x28, each from 1 to 65536"),
                  grid);
  CHECK(refusal({"--bias", "yes"}) == "--bias yes: must be one of on, off");
}

TEST_CASE("a picture has columns and rows") {
  const Configuration c = read({"--attribute-grid", "28x20", "--http", "127.0.0.1:0"});
  REQUIRE(c.grid.has_value());
  CHECK(c.grid->columns == 28);
  CHECK(c.grid->rows == 20);
  CHECK(refusal({"--dimension", "4", "--budget", "2", "--attribute-grid", "2x2"}) ==
        "--attribute-grid 2x2: has no effect without --http ADDRESS");
}

TEST_CASE("a file gives what the command line does not") {
  const File file(
      "# a remark\ndimension = 9\nbudget = 3\nserve = on\nstrict = off\nlisten = unix:/a\nlisten = "
      "unix:/b\n");
  const Configuration c = read({"--config", file.path(), "--dimension", "4"});
  CHECK(c.learner.dimension == 4);
  CHECK(c.learner.budget == 3);
  CHECK(c.serve);
  CHECK_FALSE(c.strict);
  CHECK(c.listen.size() == 2);
}

TEST_CASE("what may be repeated adds up, the command line's values first, and a door named twice is one") {
  const File file("http = 127.0.0.1:9318\nhttp = unix:/h\nlisten = tcp:127.0.0.1:0\ninput = b\n");
  const Configuration c = read({"--config", file.path(), "--http", "unix:/h", "--listen", "systemd:stream",
                                "--listen", "tcp:127.0.0.1:0", "--input", "a"});
  REQUIRE(c.http.size() == 2);
  CHECK(c.http[0].text() == "unix:/h");
  CHECK(c.http[1].text() == "tcp:127.0.0.1:9318");
  REQUIRE(c.listen.size() == 3);  // port 0 is another one each time
  CHECK(c.listen[0].text() == "systemd:stream");
  CHECK(c.inputs == std::vector<std::string>{"a", "b"});
}

TEST_CASE("an option of the file that the command line overrides is told with both values") {
  const File file(
      "# a remark\nstate-directory = /srv/state\nserve = off\nbudget = 3\nhttp = unix:/h\nbias = on\n");
  const auto invocation =
      parse_command_line({"--config", file.path(), "--state-directory", "/var/lib/glimpse", "--serve",
                          "--budget=3", "--http", "unix:/g", "--bias", "off"});
  REQUIRE(invocation.has_value());
  CHECK(invocation->configuration.serve);
  CHECK(invocation->configuration.learner.budget == 3);
  std::vector<std::string> expected;
  const auto expect = [&](int line, const char* given, const char* wins) {
    expected.push_back(fmt::format("{}: line {}: {} has no effect: the command line says {}, and wins",
                                   file.path(), line, given, wins));
  };
  expect(6, "bias = on", "--bias off");
  expect(3, "serve = off", "--serve");
  expect(2, "state-directory = /srv/state", "--state-directory /var/lib/glimpse");
  CHECK(invocation->overridden == expected);
  CHECK(parse_command_line({"--config", file.path()})->overridden.empty());
}

TEST_CASE("mistakes of a file have its name and the line, at whatever stage they are found") {
  const auto told = [](const char* text) {
    const File file(text);
    const std::string message = refusal({"--config", file.path()});
    CAPTURE(message);
    CHECK(message.starts_with(file.path() + ": "));
    return message.substr(std::min(file.path().size() + 2, message.size()));
  };
  CHECK(told("\nbudget = 0\n") == "line 2: --budget 0: must be a whole number from 1 to 2147483648");
  CHECK(told("budget = 3\n\nbudget = 4\n") == "line 3: budget = 4: can be given once only, and is '3' above");
  CHECK(told("listen = unix:/a\nlisten = here\n") ==
        "line 2: --listen here: must be tcp:HOST:PORT, unix:PATH or systemd:NAME");
  CHECK(told("http = unix:/a\nlisten = unix:/a\n") ==
        "line 1: --http unix:/a: is a --listen door already; each door needs an address of its own");
  CHECK(told("# tls\ntls-cert = a.pem\nhttp = 127.0.0.1:1\n") ==
        "line 2: --tls-cert a.pem: needs --tls-key FILE");
  CHECK(told("config = other\n") == "line 1: config belongs on the command line");
}

TEST_CASE("an error gets the place of the option that it begins with") {
  const OptionPlaces places{{"token-file", "a.conf: line 7: "}};
  CHECK(placed({ErrorCode::kSystem, "--token-file x: is empty"}, places).message ==
        "a.conf: line 7: --token-file x: is empty");
  for (const char* message : {"--token-files x: is empty", "token-file x", "--http x: is busy", "--"})
    CHECK(placed({ErrorCode::kSystem, message}, places).message == message);
}

TEST_CASE("a file's mistakes are told with the file's name") {
  for (const char* text : {"bogus = 1\n", "serve = perhaps\n", "no equals sign\n"}) {
    const File file(text);
    CHECK(refusal({"--config", file.path()}).starts_with(file.path()));
  }
  CHECK(refusal({"--config", "/nowhere/at/all"}) == "--config /nowhere/at/all: cannot be read");
}

TEST_CASE("a file without an option is an input, in front of those of --input") {
  const auto read = parse_command_line({"a/table.csv", "--budget", "2", "-", "--input", "b"});
  REQUIRE(read.has_value());
  CHECK(read->configuration.inputs == std::vector<std::string>{"a/table.csv", "-", "b"});
}

TEST_CASE("a budget is a number, a share of the attributes, or all") {
  const auto budget = [](const char* text) {
    const auto read = parse_command_line({"--budget", text, "--input", "b"});
    REQUIRE(read.has_value());
    return std::pair(read->configuration.learner.budget, read->configuration.budget_share);
  };
  CHECK(budget("7") == std::pair<std::size_t, double>(7, 0));
  CHECK(budget("all") == std::pair<std::size_t, double>(0, 1));
  CHECK(budget("12.5%") == std::pair<std::size_t, double>(0, 0.125));
  for (const char* wrong : {"0%", "101%", "-1%", "%", "nan%", "some"})
    CHECK(refusal({"--budget", wrong}).starts_with(fmt::format("--budget {}: must be a ", wrong)));
}

TEST_CASE("an argument that is no option is named") {
  const std::string rest =
      ": there is no such file; options begin with --, and one that is on or off takes no value here";
  CHECK(refusal({"--dimension", "4", "foo"}) == "argument 'foo'" + rest);
  CHECK(refusal({"--serve", "on"}) == "argument 'on'" + rest);
  CHECK(refusal({"--", "a", "b"}) == "argument 'a'" + rest);
}

TEST_CASE("an option that is not known is told with the nearest") {
  CHECK(refusal({"--budgt", "4"}) == "unrecognised option '--budgt'; did you mean '--budget'?");
  CHECK(refusal({"--hlp"}) == "unrecognised option '--hlp'; did you mean '--help'?");
  CHECK(refusal({"--frobnicate=%option%"}) == "unrecognised option '--frobnicate'");
}

}  // namespace command_line_test
