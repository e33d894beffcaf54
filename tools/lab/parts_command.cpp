#include "common/output.h"
#include "lab/commands.h"
#include "lab/data_options.h"
#include "lab/shared_options.h"
#include "lab/studies/parts_check.h"
#include "learn/options/algorithms.h"

namespace glimpse {

namespace {

constexpr ProgramText kPartsText{
    .name = "glimpse-lab parts",
    .usage =
        "Usage: glimpse-lab parts --data DATA --budget K [options]\n"
        "What it costs to learn a stream in parts that are merged at the end: deals the examples out to P\n"
        "learners in turn, merges these, and prints one CSV row a seed and P, with the loss of the merged\n"
        "learner on the test set and that of the first part alone, over the zero predictor's.\n",
    .notes =
        "\nLearners are those of pairs: their sums merge exactly, and only their plans, which go by a "
        "part's\n"
        "own examples, are not those of one learner over all; --share-every makes them so.\n\n"
        "  glimpse-lab parts --data bike_hour.csv --standardise-labels --budget 5 --parts 1,4,16,64 --seeds 5"
        "\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct PartsCommand {
  DataOptions data;
  PartsCheck check;
  Execution execution;

  Status run() const;
};

Result<std::string> read_algorithm(std::string_view option, const std::string& name) {
  if (is_algorithm(name) && keeps_pairs(name)) return name;
  return failure(ErrorCode::kInvalidOption, "--{}: '{}' must be {}", option, name,
                 algorithm_names(keeps_pairs, " or "));
}

std::vector<OptionRow> parts_options() {
  using Types = OptionKind;
  const auto check = [](auto member) { return OptionMember(&PartsCommand::check, member); };
  const OptionMember budget(&PartsCommand::check, &PartsCheck::learner, &LearnerOptions::budget);
  const OptionMember algorithm(&PartsCommand::check, &PartsCheck::learner, &LearnerOptions::algorithm);
  return joined(
      {of_part(data_options(), &PartsCommand::data),
       {budget_option(budget),
        {"algorithm NAME = pairwise", "pairwise or pairwise-screened",
         Types::parsed(algorithm, read_algorithm)},
        {"parts P,P,... = 1,4,16,64", "how many parts",
         Types::parsed(check(&PartsCheck::parts), parse_counts)},
        {"share-every N = 0", "all plan by what all know together, as of each N examples; 0: each by its own",
         Types::whole(check(&PartsCheck::share_every), 0, std::uint64_t{1} << 60)},
        seeds_option(check(&PartsCheck::seeds), "5"),
        first_seed_option(check(&PartsCheck::first_seed))},
       of_part(execution_options(), &PartsCommand::execution)});
}

Status PartsCommand::run() const {
  const auto source = DataSource::load(data);
  if (!source) return source.error();
  const auto points = check_parts(check, *source, execution);
  if (!points) return points.error();
  Output output;
  output.buffer() += to_csv(*points);
  return output.finish();
}

}  // namespace

ToolCommand parts_command() { return tool_command<PartsCommand>(kPartsText, parts_options()); }

}  // namespace glimpse
