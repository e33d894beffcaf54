#include "common/output.h"
#include "lab/commands.h"
#include "lab/data_options.h"
#include "lab/method_options.h"
#include "lab/shared_options.h"
#include "lab/studies/class_check.h"

namespace glimpse {

namespace {

constexpr ProgramText kClassesText{
    .name = "glimpse-lab classes",
    .usage =
        "Usage: glimpse-lab classes --data DATA --algorithm NAME --budget K [options]\n"
        "How well a classifier does within its budget: one CSV row a seed and prefix, with error, Brier "
        "score\n"
        "and log loss on the test set. Labels are classes.\n",
    .notes =
        "\nOf the training set 2 % are held out: by them the slope of the scores is fitted. usual_log_loss "
        "is\n"
        "with the slope that there is without them, best_log_loss with the best one for the test set. "
        "seconds\n"
        "are those of the processor for learning, judges among them.\n\n"
        "  glimpse-lab classes --data mnist:all --scale none --algorithm pairwise --budget 57 --bias on\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct ClassesCommand {
  DataOptions data;
  MethodOptions method;
  MeasuringPoints points;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
  Execution execution;

  Status run() const;
};

OptionTable<ClassesCommand> classes_options() {
  return OptionTable<ClassesCommand>()
      .add(data_options(), at(&ClassesCommand::data))
      .add(method_options(), at(&ClassesCommand::method))
      .add({prefixes_option<ClassesCommand>(at(&ClassesCommand::points)),
            seeds_option<ClassesCommand>(at(&ClassesCommand::seeds), "1"),
            first_seed_option<ClassesCommand>(at(&ClassesCommand::first_seed))})
      .add(execution_options(), at(&ClassesCommand::execution));
}

Status ClassesCommand::run() const {
  const auto source = DataSource::load(data);
  if (!source) return source.error();
  if (const Status status = check_prefixes(points, source->training_size()); !status) return status;
  const auto result = check_classes(method.method, points, first_seed, seeds, *source, execution);
  if (!result) return result.error();
  Output output;
  output.buffer() += to_csv(*result);
  return output.finish();
}

}  // namespace

int classes_command(int argc, const char* const* argv) {
  return run_program(argc, argv, kClassesText, classes_options());
}

}  // namespace glimpse
