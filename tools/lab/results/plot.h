#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lab/results/summary.h"

namespace glimpse {

/// What is drawn against what.
struct PlotAxes {
  std::string title;
  std::string x_label;
  bool against_examples = false;  ///< x is examples; attributes otherwise
  bool logarithmic = false;       ///< the x axis
};

/// A gnuplot script that contains its data and draws means with one standard deviation up and down into
/// "`output`.svg" and "`output`.png". The loss axis ends at 1.3, a little above the zero predictor.
std::string plot_script(const std::vector<SummaryCurve>& curves, const PlotAxes& axes,
                        const std::string& output);

/// Runs gnuplot on the script file `path`. Errors (kUnavailable) when there is no gnuplot or it fails.
Status run_gnuplot(const std::string& path);

}  // namespace glimpse
