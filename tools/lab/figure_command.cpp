#include <cstdlib>
#include <fmt/core.h>

#include "base/file.h"
#include "data/text/number.h"
#include "lab/commands.h"
#include "lab/polynomials/polynomial_figures.h"
#include "lab/shared_options.h"
#include "lab/studies/figure_run.h"

namespace glimpse {

namespace {

constexpr std::string_view kFigureProgram = "glimpse-lab figure";
constexpr std::string_view kFigureNotes =
    "\nRadius and step of every curve are chosen by cross-validation on the training set, except 'AER 30 "
    "passes' of\n"
    "css10-2 and css10-table: radius 8 and step 0.5 were chosen by hand on five pairs of digits, since "
    "cross-validation\n"
    "would cost thirty times AER's. That curve looks at up to 30 K attributes of each example, and is no "
    "result for a\n"
    "budget of K. The figures pairwise-... also write NAME-attributes.csv: how many attributes the pairwise "
    "learner needs\n"
    "for the loss that each other curve ends with. In DIR this writes, for a\n"
    "figure NAME: NAME.csv (every run), NAME-summary.csv (means and standard deviations), NAME-choices.csv "
    "(what\n"
    "cross-validation chose), NAME.gnuplot, NAME.svg and NAME.png, and in NAME.jobs/ one file for every "
    "finished\n"
    "run, so that a call that was interrupted goes on where it was.\n\n"
    "  glimpse-lab figure ks15-1 --seeds 10 --output-directory figures\n\n"
    "The figures ablht-... share their runs, in ablht.jobs/. They write ablht.csv, ablht-summary.csv and, "
    "each, NAME.svg\n"
    "and NAME.png, or NAME.md. The learning rate of every method and set is chosen by progressive loss. "
    "Times "
    "are of the\n"
    "processor.\n\n"
    "MNIST is found by GLIMPSE_MNIST, tables by GLIMPSE_DATA.\n"
    "Exit status: 0 done, 1 failed, 2 wrong options.\n";

std::string figure_usage() {
  std::string text =
      "Usage: glimpse-lab figure NAME [options]\n"
      "Does what a figure or table of the papers shows, or compares the pairwise learner with what gets the "
      "best\n"
      "radius and step in hindsight: runs it, and writes CSV and pictures. NAME is all, "
      "the\n"
      "beginning of several names, or one of\n\n";
  for (const Figure& figure : figures())
    text += fmt::format("  {:<12}  {} ({})\n", figure.name, figure.title, figure.source);
  for (const PolynomialFigure& figure : polynomial_figures())
    text += fmt::format("  {:<12}  {} ({})\n", figure.name, figure.title, figure.source);
  return text;
}

struct FigureCommand {
  std::string name;            // empty: none was given
  std::uint64_t seeds = 0;     // 0: as many as in the paper
  std::uint64_t examples = 0;  // 0: as in the paper
  std::vector<std::string> tables;
  std::vector<std::string> only;
  std::vector<double> rates;
  FigureRun how;

  Status run() const;

 private:
  Status run_polynomials(const std::vector<std::string>& names) const;
};

Status read_tables(FigureCommand& command, std::string_view, const std::string& text) {
  command.tables = split_list(text);
  return {};
}

Status read_set_names(FigureCommand& command, std::string_view, const std::string& text) {
  command.only = split_list(text);
  return {};
}

Status read_rates(FigureCommand& command, std::string_view option, const std::string& text) {
  command.rates.clear();
  for (const std::string& part : split_list(text)) {
    double rate = 0;
    if (!read_number(part, rate) || !(rate > 0))
      return failure(ErrorCode::kInvalidOption, "{} {}: '{}' must be a number above 0", option, text, part);
    command.rates.push_back(rate);
  }
  return {};
}

std::vector<OptionRow> figure_options() {
  using Types = OptionKind;
  const auto tuning = [](auto member) {
    return OptionMember(&FigureCommand::how, &FigureRun::tuning, member);
  };
  return {
      {"seeds N", "runs of every curve; as many as in the paper by default (100, CSS10: 10)",
       Types::whole(&FigureCommand::seeds, 1, 100'000)},
      {"examples M", "at most this many training examples (simulated: exactly)",
       Types::whole(&FigureCommand::examples, 1, 100'000'000)},
      {"cv FOLDS = 10", "folds of the cross-validation",
       Types::whole(tuning(&TuningOptions::folds), 2, 1000)},
      {"cv-repeats N = 1", "runs a fold, each with other draws",
       Types::whole(tuning(&TuningOptions::repeats), 1, 1000)},
      {"output-directory DIR = figures", "where to write",
       Types::any_text({&FigureCommand::how, &FigureRun::folder})},
      {"tables DIR,...", "ablht-...: folders with further sets, beside GLIMPSE_DATA",
       Types::custom(read_tables)},
      {"only SET,...", "ablht-...: these sets alone", Types::custom(read_set_names)},
      {"rates N,... = 0.25,0.5,1,2,4,8", "ablht-...: learning rates, of which progressive loss chooses",
       Types::custom(read_rates)},
  };
}

Status FigureCommand::run_polynomials(const std::vector<std::string>& names) const {
  PolynomialStudy study;
  if (const char* folder = std::getenv("GLIMPSE_DATA"); folder != nullptr) study.folders.emplace_back(folder);
  study.folders.insert(study.folders.end(), tables.begin(), tables.end());
  study.only = only;
  study.rates = rates;
  if (seeds > 0) study.seeds = seeds;
  if (examples > 0) study.examples = examples;
  study.output = how.folder;
  study.execution = how.execution;
  PosixFileSystem files;
  return run_polynomial_figures(files, names, study);
}

Status FigureCommand::run() const {
  if (name.empty()) return failure(ErrorCode::kInvalidOption, "which figure? see {} --help", kFigureProgram);
  std::vector<Figure> wanted = find_figures(name);
  std::vector<std::string> polynomials;
  for (const PolynomialFigure& figure : polynomial_figures())
    if (name == "all" || figure.name.starts_with(name)) polynomials.emplace_back(figure.name);
  if (wanted.empty() && polynomials.empty())
    return failure(ErrorCode::kInvalidOption, "figure '{}' is unknown; see {} --help", name, kFigureProgram);
  PosixFileSystem files;
  for (Figure& figure : wanted) {
    if (seeds > 0) figure.seeds = seeds;
    if (examples > 0) figure.examples = examples;
    if (!how.execution.quiet) fmt::print(stderr, "{}: {} ({})\n", figure.name, figure.title, figure.source);
    if (const Status status = run_figure(files, figure, how); !status)
      return failure(status.error().code, "{}: {}", figure.name, status.error().message);
  }
  return polynomials.empty() ? Status() : run_polynomials(polynomials);
}

}  // namespace

ToolCommand figure_command() {
  const auto table =
      joined({figure_options(), of_part(execution_options(), {&FigureCommand::how, &FigureRun::execution})});
  static const std::string usage = figure_usage();
  return tool_command<FigureCommand>({kFigureProgram, usage, kFigureNotes}, table, [](auto& arguments) {
    FigureCommand command;
    command.name = take_word(arguments);
    return command;
  });
}

}  // namespace glimpse
