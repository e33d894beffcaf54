#include <fmt/core.h>
#include <tuple>

#include "base/file.h"
#include "common/command_line.h"
#include "common/output.h"
#include "lab/commands.h"
#include "lab/options.h"
#include "lab/studies/figure_run.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kProgram = "glimpse-lab figure";
constexpr std::string_view kNotes =
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
    "MNIST is found by GLIMPSE_MNIST, Covertype by GLIMPSE_DATA.\n"
    "Exit status: 0 done, 1 failed, 2 wrong options.\n";

std::string usage() {
  std::string text =
      "Usage: glimpse-lab figure NAME [options]\n"
      "Does what a figure or table of the papers shows, or compares the pairwise learner with what gets the "
      "best\n"
      "radius and step in hindsight: runs it, and writes CSV and pictures. NAME is all, "
      "the\n"
      "beginning of several names, or one of\n\n";
  for (const Figure& figure : figures())
    text += fmt::format("  {:<12}  {} ({})\n", figure.name, figure.title, figure.source);
  return text;
}

struct Options {
  std::vector<Figure> figures;
  FigureRun run;
};

Result<Options> read_options(std::string_view name, const po::variables_map& values) {
  Options options;
  options.figures = find_figures(name);
  if (options.figures.empty())
    return failure(ErrorCode::kInvalidOption, "figure '{}' is unknown; see {} --help", name, kProgram);
  std::uint64_t seeds = 0;
  std::uint64_t examples = 0;
  std::uint64_t folds = 0;
  std::uint64_t repeats = 0;
  for (const auto& [option, lowest, highest, value] :
       {std::tuple{"seeds", 1, 100000, &seeds}, std::tuple{"examples", 1, 100000000, &examples},
        std::tuple{"cv", 2, 1000, &folds}, std::tuple{"cv-repeats", 1, 1000, &repeats}}) {
    if (values.count(option) == 0) continue;
    const auto number =
        whole_number(values, option, static_cast<std::uint64_t>(lowest), static_cast<std::uint64_t>(highest));
    if (!number) return number.error();
    *value = *number;
  }
  for (Figure& figure : options.figures) {
    if (seeds > 0) figure.seeds = seeds;
    if (examples > 0) figure.examples = examples;
  }
  options.run.tuning.folds = folds;
  options.run.tuning.repeats = repeats;
  const auto execution = read_execution_options(values);
  if (!execution) return execution.error();
  options.run.execution = *execution;
  options.run.folder = values["output-directory"].as<std::string>();
  return options;
}

}  // namespace

int figure_command(int argc, const char* const* argv) {
  po::options_description options("Options", 100);
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = options.add_options();
  add("seeds", text("N"), "runs of every curve; as many as in the paper by default (100, CSS10: 10)");
  add("examples", text("M"), "at most this many training examples (simulated: exactly)");
  add("cv", text("FOLDS")->default_value("10"), "folds of the cross-validation");
  add("cv-repeats", text("N")->default_value("1"), "runs a fold, each with other draws");
  add("output-directory", text("DIR")->default_value("figures"), "where to write");
  add_execution_options(options);
  const bool named = argc > 1 && argv[1][0] != '-';
  // parse_command_line() takes options alone; the name stands before them.
  po::variables_map values;
  if (const auto exit = parse_command_line(named ? argc - 1 : argc, named ? argv + 1 : argv, kProgram,
                                           usage(), kNotes, options, values))
    return *exit;
  if (!named)
    return report(kProgram, failure(ErrorCode::kInvalidOption, "which figure? see {} --help", kProgram));
  const auto parsed = read_options(argv[1], values);
  if (!parsed) return report(kProgram, parsed.error());
  PosixFileSystem files;
  for (const Figure& figure : parsed->figures) {
    if (!parsed->run.execution.quiet)
      fmt::print(stderr, "{}: {} ({})\n", figure.name, figure.title, figure.source);
    const Status status = run_figure(files, figure, parsed->run);
    if (!status) {
      Error error = status.error();
      error.message = fmt::format("{}: {}", figure.name, error.message);
      return report(kProgram, error);
    }
  }
  return 0;
}

}  // namespace glimpse
