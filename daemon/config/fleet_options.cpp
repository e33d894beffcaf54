#include <algorithm>
#include <string_view>

#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

using Types = OptionTypes<Configuration>;

constexpr const char* kNoFleet = "has no effect without --fleet GROUP";
constexpr std::string_view kScheme = "kafka://";

bool is_fleet(const Configuration& c) { return !c.fleet.group.empty(); }
bool reads_one_topic(const Configuration& c) {
  return c.inputs.size() == 1 && c.inputs.front().starts_with(kScheme);
}
bool keeps_no_state(const Configuration& c) { return c.state_directory.empty(); }
bool restores_nothing(const Configuration& c) { return c.restore == "auto" || c.restore == "never"; }
// Their states merge (MERGING.md).
bool merges(const Configuration& c) {
  const std::string& name = c.learner.algorithm;
  return c.learner.products == 0 && name != "aer" && name != "apple";
}
bool has_no_limit(const Configuration& c) { return !c.spending.attributes && !c.spending.cost; }
bool learns(const Configuration& c) { return c.learn == Learning::kAuto; }
bool is_not_strict(const Configuration& c) { return !c.strict; }
bool knows_attributes(const Configuration& c) {
  return c.learner.dimension > 0 || !c.attributes_file.empty();
}

// As Kafka permits names of topics, of which the group's is a part.
Status read_name(const char* option, const std::string& text, std::string& place) {
  const bool is_plain = !text.empty() && text.size() <= 200 && text != "." && text != ".." &&
                        std::ranges::all_of(text, [](char c) {
                          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                 c == '.' || c == '_' || c == '-';
                        });
  if (!is_plain) return invalid_option(option, text, "must be 1 to 200 of letters, digits, '.', '_' and '-'");
  place = text;
  return {};
}

}  // namespace

std::vector<DaemonOption> fleet_options() {
  const auto part = [](auto member) { return at(&Configuration::fleet, member); };
  return {
      {.name = "fleet",
       .value = "GROUP",
       .sentence = "learns from --input kafka://… together with all others of this group",
       .example = "sales",
       .details =
           R"(One instance of a fleet: those with the same group share the topic of 'input', each learns from the
partitions that it is given, and each answers with the model of all. State is kept in a topic of the
same brokers, so there is no state-directory; doors answer, and teach nothing. How many attributes
there are is told by dimension or attributes. See daemon/fleet/FLEET.md.)",
       .type = Types::custom(
           [](const std::string& text, Configuration& c) { return read_name("fleet", text, c.fleet.group); },
           part(&FleetOptions::group)),
       .rules =
           {{reads_one_topic, "needs one --input kafka://HOST:PORT/TOPIC, and no other"},
            {keeps_no_state, "keeps its state in a topic: --state-directory has no place beside it"},
            {restores_nothing, "keeps its state in a topic: --restore PATH has no place beside it"},
            {merges, "folds the states of partitions, which those of aer, apple and --products cannot be"},
            {has_no_limit,
             "has no limit of its own to what is bought: --total-budget and --total-cost are of one learner"},
            {learns, "has no --learn: its doors teach nothing, and its topic does"},
            {is_not_strict,
             "has no --strict: a record that cannot be read would end every instance that comes to it; such "
             "records are counted in refused_records"},
            {knows_attributes, "needs --attributes FILE or --dimension D, so that all instances agree"}}},
      {.name = "fleet-states",
       .value = "TOPIC",
       .sentence = "the topic of the fleet's states; it is made where it is not there",
       .standard = "GROUP-states",
       .details =
           R"(The topic that holds the state of each partition, compacted, with as many partitions as the input.
It is made where it is not there. Give a fleet that is to start from nothing another group.)",
       .type = Types::custom([](const std::string& text,
                                Configuration& c) { return read_name("fleet-states", text, c.fleet.states); },
                             part(&FleetOptions::states)),
       .rules = {{is_fleet, kNoFleet}}},
      {.name = "fleet-commit-every",
       .value = "TIME",
       .sentence = "time between a partition's states in their topic, and so how old the fleet's model gets",
       .standard = "10s",
       .details =
           R"(Time between the states of a partition in their topic. So old does the fleet's model get, and so
much is learned again by another instance where one is killed; each state is written whole.)",
       .type = Types::duration(part(&FleetOptions::commit_every)),
       .rules = {{is_fleet, kNoFleet},
                 {[](const Configuration& c) { return c.fleet.commit_every.count() > 0; },
                  "must be above 0"}}},
      {.name = "fleet-session",
       .value = "TIME",
       .sentence = "how long an instance may be silent before its partitions are given to others",
       .standard = "10s",
       .details =
           R"(How long an instance may be silent before the brokers give its partitions to others: what it had
not committed is learned again there. At least what the brokers allow (group.min.session.timeout.ms,
6s by default), and at most what they allow (group.max.session.timeout.ms, 30m by default).)",
       .type = Types::duration(part(&FleetOptions::session)),
       .rules = {{is_fleet, kNoFleet},
                 {[](const Configuration& c) {
                    return c.fleet.session >= std::chrono::seconds(1) &&
                           c.fleet.session <= std::chrono::minutes(30);
                  },
                  "must be from 1s to 30m, the most that brokers allow by default "
                  "(group.max.session.timeout.ms)"}}},
      {.name = "fleet-instance",
       .value = "NAME",
       .sentence =
           "a name of this instance alone: it keeps its partitions where it comes back within a session",
       .example = "machine-1",
       .details =
           R"(A name that no other instance of the group has (group.instance.id). One that comes back within
'fleet-session' has its partitions again, and no other instance is disturbed.)",
       .type =
           Types::custom([](const std::string& text,
                            Configuration& c) { return read_name("fleet-instance", text, c.fleet.instance); },
                         part(&FleetOptions::instance)),
       .rules = {{is_fleet, kNoFleet}}},
      {.name = "fleet-address",
       .value = "TEXT",
       .sentence = "where this instance answers, as the others tell it; its first --http door without it",
       .example = "machine-1.example:9317",
       .details =
           R"(Where this instance answers, HOST:PORT or http(s)://HOST:PORT. The others show it in /v1/status and
on the page as the owner of its partitions, and send those there who ask for plans of these. Without
it: the first TCP door of 'http', with the machine's name where that is open to all addresses.)",
       .type = Types::text(part(&FleetOptions::address)),
       .rules = {{is_fleet, kNoFleet},
                 {[](const Configuration& c) { return c.fleet.address.size() <= 255; },
                  "must have at most 255 bytes"}}},
      {.name = "fleet-state-limit",
       .value = "SIZE",
       .sentence = "the largest state of a partition that goes into messages",
       .standard = "1GiB",
       .details =
           R"(The largest state of a partition that goes into messages of the topic of states. A larger one goes
to 'fleet-state-folder', and is refused where there is none. The same on all instances.)",
       .type = Types::bytes(part(&FleetOptions::most_state_bytes)),
       .rules = {{is_fleet, kNoFleet}}},
      {.name = "fleet-state-folder",
       .value = "PATH",
       .sentence = "a folder that all instances share, for states beyond --fleet-state-limit",
       .example = "/srv/glimpse/sales",
       .details =
           R"(A folder that all instances of the fleet share, and no other fleet does: a state beyond
'fleet-state-limit' is a file there, and the topic of states holds its name, size and checksum. A file
that is renamed must be seen by all at once. Files that no message names any more are removed.)",
       .type = Types::text(part(&FleetOptions::state_folder)),
       .rules = {{is_fleet, kNoFleet}}},
  };
}

}  // namespace glimpse
