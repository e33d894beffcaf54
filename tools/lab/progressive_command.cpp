#include <fmt/core.h>

#include "common/command_line.h"
#include "common/output.h"
#include "lab/commands.h"
#include "lab/options.h"
#include "lab/studies/progressive_check.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kProgram = "glimpse-lab progressive";
constexpr std::string_view kUsage =
    "Usage: glimpse-lab progressive --data DATA --algorithm NAME --budget K [options]\n"
    "What a learner says of its own loss within its budget, beside the truth: one CSV row a seed and prefix, "
    "with the\n"
    "recent progressive loss, its standard error and the loss on the test set, all over the zero "
    "predictor's.\n";
constexpr std::string_view kNotes =
    "\nThe progressive loss of pairwise is that of the models solved for at powers of two: at such a prefix "
    "n, of "
    "the\n"
    "model after n/2 examples. That of the gradient learners is that of their iterates, before averaging.\n\n"
    "  glimpse-lab progressive --data mnist:3,5 --scale none --algorithm pairwise --budget 57 --bias on \\\n"
    "    --prefixes 1024,2048,4096,8192 --seeds 3\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong options.\n";

struct Options {
  DataOptions data;
  Method method;
  MeasuringPoints points;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
  Execution execution;
};

Result<Options> read_options(const po::variables_map& values) {
  Options options;
  const auto data = read_data_options(values);
  if (!data) return data.error();
  options.data = *data;
  const auto method = read_method_options(values);
  if (!method) return method.error();
  options.method = *method;
  const auto points = parse_prefixes(values["prefixes"].as<std::string>());
  if (!points) return points.error();
  options.points = *points;
  const auto seeds = whole_number(values, "seeds", 1, 1'000'000);
  if (!seeds) return seeds.error();
  options.seeds = *seeds;
  const auto first = whole_number(values, "first-seed", 0, std::uint64_t{1} << 60);
  if (!first) return first.error();
  options.first_seed = *first;
  const auto execution = read_execution_options(values);
  if (!execution) return execution.error();
  options.execution = *execution;
  return options;
}

Status run(const Options& options) {
  const auto source = DataSource::load(options.data);
  if (!source) return source.error();
  if (const Status status = check_prefixes(options.points, source->training_size()); !status) return status;
  const auto points = check_progressive(options.method, options.points, options.first_seed, options.seeds,
                                        *source, options.execution);
  if (!points) return points.error();
  Output output;
  output.buffer() += to_csv(*points);
  return output.finish();
}

}  // namespace

int progressive_command(int argc, const char* const* argv) {
  po::options_description options("Options", 100);
  add_data_options(options);
  add_method_options(options);
  const auto text = [](const char* standard, const char* name) {
    return po::value<std::string>()->default_value(standard)->value_name(name);
  };
  auto add = options.add_options();
  add("prefixes", text("all", "N,N,..."), "after how many training examples to measure; all: after the last");
  add("seeds", text("1", "N"), "runs");
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
