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

OptionTable<DriftCommand> drift_options() {
  using Types = ToolTypes<DriftCommand>;
  const auto check = [](auto member) { return at(&DriftCommand::check, member); };
  const auto budget = [](auto& command) -> auto& { return command.check.learner.budget; };
  const auto dimension = [](auto& command) -> auto& { return command.check.learner.dimension; };
  const auto algorithm = [](auto& command) -> auto& { return command.check.learner.algorithm; };
  return OptionTable<DriftCommand>()
      .add({{.name = "dimension",
             .value = "D",
             .sentence = "attributes",
             .type = Types::whole(dimension, 2, kLargestCount),
             .is_required = true},
            budget_option<DriftCommand>(budget),
            {.name = "algorithm",
             .value = "NAME",
             .sentence = "one that knows --drift auto",
             .standard = "pairwise",
             .type = Types::parsed(algorithm, read_watching_algorithm)},
            {.name = "parts",
             .value = "P,P,...",
             .sentence = "how many parts",
             .standard = "1,4,16",
             .type = Types::parsed(check(&DriftCheck::parts), parse_counts)},
            {.name = "before",
             .value = "N",
             .sentence = "examples before the change",
             .standard = "20000",
             .type = Types::whole(check(&DriftCheck::before), 1, kLargestCount)},
            {.name = "after",
             .value = "N",
             .sentence = "at most so many behind it",
             .standard = "100000",
             .type = Types::whole(check(&DriftCheck::after), 1, kLargestCount)},
            {.name = "changed",
             .value = "N",
             .sentence = "attributes that change their sign",
             .standard = "1",
             .type = Types::whole(check(&DriftCheck::changed), 0, kLargestCount)},
            {.name = "every",
             .value = "N",
             .sentence = "examples of all between two looks of all together",
             .standard = "100",
             .type = Types::whole(check(&DriftCheck::every), 1, kLargestCount)},
            seeds_option<DriftCommand>(check(&DriftCheck::seeds), "5"),
            first_seed_option<DriftCommand>(check(&DriftCheck::first_seed))})
      .add(execution_options(), at(&DriftCommand::execution));
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

ToolCommand drift_command() { return tool_command(kDriftText, drift_options()); }

}  // namespace glimpse
