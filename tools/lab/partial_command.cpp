#include <fmt/core.h>

#include "common/command_line.h"
#include "common/output.h"
#include "lab/commands.h"
#include "lab/options.h"
#include "lab/studies/partial_check.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kProgram = "glimpse-lab partial";
constexpr std::string_view kUsage =
    "Usage: glimpse-lab partial --data DATA --budget K [options]\n"
    "How good the pairwise learner's predictions are where only a random part of an example's attributes is "
    "known,\n"
    "how honest their standard errors, and what its choice of further attributes is worth. Prints one CSV "
    "row "
    "a\n"
    "prefix, share and rule: the root mean squared error, the same over that of the model with all "
    "attributes, the\n"
    "mean of error^2 / standard error^2 (1 is right), and the share of errors within two standard errors.\n";
constexpr std::string_view kNotes =
    "\nRules: full, all attributes known; mean, unknown ones by their means; conditional, by their means "
    "given "
    "the\n"
    "known ones; exact, the same with the covariances of the whole training set. With attributes bought, all "
    "predict\n"
    "as conditional, and choose at random, by weight times standard deviation, greedily, or greedily with "
    "the\n"
    "covariances of the whole training set.\n\n"
    "  glimpse-lab partial --data cal_housing.csv.gz --budget 5 --prefixes 1000,all --seeds 5\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong options.\n";

struct Options {
  DataOptions data;
  PartialCheck check;
  Execution execution;
};

Result<Options> read_options(const po::variables_map& values) {
  Options options;
  const auto data = read_data_options(values);
  if (!data) return data.error();
  options.data = *data;
  const auto budget = whole_number(values, "budget", 1, std::uint64_t{1} << 31);
  if (!budget) return budget.error();
  options.check.budget = *budget;
  const auto points = parse_prefixes(values["prefixes"].as<std::string>());
  if (!points) return points.error();
  options.check.points = *points;
  const auto shares = parse_numbers("known", values["known"].as<std::string>());
  if (!shares) return shares.error();
  options.check.shares = *shares;
  const auto purchases = parse_prefixes(values["buy"].as<std::string>());
  if (!purchases) return purchases.error();
  for (const std::uint64_t r : purchases->counts) options.check.purchases.push_back(r);
  const auto examples = whole_number(values, "predictions", 1, 1'000'000'000);
  if (!examples) return examples.error();
  options.check.predictions = *examples;
  const auto seeds = whole_number(values, "seeds", 1, 1'000'000);
  if (!seeds) return seeds.error();
  options.check.seeds = *seeds;
  const auto first = whole_number(values, "first-seed", 0, std::uint64_t{1} << 60);
  if (!first) return first.error();
  options.check.first_seed = *first;
  const auto execution = read_execution_options(values);
  if (!execution) return execution.error();
  options.execution = *execution;
  return options;
}

Status run(const Options& options) {
  const auto source = DataSource::load(options.data);
  if (!source) return source.error();
  if (const Status status = check_prefixes(options.check.points, source->training_size()); !status)
    return status;
  const auto scores = check_partial(options.check, *source, options.execution);
  if (!scores) return scores.error();
  Output output;
  output.buffer() += to_csv(*scores);
  return output.finish();
}

}  // namespace

int partial_command(int argc, const char* const* argv) {
  po::options_description options("Options", 100);
  add_data_options(options);
  const auto text = [](const char* standard, const char* name) {
    return po::value<std::string>()->default_value(standard)->value_name(name);
  };
  auto add = options.add_options();
  add("budget", po::value<std::string>()->required()->value_name("K"), "attributes drawn from each example");
  add("prefixes", text("all", "N,N,..."), "after how many training examples to measure; all: after the last");
  add("known", text("0.2,0.5,0.8", "SHARE,..."), "which part of a test example's attributes is known");
  add("buy", text("1,2,4", "N,N,..."), "how many further ones to choose, from the first share");
  add("predictions", text("400", "N"), "how many examples of each test set, or as many as it has");
  add("seeds", text("5", "N"), "runs");
  add("first-seed", text("1", "N"), "seed of the first run");
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
