#include <fmt/core.h>

#include "common/output.h"
#include "lab/commands.h"
#include "lab/set_options.h"
#include "lab/shared_options.h"
#include "lab/studies/buying_check.h"
#include "lab/studies/buying_page.h"

namespace glimpse {

namespace {

constexpr ProgramText kBuyingText{
    .name = "glimpse-lab buying",
    .usage =
        "Usage: glimpse-lab buying [DIRECTORY] [--data DATA]... [options]\n"
        "What the pairwise learner's choice of attributes under prices is worth: its loss after the whole "
        "training\n"
        "set, for a share of what all attributes cost, beside that of the same learner with sets that simple "
        "rules\n"
        "buy for the same money. Prices are log-normal. Writes one page of Markdown. Labels are "
        "standardised.\n",
    .notes =
        "\nRules: uniform, 1/sqrt(price) and 1/price draw one attribute after another, and pass over what no "
        "longer\n"
        "fits until nothing fits; cheapest first buys the same set of every example. A cell is a data set "
        "and a\n"
        "share, its loss the mean over the draws of the prices; draw R has the split and the order of seed "
        "R.\n\n"
        "  glimpse-lab buying tables --only abalone,letter --shares 10%,20%,50% --draws 10\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct BuyingCommand {
  SetOptions sets;
  BuyingCheck check;
  Execution execution;
  std::string shares;  // as they were written, for the page
  std::string output;  // a file; empty: standard output

  Status run() const;
  std::string title() const;
};

Result<std::vector<double>> parse_shares(std::string_view option, std::string_view text) {
  std::vector<double> shares;
  for (const std::string& part : split_list(text)) {
    const auto share = parse_share(option, part);
    if (!share) return share.error();
    shares.push_back(*share);
  }
  if (shares.empty()) return failure(ErrorCode::kInvalidOption, "--{}: names none", option);
  return shares;
}

std::vector<OptionRow> buying_options() {
  using Types = OptionKind;
  const auto check = [](auto member) { return OptionMember(&BuyingCommand::check, member); };
  return joined(
      {of_part(set_options(), &BuyingCommand::sets),
       {{"shares P%,... = 10%,20%,50%", "limits, as shares of what all attributes cost together",
         with_text(&BuyingCommand::shares, Types::parsed(check(&BuyingCheck::shares), parse_shares))},
        {"spread S = 1", "standard deviation of the logarithms of the prices",
         Types::number(check(&BuyingCheck::spread), {0, 3})},
        {"draws N = 10", "of the prices", Types::whole(check(&BuyingCheck::draws), 1, 1'000'000)},
        {"first-draw N = 1", "seed of the first",
         Types::whole(check(&BuyingCheck::first_draw), 0, std::uint64_t{1} << 60)},
        {"output FILE", "the page; standard output by default", Types::any_text(&BuyingCommand::output)}},
       of_part(execution_options(), &BuyingCommand::execution)});
}

std::string BuyingCommand::title() const {
  return fmt::format("Shares {}; prices exp({}·z); draws {} to {}.", shares, check.spread, check.first_draw,
                     check.first_draw + check.draws - 1);
}

Status BuyingCommand::run() const {
  const auto found = sets_of(sets);
  if (!found) return found.error();
  std::vector<BuyingCell> cells;
  for (const SweepSet& set : *found) {
    const auto source = SweepSource::load(set, check.first_draw);
    if (!source) return source.error();
    const auto more = check_buying(check, set.name, *source, execution);
    if (!more) return more.error();
    cells.insert(cells.end(), more->begin(), more->end());
  }
  const std::string page = page_of(cells, title());
  if (!output.empty()) return write_file(output, page);
  Output out;
  out.buffer() += page;
  return out.finish();
}

}  // namespace

ToolCommand buying_command() {
  return tool_command<BuyingCommand>(kBuyingText, buying_options(), [](auto& arguments) {
    BuyingCommand command;
    command.sets.folder = take_word(arguments);
    return command;
  });
}

}  // namespace glimpse
