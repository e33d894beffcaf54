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

Result<std::vector<NamedOptions>> parse_learners(std::string_view option, std::string_view text) {
  std::vector<NamedOptions> learners;
  for (const std::string& name : split_list(text)) {
    auto learner = parse_named_options(option, name, 0);
    if (!learner) return learner.error();
    learners.push_back(std::move(*learner));
  }
  if (learners.empty()) return failure(ErrorCode::kInvalidOption, "--{}: names none", option);
  return learners;
}

// What is run and measured.
std::vector<Option<SweepCommand>> measuring_options() {
  using Types = ToolTypes<SweepCommand>;
  const auto sweep = [](auto member) { return at(&SweepCommand::sweep, member); };
  auto prefixes = prefixes_option<SweepCommand>(sweep(&Sweep::points), LongPrefix::kLeftOut,
                                                "50,100,200,500,1000,2000,5000,all");
  prefixes.type = Types::with_text(at(&SweepCommand::prefixes), prefixes.type);
  return {
      {.name = "algorithms",
       .value = "NAME[:...],...",
       .sentence = "learners, each with options behind colons: radius=B, step=S, phase1=N, active=A, "
                   "products=2",
       .standard = "pairwise",
       .type = Types::with_text(at(&SweepCommand::learners),
                                Types::parsed(sweep(&Sweep::learners), parse_learners))},
      {.name = "budgets",
       .value = "K,K,...",
       .sentence = "attributes drawn from each example; d/10: a part of all",
       .standard = "2,5,20,d/10,d",
       .type = Types::with_text(at(&SweepCommand::budgets),
                                Types::parsed(sweep(&Sweep::budgets), parse_budgets))},
      prefixes,
      {.name = "best",
       .value = "F,F,...",
       .sentence = "multiples of the rule's lambda, of which pairwise is compared with the best in "
                   "hindsight; a solution each",
       .type = Types::with_text(at(&SweepCommand::factors),
                                Types::parsed(sweep(&Sweep::factors), parse_numbers))},
      {.name = "offline",
       .value = "WHAT",
       .sentence = "what offline ridge, with lambda by leaving one out, is trained on: prefix, training "
                   "(all) or none",
       .standard = "prefix",
       .type = Types::with_text(at(&SweepCommand::offline),
                                Types::parsed(sweep(&Sweep::offline), parse_offline))},
      {.name = "mean-of",
       .value = "WHAT",
       .sentence = "the mean that losses are over: of the training set, or prefix",
       .standard = "training",
       .type = Types::parsed(at(&SweepCommand::reference), parse_reference)},
      seeds_option<SweepCommand>(sweep(&Sweep::seeds), "5"),
      first_seed_option<SweepCommand>(sweep(&Sweep::first_seed)),
  };
}

// What is written.
std::vector<Option<SweepCommand>> writing_options() {
  using Types = ToolTypes<SweepCommand>;
  return {
      {.name = "output",
       .value = "FILE",
       .sentence = "the page; standard output by default",
       .type = Types::text(at(&SweepCommand::output))},
      {.name = "rows",
       .value = "FILE",
       .sentence = "write a CSV row for each cell",
       .type = Types::text(at(&SweepCommand::rows))},
      {.name = "runs",
       .value = "FILE",
       .sentence = "write a CSV row for each seed of each cell",
       .type = Types::text(at(&SweepCommand::runs))},
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
  OptionTable<SweepCommand> table;
  table.add(set_options(), at(&SweepCommand::sets))
      .add(measuring_options())
      .add(writing_options())
      .add(execution_options(), at(&SweepCommand::execution));
  return tool_command<SweepCommand>(kSweepText, table, [](auto& arguments) {
    SweepCommand command;
    command.sets.folder = take_word(arguments);
    return command;
  });
}

}  // namespace glimpse
