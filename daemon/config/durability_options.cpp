#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

using Types = OptionTypes<Configuration>;

// What is not learned must have been learned before.
bool can_be_frozen(const Configuration& c) {
  return c.learn != Learning::kOff || (c.restore == "auto" ? keeps_state(c) : c.restore != "never");
}
bool has_checkpoints(const Configuration& c) {
  return c.checkpoint_every.count() > 0 || c.checkpoint_examples > 0;
}
// A named checkpoint is read wherever it lies, also where none are written.
bool can_restore(const Configuration& c) {
  return keeps_state(c) || (c.restore != "auto" && c.restore != "never");
}

}  // namespace

std::vector<DaemonOption> durability_options() {
  return {
      {.name = "state-directory",
       .value = "DIR",
       .sentence = "where checkpoints are kept; without it nothing survives a restart",
       .example = "/var/lib/glimpse",
       .details = R"(Where checkpoints are kept. Without it nothing survives a restart.)",
       .type = Types::text(at(&Configuration::state_directory))},
      {.name = "checkpoint-every",
       .value = "TIME",
       .sentence = "time between checkpoints",
       .standard = "30s",
       .details =
           R"(Time between checkpoints (nothing is written while nothing comes in), and examples between them (0:
by time only). What came in since the last checkpoint is lost in a crash, except for input files,
which are read again from there. Learning pauses for about 10 ms per million attributes.)",
       .type = Types::duration(at(&Configuration::checkpoint_every)),
       .rules = {{keeps_state, kNoCheckpoints},
                 {has_checkpoints, "needs --checkpoint-examples N, or there would be no checkpoints"}},
       .reload = Reload::kNow},
      {.name = "checkpoint-examples",
       .value = "N",
       .sentence = "examples between checkpoints; default 0: by time only",
       .standard = "0",
       .type = Types::whole(at(&Configuration::checkpoint_examples), 0, 1000000000000000),
       .rules = {{keeps_state, kNoCheckpoints}},
       .reload = Reload::kNow},
      {.name = "checkpoint-share",
       .value = "P%",
       .sentence = "of the time, at most so much goes into checkpoints that senders of named sources ask for",
       .standard = "50%",
       .details =
           R"(Senders of named sources ask for checkpoints between these: at their end, and when half of what they
can keep is not durable. One at a time is made for all who have asked by then, and after each there
is a rest, so that they take at most this share of the time. More: senders through pipes wait less;
less: the disk has more time for others.)",
       .type = Types::percent(at(&Configuration::checkpoint_share)),
       .rules = {{keeps_state, kNoCheckpoints}},
       .reload = Reload::kNow},
      {.name = "checkpoint-keep",
       .value = "N",
       .sentence = "checkpoints kept",
       .standard = "3",
       .details = R"(How many to keep. More than one guards against a disk that damages files.)",
       .type = Types::whole(at(&Configuration::checkpoint_keep), 1, 1000),
       .rules = {{keeps_state, kNoCheckpoints}}},
      {.name = "restore",
       .value = "WHICH",
       .sentence = "auto (default: the newest), never, or a checkpoint's path",
       .standard = "auto",
       .details =
           R"(auto: the newest that verifies and can be restored. never: start from nothing. A path: that
checkpoint.)",
       .type = with_choices(Types::text(at(&Configuration::restore)), {"auto", "never"}),
       .rules = {{can_restore, kNoCheckpoints}}},
      {.name = "learn",
       .value = "WHETHER",
       .sentence = "on, off (labelled examples are evaluated and counted, and nothing is learned), or auto "
                   "(default): as the checkpoint says",
       .standard = "auto",
       .details =
           R"(Whether labelled examples are learned from. off: the model of the checkpoint answers and stays as it
is; labelled examples are predicted, and counted with their error, and their sources go on behind
them. on: they are learned from, also where the checkpoint was made while nothing was. auto: as the
checkpoint says, on where there is none. POST /v1/freeze and /v1/unfreeze change it at run time;
checkpoints keep that, and at the next start on or off wins over it.)",
       .type = Types::choice<Learning>(
           at(&Configuration::learn),
           {{"auto", Learning::kAuto}, {"on", Learning::kOn}, {"off", Learning::kOff}}),
       .rules = {{can_be_frozen,
                  "needs a checkpoint to answer from: --state-directory DIR, or --restore with a path"}}},
  };
}

}  // namespace glimpse
