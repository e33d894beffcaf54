#include "daemon/config/option_table.h"

namespace glimpse {

namespace {
bool is_long_enough(const Configuration& c) { return c.history == 0 || c.history >= 16; }
}  // namespace

std::vector<DaemonOption> general_options() {
  using Types = OptionTypes<Configuration>;
  return {
      {.name = "progress",
       .sentence = "print a table of progress (default: when standard error is a terminal)",
       .standard = "off",
       .details = R"(Print vw's table of progress on standard error; always on when that is a terminal.)",
       .type = Types::flag(at(&Configuration::progress))},
      {.name = "history",
       .value = "N",
       .sentence = "samples of its progress that are kept for GET /v1/history; 0: none",
       .standard = "2000",
       .details =
           R"(How many samples of its progress are kept, in memory and in checkpoints, for GET /v1/history. They
always go from the first example to now: once there are too many, those go that lie closest on a
log axis of examples, and the newest quarter stays as it came. One takes 224 bytes in a checkpoint
and twice that in memory. 0: none is taken.)",
       .type = Types::whole(at(&Configuration::history), 0, History::kMost),
       .rules = {{is_long_enough, "must be 0, or at least 16"}}},
      {.name = "threads",
       .value = "N",
       .sentence = "threads that read records and learn from them; default 0: as many as there are cores",
       .standard = "0",
       .details =
           R"(How many threads read records and learn from them: one learns. The others find the values of the
attributes that it will look at, in the lines to come, and all values of lines that ask for
predictions, as long as that makes the stream faster. They help it to add up the products of pairs of
attributes (pairwise and pairwise-screened, from 12 attributes an example on). The model is the same
to the bit for every number. 1: the thread that learns reads everything. 0: as many as there are
cores. Each takes up to 8 MiB of memory. Files, sockets, solving and HTTP have threads of their own beside these.)",
       .type = Types::whole(at(&Configuration::threads), 0, 256)},
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
