#pragma once

#include <string_view>
#include <vector>

#include "common/tool.h"

namespace glimpse {

/// The commands of glimpse-lab. Each reads the arguments behind its name: argv[0] is the command.

/// Prints CSV rows of one method on one data set.
ToolCommand run_command();
/// Reproduces a figure or table of the papers: CSV and pictures.
ToolCommand figure_command();
/// Prints what the pairwise learner's rules for λ give beside the best λ in hindsight.
ToolCommand pairwise_command();
/// Prints how good predictions from a part of the attributes are, and the choice of further ones.
ToolCommand partial_command();
/// Prints learners' progressive losses beside those on the test set.
ToolCommand progressive_command();
/// Prints how well classifiers do.
ToolCommand classes_command();
ToolCommand small_models_command();
/// Prints what learning in parts that are merged costs.
ToolCommand parts_command();
/// Prints after how many examples parts notice a change, together and alone.
ToolCommand drift_command();
/// Prints the two improvement ratios of a data set.
ToolCommand rho_command();
/// Prints CSV rows of several learners on simulated streams of very many attributes.
ToolCommand wide_command();
/// Writes a page on learners over every table of a folder.
ToolCommand sweep_command();
/// Writes a page on what planning by price is worth beside simple rules.
ToolCommand buying_command();

/// A row of glimpse-lab --help.
struct LabCommand {
  std::string_view name;
  std::string_view sentence;
  ToolCommand (*make)();
};

/// Every command, in the order of --help. One is added with a row.
const std::vector<LabCommand>& lab_commands();
/// What --help says before the commands.
std::string_view lab_usage();

}  // namespace glimpse
