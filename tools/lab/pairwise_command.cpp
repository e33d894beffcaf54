#include "common/output.h"
#include "lab/commands.h"
#include "lab/data_options.h"
#include "lab/shared_options.h"
#include "lab/sweeps/ridge_scan.h"

namespace glimpse {

namespace {

constexpr ProgramText kPairwiseText{
    .name = "glimpse-lab pairwise",
    .usage =
        "Usage: glimpse-lab pairwise --data DATA --budget K [options]\n"
        "How well the pairwise learner chooses lambda: runs it, and solves at every prefix with the lambda "
        "that "
        "its rule\n"
        "gives and with multiples of it. Prints one CSV row a prefix: the mean test loss over the zero "
        "predictor's, the\n"
        "best in hindsight (the factor whose mean over the seeds is least), and the loss of predicting the "
        "mean "
        "of the\n"
        "labels so far. reach: with values beyond 1.5 times the largest revealed counted as that, and wild "
        "ones "
        "as the mean.\n",
    .notes =
        "\nA row of --rows is one seed, prefix and factor; 'rule' is what the learner gives. With a factor "
        "alpha "
        "is 1:\n"
        "the weights are not drawn towards 0 where there may be no signal.\n\n"
        "  glimpse-lab pairwise --data mnist:3,5 --scale none --budget 57 --prefixes 200,1000,all --seeds "
        "10\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct PairwiseCommand {
  DataOptions data;
  RidgeScan scan;
  Execution execution;
  bool rows = false;

  Status run() const;
};

std::vector<OptionRow> pairwise_options() {
  using Types = OptionKind;
  const auto scan = [](auto member) { return OptionMember(&PairwiseCommand::scan, member); };
  return joined(
      {of_part(data_options(), &PairwiseCommand::data),
       {budget_option(scan(&RidgeScan::budget)),
        prefixes_option(scan(&RidgeScan::points), LongPrefix::kLeftOut),
        {"ridge-factors F,F,... = 0.125,0.177,0.25,0.354,0.5,0.707,1,1.414,2,2.828,4,5.657,8",
         "what the rule's lambda is multiplied by", Types::parsed(scan(&RidgeScan::factors), parse_numbers)},
        seeds_option(scan(&RidgeScan::seeds), "10"),
        first_seed_option(scan(&RidgeScan::first_seed)),
        {"rows", "print every run and factor in place of the summary", Types::flag(&PairwiseCommand::rows)}},
       of_part(execution_options(), &PairwiseCommand::execution)});
}

Status PairwiseCommand::run() const {
  const auto source = DataSource::load(data);
  if (!source) return source.error();
  const auto points = scan_ridge(scan, *source, execution);
  if (!points) return points.error();
  Output output;
  output.buffer() += rows ? to_csv(*points, scan.factors) : to_csv(summarise(*points, scan.factors));
  return output.finish();
}

}  // namespace

ToolCommand pairwise_command() { return tool_command<PairwiseCommand>(kPairwiseText, pairwise_options()); }

}  // namespace glimpse
