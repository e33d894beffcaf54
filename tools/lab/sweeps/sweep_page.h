#pragma once

#include <string>
#include <vector>

#include "lab/sweeps/sweep_sets.h"
#include "lab/sweeps/sweep_summary.h"

namespace glimpse {

/// What a page says beside its cells.
struct SweepNotes {
  std::vector<SweptSet> sets;
  std::vector<std::string> skipped;  ///< files that were left out, each with the reason
  std::string run;                   ///< one line: learners, budgets, prefixes, seeds
  SweepReference reference = SweepReference::kTrainingMean;
};

/// One page of Markdown: geometric means by learner, K, prefix and data set, the ten worst cells and all
/// harmful ones, each for the answers as exported and clipped.
std::string page_of(const std::vector<SweepCell>& cells, const SweepNotes& notes);

/// One row a cell, with header.
std::string to_csv(const std::vector<SweepCell>& cells);
/// One row a run and prefix, with header.
std::string to_csv(const std::vector<SweepRow>& rows);

}  // namespace glimpse
