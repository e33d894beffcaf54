#include <algorithm>
#include <fmt/core.h>

#include "common/command_line.h"
#include "common/output.h"
#include "lab/commands.h"
#include "lab/experiments/parallel.h"
#include "lab/options.h"
#include "lab/studies/wide_run.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kProgram = "glimpse-lab wide";
constexpr std::string_view kUsage =
    "Usage: glimpse-lab wide --learner NAME[:radius=B][:step=S][:phase1=N][:active=A] [options]\n"
    "Learns from simulated streams of very many attributes, some of which matter. Values are computed when "
    "a\n"
    "learner asks for them, so that no example is held, and losses are exact expectations. Prints CSV: loss "
    "is\n"
    "over that of always predicting 0, unexplained over that of the best constant (1: nothing learned).\n";
constexpr std::string_view kNotes =
    "\nx_i is 1 with the chance chance*i^alpha, else 0; y is the sum of the relevant ones with signs. Known\n"
    "moments are the true ones; the horizon is the last count.\n\n"
    "  glimpse-lab wide --relevant 50 --budget 20 --counts 100000,1000000 --seeds 5 \\\n"
    "    --learner pairwise-screened --learner two-phase-ddaelr:radius=20\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong options.\n";

struct WideCommand {
  WideOptions set;
  std::vector<NamedLearner> curves;
  std::vector<std::uint64_t> counts;
  std::uint64_t seeds = 1;
  Execution execution;
};

Result<WideCommand> read_options(const po::variables_map& values) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 32;
  WideCommand command;
  std::uint64_t budget = 0;
  for (const auto& [name, target] :
       {std::pair{"dimension", &command.set.dimension}, std::pair{"relevant", &command.set.relevant},
        std::pair{"group", &command.set.group}, std::pair{"seeds", &command.seeds},
        std::pair{"budget", &budget}}) {
    const auto value = whole_number(values, name, 1, kMany);
    if (!value) return value.error();
    *target = *value;
  }
  for (const auto& [name, target] :
       {std::pair{"chance", &command.set.chance}, std::pair{"alpha", &command.set.alpha},
        std::pair{"agreement", &command.set.agreement}, std::pair{"noise", &command.set.noise}}) {
    const auto value = number(values, name);
    if (!value) return value.error();
    *target = *value;
  }
  if (const Status status = validate(command.set); !status) return status.error();
  for (const std::string& text : values["learner"].as<std::vector<std::string>>()) {
    auto curve = parse_named_learner("learner", text, budget);
    if (!curve) return curve.error();
    command.curves.push_back(std::move(*curve));
  }
  const auto points = parse_prefixes(values["counts"].as<std::string>());
  if (!points) return points.error();
  if (points->all || points->counts.empty())
    return failure(ErrorCode::kInvalidOption, "--counts: must be numbers of examples; the stream has no end");
  command.counts = points->counts;
  std::sort(command.counts.begin(), command.counts.end());
  const auto execution = read_execution_options(values);
  if (!execution) return execution.error();
  command.execution = *execution;
  return command;
}

Status run(const WideCommand& command) {
  std::vector<std::vector<WideRow>> rows(command.seeds);
  Progress progress("running", rows.size(), command.execution.quiet);
  const Status status = parallel_for(rows.size(), command.execution.threads, [&](std::size_t s) {
    WideOptions set = command.set;
    set.seed = s + 1;
    const Status done =
        run_wide(set, command.curves, command.counts, [&](const WideRow& row) { rows[s].push_back(row); });
    progress.advance();
    return done;
  });
  if (!status) return status;
  Output output;
  output.buffer() += "learner,seed,examples,attributes,loss,unexplained\n";
  for (const auto& one : rows)
    for (const WideRow& row : one)
      output.buffer() += fmt::format("{},{},{},{},{:.6g},{:.6g}\n", command.curves[row.curve].label, row.seed,
                                     row.examples, row.attributes, row.loss, row.unexplained);
  return output.finish();
}

}  // namespace

int wide_command(int argc, const char* const* argv) {
  const auto text = [](const char* standard, const char* name) {
    return po::value<std::string>()->default_value(standard)->value_name(name);
  };
  po::options_description options("Options", 100);
  auto add = options.add_options();
  add("learner", po::value<std::vector<std::string>>()->required()->value_name("NAME[:...]"),
      "may be repeated; all learn from the same streams");
  add("budget", text("20", "K"), "attributes looked at in each example");
  add("dimension", text("100000", "D"), "attributes of an example");
  add("relevant", text("50", "R"), "attributes that matter, drawn at random, with weights -1 and 1");
  add("chance", text("0.5", "P"), "of the first attribute to be 1");
  add("alpha", text("0", "A"), "how fast the chances fall: P*i^A");
  add("group", text("1", "G"), "attributes come in groups of G neighbours; relevant ones by whole groups");
  add("agreement", text("0", "C"), "the correlation within a group is C^2");
  add("noise", text("0", "S"), "standard deviation of the labels' noise");
  add("counts", text("100000", "N,N,..."), "after how many examples to measure");
  add("seeds", text("1", "N"), "streams: seeds 1 to N");
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
