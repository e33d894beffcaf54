#include "common/output.h"
#include "lab/commands.h"
#include "lab/data_options.h"
#include "lab/shared_options.h"
#include "lab/studies/partial_check.h"

namespace glimpse {

namespace {

constexpr ProgramText kPartialText{
    .name = "glimpse-lab partial",
    .usage =
        "Usage: glimpse-lab partial --data DATA --budget K [options]\n"
        "How good the pairwise learner's predictions are where only a random part of an example's attributes "
        "is "
        "known,\n"
        "how honest their standard errors, and what its choice of further attributes is worth. Prints one "
        "CSV "
        "row "
        "a\n"
        "prefix, share and rule: the root mean squared error, the same over that of the model with all "
        "attributes, the\n"
        "mean of error^2 / standard error^2 (1 is right), and the share of errors within two standard "
        "errors.\n",
    .notes =
        "\nRules: full, all attributes known; mean, unknown ones by their means; conditional, by their means "
        "given "
        "the\n"
        "known ones; exact, the same with the covariances of the whole training set. With attributes bought, "
        "all "
        "predict\n"
        "as conditional, and choose at random, by weight times standard deviation, greedily, or greedily "
        "with "
        "the\n"
        "covariances of the whole training set.\n\n"
        "  glimpse-lab partial --data cal_housing.csv.gz --budget 5 --prefixes 1000,all --seeds 5\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct PartialCommand {
  DataOptions data;
  PartialCheck check;
  Execution execution;

  Status run() const;
};

OptionTable<PartialCommand> partial_options() {
  using Types = ToolTypes<PartialCommand>;
  const auto check = [](auto member) { return at(&PartialCommand::check, member); };
  return OptionTable<PartialCommand>()
      .add(data_options(), at(&PartialCommand::data))
      .add({budget_option<PartialCommand>(check(&PartialCheck::budget)),
            prefixes_option<PartialCommand>(check(&PartialCheck::points)),
            {.name = "known",
             .value = "SHARE,...",
             .sentence = "which part of a test example's attributes is known",
             .standard = "0.2,0.5,0.8",
             .type = Types::parsed(check(&PartialCheck::shares), parse_numbers)},
            {.name = "buy",
             .value = "N,N,...",
             .sentence = "how many further ones to choose, from the first share",
             .standard = "1,2,4",
             .type = Types::parsed(check(&PartialCheck::purchases), parse_counts)},
            {.name = "predictions",
             .value = "N",
             .sentence = "how many examples of each test set, or as many as it has",
             .standard = "400",
             .type = Types::whole(check(&PartialCheck::predictions), 1, 1'000'000'000)},
            seeds_option<PartialCommand>(check(&PartialCheck::seeds), "5"),
            first_seed_option<PartialCommand>(check(&PartialCheck::first_seed))})
      .add(execution_options(), at(&PartialCommand::execution));
}

Status PartialCommand::run() const {
  const auto source = DataSource::load(data);
  if (!source) return source.error();
  if (const Status status = check_prefixes(check.points, source->training_size()); !status) return status;
  const auto scores = check_partial(check, *source, execution);
  if (!scores) return scores.error();
  Output output;
  output.buffer() += to_csv(*scores);
  return output.finish();
}

}  // namespace

ToolCommand partial_command() { return tool_command(kPartialText, partial_options()); }

}  // namespace glimpse
