#pragma once

#include <string>

#include "base/file.h"
#include "base/result.h"
#include "lab/experiments/experiment.h"
#include "lab/studies/figures.h"

namespace glimpse {

/// How figures are carried out.
struct FigureRun {
  TuningOptions tuning;  ///< for the curves whose B and step are chosen
  std::string folder;    ///< where results and pictures go; made where missing
  Execution execution;
};

/// Runs what is missing of a figure and writes its CSV, gnuplot script and pictures. For a table over the
/// pairs of digits it writes "NAME-table.csv", with the medians over the pairs of each algorithm's mean over
/// the splits. Warns on standard error of examples that were not learned from. Errors: those of the data and
/// of run_experiment(), kSystem for files, kUnavailable without gnuplot.
Status run_figure(FileSystem& files, const Figure& figure, const FigureRun& run);

/// "algorithm,median_test_loss,median_classification_error,pairs" of results whose curves are "ALGORITHM A-B"
/// for digits A, B.
std::string pairs_table(const std::vector<ResultRow>& rows);

}  // namespace glimpse
