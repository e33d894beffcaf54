#include "lab/commands.h"

namespace glimpse {

const std::vector<LabCommand>& lab_commands() {
  static const std::vector<LabCommand> table{
      {"run", "one algorithm on one data set: CSV rows of test losses", run_command},
      {"figure", "a figure or table of the papers: CSV and pictures", figure_command},
      {"pairwise", "the pairwise learner's choice of lambda against the best in hindsight", pairwise_command},
      {"partial", "predictions from a part of the attributes, and the choice of further ones",
       partial_command},
      {"progressive", "what a learner says of its own loss, beside the truth", progressive_command},
      {"classes", "error, Brier score and log loss of classifiers", classes_command},
      {"small-models", "models of few attributes, and what is told of their losses", small_models_command},
      {"parts", "what it costs to learn a stream in parts that are merged", parts_command},
      {"drift", "after how many examples a change is noticed in parts, together and alone", drift_command},
      {"rho", "what knowing the second moments of a data set can gain", rho_command},
      {"wide", "several algorithms on a simulated stream of very many attributes", wide_command},
      {"sweep", "learners on every table of a folder: one page of summaries", sweep_command},
      {"buying", "planning by price beside simple rules for the same money", buying_command},
  };
  return table;
}

std::string_view lab_usage() {
  return "Usage: glimpse-lab COMMAND [options]\n"
         "Compares learners that look at few attributes of each example with each other and with those that "
         "look\n"
         "at all, as the papers did.\n";
}

}  // namespace glimpse
