#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace glimpse {

class AttributeNames;
struct LineMarks;
struct TokenRule;

/// What stands beside the attributes of an example.
struct ExampleHead {
  std::optional<double> label;                  ///< finite; absent: the example asks for a prediction
  std::span<const double> further_labels = {};  ///< with `label`: those of all but the first; until open()
  double importance = 1;                        ///< finite and ≥ 0 (VW text, NDJSON; 1 elsewhere)
  std::string_view tag;  ///< given back after the prediction; empty, or valid until the next open()

  bool is_filled = false;  ///< the row lacked fields, which are missing (TableOptions::reads_short_rows)

  /// Of an example of several labels, called `names`, NaN where one is missing: all are there, or none. An
  /// Error where it is some.
  Status set_labels(std::span<const double> given, std::span<const std::string> names);
};

/// One attribute that an example gives explicitly. A NaN value: given as missing.
struct Entry {
  Attribute attribute;
  double value;
};

/// Whole examples read one by one: a record (a line without its newline, or a fixed-size row) becomes an
/// example that reveals single attributes. Only the attributes asked for are converted to numbers, so an
/// example costs little more than finding its fields.
///
/// A sparse format's absent attribute is 0. A missing one (an empty CSV field, NA, null) is NaN. Text that
/// says NaN or infinity is an error, for labels, importances and values alike.
///
/// Names and numbers that an example with a label brings are said to AttributeNames when it is revealed.
/// open() keeps what came before; after an Error nothing of the record is left there.
///
/// Errors (kInvalidInput) say what is wrong, with the value and the constraint; the caller adds source and
/// line number. What is not revealed is not validated, beyond what finding the fields needs.
///
/// Thread-safety: none. The record must outlive the calls. No call allocates once the reader has seen the
/// longest example.
class ExampleReader {
 public:
  virtual ~ExampleReader() = default;

  /// The length of the first line of `rest`, which may go on behind it: up to its newline, or to the end. A
  /// reader that looks at every byte of a line anyway keeps what it finds for an open() of this line that
  /// follows at once.
  virtual std::size_t line_length(std::string_view rest);

  /// What divides fields, where mark_lines() could find these for the reader; none elsewhere, or not yet.
  virtual std::optional<char> field_delimiter() const { return std::nullopt; }
  /// How it finds tokens, where mark_lines() could find these for the reader; nullptr elsewhere.
  virtual const TokenRule* token_rule() const { return nullptr; }
  /// Whether an empty field is passed over at the end of each row of a table.
  virtual bool rows_end_with_delimiter() const { return false; }
  /// Whether the next record is a part of that opened last, and will be refused.
  virtual bool is_amid_record() const { return false; }
  /// No record goes on behind the one opened last.
  virtual void end_message() {}
  /// The lines that line_length() is asked for next, one after the other, are those that `marks` are of, with
  /// field_delimiter() or token_rule(). It outlives them, and the use of the last. nullptr: there are no
  /// marks of what comes. What is read never depends on them.
  virtual void use_marks(const LineMarks* /*marks*/) {}

  /// Turns to another record and reads its head.
  virtual Status open(std::string_view record) = 0;

  /// Of the record opened last.
  const ExampleHead& head() const { return head_; }

  /// False for records that carry no example and are no error (a blank line, a CSV header, a comment). Of the
  /// record opened last.
  bool has_example() const { return has_example_; }

  /// values[i] becomes the value of attributes[i]. `attributes` ascend strictly and are < the dimension; both
  /// have the same length.
  virtual Status reveal(std::span<const Attribute> attributes, std::span<double> values) = 0;

  /// Every attribute the record gives, in the record's order, each at most once: for predictions, which need
  /// them all. Validates everything.
  virtual Status reveal_all(std::vector<Entry>& entries) = 0;

  /// Nothing comes behind the record opened last: an Error where the first said that more would.
  virtual Status check_end() const { return {}; }

  /// A hint: `record` will be opened soon, and these attributes of it revealed. Where they lie at known
  /// places memory is told to bring them near.
  virtual void prefetch(std::string_view record, std::span<const Attribute> attributes) const {
    (void)record;
    (void)attributes;
  }

  /// A reader that takes the records to come as this one does, with `names`, which outlive it, and memory of
  /// its own: for another thread (PlainReader). nullptr: of this format there is none, or not yet, as the
  /// first records tell what the others are.
  virtual std::unique_ptr<ExampleReader> twin(AttributeNames& names) const {
    (void)names;
    return nullptr;
  }

 protected:
  ExampleHead head_;
  bool has_example_ = false;
};

}  // namespace glimpse
