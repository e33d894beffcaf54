#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats.h"
#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"

namespace glimpse {

/// Detects the format at the first record that tells, and from then on is a reader of that format. Blank
/// lines and comments before carry no example. A line before that may be of several formats (opening_of())
/// is read as the lines behind it say, which line_length() shows; where none tells it is refused. A block of
/// lines has such lines behind it (Framing::undecided_lines()). Thread-safety: none.
class AutoReader final : public ExampleReader {
 public:
  /// `names` outlives the reader.
  AutoReader(const FormatOptions& options, AttributeNames& names);

  /// The reader of that format; nullptr: it is not known yet.
  const ExampleReader* reader() const { return reader_.get(); }

  std::size_t line_length(std::string_view rest) override;
  std::optional<char> field_delimiter() const override;
  const TokenRule* token_rule() const override;
  bool rows_end_with_delimiter() const override { return reader_ && reader_->rows_end_with_delimiter(); }
  void use_marks(const LineMarks* marks) override;
  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;
  std::unique_ptr<ExampleReader> twin(AttributeNames& names) const override {
    return reader_ ? reader_->twin(names) : nullptr;
  }

 private:
  const FormatOptions options_;
  AttributeNames& names_;
  std::string refusal_;                    // why no record is read: they are no lines
  Opening opening_;                        // of the record that comes, and of those behind it
  std::unique_ptr<ExampleReader> reader_;  // none until the format is known
};

}  // namespace glimpse
