#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lab/data/dense_set.h"

namespace glimpse {

/// Which column of a CSV table is the label.
struct LabelColumn {
  std::size_t number = 0;  ///< counted from 0
  bool last = false;       ///< the last, whatever its number
};

/// "first", "last", or a number from 1 as "#5". The Error (kInvalidOption) names --label-column.
Result<LabelColumn> parse_label_column(std::string_view text);

/// Reads a table of labelled examples from text: CSV (a header is recognised) or svmlight with indices from
/// 1, told apart by the first line. The dimension is that of the table; where it is above `most_attributes`
/// nothing else is read. Errors (kInvalidInput) begin with `name` and the line number; a missing value or
/// label is one, because the lab compares with solvers that need whole examples.
Result<DenseSet> parse_table(std::string_view text, const std::string& name, const LabelColumn& label = {},
                             std::size_t most_attributes = SIZE_MAX);

}  // namespace glimpse
