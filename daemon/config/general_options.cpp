#include "daemon/config/general_options.h"

namespace glimpse {

std::vector<DaemonOption> general_options() {
  using Types = OptionTypes<Configuration>;
  return {
      {.name = "progress",
       .sentence = "print a table of progress (default: when standard error is a terminal)",
       .standard = "off",
       .details = R"(Print vw's table of progress on standard error; always on when that is a terminal.)",
       .type = Types::flag(at(&Configuration::progress))},
      {.name = "log-level",
       .value = "LEVEL",
       .sentence = "debug, info (default), warning or error",
       .standard = "info",
       .details = R"(debug, info, warning or error.)",
       .type = Types::choice<std::string>(
           at(&Configuration::log_level),
           {{"debug", "debug"}, {"info", "info"}, {"warning", "warning"}, {"error", "error"}}),
       .reload = Reload::kNow},
  };
}

}  // namespace glimpse
