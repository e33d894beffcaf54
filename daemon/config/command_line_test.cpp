#include "daemon/config/configuration.h"

#include <cstdio>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace glimpse;
using namespace std::chrono_literals;

namespace {

Configuration read(std::vector<std::string> arguments) {
  const auto invocation = parse_command_line(arguments);
  REQUIRE_MESSAGE(invocation.has_value(), (invocation ? "" : invocation.error().message));
  return invocation->configuration;
}

std::string refusal(std::vector<std::string> arguments) {
  const auto invocation = parse_command_line(arguments);
  if (invocation) return "";
  CHECK(invocation.error().code == ErrorCode::kInvalidOption);
  CHECK(invocation.error().message.find('\n') == std::string::npos);
  return invocation.error().message;
}

// A configuration file that is removed at the end.
class File {
 public:
  explicit File(const std::string& text) : path_(fmt::format("/tmp/glimpse-configuration-{}", ::getpid())) {
    std::ofstream(path_) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

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

TEST_CASE("every other option is read") {
  const Configuration c = read({"--input",
                                "a",
                                "--input",
                                "-",
                                "--listen",
                                "tcp:127.0.0.1:1",
                                "--listen",
                                "unix:/s",
                                "--http",
                                "systemd:http",
                                "--serve",
                                "--format",
                                "csv",
                                "--label-column",
                                "2",
                                "--delimiter",
                                "tab",
                                "--validate",
                                "full",
                                "--replies",
                                "all",
                                "--clip",
                                "-1.5:2",
                                "--strict",
                                "--state-directory",
                                "d",
                                "--checkpoint-every",
                                "2m",
                                "--checkpoint-examples",
                                "5",
                                "--checkpoint-keep",
                                "7",
                                "--restore",
                                "never",
                                "--max-line",
                                "1KiB",
                                "--max-body",
                                "2KiB",
                                "--queue",
                                "3KiB",
                                "--max-connections",
                                "4",
                                "--http-timeout",
                                "5s",
                                "--max-opening",
                                "7KiB",
                                "--max-unfinished",
                                "8KiB",
                                "--max-unread",
                                "10KiB",
                                "--greeting-timeout",
                                "9s",
                                "--max-header",
                                "6KiB",
                                "--idle-timeout",
                                "7m",
                                "--moments",
                                "m",
                                "--attributes",
                                "n",
                                "--progress",
                                "--log-level",
                                "error"});
  CHECK(c.inputs == std::vector<std::string>{"a", "-"});
  REQUIRE(c.listen.size() == 2);
  CHECK(c.listen[0].text() == "tcp:127.0.0.1:1");
  CHECK(c.listen[1].text() == "unix:/s");
  CHECK(c.http->text() == "systemd:http");
  CHECK(c.serve);
  CHECK(c.format == Format::kCsv);
  CHECK(read({"--index-base", "0"}).index_base == 0);
  CHECK(c.label_column == 2);
  CHECK(c.delimiter == '\t');
  CHECK(c.validate_full);
  CHECK_FALSE(read({}).validate_full);
  CHECK(c.replies == Replies::kAll);
  CHECK(c.clip.text() == "-1.5:2");
  CHECK(read({}).clip.text() == "auto");
  CHECK(c.strict);
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
  CHECK(c.moments_file == "m");
  CHECK(c.attributes_file == "n");
  CHECK(c.progress);
  CHECK(c.log_level == "error");
}

TEST_CASE("without doors and inputs, standard input is read") {
  CHECK(read({}).inputs == std::vector<std::string>{"-"});
  CHECK(read({"--http", "127.0.0.1:0"}).inputs.empty());
}

TEST_CASE("help and version need nothing else") {
  CHECK(parse_command_line({"--help"})->action == Invocation::Action::kHelp);
  CHECK(parse_command_line({"--version"})->action == Invocation::Action::kVersion);
  for (const std::string& name : option_names()) CHECK(help_text().find("--" + name) != std::string::npos);
}

TEST_CASE("what is wrong is named") {
  CHECK(refusal({"--bogus", "1"}).find("bogus") != std::string::npos);
  CHECK(refusal({"--dimension"}).find("dimension") != std::string::npos);
  CHECK(refusal({"--dimension", "1", "--dimension", "2"}).find("dimension") != std::string::npos);
  CHECK(refusal({"--budget", "-2"}) == "--budget -2: must be a whole number from 1 to 2147483648");
  CHECK(refusal({"--radius", "0"}) == "--radius 0: must be a number above 0");
  CHECK(refusal({"--state-directory", ""}) == "--state-directory '': must not be empty");
  CHECK(refusal({"--clip", "3:1"}) ==
        "--clip 3:1: must be auto, off, or LO:HI, two finite numbers with LO below HI");
  CHECK(refusal({"--bias", "yes"}) == "--bias yes: must be one of on, off");
}

TEST_CASE("options that contradict are refused") {
  CHECK(refusal({"--serve"}).starts_with("--serve on: needs a door"));
  CHECK(refusal({"--input", "-", "--input", "-"}).starts_with("--input -: "));
  CHECK(
      refusal({"--state-directory", "d", "--checkpoint-every", "0s"}).starts_with("--checkpoint-every 0: "));
  for (const char* share : {"0%", "101%", "50", "-5%", "5.5%", "%", "half", "5% "})
    CHECK(refusal({"--state-directory", "d", "--checkpoint-share", share}) ==
          fmt::format("--checkpoint-share {}: must be a whole number from 1% to 100%", share));
  CHECK(refusal({"--max-header", "2GiB"}) == "--max-header 2147483648: must be at most 1GiB");
  CHECK(refusal({"--dimension", "3", "--label-column", "4"}).starts_with("--label-column 4: "));
}

TEST_CASE("options that would have no effect are refused") {
  const std::string phases = "has an effect on algorithms of two phases (two-phase-...) only";
  const std::string sampling = "has no effect on algorithms that look at every attribute (online-...)";
  const std::string durability = "has no effect without --state-directory DIR";
  for (const char* algorithm : {"aerr", "ddaerr", "online-ridge"}) {
    CHECK(refusal({"--algorithm", algorithm, "--phase1", "10"}) == "--phase1 10: " + phases);
    CHECK(refusal({"--algorithm", algorithm, "--confidence", "0"}) == "--confidence 0: " + phases);
  }
  CHECK(refusal({"--algorithm", "aerr", "--half-norm", "3"}) == "--half-norm 3: " + phases);
  CHECK(refusal({"--half-norm", "3"}) == "--half-norm 3: has no effect without --step theory");
  CHECK(refusal({"--algorithm", "two-phase-ddaelr", "--radius", "4", "--half-norm", "3"}) ==
        "--half-norm 3: has an effect on two-phase-ddaerr only");
  CHECK(refusal({"--algorithm", "aerr", "--pair-memory", "1MiB"}) ==
        "--pair-memory 1MiB: has an effect on --algorithm pairwise and pairwise-screened only");
  CHECK(refusal({"--algorithm", "pairwise", "--active", "5"}) ==
        "--active 5: has an effect on --algorithm pairwise-screened only");
  CHECK(refusal({"--delta", "0.1"}) == "--delta 0.1: has no effect without --confidence theory");
  CHECK(refusal({"--algorithm", "online-ridge", "--split", "even"}) == "--split even: " + sampling);
  CHECK(refusal({"--algorithm", "online-ridge", "--inner-sampling", "plain"}) ==
        "--inner-sampling plain: " + sampling);
  CHECK(refusal({"--algorithm", "aerr", "--phase1-radius", "3"}) == "--phase1-radius 3: " + phases);
  CHECK(refusal({"--algorithm", "aerr", "--phase1-step", "3"}) == "--phase1-step 3: " + phases);
  CHECK(refusal({"--horizon", "100"}) ==
        "--horizon 100: has no effect without --step theory or a given --phase1");
  CHECK(refusal({"--algorithm", "baseline", "--radius", "4", "--step", "0.1"})
            .starts_with("--step 0.1: has no effect on baseline and pairwise"));
  CHECK(refusal({"--algorithm", "aer", "--radius", "4", "--step", "0.1", "--inner-sampling", "plain"})
            .starts_with("--inner-sampling plain: has no effect on aer"));
  CHECK(refusal({"--draws", "both"}) == "--draws both: must be one of separate, pairs");
  CHECK(refusal({"--algorithm", "aerr", "--split", "even"}) ==
        "--split even: has no effect unless --draws separate: of pairs every draw serves both estimators");
  for (const char* algorithm : {"online-ridge", "aer", "baseline"}) {
    CHECK(refusal({"--algorithm", algorithm, "--draws", "separate"})
              .starts_with("--draws separate: has an effect on aerr, ddaerr"));
    CHECK(refusal({"--algorithm", algorithm, "--control-variates", "off"})
              .starts_with("--control-variates off: has an effect on aerr, ddaerr"));
  }
  for (const char* format : {"f32", "vw", "csv", "ndjson"})
    CHECK(refusal({"--format", format, "--index-base", "1"}) ==
          "--index-base 1: is for --format svmlight or auto only");
  for (const char* format : {"f32", "vw", "svmlight", "ndjson"}) {
    CHECK(refusal({"--format", format, "--label-column", "0"}) ==
          "--label-column 0: is for --format csv or auto only");
    CHECK(refusal({"--format", format, "--delimiter", "tab"}) ==
          "--delimiter tab: is for --format csv or auto only");
  }
  CHECK(refusal({"--checkpoint-every", "1s"}) == "--checkpoint-every 1s: " + durability);
  CHECK(refusal({"--checkpoint-share", "5%"}) == "--checkpoint-share 5%: " + durability);
  CHECK(refusal({"--checkpoint-examples", "5"}) == "--checkpoint-examples 5: " + durability);
  CHECK(refusal({"--checkpoint-keep", "5"}) == "--checkpoint-keep 5: " + durability);
  CHECK(refusal({"--restore", "never"}) == "--restore never: " + durability);
}

TEST_CASE("options that have an effect together are taken") {
  read({"--phase1", "10", "--confidence", "theory", "--delta", "0.1"});
  read({"--step", "theory", "--horizon", "9", "--half-norm", "3", "--split", "paper"});
  read({"--format", "svmlight", "--index-base", "0"});
  read({"--format", "csv", "--label-column", "1", "--delimiter", ";"});
  read({"--index-base", "0", "--label-column", "1", "--delimiter", ";"});
  CHECK(read({"--restore", "/some/checkpoint"}).restore == "/some/checkpoint");  // read it, and write none
}

TEST_CASE("what a file gives must have an effect as well, and defaults need none") {
  const File file("phase1 = 10\n");
  read({"--config", file.path()});
  CHECK(refusal({"--config", file.path(), "--algorithm", "aerr"}).starts_with("--phase1 10: "));
  read({"--algorithm", "online-ridge", "--format", "f32"});
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
  CHECK(read({"--config", file.path(), "--listen", "unix:/c"}).listen.size() == 1);
}

TEST_CASE("a file's mistakes are told with the file's name") {
  for (const char* text : {"bogus = 1\n", "serve = perhaps\n", "no equals sign\n"}) {
    const File file(text);
    CHECK(refusal({"--config", file.path()}).starts_with(file.path()));
  }
  CHECK(refusal({"--config", "/nowhere/at/all"}) == "--config /nowhere/at/all: cannot be read");
}

TEST_CASE("what can change while running is taken over, and the rest named") {
  Configuration running = read({"--dimension", "4", "--budget", "2", "--state-directory", "d"});
  const Configuration easy =
      read({"--dimension",        "4",  "--budget",           "2",  "--log-level",           "debug",
            "--state-directory",  "d",  "--checkpoint-every", "1s", "--checkpoint-examples", "2",
            "--checkpoint-share", "7%", "--max-connections",  "3",  "--http-timeout",        "4s",
            "--idle-timeout",     "5s", "--clip=0:1"});
  CHECK(apply_changes(running, easy).empty());
  CHECK(running.log_level == "debug");
  CHECK(running.clip.text() == "0:1");
  CHECK(running.checkpoint_every == 1s);
  CHECK(running.checkpoint_examples == 2);
  CHECK(running.checkpoint_share == 7);
  CHECK(running.max_connections == 3);
  CHECK(running.http_timeout == 4s);
  CHECK(running.idle_timeout == 5s);

  const Configuration hard =
      read({"--dimension", "4", "--budget", "3", "--strict", "--queue", "1KiB", "--listen", "unix:/a",
            "--replies", "all", "--state-directory", "e", "--validate", "full"});
  const auto fixed = apply_changes(running, hard);
  const std::vector<std::string> expected{
      "the learner's options", "input", "listen", "validate", "replies", "strict",
      "state-directory",       "limits"};
  CHECK(fixed == expected);
  CHECK_FALSE(running.strict);
}

TEST_CASE("tokens change while running, and are asked for until the end") {
  Configuration running = read({"--dimension", "4", "--budget", "2"});
  running.token_file = "old";
  Configuration wanted = running;
  wanted.token_file = "new";
  CHECK(apply_changes(running, wanted).empty());
  CHECK(running.token_file == "new");
  wanted.token_file.clear();
  CHECK(apply_changes(running, wanted).size() == 1);
  CHECK(running.token_file == "new");
}

TEST_CASE("where pairwise solves: inline for pipes, in the background where there is a door, or as told") {
  const std::vector<std::string> model{"--dimension", "400", "--budget", "2", "--algorithm", "pairwise"};
  const auto background = [&](std::vector<std::string> more) {
    more.insert(more.begin(), model.begin(), model.end());
    return solves_in_background(read(more));
  };
  CHECK_FALSE(background({}));
  CHECK_FALSE(background({"--input", "file"}));
  CHECK(background({"--http", "127.0.0.1:0"}));
  CHECK(background({"--listen", "tcp:127.0.0.1:0"}));
  CHECK(background({"--solver", "background"}));
  CHECK_FALSE(background({"--http", "127.0.0.1:0", "--solver", "inline"}));
  CHECK(refusal({"--algorithm", "aerr", "--solver", "inline"}) ==
        "--solver inline: has an effect on --algorithm pairwise and pairwise-screened only");
  Configuration small = read({"--dimension", "128", "--budget", "2", "--http", "127.0.0.1:0"});
  CHECK_FALSE(solves_in_background(small));
  small.learner.dimension = 129;
  CHECK(solves_in_background(small));
}

TEST_CASE("a ball needs a radius") {
  const LearnerOptions o = read({"--algorithm", "pairwise", "--radius", "2", "--ball", "l1"}).learner;
  CHECK(o.ball == Ball::kL1);
  CHECK(refusal({"--algorithm", "pairwise", "--ball", "l1"}) ==
        "--ball l1: has no effect without --radius B");
  CHECK(refusal({"--algorithm", "pairwise", "--radius", "2", "--ball", "l3"}) ==
        "--ball l3: must be one of l2, l1");
}

TEST_CASE(
    "whoever names no algorithm gets the one whose options are given; a default written down asks for "
    "nothing") {
  const auto algorithm = [](std::vector<std::string> more) { return read(more).learner.algorithm; };
  CHECK(algorithm({}) == kAutomatic);
  CHECK(algorithm({"--step", "auto", "--phase1", "auto", "--draws", "pairs", "--split", "even"}) ==
        kAutomatic);
  CHECK(algorithm({"--step", "0.1"}) == "two-phase-ddaerr");
  CHECK(algorithm({"--draws", "separate"}) == "two-phase-ddaerr");
  CHECK(read({"--phase1", "100"}).algorithm_reason == "as --phase1 is given");
  CHECK(algorithm({"--moments", "file"}) == "ddaerr");
  CHECK(algorithm({"--algorithm", "aerr", "--step", "0.1"}) == "aerr");
}

TEST_CASE("an argument that is no option is named") {
  const std::string rest =
      ": there are options alone, which begin with --; one that is on or off takes no value here";
  CHECK(refusal({"--dimension", "4", "foo"}) == "argument 'foo'" + rest);
  CHECK(refusal({"--serve", "on"}) == "argument 'on'" + rest);
  CHECK(refusal({"--", "a", "b"}) == "argument 'a'" + rest);
}

TEST_CASE("words that stand for others in messages are refused like any unknown option") {
  for (const char* word :
       {"--dimen%original_token%sion=3", "--foo=%original_token%", "--%canonical_option%", "-%value%"})
    CHECK(refusal({word}) == fmt::format("unrecognised option '{}'", word));
}
