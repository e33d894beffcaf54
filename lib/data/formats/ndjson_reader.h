#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"

namespace glimpse {

/// One JSON object a line; the grammar is with NdjsonGrammar. Keys of "values" that are whole numbers are
/// indices, counted from 0. Other keys are names: examples with a label that are learned from add new ones to
/// the dictionary, at indices that no number has used, nor uses in the same object; in those that ask for a
/// prediction an unknown name counts for nothing. An array says every attribute by number. In "values" as an
/// object an absent attribute is 0; null is missing everywhere. Strings, truth values, unknown keys and keys
/// given twice are errors.
///
/// open() reads the whole line; of the values, only the planned ones are converted. A tag with escapes lives
/// in the reader, until the next open(). Thread-safety: none; all readers that share `names` run in one
/// thread.
class NdjsonReader final : public ExampleReader {
 public:
  /// `names` outlives the reader.
  NdjsonReader(std::size_t dimension, AttributeNames& names);
  ~NdjsonReader() override;

  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;

 private:
  struct Parser;

  Status read_head();
  Status find_names();
  Status use_numbers();
  Status read_planned(std::span<const Attribute> attributes, std::span<double> values);
  Status read_all(std::vector<Entry>& entries);
  Status kept_if_fine(Status status);

  AttributeNames& names_;
  std::unique_ptr<Parser> parser_;  // owned here so that its large header stays out of this one

  bool names_found_ = false;        // of the record opened last
  std::vector<Attribute> scratch_;  // for repeated_attribute
};

}  // namespace glimpse
