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

constexpr ProgramText kText{
    .name = "glimpse-fleet-simulation",
    .usage =
        "Usage: glimpse-fleet-simulation [options]\n"
        "Runs fleets beside simulated brokers, on a clock of their own, with members "
        "that are killed, stopped and "
        "added,\nand brokers that are away. Says whether each message was learned "
        "once, and the state of each "
        "partition is, to\nthe bit, that of one undisturbed reader; and how long the "
        "fleet took to learn again, and to have a\nfresh model.\n",
    .notes =
        "\nLearning goes on: each partition is learned from, and the messages that "
        "wait are a second's at most.\nA model is fresh: that of each member that runs "
        "holds all messages but those of the last\n--commit-every and --slack. So they "
        "were committed, read and folded.\n"
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

using Recoveries = std::vector<RecoveryWatch::Recovery>;

void append_recoveries(const Recoveries& recoveries, std::string& text) {
  fmt::format_to(std::back_inserter(text), "\n{:<24}{:>8}{:>36}{:>36}\n{:<24}{:>8}", "", "",
                 "seconds until learning goes on", "seconds until the model is fresh", "event", "times");
  for (int i = 0; i < 2; ++i)
    fmt::format_to(std::back_inserter(text), "{:>16}{:>10}{:>10}", "median", "90 %", "largest");
  text += '\n';
  for (std::size_t e = 0; e < kFleetEvents; ++e) {
    std::vector<double> learning, fresh;
    for (const auto& recovery : recoveries)
      if (recovery.event == static_cast<FleetEvent>(e)) {
        learning.push_back(recovery.learning);
        fresh.push_back(recovery.fresh);
      }
    if (learning.empty()) continue;
    fmt::format_to(std::back_inserter(text), "{:<24}{:>8}", name_of(static_cast<FleetEvent>(e)),
                   learning.size());
    for (auto* const seconds : {&learning, &fresh}) {
      std::ranges::sort(*seconds);
      fmt::format_to(std::back_inserter(text), "{:>16.2f}{:>10.2f}{:>10.2f}", quantile(*seconds, .5),
                     quantile(*seconds, .9), seconds->back());
    }
    text += '\n';
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
       .sentence = "members that there are at most by those that join; two there are always",
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
      {.name = "only",
       .value = "EVENT",
       .sentence = "all of these are kill, kill-in-call, terminate, stop, join, away, slow or compact",
       .type = Types::set([](SimulationCommand& command, std::string_view,
                             const std::string& text) -> Status {
         command.fleet.only = event_of(text);
         if (command.fleet.only) return {};
         return failure(ErrorCode::kInvalidOption,
                        "--only is '{}'; it must be kill, kill-in-call, terminate, stop, join, away, slow or "
                        "compact",
                        text);
       })},
      {.name = "session",
       .value = "S",
       .sentence = "seconds after which a silent member is out",
       .standard = "10",
       .type = Types::real(fleet(&Fleet::session_seconds), {0, 3600, true})},
      {.name = "commit-every",
       .value = "S",
       .sentence = "seconds between two commits of a member",
       .standard = "2",
       .type = Types::real(fleet(&Fleet::commit_every), {0, 3600, true})},
      {.name = "slack",
       .value = "S",
       .sentence = "seconds that a message may take to the model, beside the wait for a commit",
       .standard = "3",
       .type = Types::real(fleet(&Fleet::slack), {0, 3600})},
      {.name = "fold",
       .value = "S",
       .sentence = "seconds of a fold for each state that is new to it",
       .standard = "0.05",
       .type = Types::real(
           [](SimulationCommand& command) -> double& { return command.fleet.costs.fold.state; }, {0, 10})},
      {.name = "state-bytes",
       .value = "N",
       .sentence = "bytes that reading and writing a state are counted with; 0: those that it has",
       .standard = "0",
       .type = Types::real(
           [](SimulationCommand& command) -> double& { return command.fleet.costs.state_bytes; }, {0, 1e10})},
      {.name = "state-rate",
       .value = "N",
       .sentence = "bytes of states a second that a member writes or reads",
       .standard = "200000000",
       .type = Types::real(
           [](SimulationCommand& command) -> double& { return command.fleet.costs.bytes_a_second; },
           {999, 1e12, true})},
      {.name = "solve",
       .value = "S",
       .sentence = "seconds of a fold for the model's solution",
       .standard = "0.3",
       .type = Types::real(
           [](SimulationCommand& command) -> double& { return command.fleet.costs.fold.solution; },
           {0, 3600})},
      {.name = "brokers",
       .value = "N",
       .sentence = "brokers, which lead the partitions in turn",
       .standard = "3",
       .type = Types::whole(fleet(&Fleet::brokers), 1, 1000)},
      {.name = "downtime",
       .value = "S",
       .sentence = "seconds that brokers are away, or slow",
       .standard = "5",
       .type = Types::real(fleet(&Fleet::downtime), {0, 3600})},
      {.name = "slow-answer",
       .value = "S",
       .sentence = "seconds that each answer of a slow broker takes longer",
       .standard = "0.5",
       .type = Types::real(fleet(&Fleet::slow_answer), {0, 10})},
      {.name = "answer",
       .value = "S",
       .sentence = "seconds that each answer of a broker takes",
       .standard = "0.005",
       .type = Types::real([](SimulationCommand& command) -> double& { return command.fleet.costs.answer; },
                           {0, 10})},
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
  constexpr double kMostSeconds = 1e6;
  if (static_cast<double>(fleet.messages) / fleet.messages_a_second > kMostSeconds)
    return failure(ErrorCode::kInvalidOption,
                   "--messages {} at --rate {} take more than {} seconds of the fleet's clock",
                   fleet.messages, fleet.messages_a_second, kMostSeconds);
  Output output;
  Recoveries recoveries;
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
    if (outcome.unrecovered > 0)
      fmt::format_to(std::back_inserter(output.buffer()), "       {} events without a recovery\n",
                     outcome.unrecovered);
    if (outcome.lost + outcome.doubled + outcome.different > 0 || !outcome.refusal.empty()) ++bad;
    recoveries.insert(recoveries.end(), outcome.recoveries.begin(), outcome.recoveries.end());
    if (!output.write()) break;
  }
  append_recoveries(recoveries, output.buffer());
  GLIMPSE_TRY(output.finish());
  if (bad > 0)
    return failure(ErrorCode::kCorrupt, "{} of {} runs lost, doubled or changed something", bad, runs);
  return {};
}

}  // namespace

ToolCommand simulation_command() {
  return tool_command<SimulationCommand>(kText, OptionTable<SimulationCommand>().add(rows()));
}

}  // namespace glimpse
