#pragma once

#include <cstddef>
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

/// Lines of svmlight (libsvm): `label index:value index:value … # comment`. A line whose first field is an
/// index:value pair, or whose label is '?', has no label. `qid:` fields are skipped. Indices mostly ascend
/// but need not.
///
/// Every index is checked, since finding the planned ones visits them all; of the values, only the planned
/// ones are converted. That an index is given twice is noticed by reveal() for planned attributes, by
/// reveal_all() for all. The indices of examples with a label count as used: names of other formats never get
/// them (AttributeNames). Cost: O(length of the line) to find the fields; a line whose indices do not ascend,
/// or have more than eight digits, takes several times as long. Thread-safety: none; all readers that share
/// `names` run in one thread.
class SvmlightReader final : public ExampleReader {
 public:
  /// `index_base` is what the first attribute is called: 0 or 1; `names` outlives the reader. What is read
  /// never depends on `kernel`.
  SvmlightReader(std::size_t dimension, unsigned index_base, AttributeNames& names,
                 const TextKernel& kernel = text_kernel());

  std::size_t line_length(std::string_view rest) override { return line_.line_length(rest); }
  const TokenRule* token_rule() const override;
  void use_marks(const LineMarks* marks) override { line_.use_marks(marks); }
  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;
  std::unique_ptr<ExampleReader> twin(AttributeNames& names) const override {
    return std::make_unique<SvmlightReader>(dimension_, index_base_, names, line_.kernel());
  }

 private:
  bool uses_numbers_of_line();
  template <class Visit>
  Status for_each_feature(Visit visit);
  Error odd_field(std::string_view field) const;
  Error out_of_range(std::string_view field) const;
  std::string dialect_hint(std::string_view field) const;
  Error given_twice(Attribute attribute) const;
  Error bad_value(Attribute attribute, std::string_view text) const;

  const std::size_t dimension_;
  const unsigned index_base_;
  AttributeNames& names_;

  SparseLine line_;
  std::string_view features_;       // the record behind the label, without comment
  std::vector<Attribute> scratch_;  // for repeated_attribute
};

}  // namespace glimpse
