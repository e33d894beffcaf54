#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "lab/dense_set.h"

namespace glimpse {

/// Reads a table of labelled examples from text: CSV with the label in the first column (a header is
/// recognised) or svmlight with indices from 1, told apart by the first line. The dimension is that of the
/// table. Errors (kInvalidInput) begin with `name` and the line number; a missing value or label is one,
/// because the lab compares with solvers that need whole examples.
Result<DenseSet> parse_table(std::string_view text, const std::string& name);

}  // namespace glimpse
