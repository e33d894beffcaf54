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

std::vector<OptionRow> partial_options() {
  using Types = OptionKind;
  const auto check = [](auto member) { return OptionMember(&PartialCommand::check, member); };
  return joined({of_part(data_options(), &PartialCommand::data),
                 {budget_option(check(&PartialCheck::budget)),
                  prefixes_option(check(&PartialCheck::points)),
                  {"known SHARE,... = 0.2,0.5,0.8", "which part of a test example's attributes is known",
                   Types::parsed(check(&PartialCheck::shares), parse_numbers)},
                  {"buy N,N,... = 1,2,4", "how many further ones to choose, from the first share",
                   Types::parsed(check(&PartialCheck::purchases), parse_counts)},
                  {"predictions N = 400", "how many examples of each test set, or as many as it has",
                   Types::whole(check(&PartialCheck::predictions), 1, 1'000'000'000)},
                  seeds_option(check(&PartialCheck::seeds), "5"),
                  first_seed_option(check(&PartialCheck::first_seed))},
                 of_part(execution_options(), &PartialCommand::execution)});
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

ToolCommand partial_command() { return tool_command<PartialCommand>(kPartialText, partial_options()); }

}  // namespace glimpse
