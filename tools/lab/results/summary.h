#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/results/result_rows.h"

namespace glimpse {

/// The runs of a curve at one prefix, taken together.
struct SummaryPoint {
  std::uint64_t examples = 0;
  double attributes = 0;            ///< mean over the runs
  double mean = 0;                  ///< of the test loss ratio
  double deviation = 0;             ///< standard deviation over the runs (n − 1); 0 of one run
  double classification_error = 0;  ///< mean
  std::size_t runs = 0;
};

/// A curve of the summary: the points of one label.
struct SummaryCurve {
  std::string label;
  std::vector<SummaryPoint> points;  ///< by examples
};

/// By curve, in the order in which curves first occur.
std::vector<SummaryCurve> summarise(const std::vector<ResultRow>& rows);

/// As CSV with a header.
std::string to_csv(const std::vector<SummaryCurve>& curves);

/// The middle value; the mean of the two in the middle for an even number. REQUIRES values.
double median(std::vector<double> values);

}  // namespace glimpse
