#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/ndjson_line.h"
#include "data/records/attribute_names.h"
#include "data/records/cell.h"
#include "data/records/example_reader.h"
#include "data/records/table_layout.h"
#include "data/text/text_kernel.h"

namespace glimpse {

/// One JSON object a line; the grammar is with NdjsonGrammar. Keys of "values" that are whole numbers are
/// indices, counted from 0. Other keys are names. An array says every attribute by number. null is missing
/// everywhere. Strings are words (Categories), and so are numbers of attributes that hold words. true and
/// false are 1 and 0. Unknown keys and keys given twice are errors, and keys that are ignored are passed
/// over.
///
/// The first object that can be read decides whether objects are flat: one without "values" and with another
/// key than label, labels, importance and tag is. Each key of a flat object is a column's name. --label says
/// which are labels ("label" by default); an object without them, or with null, asks for a prediction. What
/// it does not give is missing, unless Absent says that it is 0. --weight says which is the importance, which
/// an object with a label must have.
///
/// Lines may be those of a JSON array, with its brackets and with commas behind the objects.
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
  /// `table` says what labels are called and which keys are ignored; `known` (which may be null) what the
  /// header of a table called the label. `form`, which may be null: how numbers and times stand in strings.
  /// `names`, `known` and `kernel` outlive the reader. What is read never
  /// depends on `kernel`.
  NdjsonReader(std::size_t dimension, AttributeNames& names, Absent absent = Absent::kAuto,
               const TableOptions& table = {}, const TableLayout* known = nullptr,
               const TextKernel& kernel = text_kernel(), std::shared_ptr<const TableForm> form = nullptr);
  ~NdjsonReader() override;

  /// Whether objects are flat, as far as records showed it.
  bool is_flat() const { return form_ == Form::kFlat; }
  /// What the label is called in flat objects.
  std::string flat_label() const;
  bool ignores(std::string_view key) const;

  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;

 private:
  struct Parser;
  enum class Form { kUnknown, kNested, kFlat };

  Status read_by_grammar(std::string_view record, bool is_flat);
  Error no_json(std::string_view record, std::size_t place, const std::string& why) const;
  Status take_labels();
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
  const ColumnForm& form_of(Attribute attribute) const;

  AttributeNames& names_;
  const Absent absent_;
  const std::vector<std::string> label_names_;  // of several
  const ColumnChoice label_choice_;
  std::vector<std::string> ignored_;
  const std::string weight_;  // the key of it in flat objects; empty: none is
  const TableLayout* known_;
  const std::shared_ptr<const TableForm> strings_;  // may be null
  const bool has_marks_;                            // strings_ has some of --missing
  std::vector<std::size_t> columns_;                // of strings_, by attribute with a fixed name
  Form form_ = Form::kUnknown;
  bool in_array_ = false;  // its bracket stood in a line before
  std::vector<double> labels_;
  std::vector<bool> label_given_;
  std::unique_ptr<Parser> parser_;  // owned here so that its large header stays out of this one

  // Of the record opened last:
  NdjsonLine line_;
  NdjsonExample* example_ = nullptr;  // the line's or the parser's
  bool is_found_ = false;             // its values are the line's
  bool is_flat_ = false;              // the record opened last
  bool names_found_ = false;
  std::size_t offset_ = 0;    // where the example begins in its line
  std::size_t checked_ = 0;   // so many names are known to be numbers or not
  bool has_numbers_ = false;  // one is the number of another attribute

  std::vector<std::uint32_t> planned_;  // members of the line, or kNoToken
  std::vector<Attribute> scratch_;      // for repeated_attribute
  std::vector<bool> is_given_;          // by attribute; all false between two calls
};

/// The example in a line that may be one of a JSON array over lines: `record` without the array's bracket and
/// the comma. Empty: the line has a bracket alone.
std::string_view json_element(std::string_view record);

}  // namespace glimpse
