#include "fleet/simulation_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <vector>

#include "common/option_table.h"
#include "common/output.h"
#include "fleet/fleet_simulation.h"

namespace glimpse {
namespace {

constexpr ProgramText kText{.name = "glimpse-fleet-simulation",
                            .usage =
                                "Usage: glimpse-fleet-simulation [options]\n"
                                "Runs fleets beside simulated brokers, on a clock of their own, with members "
                                "that are killed, stopped and "
                                "added,\nand brokers that are away. Says whether each message was learned "
                                "once, and the state of each "
                                "partition is, to\nthe bit, that of one undisturbed reader; and how long the "
                                "fleet took to be fresh again.\n",
                            .notes =
                                "\nThe same options give the same lines on every machine.\n\n"
                                "Exit status: 0 each message was learned once, 1 not so, 2 wrong options.\n"};

struct SimulationCommand {
  FleetSimulation::Options fleet;
  std::uint64_t runs = 1;

  Status run() const;
};

double quantile(std::vector<double> sorted, double share) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

void append_recoveries(const std::vector<FleetSimulation::Recovery>& recoveries, std::string& text) {
  fmt::format_to(std::back_inserter(text), "\n{:<24}{:>8}{:>10}{:>10}{:>10}\n", "seconds until fresh",
                 "events", "median", "90 %", "largest");
  for (std::size_t e = 0; e < kFleetEvents; ++e) {
    std::vector<double> seconds;
    for (const auto& recovery : recoveries)
      if (recovery.event == static_cast<FleetEvent>(e)) seconds.push_back(recovery.seconds);
    if (seconds.empty()) continue;
    std::ranges::sort(seconds);
    fmt::format_to(std::back_inserter(text), "{:<24}{:>8}{:>10.2f}{:>10.2f}{:>10.2f}\n",
                   name_of(static_cast<FleetEvent>(e)), seconds.size(), quantile(seconds, .5),
                   quantile(seconds, .9), seconds.back());
  }
}

std::vector<Option<SimulationCommand>> rows() {
  using Types = ToolTypes<SimulationCommand>;
  using Fleet = FleetSimulation::Options;
  const auto fleet = [](auto member) { return at(&SimulationCommand::fleet, member); };
  return {
      {.name = "partitions",
       .value = "P",
       .sentence = "partitions of the input",
       .standard = "16",
       .type = Types::whole(fleet(&Fleet::partitions), 1, 100'000)},
      {.name = "members",
       .value = "N",
       .sentence = "members at the beginning",
       .standard = "3",
       .type = Types::whole(fleet(&Fleet::members), 1, 1000)},
      {.name = "most-members",
       .value = "N",
       .sentence = "members that there are at most",
       .standard = "6",
       .type = Types::whole(fleet(&Fleet::most_members), 1, 1000)},
      {.name = "messages",
       .value = "M",
       .sentence = "messages of all partitions together",
       .standard = "200000",
       .type = Types::whole(fleet(&Fleet::messages), 1, 100'000'000)},
      {.name = "rate",
       .value = "R",
       .sentence = "messages a second that are produced",
       .standard = "100",
       .type = Types::real(fleet(&Fleet::messages_a_second), {0, 1e9, true})},
      {.name = "events",
       .value = "N",
       .sentence = "things that go wrong, at moments by chance",
       .standard = "100",
       .type = Types::whole(fleet(&Fleet::events), 0, 1'000'000)},
      {.name = "session",
       .value = "S",
       .sentence = "seconds after which a silent member is out",
       .standard = "10",
       .type = Types::real(fleet(&Fleet::session_seconds), {0, 1e6, true})},
      {.name = "commit-every",
       .value = "S",
       .sentence = "seconds between two commits of a member",
       .standard = "2",
       .type = Types::real(fleet(&Fleet::commit_every), {0, 1e6, true})},
      {.name = "answer",
       .value = "S",
       .sentence = "seconds that each answer of a broker takes",
       .standard = "0.005",
       .type = Types::real([](SimulationCommand& command) -> double& { return command.fleet.costs.answer; },
                           {0, 1e3})},
      {.name = "seed",
       .value = "N",
       .sentence = "of the first run; those behind it have the next",
       .standard = "1",
       .type = Types::whole(fleet(&Fleet::seed), 0, 1'000'000'000)},
      {.name = "runs",
       .value = "N",
       .sentence = "runs",
       .standard = "1",
       .type = Types::whole(at(&SimulationCommand::runs), 1, 1'000'000)},
  };
}

Status SimulationCommand::run() const {
  Output output;
  std::vector<FleetSimulation::Recovery> recoveries;
  std::uint64_t bad = 0;
  output.buffer() =
      fmt::format("{:>6}{:>10}{:>6}{:>9}{:>11}{:>9}{:>10}{:>9}{:>8}{:>10}\n", "seed", "learned", "lost",
                  "doubled", "different", "commits", "repeated", "again", "fenced", "seconds");
  for (std::uint64_t r = 0; r < runs; ++r) {
    FleetSimulation::Options options = fleet;
    options.seed += r;
    const auto outcome = FleetSimulation(options).run();
    fmt::format_to(std::back_inserter(output.buffer()),
                   "{:>6}{:>10}{:>6}{:>9}{:>11}{:>9}{:>10}{:>9}{:>8}{:>10.1f}\n", options.seed,
                   outcome.learned, outcome.lost, outcome.doubled, outcome.different, outcome.commits,
                   outcome.repeated, outcome.dropped, outcome.fenced, outcome.seconds);
    if (!outcome.refusal.empty()) output.buffer() += "       " + outcome.refusal + '\n';
    if (outcome.lost + outcome.doubled + outcome.different > 0 || !outcome.refusal.empty()) ++bad;
    recoveries.insert(recoveries.end(), outcome.recoveries.begin(), outcome.recoveries.end());
    if (!output.write()) break;
  }
  append_recoveries(recoveries, output.buffer());
  if (const Status status = output.finish(); !status) return status;
  if (bad > 0)
    return failure(ErrorCode::kCorrupt, "{} of {} runs lost, doubled or changed something", bad, runs);
  return {};
}

}  // namespace

ToolCommand simulation_command() {
  return tool_command<SimulationCommand>(kText, OptionTable<SimulationCommand>().add(rows()));
}

}  // namespace glimpse
