#include "common/output.h"
#include "lab/commands.h"
#include "lab/shared_options.h"
#include "lab/studies/drift_check.h"
#include "learn/options/algorithms.h"

namespace glimpse {

namespace {

constexpr ProgramText kDriftText{
    .name = "glimpse-lab drift",
    .usage =
        "Usage: glimpse-lab drift --dimension D --budget K [options]\n"
        "After how many examples a change is noticed in a stream that P learners learn in turn: by all of\n"
        "them together, as in a fleet, and by each alone. One CSV row a seed and P, in examples of all.\n",
    .notes =
        "\nLabels are the sum of D values of -1 or 1, and noise; from one example on some of them count\n"
        "with the other sign.\n\n"
        "  glimpse-lab drift --dimension 40 --budget 8 --changed 4 --parts 1,4,16 --seeds 10\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct DriftCommand {
  DriftCheck check;
  Execution execution;

  Status run() const;
};

Result<std::string> read_watching_algorithm(std::string_view option, const std::string& name) {
  if (is_algorithm(name) && can_forget(name)) return name;
  return failure(ErrorCode::kInvalidOption, "--{}: '{}' must be {}", option, name,
                 algorithm_names(can_forget, " or "));
}

std::vector<OptionRow> drift_options() {
  using Types = OptionKind;
  const auto check = [](auto member) { return OptionMember(&DriftCommand::check, member); };
  const OptionMember budget(&DriftCommand::check, &DriftCheck::learner, &LearnerOptions::budget);
  const OptionMember dimension(&DriftCommand::check, &DriftCheck::learner, &LearnerOptions::dimension);
  const OptionMember algorithm(&DriftCommand::check, &DriftCheck::learner, &LearnerOptions::algorithm);
  return joined(
      {{{"dimension D", "attributes", Types::whole(dimension, 2, kLargestCount), {.is_required = true}},
        budget_option(budget),
        {"algorithm NAME = pairwise", "one that knows --drift auto",
         Types::parsed(algorithm, read_watching_algorithm)},
        {"parts P,P,... = 1,4,16", "how many parts", Types::parsed(check(&DriftCheck::parts), parse_counts)},
        {"before N = 20000", "examples before the change",
         Types::whole(check(&DriftCheck::before), 1, kLargestCount)},
        {"after N = 100000", "at most so many behind it",
         Types::whole(check(&DriftCheck::after), 1, kLargestCount)},
        {"changed N = 1", "attributes that change their sign",
         Types::whole(check(&DriftCheck::changed), 0, kLargestCount)},
        {"every N = 100", "examples of all between two looks of all together",
         Types::whole(check(&DriftCheck::every), 1, kLargestCount)},
        seeds_option(check(&DriftCheck::seeds), "5"),
        first_seed_option(check(&DriftCheck::first_seed))},
       of_part(execution_options(), &DriftCommand::execution)});
}

Status DriftCommand::run() const {
  DriftCheck checked = check;
  checked.learner.drift = Drift::kAuto;
  const auto points = check_drift(checked, execution);
  if (!points) return points.error();
  Output output;
  output.buffer() += to_csv(*points);
  return output.finish();
}

}  // namespace

ToolCommand drift_command() { return tool_command<DriftCommand>(kDriftText, drift_options()); }

}  // namespace glimpse
