#include <fmt/core.h>

#include "common/output.h"
#include "lab/commands.h"
#include "lab/set_options.h"
#include "lab/shared_options.h"
#include "lab/sweeps/sweep_page.h"

namespace glimpse {

namespace {

constexpr ProgramText kSweepText{
    .name = "glimpse-lab sweep",
    .usage =
        "Usage: glimpse-lab sweep [DIRECTORY] [--data DATA]... [options]\n"
        "Runs learners on every table of a folder (*.csv, *.csv.gz, *.svm, *.svm.gz) and on further data "
        "sets, "
        "for\n"
        "several K and prefixes, beside offline ridge, and writes one page of Markdown: how often and by how "
        "much "
        "a\n"
        "learner is worse than predicting the mean, and what its loss is over the best lambda in hindsight "
        "and "
        "over\n"
        "offline ridge's. Labels are standardised. Files that cannot be read are left out, and the page says "
        "why.\n",
    .notes =
        "\nEvery loss is given in two forms: of the exported model's predictions, and of the daemon's "
        "answers "
        "with "
        "its\n"
        "default, --clip auto. A cell is a data set, learner, K and prefix; its loss is the mean over the "
        "seeds. "
        "K that\n"
        "a data set has too few attributes for and prefixes beyond its training set are left out. Learners "
        "of "
        "whole\n"
        "examples (online-ridge, offline-lasso, ...) run once, with K = d.\n\n"
        "  glimpse-lab sweep tables --only abalone,cal_housing --budgets 2,5 --seeds 5 --best "
        "0.25,0.5,1,2,4\n"
        "  glimpse-lab sweep tables --data simulated:factors:3:1000 --data mnist:0,1 --largest-training "
        "5000\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct SweepCommand {
  SetOptions sets;
  Sweep sweep;
  SweepReference reference = SweepReference::kTrainingMean;
  Execution execution;
  std::string output;  // files; empty: standard output, or not wanted
  std::string rows;
  std::string runs;
  std::string learners, budgets, prefixes, factors, offline;  // as they were written, for the page

  Status run() const;
  std::string title() const;
};

Status read_learners(SweepCommand& command, std::string_view option, const std::string& text) {
  for (const std::string& name : split_list(text)) {
    GLIMPSE_TRY_ASSIGN(auto learner, parse_named_options(option, name, 0));
    command.sweep.learners.push_back(std::move(learner));
  }
  if (command.sweep.learners.empty()) return failure(ErrorCode::kInvalidOption, "--{}: names none", option);
  return {};
}

Status read_budgets(SweepCommand& command, std::string_view, const std::string& text) {
  GLIMPSE_TRY_ASSIGN(command.sweep.budgets, parse_budgets(text));
  return {};
}

// What is run and measured.
std::vector<OptionRow> measuring_options() {
  using Types = OptionKind;
  const auto sweep = [](auto member) { return OptionMember(&SweepCommand::sweep, member); };
  auto prefixes =
      prefixes_option(sweep(&Sweep::points), LongPrefix::kLeftOut, "50,100,200,500,1000,2000,5000,all");
  prefixes.kind = with_text(&SweepCommand::prefixes, prefixes.kind);
  return {
      {"algorithms NAME[:...],... = pairwise",
       "learners, each with options behind colons: radius=B, step=S, phase1=N, active=A, "
       "products=2",
       with_text(&SweepCommand::learners, Types::custom(read_learners))},
      {"budgets K,K,... = 2,5,20,d/10,d", "attributes drawn from each example; d/10: a part of all",
       with_text(&SweepCommand::budgets, Types::custom(read_budgets))},
      prefixes,
      {"best F,F,...",
       "multiples of the rule's lambda, of which pairwise is compared with the best in "
       "hindsight; a solution each",
       with_text(&SweepCommand::factors, Types::parsed(sweep(&Sweep::factors), parse_numbers))},
      {"offline WHAT = prefix",
       "what offline ridge, with lambda by leaving one out, is trained on: prefix, training "
       "(all) or none",
       with_text(&SweepCommand::offline, Types::parsed(sweep(&Sweep::offline), of_text(parse_offline)))},
      {"mean-of WHAT = training", "the mean that losses are over: of the training set, or prefix",
       Types::parsed(&SweepCommand::reference, of_text(parse_reference))},
      seeds_option(sweep(&Sweep::seeds), "5"),
      first_seed_option(sweep(&Sweep::first_seed)),
  };
}

// What is written.
std::vector<OptionRow> writing_options() {
  using Types = OptionKind;
  return {
      {"output FILE", "the page; standard output by default", Types::any_text(&SweepCommand::output)},
      {"rows FILE", "write a CSV row for each cell", Types::any_text(&SweepCommand::rows)},
      {"runs FILE", "write a CSV row for each seed of each cell", Types::any_text(&SweepCommand::runs)},
  };
}

std::string SweepCommand::title() const {
  return fmt::format("Learners {}; K {}; prefixes {}; seeds {} to {}; offline ridge: {}; factors of λ: {}.",
                     learners, budgets, prefixes, sweep.first_seed, sweep.first_seed + sweep.seeds - 1,
                     offline, factors.empty() ? "none" : factors);
}

Status SweepCommand::run() const {
  const auto found = sets_of(sets);
  if (!found) return found.error();
  const auto result = run_sweeps(*found, sweep, execution);
  if (!result) return result.error();
  for (const std::string& line : result->skipped)
    fmt::print(stderr, "{}: left out: {}\n", kSweepText.name, line);
  const SweepNotes notes{result->sets, result->skipped, title(), reference};
  const auto cells = cells_of(result->rows, sweep.factors, reference);
  if (!rows.empty())
    if (const Status status = write_file(rows, to_csv(cells)); !status) return status;
  if (!runs.empty())
    if (const Status status = write_file(runs, to_csv(result->rows)); !status) return status;
  if (!output.empty()) return write_file(output, page_of(cells, notes));
  Output output;
  output.buffer() += page_of(cells, notes);
  return output.finish();
}

}  // namespace

ToolCommand sweep_command() {
  const auto table = joined({of_part(set_options(), &SweepCommand::sets), measuring_options(),
                             writing_options(), of_part(execution_options(), &SweepCommand::execution)});
  return tool_command<SweepCommand>(kSweepText, table, [](auto& arguments) {
    SweepCommand command;
    command.sets.folder = take_word(arguments);
    return command;
  });
}

}  // namespace glimpse
