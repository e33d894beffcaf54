#include "common/tool.h"
#include "lab/commands.h"
#include "lab/seeded_check.h"
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

}  // namespace

ToolCommand classes_command() {
  return tool_command<SeededCheck<check_classes>>(kClassesText, SeededCheck<check_classes>::options());
}

}  // namespace glimpse
