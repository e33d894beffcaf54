#include <fmt/core.h>

#include "common/command_line.h"
#include "common/output.h"
#include "lab/commands.h"
#include "lab/options.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kProgram = "glimpse-lab run";
constexpr std::string_view kUsage =
    "Usage: glimpse-lab run --data DATA --algorithm NAME --budget K [options]\n"
    "Learns from prefixes of the training set, in another random order with every seed, and prints what "
    "each\n"
    "averaged model does on the test set, as CSV. test_loss_ratio is the mean squared error over that of\n"
    "always predicting 0 (1: nothing learned); classification_error is the share of wrong signs, empty "
    "unless\n"
    "labels are -1 and 1; attributes counts the values looked at.\n";
constexpr std::string_view kNotes =
    "\nA prefix is a run of its own, told that many examples will come, where the algorithm wants to know "
    "(a\n"
    "share as --phase1, --step theory); otherwise one run passes through all prefixes.\n\n"
    "  glimpse-lab run --data simulated:ridge:-1 --algorithm aerr --budget 5 --radius 16 --step 0.02 --seeds "
    "10\n"
    "  glimpse-lab run --data mnist:3,5 --algorithm two-phase-ddaerr --budget 57 --cv 10 --seeds 10 \\\n"
    "    --prefixes 1000,2000,4000,8000,all --output-directory results\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong options.\n";

struct RunOptions {
  DataOptions data;
  Experiment experiment;
  Execution execution;
  std::string folder;
  std::string costs;  // a file; empty: none
};

Result<RunOptions> read_options(const po::variables_map& values) {
  RunOptions options;
  const auto data = read_data_options(values);
  if (!data) return data.error();
  options.data = *data;
  const auto method = read_method_options(values);
  if (!method) return method.error();
  const auto tuning = read_tuning_options(values, *method);
  if (!tuning) return tuning.error();
  options.experiment.curves = {{method->learner.algorithm, *method, *tuning}};
  const auto points = parse_prefixes(values["prefixes"].as<std::string>());
  if (!points) return points.error();
  options.experiment.points = *points;
  const auto seeds = whole_number(values, "seeds", 1, 1'000'000);
  if (!seeds) return seeds.error();
  options.experiment.seeds = *seeds;
  const auto first = whole_number(values, "first-seed", 0, std::uint64_t{1} << 60);
  if (!first) return first.error();
  options.experiment.first_seed = *first;
  const auto execution = read_execution_options(values);
  if (!execution) return execution.error();
  options.execution = *execution;
  if (values.count("costs") != 0) options.costs = values["costs"].as<std::string>();
  if (values.count("output-directory") != 0) options.folder = values["output-directory"].as<std::string>();
  return options;
}

std::string to_text(const Tuned& tuned) {
  std::string text = fmt::format("radius {}", *tuned.radius);
  if (!tuned.step.empty()) text += fmt::format(", step {}", tuned.step);
  if (tuned.phase1_radius)
    text += fmt::format(", in the uniform phase radius {}, step {}", *tuned.phase1_radius,
                        tuned.phase1_step.value_or(0));
  return text;
}

Status run(RunOptions options) {
  const auto source = DataSource::load(options.data);
  if (!source) return source.error();
  if (!options.costs.empty()) {
    PosixFileSystem files;
    const auto text = files.read(options.costs);
    if (!text) return text.error();
    const std::string_view costs(reinterpret_cast<const char*>(text->data()), text->size());
    const auto prices = parse_prices(costs, source->dimension(), AttributeNames(source->dimension()));
    if (!prices) return failure(prices.error().code, "{}: {}", options.costs, prices.error().message);
    for (Curve& curve : options.experiment.curves)
      curve.method.learner.prices = std::make_shared<const Prices>(*prices);
  }
  if (const Status status = check_prefixes(options.experiment.points, source->training_size()); !status)
    return status;
  PosixFileSystem files;
  const auto store = JobStore::open(files, options.folder);
  if (!store) return store.error();
  const auto result = run_experiment(options.experiment, *source, *store, options.execution);
  if (!result) return result.error();
  for (const TunedCurve& curve : result->tuned)
    fmt::print(stderr, "{}: cross-validation chose {}, held-out loss ratio {:.4f}\n", curve.label,
               to_text(curve.tuned), curve.tuned.loss_ratio);
  fmt::print(stderr, "{}", warnings(*result));
  Output output;
  output.buffer() += result_header();
  output.buffer() += to_csv(result->rows);
  return output.finish();
}

}  // namespace

int run_command(int argc, const char* const* argv) {
  po::options_description options("Options", 100);
  add_data_options(options);
  add_method_options(options);
  auto add = options.add_options();
  add("prefixes", po::value<std::string>()->default_value("all")->value_name("N,N,..."),
      "after how many training examples to measure; all: after the last");
  add("seeds", po::value<std::string>()->default_value("1")->value_name("N"), "runs");
  add("first-seed", po::value<std::string>()->default_value("1")->value_name("N"), "seed of the first run");
  add("costs", po::value<std::string>()->value_name("FILE"),
      "what attributes cost, see lib/learn/draws/COSTS.md");
  add_tuning_options(options);
  add("output-directory", po::value<std::string>()->value_name("DIR"),
      "keep the result of every finished run there, one file each, and of every candidate until "
      "cross-validation "
      "has chosen; a later call with the same options does only what is missing. What another version of the "
      "program left there counts as well");
  add_execution_options(options);
  po::variables_map values;
  if (const auto exit = parse_command_line(argc, argv, kProgram, kUsage, kNotes, options, values))
    return *exit;
  const auto parsed = read_options(values);
  if (!parsed) return report(kProgram, parsed.error());
  ignore_broken_pipes();
  if (const Status status = run(*parsed); !status) return report(kProgram, status.error());
  return 0;
}

}  // namespace glimpse
