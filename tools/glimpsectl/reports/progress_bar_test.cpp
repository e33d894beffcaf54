#include "glimpsectl/reports/progress_bar.h"

#include <doctest/doctest.h>
#include <sstream>
#include <thread>

namespace glimpse::ctl {

TEST_CASE("a bar is shown on a terminal alone, from a second on, and goes in the end") {
  for (const bool is_terminal : {true, false}) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Console console{in, out, err};
    console.err_is_terminal = is_terminal;
    {
      ProgressBar bar({"/no/such/file"}, console);
      bar.show(5, 100);
      CHECK(err.str().empty());
      std::this_thread::sleep_for(std::chrono::milliseconds(1010));
      bar.show(5, 2000);
      const std::string shown = err.str();
      bar.show(5, 3000);  // too early for another one
      CHECK(err.str() == shown);
      CHECK(shown.starts_with(is_terminal ? "\r[                              ] 2,000 rows, 1," : ""));
      CHECK(shown.empty() == !is_terminal);
    }
    CHECK(err.str().ends_with(is_terminal ? "/s \r\033[K" : ""));
    CHECK(out.str().empty());
  }
}

}  // namespace glimpse::ctl
