#include <algorithm>
#include <fmt/core.h>

#include "common/output.h"
#include "lab/commands.h"
#include "lab/experiments/parallel.h"
#include "lab/shared_options.h"
#include "lab/studies/wide_run.h"

namespace glimpse {

namespace {

constexpr ProgramText kWideText{
    .name = "glimpse-lab wide",
    .usage =
        "Usage: glimpse-lab wide --learner NAME[:radius=B][:step=S][:phase1=N][:active=A] [options]\n"
        "Learns from simulated streams of very many attributes, some of which matter. Values are computed "
        "when "
        "a\n"
        "learner asks for them, so that no example is held, and losses are exact expectations. Prints CSV: "
        "loss "
        "is\n"
        "over that of always predicting 0, unexplained over that of the best constant (1: nothing "
        "learned).\n",
    .notes =
        "\nx_i is 1 with the chance chance*i^alpha, else 0; y is the sum of the relevant ones with signs. "
        "Known\n"
        "moments are the true ones; the horizon is the last count.\n\n"
        "  glimpse-lab wide --relevant 50 --budget 20 --counts 100000,1000000 --seeds 5 \\\n"
        "    --learner pairwise-screened --learner two-phase-ddaelr:radius=20\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct WideCommand {
  WideOptions set;
  std::vector<NamedOptions> curves;  // without their budget
  std::uint64_t budget = 0;
  std::vector<std::uint64_t> counts;
  std::uint64_t seeds = 1;
  Execution execution;

  Status run() const;
};

Status read_learner(WideCommand& command, std::string_view option, const std::string& text) {
  auto learner = parse_named_options(option, text, 0);
  if (!learner) return learner.error();
  if (learner->learner.products > 0)
    return failure(ErrorCode::kInvalidOption,
                   "--{} {}: models of attributes alone are measured here: leave products out", option, text);
  command.curves.push_back(std::move(*learner));
  return {};
}

Result<std::vector<std::uint64_t>> parse_sorted_counts(std::string_view option, std::string_view text) {
  auto counts = parse_counts(option, text);
  if (counts) std::sort(counts->begin(), counts->end());
  return counts;
}

// The attributes of the stream, and the labels.
std::vector<OptionRow> wide_set_options() {
  using Types = OptionKind;
  using Set = WideOptions;
  const auto set = [](auto member) { return OptionMember(&WideCommand::set, member); };
  return {
      {"dimension D = 100000", "attributes of an example",
       Types::whole(set(&Set::dimension), 1, Set::kLargestDimension)},
      {"relevant R = 50", "attributes that matter, drawn at random, with weights -1 and 1",
       Types::whole(set(&Set::relevant), 1, Set::kLargestDimension)},
      {"chance P = 0.5", "of the first attribute to be 1", Types::number(set(&Set::chance), {0, 1, true})},
      {"alpha A = 0", "how fast the chances fall: P*i^A",
       Types::number(set(&Set::alpha), {Set::kLowestAlpha, 0})},
      {"group G = 1", "attributes come in groups of G neighbours; relevant ones by whole groups",
       Types::whole(set(&Set::group), 1, Set::kLargestDimension)},
      {"agreement C = 0", "the correlation within a group is C^2",
       Types::number(set(&Set::agreement), {0, 1})},
      {"noise S = 0", "standard deviation of the labels' noise",
       Types::number(set(&Set::noise), {0, Set::kLargestNoise})},
  };
}

std::vector<OptionRow> wide_options() {
  using Types = OptionKind;
  constexpr std::uint64_t kMany = std::uint64_t{1} << 32;
  return joined({{{"learner NAME[:...]",
                   "may be repeated; all learn from the same streams",
                   Types::custom(read_learner).repeated(),
                   {.is_required = true}},
                  {"budget K = 20", "attributes looked at in each example",
                   Types::whole(&WideCommand::budget, 1, kMany)}},
                 wide_set_options(),
                 {{"counts N,N,... = 100000", "after how many examples to measure",
                   Types::parsed(&WideCommand::counts, parse_sorted_counts)},
                  {"seeds N = 1", "streams: seeds 1 to N", Types::whole(&WideCommand::seeds, 1, kMany)}},
                 of_part(execution_options(), &WideCommand::execution)});
}

Status WideCommand::run() const {
  if (const Status status = validate(set); !status) return status;
  std::vector<NamedOptions> learners = curves;
  for (NamedOptions& named : learners) named.learner.budget = budget;
  std::vector<std::vector<WideRow>> rows(seeds);
  Progress progress("running", rows.size(), execution.quiet);
  const Status status = parallel_for(rows.size(), execution.threads, [&](std::size_t s) {
    WideOptions stream = set;
    stream.seed = s + 1;
    const Status done =
        run_wide(stream, learners, counts, [&](const WideRow& row) { rows[s].push_back(row); });
    progress.advance();
    return done;
  });
  if (!status) return status;
  Output output;
  output.buffer() += "learner,seed,examples,attributes,loss,unexplained\n";
  for (const auto& one : rows)
    for (const WideRow& row : one)
      output.buffer() += fmt::format("{},{},{},{},{:.6g},{:.6g}\n", learners[row.curve].label, row.seed,
                                     row.examples, row.attributes, row.loss, row.unexplained);
  return output.finish();
}

}  // namespace

ToolCommand wide_command() { return tool_command<WideCommand>(kWideText, wide_options()); }

}  // namespace glimpse
