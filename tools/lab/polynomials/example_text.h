#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/records/example_reader.h"

namespace glimpse {

/// Examples as lines of svmlight in memory: what a learner that reads them sees, so that times have a part
/// for reading as those of the paper do. Attributes that are 0 are not there. append() changes it;
/// else it is immutable, and threads may share it.
class ExampleText {
 public:
  /// `entries` ascend and are not 0.
  void append(std::span<const Entry> entries, double label);

  std::size_t size() const { return labels_.size(); }
  std::size_t dimension() const { return dimension_; }
  std::string_view line(std::size_t i) const {
    return std::string_view(text_).substr(begins_[i], begins_[i + 1] - begins_[i] - 1);
  }
  double label(std::size_t i) const { return labels_[i]; }
  std::span<double> labels() { return labels_; }
  std::uint64_t hash() const;

 private:
  std::string text_;
  std::vector<std::size_t> begins_{0};
  std::vector<double> labels_;
  std::size_t dimension_ = 0;
};

/// Calls `use` with the entries of each line that `rows` names, in this order, as read from the text. The
/// label is the one of the text's labels(). Errors: none that append() lets happen.
Status read_examples(const ExampleText& text, std::span<const std::uint32_t> rows,
                     const std::function<void(std::span<const Entry>, double label)>& use);

/// How a table's words and labels are taken.
struct TableReading {
  std::string label = "#1";    ///< the column: a name, a number from 1 as "#5", or "last"
  bool all_are_words = false;  ///< every value of an attribute is a category
};

/// The examples of CSV (a word becomes an attribute that is 0 or 1, each in the order in which they come) or
/// svmlight with indices from 1. Labels of two words are 0 and 1. A missing value is 0. Errors
/// (kInvalidInput) begin with `name` and the line.
Result<ExampleText> parse_examples(std::string_view text, const std::string& name,
                                   const TableReading& reading);

}  // namespace glimpse
