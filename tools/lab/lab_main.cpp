#include <fmt/core.h>
#include <string_view>

#include "common/command_line.h"
#include "lab/commands.h"

namespace {

constexpr std::string_view kUsage =
    "Usage: glimpse-lab COMMAND [options]\n"
    "Compares learners that look at few attributes of each example with each other and with those that look\n"
    "at all, as the papers did.\n\n"
    "  run          one algorithm on one data set: CSV rows of test losses\n"
    "  figure       a figure or table of the papers: CSV and pictures\n"
    "  pairwise     the pairwise learner's choice of lambda against the best in hindsight\n"
    "  partial      predictions from a part of the attributes, and the choice of further ones\n"
    "  progressive  what a learner says of its own loss, beside the truth\n"
    "  classes      error, Brier score and log loss of classifiers\n"
    "  small-models models of few attributes, and what is told of their losses\n"
    "  rho          what knowing the second moments of a data set can gain\n"
    "  wide         several algorithms on a simulated stream of very many attributes\n"
    "  sweep        learners on every table of a folder: one page of summaries\n"
    "  buying       planning by price beside simple rules for the same money\n\n"
    "glimpse-lab COMMAND --help explains a command.\n";

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "run") return glimpse::run_command(argc - 1, argv + 1);
  if (command == "figure") return glimpse::figure_command(argc - 1, argv + 1);
  if (command == "pairwise") return glimpse::pairwise_command(argc - 1, argv + 1);
  if (command == "partial") return glimpse::partial_command(argc - 1, argv + 1);
  if (command == "progressive") return glimpse::progressive_command(argc - 1, argv + 1);
  if (command == "classes") return glimpse::classes_command(argc - 1, argv + 1);
  if (command == "small-models") return glimpse::small_models_command(argc - 1, argv + 1);
  if (command == "rho") return glimpse::rho_command(argc - 1, argv + 1);
  if (command == "wide") return glimpse::wide_command(argc - 1, argv + 1);
  if (command == "sweep") return glimpse::sweep_command(argc - 1, argv + 1);
  if (command == "buying") return glimpse::buying_command(argc - 1, argv + 1);
  if (command == "--help" || command == "-h") {
    fmt::print("{}", kUsage);
    return 0;
  }
  fmt::print(stderr, "glimpse-lab: {}; see glimpse-lab --help\n",
             command.empty() ? "which command?" : fmt::format("command '{}' is unknown", command));
  return glimpse::kExitBadOption;
}
