#include <fmt/core.h>

#include "common/command_line.h"
#include "common/output.h"
#include "lab/commands.h"
#include "lab/options.h"
#include "lab/studies/ridge_scan.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kProgram = "glimpse-lab pairwise";
constexpr std::string_view kUsage =
    "Usage: glimpse-lab pairwise --data DATA --budget K [options]\n"
    "How well the pairwise learner chooses lambda: runs it, and solves at every prefix with the lambda that "
    "its rule\n"
    "gives and with multiples of it. Prints one CSV row a prefix: the mean test loss over the zero "
    "predictor's, the\n"
    "best in hindsight (the factor whose mean over the seeds is least), and the loss of predicting the mean "
    "of the\n"
    "labels so far. reach: with values beyond 1.5 times the largest revealed counted as that, and wild ones "
    "as the mean.\n";
constexpr std::string_view kNotes =
    "\nA row of --rows is one seed, prefix and factor; 'rule' is what the learner gives. With a factor alpha "
    "is 1:\n"
    "the weights are not drawn towards 0 where there may be no signal.\n\n"
    "  glimpse-lab pairwise --data mnist:3,5 --scale none --budget 57 --prefixes 200,1000,all --seeds 10\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong options.\n";
constexpr const char* kFactors = "0.125,0.177,0.25,0.354,0.5,0.707,1,1.414,2,2.828,4,5.657,8";

struct Options {
  DataOptions data;
  RidgeScan scan;
  Execution execution;
  bool rows = false;
};

Result<Options> read_options(const po::variables_map& values) {
  Options options;
  const auto data = read_data_options(values);
  if (!data) return data.error();
  options.data = *data;
  const auto budget = whole_number(values, "budget", 1, std::uint64_t{1} << 31);
  if (!budget) return budget.error();
  options.scan.budget = *budget;
  const auto points = parse_prefixes(values["prefixes"].as<std::string>());
  if (!points) return points.error();
  options.scan.points = *points;
  const auto factors = parse_numbers("ridge-factors", values["ridge-factors"].as<std::string>());
  if (!factors) return factors.error();
  options.scan.factors = *factors;
  const auto seeds = whole_number(values, "seeds", 1, 1'000'000);
  if (!seeds) return seeds.error();
  options.scan.seeds = *seeds;
  const auto first = whole_number(values, "first-seed", 0, std::uint64_t{1} << 60);
  if (!first) return first.error();
  options.scan.first_seed = *first;
  const auto execution = read_execution_options(values);
  if (!execution) return execution.error();
  options.execution = *execution;
  options.rows = values["rows"].as<bool>();
  return options;
}

Status run(const Options& options) {
  const auto source = DataSource::load(options.data);
  if (!source) return source.error();
  const auto points = scan_ridge(options.scan, *source, options.execution);
  if (!points) return points.error();
  Output output;
  output.buffer() +=
      options.rows ? to_csv(*points, options.scan.factors) : to_csv(summarise(*points, options.scan.factors));
  return output.finish();
}

}  // namespace

int pairwise_command(int argc, const char* const* argv) {
  po::options_description options("Options", 100);
  add_data_options(options);
  const auto text = [](const char* standard, const char* name) {
    return po::value<std::string>()->default_value(standard)->value_name(name);
  };
  auto add = options.add_options();
  add("budget", po::value<std::string>()->required()->value_name("K"), "attributes drawn from each example");
  add("prefixes", text("all", "N,N,..."),
      "after how many training examples to measure, where there are so many; all: after the last");
  add("ridge-factors", text(kFactors, "F,F,..."), "what the rule's lambda is multiplied by");
  add("seeds", text("10", "N"), "runs");
  add("first-seed", text("1", "N"), "seed of the first run");
  add("rows", po::bool_switch(), "print every run and factor in place of the summary");
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
