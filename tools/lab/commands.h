#pragma once

namespace glimpse {

/// The commands of glimpse-lab. Each parses the arguments behind its name and returns the exit status: 0
/// done, 1 it failed, 2 wrong options. `argv[0]` is the command's name.

/// Prints CSV rows of one method on one data set.
int run_command(int argc, const char* const* argv);
/// Reproduces a figure or table of the papers: CSV and pictures.
int figure_command(int argc, const char* const* argv);
/// Prints what the pairwise learner's rules for λ give beside the best λ in hindsight.
int pairwise_command(int argc, const char* const* argv);
/// Prints how good predictions from a part of the attributes are, and the choice of further ones.
int partial_command(int argc, const char* const* argv);
/// Prints learners' progressive losses beside those on the test set.
int progressive_command(int argc, const char* const* argv);
/// Prints how well classifiers do.
int classes_command(int argc, const char* const* argv);
int small_models_command(int argc, const char* const* argv);
/// Prints the two improvement ratios of a data set.
int rho_command(int argc, const char* const* argv);
/// Prints CSV rows of several learners on simulated streams of very many attributes.
int wide_command(int argc, const char* const* argv);
/// Writes a page on learners over every table of a folder.
int sweep_command(int argc, const char* const* argv);
/// Writes a page on what planning by price is worth beside simple rules.
int buying_command(int argc, const char* const* argv);

}  // namespace glimpse
