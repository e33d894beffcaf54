#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/ndjson_line.h"
#include "data/records/absent.h"
#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"
#include "data/text/text_kernel.h"

namespace glimpse {

/// One JSON object a line; the grammar is with NdjsonGrammar. Keys of "values" that are whole numbers are
/// indices, counted from 0. Other keys are names. An array says every attribute by number. null is missing
/// everywhere. Strings are words (Categories), and so are numbers of attributes that hold words. Truth
/// values, unknown keys and keys given twice are errors.
///
/// Absent says what an attribute is that an object does not give: missing, or 0. Where it is missing, or
/// where all names are fixed, an unknown name is an error. Else examples that are learned from add it to the
/// dictionary, at an index that no number has used, nor uses in the same object. In examples that ask for a
/// prediction it counts for nothing.
///
/// Where there are several `labels`, examples that are learned from have all of them by name in "labels".
///
/// open() checks the whole line; of the values, only the planned ones are looked at again and converted. A
/// tag with escapes lives in the reader, until the next open(). Cost: NdjsonLine's for a plain line, else
/// several times as much. Thread-safety: none; all readers that share `names` run in one thread.
class NdjsonReader final : public ExampleReader {
 public:
  /// `names` and `kernel` outlive the reader. What is read never depends on `kernel`.
  NdjsonReader(std::size_t dimension, AttributeNames& names, Absent absent = Absent::kAuto,
               std::vector<std::string> labels = {}, const TextKernel& kernel = text_kernel());
  ~NdjsonReader() override;

  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;

 private:
  struct Parser;

  Status read_by_grammar(std::string_view record);
  Status read_head();
  Status read_label();
  Status read_labels();
  bool absent_is_missing() const;
  Status find_names();
  void note_numbers();
  Result<std::optional<Attribute>> find_name(std::string_view name);
  Status use_numbers();
  Status read_planned(std::span<const Attribute> attributes, std::span<double> values);
  Status read_found(std::span<const Attribute> attributes, std::span<double> values);
  Status read_all(std::vector<Entry>& entries);
  Status first_wrong();
  Status read_all_found(std::vector<Entry>& entries);
  Status read_member(std::uint32_t member, bool learns, double& value);
  void add_missing(std::vector<Entry>& entries);
  Status kept_if_fine(Status status);
  Status read_value(const NdjsonFeature& feature, bool learns, double& value);

  AttributeNames& names_;
  const Absent absent_;
  const std::vector<std::string> label_names_;
  std::vector<double> labels_;
  std::vector<bool> label_given_;
  std::unique_ptr<Parser> parser_;  // owned here so that its large header stays out of this one

  // Of the record opened last:
  NdjsonLine line_;
  NdjsonExample* example_ = nullptr;  // the line's or the parser's
  bool is_found_ = false;             // its values are the line's
  bool names_found_ = false;
  std::size_t checked_ = 0;   // so many names are known to be numbers or not
  bool has_numbers_ = false;  // one is the number of another attribute

  std::vector<std::uint32_t> planned_;  // members of the line, or kNoToken
  std::vector<Attribute> scratch_;      // for repeated_attribute
  std::vector<bool> is_given_;          // by attribute; all false between two calls
};

}  // namespace glimpse
