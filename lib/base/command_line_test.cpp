#include "base/command_line.h"

#include <doctest/doctest.h>

namespace command_line_test {

using namespace glimpse;
using Strings = std::vector<std::string>;

namespace {

const std::vector<OptionRow>& rows() {
  static const std::vector<OptionRow> all{{"budget K", "", OptionKind::value()},
                                          {"input FILE", "", OptionKind::value().repeated()},
                                          {"output FILE", "", OptionKind::value()},
                                          {"serve", "", OptionKind::word()},
                                          {"help", "", OptionKind::word()}};
  return all;
}

Result<CommandWords> words(const Strings& arguments) {
  std::vector<const OptionRow*> known;
  for (const OptionRow& row : rows()) known.push_back(&row);
  return take_apart(arguments, known);
}

std::string refusal(const Strings& arguments) {
  const auto line = words(arguments);
  return line ? "accepted" : line.error().message;
}

}  // namespace

TEST_CASE("options have values behind a blank or an equals sign, anywhere among words") {
  const auto line =
      words({"a", "--budget", "-1", "--input=x=y", "-", "--serve", "--input", "", "-o", "out"}).value();
  CHECK(line.values_of("budget") == Strings{"-1"});
  CHECK(line.values_of("input") == Strings{"x=y", ""});
  CHECK(line.values_of("output") == Strings{"out"});
  CHECK(line.values_of("serve") == Strings{"on"});
  CHECK(line.words == Strings{"a", "-"});
  CHECK_FALSE(line.has("help"));
  CHECK(words({"-h"})->has("help"));
  CHECK(words({"--serve", "--", "--budget", "--"})->words == Strings{"--budget", "--"});
  CHECK(words({"--budget", "--serve"})->values_of("budget") == Strings{"--serve"});
}

TEST_CASE(
    "what is wrong with a command line is told with the option, and the nearest where it is not known") {
  CHECK(refusal({"--budgt=3"}) == "unrecognised option '--budgt'; did you mean '--budget'?");
  CHECK(refusal({"-budget"}) == "unrecognised option '-budget'; did you mean '--budget'?");
  CHECK(refusal({"--frobnicate"}) == "unrecognised option '--frobnicate'");
  CHECK(refusal({"--bud", "3"}).starts_with("unrecognised option '--bud'"));
  CHECK(refusal({"-5"}) == "unrecognised option '-5'");
  CHECK(refusal({"--=3"}).starts_with("unrecognised option '--'"));
  CHECK(refusal({"--budget"}) == "the required argument for option '--budget' is missing");
  CHECK(refusal({"--serve=on"}) == "option '--serve' does not take any arguments");
  CHECK(refusal({"--budget", "3", "--budget", "4"}) ==
        "--budget 4: can be given once only, and is '3' before");
  CHECK(refusal({"--input", "a", "--input", "a"}) == "accepted");
}

TEST_CASE(
    "sentences of help stand beside what they explain, or below it where that is long, in short lines") {
  std::string help;
  append_help(help, "  ", {"seeds N = 1", "runs", OptionKind::value()});
  append_help(help, "  ", {"a-name-that-is-long VALUE", "words", OptionKind::value()});
  CHECK(help ==
        "  --seeds N                 runs; default 1\n"
        "  --a-name-that-is-long VALUE\n"
        "                            words\n");
  CHECK(wrapped("# ", "one two\nthree", "# ", 9) == "# one two\n# three\n");
  CHECK(wrapped("", "äöü äöü äöü", "", 7) == "äöü äöü\näöü\n");
  CHECK(wrapped("", "a-word-longer-than-a-line", "", 7) == "a-word-longer-than-a-line\n");
}

}  // namespace command_line_test
