#include "common/output.h"
#include "lab/commands.h"
#include "lab/data_options.h"
#include "lab/method_options.h"
#include "lab/shared_options.h"
#include "lab/studies/progressive_check.h"

namespace glimpse {

namespace {

constexpr ProgramText kProgressiveText{
    .name = "glimpse-lab progressive",
    .usage =
        "Usage: glimpse-lab progressive --data DATA --algorithm NAME --budget K [options]\n"
        "What a learner says of its own loss within its budget, beside the truth: one CSV row a seed and "
        "prefix, "
        "with the\n"
        "recent progressive loss, its standard error and the loss on the test set, all over the zero "
        "predictor's.\n",
    .notes =
        "\nThe progressive loss of pairwise is that of the models solved for at powers of two, which judge "
        "once "
        "the\n"
        "examples are a quarter more: at a prefix n that is one, mostly of the model after n/2 examples. "
        "That of the gradient learners is that of their iterates, before "
        "averaging.\n\n"
        "  glimpse-lab progressive --data mnist:3,5 --scale none --algorithm pairwise --budget 57 --bias on "
        "\\\n"
        "    --prefixes 1024,2048,4096,8192 --seeds 3\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

struct ProgressiveCommand {
  DataOptions data;
  MethodOptions method;
  MeasuringPoints points;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
  Execution execution;

  Status run() const;
};

OptionTable<ProgressiveCommand> progressive_options() {
  return OptionTable<ProgressiveCommand>()
      .add(data_options(), at(&ProgressiveCommand::data))
      .add(method_options(), at(&ProgressiveCommand::method))
      .add({prefixes_option<ProgressiveCommand>(at(&ProgressiveCommand::points)),
            seeds_option<ProgressiveCommand>(at(&ProgressiveCommand::seeds), "1"),
            first_seed_option<ProgressiveCommand>(at(&ProgressiveCommand::first_seed))})
      .add(execution_options(), at(&ProgressiveCommand::execution));
}

Status ProgressiveCommand::run() const {
  const auto source = DataSource::load(data);
  if (!source) return source.error();
  if (const Status status = check_prefixes(points, source->training_size()); !status) return status;
  const auto losses = check_progressive(method.method, points, first_seed, seeds, *source, execution);
  if (!losses) return losses.error();
  Output output;
  output.buffer() += to_csv(*losses);
  return output.finish();
}

}  // namespace

int progressive_command(int argc, const char* const* argv) {
  return run_program(argc, argv, kProgressiveText, progressive_options());
}

}  // namespace glimpse
