#include <fmt/core.h>

#include "common/command_line.h"
#include "common/output.h"
#include "lab/commands.h"
#include "lab/options.h"
#include "lab/studies/buying_check.h"
#include "lab/sweep_options.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kProgram = "glimpse-lab buying";
constexpr std::string_view kUsage =
    "Usage: glimpse-lab buying [DIRECTORY] [--data DATA]... [options]\n"
    "What the pairwise learner's choice of attributes under prices is worth: its loss after the whole "
    "training\n"
    "set, for a share of what all attributes cost, beside that of the same learner with sets that simple "
    "rules\n"
    "buy for the same money. Prices are log-normal. Writes one page of Markdown. Labels are standardised.\n";
constexpr std::string_view kNotes =
    "\nRules: uniform, 1/sqrt(price) and 1/price draw one attribute after another, and pass over what no "
    "longer\n"
    "fits until nothing fits; cheapest first buys the same set of every example. A cell is a data set and a\n"
    "share, its loss the mean over the draws of the prices; draw R has the split and the order of seed R.\n\n"
    "  glimpse-lab buying tables --only abalone,letter --shares 10%,20%,50% --draws 10\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong options.\n";

struct BuyingCommand {
  std::vector<SweepSet> sets;
  BuyingCheck check;
  Execution execution;
  std::string run;  // for the page
  std::string output;
};

Result<BuyingCommand> read_buying(const std::string& folder, const po::variables_map& values) {
  BuyingCommand command;
  for (const std::string& text : split_list(text_of(values, "shares"))) {
    const auto share = parse_share("shares", text);
    if (!share) return share.error();
    command.check.shares.push_back(*share);
  }
  if (command.check.shares.empty()) return failure(ErrorCode::kInvalidOption, "--shares: names none");
  const auto spread = number(values, "spread");
  if (!spread) return spread.error();
  if (!(*spread >= 0 && *spread <= 3))
    return failure(ErrorCode::kInvalidOption, "--spread {}: must be from 0 to 3", *spread);
  command.check.spread = *spread;
  const auto draws = whole_number(values, "draws", 1, 1'000'000);
  if (!draws) return draws.error();
  command.check.draws = *draws;
  const auto first = whole_number(values, "first-draw", 0, std::uint64_t{1} << 60);
  if (!first) return first.error();
  command.check.first_draw = *first;
  const auto execution = read_execution_options(values);
  if (!execution) return execution.error();
  command.execution = *execution;
  command.output = text_of(values, "output");
  command.run = fmt::format("Shares {}; prices exp({}·z); draws {} to {}.", text_of(values, "shares"),
                            *spread, *first, *first + *draws - 1);
  auto sets = read_sets(folder, values);
  if (!sets) return sets.error();
  command.sets = std::move(*sets);
  return command;
}

Status run(const BuyingCommand& command) {
  std::vector<BuyingCell> cells;
  for (const SweepSet& set : command.sets) {
    const auto source = SweepSource::load(set, command.check.first_draw);
    if (!source) return source.error();
    const auto more = check_buying(command.check, set.name, *source, command.execution);
    if (!more) return more.error();
    cells.insert(cells.end(), more->begin(), more->end());
  }
  if (!command.output.empty()) return write_file(command.output, page_of(cells, command.run));
  Output output;
  output.buffer() += page_of(cells, command.run);
  return output.finish();
}

}  // namespace

int buying_command(int argc, const char* const* argv) {
  const auto text = [](const char* standard, const char* name) {
    return po::value<std::string>()->default_value(standard)->value_name(name);
  };
  po::options_description options("Options", 100);
  add_set_options(options);
  auto add = options.add_options();
  add("shares", text("10%,20%,50%", "P%,..."), "limits, as shares of what all attributes cost together");
  add("spread", text("1", "S"), "standard deviation of the logarithms of the prices");
  add("draws", text("10", "N"), "of the prices");
  add("first-draw", text("1", "N"), "seed of the first");
  add("output", po::value<std::string>()->value_name("FILE"), "the page; standard output by default");
  add_execution_options(options);
  std::vector<const char*> rest(argv, argv + argc);
  const std::string folder = take_folder(rest);
  po::variables_map values;
  if (const auto exit = parse_command_line(static_cast<int>(rest.size()), rest.data(), kProgram, kUsage,
                                           kNotes, options, values))
    return *exit;
  const auto parsed = read_buying(folder, values);
  if (!parsed) return report(kProgram, parsed.error());
  ignore_broken_pipes();
  if (const Status status = run(*parsed); !status) return report(kProgram, status.error());
  return 0;
}

}  // namespace glimpse
