#pragma once

#include <span>
#include <string>

#include "lab/polynomials/polynomial_summary.h"

namespace glimpse {

/// One line a set and method: means, what they are relative to the baselines, and the paper's figures beside
/// them, with the columns of α as they are headed there and reversed. CSV with a header.
std::string summary_csv(std::span<const PolynomialSummary> sets);

/// Tables in Markdown: errors of ours beside the paper's, relative times, features; then the paper's claims
/// counted on ours, and which order of its columns of α ours agree with.
std::string polynomial_page(std::span<const PolynomialSummary> sets);

/// How far apple's relative times by α are from the paper's columns: the mean over α of |log ratio|, with the
/// columns as headed, and reversed. NaN where the set is not the paper's, or an α was not run.
struct ColumnDistance {
  double as_headed;
  double reversed;
};
ColumnDistance time_distance(const PolynomialSummary& set);
/// The same of test errors.
ColumnDistance error_distance(const PolynomialSummary& set);

}  // namespace glimpse
