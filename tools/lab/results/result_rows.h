#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// One measurement: a model after a prefix, on the test set.
struct ResultRow {
  std::string curve;  ///< the algorithm, or what a figure calls it
  std::uint64_t seed = 0;
  std::uint64_t examples = 0;
  std::uint64_t attributes = 0;  ///< revealed so far
  double test_loss_ratio = 0;
  double classification_error = 0;  ///< NaN where labels are not ±1: an empty field
};

/// "algorithm,seed,examples,attributes,test_loss_ratio,classification_error\n".
std::string_view result_header();

/// The rows as CSV, without header; numbers in the shortest form that reads back the same.
std::string to_csv(const std::vector<ResultRow>& rows);

/// The rows of what to_csv() wrote, with or without header; lines that begin with '#' are left out. Every row
/// must be whole, with all its fields and the end of its line, and its numbers from 0; a loss may be inf, as
/// that of a model which is not finite. The Error (kCorrupt) quotes the line.
Result<std::vector<ResultRow>> parse_results(std::string_view text);

}  // namespace glimpse
