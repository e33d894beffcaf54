#include "common/tool.h"
#include "lab/commands.h"
#include "lab/seeded_check.h"
#include "lab/studies/small_model_check.h"

namespace glimpse {

namespace {

constexpr ProgramText kSmallModelsText{
    .name = "glimpse-lab small-models",
    .usage =
        "Usage: glimpse-lab small-models --data DATA --algorithm NAME --budget K [options]\n"
        "How good models of the 1 to 20 best attributes are, and what the learner tells of them: one CSV row "
        "a\n"
        "seed, prefix and number of attributes. Losses are over that of the mean of the test set's labels.\n",
    .notes =
        "\ntold: the expected loss; exported: that of the model on the test set; clipped: of the daemon's\n"
        "answers. chosen: least squares on the chosen attributes, by the whole training set; best: the same "
        "of\n"
        "the best subset, of up to 12 attributes.\n\n"
        "  glimpse-lab small-models --data ailerons.csv.gz --algorithm pairwise --budget 5 --bias on\n\n"
        "Exit status: 0 done, 1 failed, 2 wrong options.\n"};

}  // namespace

ToolCommand small_models_command() {
  return tool_command<SeededCheck<check_small_models>>(kSmallModelsText,
                                                       SeededCheck<check_small_models>::options());
}

}  // namespace glimpse
