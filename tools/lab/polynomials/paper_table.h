#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace glimpse {

/// What ABHLT14 says of a data set: its appendix B, and Tables 2 and 3. Errors are of the test set: the share
/// of wrong signs, or the mean square. Seconds are of training, with what reading took.
struct PaperRow {
  std::string_view name;  ///< as in Tables 2 and 3
  std::size_t examples;
  double given;  ///< the mean number of attributes that are not 0
  std::size_t attributes;
  bool is_binary;
  /// lin, quad, cubic, and apple in the columns headed 1, 0.75, 0.5, 0.25, 0.125. These heads seem to be
  /// reversed: times rise from the first to the last, where α should fall.
  double errors[8];
  double seconds[8];
};

/// The thirty sets, in the order of the tables.
std::span<const PaperRow> paper_rows();
/// nullptr: the paper has no such set.
const PaperRow* find_paper_row(std::string_view name);

}  // namespace glimpse
