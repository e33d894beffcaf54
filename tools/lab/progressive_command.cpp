#include "common/tool.h"
#include "lab/commands.h"
#include "lab/seeded_check.h"
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
        "progressive loss of the prefix's last half, its standard error and the loss on the test set, all "
        "over "
        "the\n"
        "zero predictor's.\n",
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

}  // namespace

ToolCommand progressive_command() {
  return tool_command<SeededCheck<check_progressive>>(kProgressiveText,
                                                      SeededCheck<check_progressive>::options());
}

}  // namespace glimpse
