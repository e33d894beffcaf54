#include "manual/pages.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "daemon/config/option_table.h"
#include "glimpsectl/command_table.h"
#include "manual/mdoc.h"

namespace pages_test {

using namespace glimpse;
using namespace glimpse::manual;

namespace {

// Of a command: behind its title, up to the next one.
std::string part_of(const std::string& page, const std::string& title) {
  const std::size_t begin = page.find("\n.Ss " + title);
  if (begin == std::string::npos) return "";
  const std::size_t end = std::min(page.find("\n.Ss ", begin + 1), page.find("\n.Sh ", begin + 1));
  return page.substr(begin, end - begin);
}

bool has_option(const std::string& text, const std::string& name) {
  return text.find(fmt::format("\n.It Fl \\-{}\n", name)) != std::string::npos ||
         text.find(fmt::format("\n.It Fl \\-{} Ar ", name)) != std::string::npos;
}

}  // namespace

TEST_CASE("every option of the daemon is on glimpsed(8), and on glimpsed.conf(5) with what it trades") {
  const std::string program = mdoc(glimpsed_page(), "May 1, 2026");
  const std::string file = mdoc(glimpsed_conf_page(), "May 1, 2026");
  std::size_t options = 0;
  for (const OptionSection& section : option_table())
    for (const OptionRow& option : section.rows) {
      CAPTURE(option.name);
      CHECK(has_option(program, option.name));
      CHECK(file.find(fmt::format("\n.It Ic {} = ", option.name)) != std::string::npos);
      ++options;
    }
  CHECK(options > 50);
  for (const char* name : {"config", "check-config", "help", "version"}) {
    CAPTURE(name);
    CHECK(has_option(program, name));
    CHECK(file.find(fmt::format("\n.It Ic {} = ", name)) == std::string::npos);
  }
}

TEST_CASE("every command of glimpsectl is on its page, each with its own options") {
  const std::string page = mdoc(glimpsectl_page(), "May 1, 2026");
  for (const ctl::CommandRow& command : ctl::command_table()) {
    const std::string part = part_of(page, std::string(command.name));
    CAPTURE(command.name);
    CHECK(!part.empty());
    for (const OptionRow& option : command.options) {
      CAPTURE(option.name);
      CHECK(has_option(part, option.name));
    }
  }
  for (const OptionRow& option : ctl::common_options()) CHECK(has_option(page, option.name));
}

TEST_CASE("pages of small tools have their options, and a chapter of exit statuses") {
  for (const Page& page : {gen_page(), mnist_page()}) {
    const std::string text = mdoc(page, "May 1, 2026");
    CAPTURE(page.name);
    CHECK(has_option(text, "format"));
    CHECK(has_option(text, "help"));
    CHECK(text.find("\n.Sh EXIT STATUS\n0 done") != std::string::npos);
    CHECK(text.find("Exit status:") == std::string::npos);
  }
}

TEST_CASE("lines of text are short, end with sentences and are no requests") {
  for (const Page& page : all_pages()) {
    const std::string text = mdoc(page, "May 1, 2026");
    CAPTURE(page.name);
    CHECK(text.find("\n\n.") == std::string::npos);
    CHECK(text.find("\n.Bd -literal -offset 2n\n.Ed") == std::string::npos);
  }
  CHECK(mdoc_text("One. Two is .here\n.three") == "One.\nTwo is .here .three\n");
  CHECK(mdoc_text(".first") == "\\&.first\n");
  CHECK(mdoc_text("a\\b --c") == "a\\eb \\-\\-c\n");
  CHECK(mdoc_text("so:\n\n  $ run\n    it\n\nthen") ==
        "so:\n.Bd -literal -offset 2n\n$ run\n  it\n.Ed\n.Pp\nthen\n");
}

}  // namespace pages_test
