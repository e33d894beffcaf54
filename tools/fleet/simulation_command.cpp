#include "fleet/simulation_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <vector>

#include "common/output.h"
#include "common/tool.h"
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

std::vector<OptionRow> rows() {
  using Types = OptionKind;
  using Fleet = FleetSimulation::Options;
  using Costs = SimulatedMember::Costs;
  const auto fleet = [](auto... members) { return OptionMember(&SimulationCommand::fleet, members...); };
  return {
      {"partitions P = 16", "partitions of the input", Types::whole(fleet(&Fleet::partitions), 1, 100'000)},
      {"members N = 3", "members at the beginning", Types::whole(fleet(&Fleet::members), 1, 1000)},
      {"most-members N = 6", "members that there are at most by those that join; two there are always",
       Types::whole(fleet(&Fleet::most_members), 1, 1000)},
      {"messages M = 200000", "messages of all partitions together",
       Types::whole(fleet(&Fleet::messages), 1, 100'000'000)},
      {"rate R = 100", "messages a second that are produced",
       Types::number(fleet(&Fleet::messages_a_second), {0, 1e9, true})},
      {"events N = 100", "things that go wrong, at moments by chance",
       Types::whole(fleet(&Fleet::events), 0, 1'000'000)},
      {"only EVENT", "all of these are kill, kill-in-call, terminate, stop, join, away, slow or compact",
       Types::custom(+[](SimulationCommand& command, std::string_view, const std::string& text) -> Status {
         command.fleet.only = event_of(text);
         if (command.fleet.only) return {};
         return failure(ErrorCode::kInvalidOption,
                        "--only {}: must be kill, kill-in-call, terminate, stop, join, away, slow or "
                        "compact",
                        text);
       })},
      {"session S = 10", "seconds after which a silent member is out",
       Types::number(fleet(&Fleet::session_seconds), {0, 3600, true})},
      {"commit-every S = 2", "seconds between two commits of a member",
       Types::number(fleet(&Fleet::commit_every), {0, 3600, true})},
      {"slack S = 3", "seconds that a message may take to the model, beside the wait for a commit",
       Types::number(fleet(&Fleet::slack), {0, 3600})},
      {"fold S = 0.05", "seconds of a fold for each state that is new to it",
       Types::number(fleet(&Fleet::costs, &Costs::fold, &SimulatedModel::Costs::state), {0, 10})},
      {"state-bytes N = 0", "bytes that reading and writing a state are counted with; 0: those that it has",
       Types::number(fleet(&Fleet::costs, &Costs::state_bytes), {0, 1e10})},
      {"state-rate N = 200000000", "bytes of states a second that a member writes or reads",
       Types::number(fleet(&Fleet::costs, &Costs::bytes_a_second), {999, 1e12, true})},
      {"solve S = 0.3", "seconds of a fold for the model's solution",
       Types::number(fleet(&Fleet::costs, &Costs::fold, &SimulatedModel::Costs::solution), {0, 3600})},
      {"brokers N = 3", "brokers, which lead the partitions in turn",
       Types::whole(fleet(&Fleet::brokers), 1, 1000)},
      {"downtime S = 5", "seconds that brokers are away, or slow",
       Types::number(fleet(&Fleet::downtime), {0, 3600})},
      {"slow-answer S = 0.5", "seconds that each answer of a slow broker takes longer",
       Types::number(fleet(&Fleet::slow_answer), {0, 10})},
      {"answer S = 0.005", "seconds that each answer of a broker takes",
       Types::number(fleet(&Fleet::costs, &Costs::answer), {0, 10})},
      {"seed N = 1", "of the first run; those behind it have the next",
       Types::whole(fleet(&Fleet::seed), 0, 1'000'000'000)},
      {"runs N = 1", "runs", Types::whole(&SimulationCommand::runs, 1, 1'000'000)},
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

ToolCommand simulation_command() { return tool_command<SimulationCommand>(kText, rows()); }

}  // namespace glimpse
