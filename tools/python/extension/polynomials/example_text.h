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
/// for reading as those of ABHLT14 do. Attributes that are 0 are not there. append() changes it; else it is
/// immutable, and threads may share it.
class ExampleText {
 public:
  /// `entries` ascend and are not 0.
  void append(std::span<const Entry> entries, double label);

  std::size_t size() const { return labels_.size(); }
  std::size_t dimension() const { return dimension_; }
  double label(std::size_t i) const { return labels_[i]; }

  /// Calls `use` with the entries of each line that `rows` names, in this order, as read from the text, and
  /// its label. Errors: none that append() lets happen.
  Status read(std::span<const std::uint32_t> rows,
              const std::function<void(std::span<const Entry>, double label)>& use) const;

 private:
  std::string_view line(std::size_t i) const {
    return std::string_view(text_).substr(begins_[i], begins_[i + 1] - begins_[i] - 1);
  }

  std::string text_;
  std::vector<std::size_t> begins_{0};
  std::vector<double> labels_;
  std::size_t dimension_ = 0;
};

}  // namespace glimpse
