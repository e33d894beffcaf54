#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/sparse_line.h"
#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"
#include "data/text/text_kernel.h"

namespace glimpse {

/// Lines of Vowpal Wabbit's text format: `[label [importance [0]]] [tag]|namespace[:scale] feature[:value] …
/// |namespace …`.
///
/// As in VW, the tag is the last word before the first '|' when it touches the bar or begins with a quote
/// (which is dropped). A feature without value has value 1. A namespace's scale multiplies its values.
/// Features given more than once add up. VW hashes; here a feature that is a whole number is the attribute
/// with that index, counted from 0, in any namespace. Another name is looked up in the dictionary as
/// `namespace^name` (`name` in the anonymous namespace). Examples that are learned from add new names to it,
/// at indices that no number has used, nor uses on the same line. In examples that ask for a prediction an
/// unknown name counts for nothing.
///
/// Every index, name and scale is checked; of the values, only the planned ones are converted. Cost: O(length
/// of the line), with a hash look-up per name. A line takes several times as long when it has names or
/// several namespaces, or when its indices do not ascend or have more than eight digits. One with new names
/// is looked through twice. Thread-safety: none; all readers that share `names` run in one thread.
class VwReader final : public ExampleReader {
 public:
  /// `names` outlives the reader. What is read never depends on `kernel`.
  VwReader(std::size_t dimension, AttributeNames& names, const TextKernel& kernel = text_kernel());

  std::size_t line_length(std::string_view rest) override { return line_.line_length(rest); }
  const TokenRule* token_rule() const override;
  void use_marks(const LineMarks* marks) override { line_.use_marks(marks); }
  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;
  std::unique_ptr<ExampleReader> twin(AttributeNames& names) const override {
    return std::make_unique<VwReader>(dimension_, names, line_.kernel());
  }

 private:
  Status read_head(std::string_view head, bool touches_bar);
  bool read_ascending(std::span<const Attribute> planned, double& scale);
  bool reveal_ascending(std::span<const Attribute> attributes, std::span<double> values);
  bool reveal_all_ascending(std::vector<Entry>& entries);
  bool uses_numbers_of_line();
  void use_numbers_said();
  const char* read_namespace(const char* at, const char* end, double& scale);
  Result<Attribute> attribute_of(std::string_view feature);
  template <class Visit>
  Status for_each_feature(Visit visit);
  template <class Visit>
  Status visit_features(Visit visit);

  const std::size_t dimension_;
  AttributeNames& names_;

  SparseLine line_;
  std::string_view features_;           // the record from its first '|'
  std::string key_;                     // "namespace^name", reused
  std::size_t namespace_length_ = 0;    // of "namespace^" in key_
  bool numbers_are_said_ = false;       // all of the line, for its new names
  std::vector<std::uint32_t> scratch_;  // for add_up_repeats
};

}  // namespace glimpse
