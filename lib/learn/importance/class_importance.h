#pragma once

#include <cstddef>

#include "learn/core/model.h"

namespace glimpse {

/// Importances for the indicators of all classes together: of each attribute the sum of what the expected
/// squared errors of all indicators rise by without it, as a share of the sum of their variances.
///
/// The indicators sum to 1, so that what noise adds to their importances lies in C − 1 directions, and is
/// dependent. The variance of the sum is C/(C − 1) times that of independent ones: exactly so for two
/// classes, which tell the same twice, and for any number of equally large ones.
class ClassImportances {
 public:
  /// Of the indicator of one class, of this variance. Nothing where it is not known.
  void add(const Importances& importances, double variance);
  /// Empty before the first.
  Importances together() const;

 private:
  Importances sums_;  // of shares times variances, and of squares of their errors
  double variance_ = 0;
  std::size_t count_ = 0;
};

}  // namespace glimpse
