#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/polynomials/polynomial_run.h"

namespace glimpse {

/// A method on a set: means over the runs.
struct PolynomialMeans {
  std::string method;
  double error = 0;
  double error_deviation = 0;  ///< standard deviation over the runs (n − 1); 0 of one run
  double seconds = 0;
  double reading = 0;
  double features = 0;
  std::size_t runs = 0;
};

/// A set with its methods.
struct PolynomialSummary {
  std::string set;
  std::vector<PolynomialMeans> methods;

  /// nullptr: it was not run. "apple-best" and "ssm-best": the α with the lowest error, as the paper has it.
  const PolynomialMeans* find(std::string_view method) const;
  /// (err − min(l, q, c))/(max(l, q, c) − min(l, q, c)), of lin, quad and cubic (ABHLT14, Equation 2); none
  /// where these are equal, or something was not run.
  std::optional<double> relative_error(std::string_view method) const;
  /// Seconds over lin's; none where something was not run.
  std::optional<double> relative_time(std::string_view method) const;
};

/// By set, then method, in the order in which they first occur.
std::vector<PolynomialSummary> summarise(std::span<const PolynomialRow> rows);

/// The value below which a share of `values` lies, with linear interpolation; NaN of none.
double quantile(std::vector<double> values, double share);

}  // namespace glimpse
