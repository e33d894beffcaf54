#include <algorithm>
#include <fmt/core.h>

#include "common/command_line.h"
#include "common/output.h"
#include "lab/commands.h"
#include "lab/options.h"
#include "lab/studies/sweep_page.h"
#include "lab/sweep_options.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kSweepProgram = "glimpse-lab sweep";
constexpr std::string_view kSweepUsage =
    "Usage: glimpse-lab sweep [DIRECTORY] [--data DATA]... [options]\n"
    "Runs learners on every table of a folder (*.csv, *.csv.gz, *.svm, *.svm.gz) and on further data sets, "
    "for\n"
    "several K and prefixes, beside offline ridge, and writes one page of Markdown: how often and by how "
    "much "
    "a\n"
    "learner is worse than predicting the mean, and what its loss is over the best lambda in hindsight and "
    "over\n"
    "offline ridge's. Labels are standardised. Files that cannot be read are left out, and the page says "
    "why.\n";
constexpr std::string_view kSweepNotes =
    "\nEvery loss is given in two forms: of the exported model's predictions, and of the daemon's answers "
    "with "
    "its\n"
    "default, --clip auto. A cell is a data set, learner, K and prefix; its loss is the mean over the seeds. "
    "K that\n"
    "a data set has too few attributes for and prefixes beyond its training set are left out. Learners of "
    "whole\n"
    "examples (online-ridge, offline-lasso, ...) run once, with K = d.\n\n"
    "  glimpse-lab sweep tables --only abalone,cal_housing --budgets 2,5 --seeds 5 --best 0.25,0.5,1,2,4\n"
    "  glimpse-lab sweep tables --data simulated:factors:3:1000 --data mnist:0,1 --largest-training 5000\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong options.\n";

struct SweepCommand {
  std::vector<SweepSet> sets;
  Sweep sweep;
  SweepReference reference = SweepReference::kTrainingMean;
  Execution execution;
  std::string run;  // for the page
  std::string output;
  std::string rows;
  std::string runs;
};

Result<SweepCommand> read_sweep(const std::string& folder, const po::variables_map& values) {
  SweepCommand command;
  for (const std::string& text : split_list(text_of(values, "algorithms"))) {
    auto learner = parse_named_learner("algorithms", text, 0);
    if (!learner) return learner.error();
    command.sweep.learners.push_back(std::move(*learner));
  }
  if (command.sweep.learners.empty()) return failure(ErrorCode::kInvalidOption, "--algorithms: names none");
  auto budgets = parse_budgets(text_of(values, "budgets"));
  if (!budgets) return budgets.error();
  command.sweep.budgets = std::move(*budgets);
  const auto points = parse_prefixes(text_of(values, "prefixes"));
  if (!points) return points.error();
  command.sweep.points = *points;
  if (const std::string factors = text_of(values, "best"); !factors.empty()) {
    const auto numbers = parse_numbers("best", factors);
    if (!numbers) return numbers.error();
    command.sweep.factors = *numbers;
  }
  const auto offline = parse_offline(text_of(values, "offline"));
  if (!offline) return offline.error();
  command.sweep.offline = *offline;
  const auto reference = parse_reference(text_of(values, "mean-of"));
  if (!reference) return reference.error();
  command.reference = *reference;
  const auto seeds = whole_number(values, "seeds", 1, 1'000'000);
  if (!seeds) return seeds.error();
  command.sweep.seeds = *seeds;
  const auto first = whole_number(values, "first-seed", 0, std::uint64_t{1} << 60);
  if (!first) return first.error();
  command.sweep.first_seed = *first;
  const auto execution = read_execution_options(values);
  if (!execution) return execution.error();
  command.execution = *execution;
  command.output = text_of(values, "output");
  command.rows = text_of(values, "rows");
  command.runs = text_of(values, "runs");
  command.run =
      fmt::format("Learners {}; K {}; prefixes {}; seeds {} to {}; offline ridge: {}; factors of λ: {}.",
                  text_of(values, "algorithms"), text_of(values, "budgets"), text_of(values, "prefixes"),
                  *first, *first + *seeds - 1, text_of(values, "offline"),
                  command.sweep.factors.empty() ? "none" : text_of(values, "best"));
  auto sets = read_sets(folder, values);
  if (!sets) return sets.error();
  command.sets = std::move(*sets);
  return command;
}

Status run_command_of(const SweepCommand& command) {
  const auto result = run_sweeps(command.sets, command.sweep, command.execution);
  if (!result) return result.error();
  for (const std::string& line : result->skipped)
    fmt::print(stderr, "{}: left out: {}\n", kSweepProgram, line);
  const SweepNotes notes{result->sets, result->skipped, command.run, command.reference};
  const auto cells = cells_of(result->rows, command.sweep.factors, command.reference);
  if (!command.rows.empty())
    if (const Status status = write_file(command.rows, to_csv(cells)); !status) return status;
  if (!command.runs.empty())
    if (const Status status = write_file(command.runs, to_csv(result->rows)); !status) return status;
  if (!command.output.empty()) return write_file(command.output, page_of(cells, notes));
  Output output;
  output.buffer() += page_of(cells, notes);
  return output.finish();
}

}  // namespace

int sweep_command(int argc, const char* const* argv) {
  const auto text = [](const char* standard, const char* name) {
    return po::value<std::string>()->default_value(standard)->value_name(name);
  };
  const auto optional = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("Options", 100);
  add_set_options(options);
  auto add = options.add_options();
  add("algorithms", text("pairwise", "NAME[:...],..."),
      "learners, each with options behind colons: radius=B, step=S, phase1=N, active=A");
  add("budgets", text("2,5,20,d/10,d", "K,K,..."), "attributes drawn from each example; d/10: a part of all");
  add("prefixes", text("50,100,200,500,1000,2000,5000,all", "N,N,..."),
      "after how many training examples to measure, where there are so many; all: after the last");
  add("best", optional("F,F,..."),
      "multiples of the rule's lambda, of which pairwise is compared with the best in hindsight; a solution "
      "each");
  add("offline", text("prefix", "WHAT"),
      "what offline ridge, with lambda by leaving one out, is trained on: prefix, training (all) or none");
  add("mean-of", text("training", "WHAT"), "the mean that losses are over: of the training set, or prefix");
  add("seeds", text("5", "N"), "runs");
  add("first-seed", text("1", "N"), "seed of the first run");
  add("output", optional("FILE"), "the page; standard output by default");
  add("rows", optional("FILE"), "write a CSV row for each cell");
  add("runs", optional("FILE"), "write a CSV row for each seed of each cell");
  add_execution_options(options);
  std::vector<const char*> rest(argv, argv + argc);
  const std::string folder = take_folder(rest);
  po::variables_map values;
  if (const auto exit = parse_command_line(static_cast<int>(rest.size()), rest.data(), kSweepProgram,
                                           kSweepUsage, kSweepNotes, options, values))
    return *exit;
  const auto parsed = read_sweep(folder, values);
  if (!parsed) return report(kSweepProgram, parsed.error());
  ignore_broken_pipes();
  if (const Status status = run_command_of(*parsed); !status) return report(kSweepProgram, status.error());
  return 0;
}

}  // namespace glimpse
