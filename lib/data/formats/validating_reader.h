#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "data/records/example_reader.h"

namespace glimpse {

/// Reads records as another reader does, but only those of which every attribute can be read. A value that
/// cannot be read is an Error of open(), and not of reveal() if its attribute is planned (FORMATS.md). For
/// streams whose lines may be damaged: no example is learned of which another plan would have found that it
/// cannot be read. The names of a record are added to the dictionary by open().
///
/// Cost: that of reveal_all() for every record, so O(length of the record) conversions. It has no
/// field_delimiter(): marks of lines are of no use where every field is read. Thread-safety: none.
class ValidatingReader final : public ExampleReader {
 public:
  /// `reader` is not null.
  explicit ValidatingReader(std::unique_ptr<ExampleReader> reader);

  std::size_t line_length(std::string_view rest) override;
  bool rows_end_with_delimiter() const override { return reader_->rows_end_with_delimiter(); }
  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;
  Status check_end() const override { return reader_->check_end(); }
  void prefetch(std::string_view record, std::span<const Attribute> attributes) const override;

 private:
  const std::unique_ptr<ExampleReader> reader_;
  std::vector<Entry> entries_;  // of the record opened last, where it holds an example
};

}  // namespace glimpse
