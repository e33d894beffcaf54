#include <doctest/doctest.h>
#include <fmt/format.h>

#include "daemon/config/config_test_support.h"
#include "daemon/config/option_table.h"

namespace option_rules_test {

using namespace glimpse;
using namespace glimpse::test;
using namespace std::chrono_literals;

TEST_CASE("labels are named with commas between, and a name with one stands in double quotes") {
  const auto names = [](const std::string& text) {
    const Configuration c = read({"--label", text});
    std::vector<std::string> all{c.table.label.name};
    for (const ColumnChoice& label : c.table.further_labels) all.push_back(label.name);
    return all;
  };
  using Names = std::vector<std::string>;
  CHECK(names("temp,cnt") == Names{"temp", "cnt"});
  CHECK(names("temp, cnt") == Names{"temp", "cnt"});
  CHECK(names(R"(temp , " a,b ")") == Names{"temp", " a,b "});
  CHECK(names(R"("a,b")") == Names{"a,b"});
  CHECK(names(R"(a "x")") == Names{R"(a "x")"});
  CHECK(names(R"("a ""x"", b",c)") == Names{R"(a "x", b)", "c"});
  CHECK(names(R"("a" b)") == Names{R"("a" b)"});
  CHECK(names(R"(5", "a""b)") == Names{R"(5")", R"("a""b)"});
  CHECK(names(" a") == Names{" a"});
  for (const char* text : {"", "a,", ",a", R"(a,"")"})
    CHECK(refusal({"--label", text}).find("must be a name, a number from 1 as #5, or last") !=
          std::string::npos);
  CHECK(
      refusal({"--label", "G\xf6\xdf,cnt"}) ==
      R"(--label: the name 'G\xf6\xdf' is no UTF-8, in which answers and checkpoints are: convert the input )"
      "(iconv -f LATIN1 -t UTF-8), and give the name as it is there");
  CHECK(refusal({"--label", "G\xc3\xb6\xc3\x9f,cnt"}).empty());
}

TEST_CASE("columns count from 1, and the option that counted from 0 says what is given now") {
  const Configuration c = read({"--label", "#3,#1", "--ignore", "#2,5,last", "--weight", "#4"});
  CHECK(c.table.label.number == 2);
  CHECK(c.learner.labels == std::vector<std::string>{"#3", "#1"});
  CHECK(c.table.ignored.front().number == 1);
  CHECK(bare_number(c.table.ignored[1]) == std::size_t{5});
  CHECK(c.table.weight == parse_column("#4"));
  CHECK(refusal({"--label-column", "5"}) == "--label-column 5: is --label=#6 now, as columns count from 1");
  CHECK(refusal({"--label-column", "y"}).starts_with("--label-column y: is --label now"));
  for (const char* option : {"--label", "--weight"})
    CHECK(refusal({option, "#2147483649"}).ends_with("the number of a column is from #1 to #2147483648"));
}

TEST_CASE("objects of JSON have labels, a weight and columns to ignore as tables have") {
  for (const char* option : {"--label", "--weight", "--ignore"}) {
    CHECK(refusal({"--format", "ndjson", option, "temp"}).empty());
    CHECK(refusal({"--format", "vw", option, "temp"}) ==
          fmt::format("{} temp: is for --format csv, ndjson or auto only", option));
  }
  CHECK(refusal({"--format", "ndjson", "--label", "temp,cnt"}).empty());
}

TEST_CASE("options that contradict are refused") {
  CHECK(refusal({"--serve"}).starts_with("--serve on: needs a door"));
  CHECK(refusal({"--input", "-", "--input", "-"}).starts_with("--input -: "));
  CHECK(
      refusal({"--state-directory", "d", "--checkpoint-every", "0s"}).starts_with("--checkpoint-every 0s: "));
  for (const char* share : {"0%", "101%", "50", "-5%", "5.5%", "%", "half", "5% "})
    CHECK(refusal({"--state-directory", "d", "--checkpoint-share", share}) ==
          fmt::format("--checkpoint-share {}: must be a whole number from 1% to 100%", share));
  CHECK(refusal({"--max-header", "2GiB"}) == "--max-header 2GiB: must be at most 1GiB");
  CHECK(refusal({"--dimension", "3", "--label", "#5"}).starts_with("--label #5: "));
  CHECK(refusal({"--dimension", "3", "--label", "#4"}).empty());
}

TEST_CASE("options that would have no effect are refused") {
  const std::string phases = "has an effect on algorithms of two phases (two-phase-...) only";
  const std::string sampling = "has no effect on algorithms that look at every attribute (online-..., apple)";
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
        "--horizon 100: has no effect without --step theory, a given --phase1 or --algorithm apple");
  CHECK(refusal({"--max-features", "100"}) == "--max-features 100: has an effect on --algorithm apple only");
  CHECK(refusal({"--algorithm", "pairwise", "--expansion-exponent", "1"}) ==
        "--expansion-exponent 1: has an effect on --algorithm apple only");
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
  read({"--format", "csv", "--label", "#2", "--delimiter", ";"});
  read({"--index-base", "0", "--label", "#2", "--delimiter", ";"});
  CHECK(read({"--restore", "/some/checkpoint"}).restore == "/some/checkpoint");  // read it, and write none
}

TEST_CASE("what a file gives must have an effect as well, and defaults need none") {
  const File file("phase1 = 10\n");
  read({"--config", file.path()});
  CHECK(refusal({"--config", file.path(), "--algorithm", "aerr"})
            .starts_with(file.path() + ": line 1: --phase1 10: "));
  read({"--algorithm", "online-ridge", "--format", "f32"});
}

TEST_CASE("a ball needs a radius") {
  const LearnerOptions o = read({"--algorithm", "pairwise", "--radius", "2", "--ball", "l1"}).learner;
  CHECK(o.ball == Ball::kL1);
  CHECK(refusal({"--algorithm", "pairwise", "--ball", "l1"}) ==
        "--ball l1: has no effect without --radius B");
  CHECK(refusal({"--algorithm", "pairwise", "--radius", "2", "--ball", "l3"}) ==
        "--ball l3: must be one of l2, l1");
}

TEST_CASE("without --algorithm the options given choose it; a default written down asks for nothing") {
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

}  // namespace option_rules_test
