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
std::vector<Option<WideCommand>> wide_set_options() {
  using Types = ToolTypes<WideCommand>;
  using Set = WideOptions;
  const auto set = [](auto member) { return at(&WideCommand::set, member); };
  return {
      {.name = "dimension",
       .value = "D",
       .sentence = "attributes of an example",
       .standard = "100000",
       .type = Types::whole(set(&Set::dimension), 1, Set::kLargestDimension)},
      {.name = "relevant",
       .value = "R",
       .sentence = "attributes that matter, drawn at random, with weights -1 and 1",
       .standard = "50",
       .type = Types::whole(set(&Set::relevant), 1, Set::kLargestDimension)},
      {.name = "chance",
       .value = "P",
       .sentence = "of the first attribute to be 1",
       .standard = "0.5",
       .type = Types::real(set(&Set::chance), {0, 1, true})},
      {.name = "alpha",
       .value = "A",
       .sentence = "how fast the chances fall: P*i^A",
       .standard = "0",
       .type = Types::real(set(&Set::alpha), {Set::kLowestAlpha, 0})},
      {.name = "group",
       .value = "G",
       .sentence = "attributes come in groups of G neighbours; relevant ones by whole groups",
       .standard = "1",
       .type = Types::whole(set(&Set::group), 1, Set::kLargestDimension)},
      {.name = "agreement",
       .value = "C",
       .sentence = "the correlation within a group is C^2",
       .standard = "0",
       .type = Types::real(set(&Set::agreement), {0, 1})},
      {.name = "noise",
       .value = "S",
       .sentence = "standard deviation of the labels' noise",
       .standard = "0",
       .type = Types::real(set(&Set::noise), {0, Set::kLargestNoise})},
  };
}

OptionTable<WideCommand> wide_options() {
  using Types = ToolTypes<WideCommand>;
  constexpr std::uint64_t kMany = std::uint64_t{1} << 32;
  return OptionTable<WideCommand>()
      .add({{.name = "learner",
             .value = "NAME[:...]",
             .sentence = "may be repeated; all learn from the same streams",
             .type = Types::repeated(Types::set(read_learner)),
             .is_required = true},
            {.name = "budget",
             .value = "K",
             .sentence = "attributes looked at in each example",
             .standard = "20",
             .type = Types::whole(at(&WideCommand::budget), 1, kMany)}})
      .add(wide_set_options())
      .add({{.name = "counts",
             .value = "N,N,...",
             .sentence = "after how many examples to measure",
             .standard = "100000",
             .type = Types::parsed(at(&WideCommand::counts), parse_sorted_counts)},
            {.name = "seeds",
             .value = "N",
             .sentence = "streams: seeds 1 to N",
             .standard = "1",
             .type = Types::whole(at(&WideCommand::seeds), 1, kMany)}})
      .add(execution_options(), at(&WideCommand::execution));
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

ToolCommand wide_command() { return tool_command(kWideText, wide_options()); }

}  // namespace glimpse
