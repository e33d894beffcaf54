#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/csv_cells.h"
#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"
#include "data/records/table_layout.h"
#include "data/text/dialect.h"
#include "data/text/line_marks.h"
#include "data/text/text_kernel.h"

namespace glimpse {

/// Rows of a table: a label column, the attributes in the others, and columns that are ignored
/// (TableLayout). Rows whose label is missing ask for a prediction, and so do rows that leave the label
/// column out, unless a header has it. A weight column is the importance of rows with a label, which must
/// have it. Missing: an empty field, NA, N/A, null, NULL or ?; in attributes that are declared numbers
/// (Categories) further marks as well. Rows of delimiters alone hold no example, unless they are longer than
/// the table's.
///
/// A row that lacks fields is refused, or filled up with missing ones (TableOptions::reads_short_rows).
/// The header again is a header; with its columns in another order where a word stands in a column of
/// numbers.
///
/// The first row is a header where HeaderChoice says so. A header gives the attributes their names, or finds
/// them by the names they have. One that contradicts the names known already means that the columns are not
/// what the model takes them for: then every row of this reader is refused. Rows with a label say every
/// attribute by number (AttributeNames), which is fine where a header or a file named them, and is refused
/// where records did. Rows without a header are as those of the table before (KnownTable), else in order.
///
/// Attributes that a header lacks are missing in all rows below it. Those with a label are refused where they
/// would be learned from, unless TableOptions::learns_partial.
///
/// Where the dimension is not known yet (AttributeNames), the first row tells it.
///
/// An attribute may hold words, and so may the label (Categories): a value is then the code of a word, which
/// a row with a label may bring. A field is a word where it is neither missing nor a number; of an attribute
/// that holds words numbers are words as well.
///
/// Where the first row below the header ends with a delimiter behind its last column, so may all: the empty
/// field there is none. A header may end so as well.
///
/// Quotes are as in RFC 4180, and else as RecordSplitter has them. A record goes over lines where its framing
/// lets it (Framing::table()); where TableOptions::are_lines, the lines of such a record are refused. With
/// the delimiter ' ', each single blank divides.
///
/// Cost: line_length() passes over the bytes of the row once, 64 at a time, and keeps a bit of each. open()
/// does so where line_length() was not asked, and neither where another thread has (use_marks()). reveal()
/// finds each planned field from these bits in O(log(bytes / 64)), and converts these fields alone. Rows with
/// quotes are divided into all their fields. Memory: half of the longest row. Thread-safety: none; all
/// readers that share `names` run in one thread.
class CsvReader final : public ExampleReader {
 public:
  /// `names` and `known`, which may be nullptr, outlive the reader. What is read never depends on `kernel`.
  CsvReader(const TableOptions& options, AttributeNames& names, TableLayout* known = nullptr,
            const TextKernel& kernel = text_kernel());

  /// Whether the first row was a header; false before it came.
  bool has_header() const { return has_header_; }
  /// Of no width before the first row.
  const TableLayout& layout() const { return layout_; }

  /// How the cells of rows to come are read, which outlives these: marks for missing values, and numbers and
  /// times in the form of their columns. A cell that is not of its form stays as it is.
  void set_forms(std::span<const ColumnForm> forms) { forms_ = forms; }

  std::size_t line_length(std::string_view rest) override;
  std::optional<char> field_delimiter() const override {
    return delimiter_ != 0 ? std::optional(delimiter_) : std::nullopt;
  }
  bool rows_end_with_delimiter() const override { return rows_end_with_delimiter_; }
  bool is_amid_record() const override { return open_quote_.is_open(); }
  void end_message() override { open_quote_.close(); }
  void use_marks(const LineMarks* marks) override;
  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;
  std::unique_ptr<ExampleReader> twin(AttributeNames& names) const override;

 private:
  // A row that has so many more than it should is not read to its end only to count them.
  static constexpr std::size_t kFieldsTooMany = 1000;

  void mark(std::string_view record);
  Status divide(std::size_t most);
  bool is_blank_row(std::string_view record) const;
  bool is_header() const;
  bool is_header_again(std::string_view one);
  std::size_t full_width() const;
  bool fits(std::size_t width) const;
  Status read_header_again();
  Status open_padded(std::size_t width);
  Error lacks_field(std::size_t width) const;
  bool last_is_empty() const;
  Status open_row(std::size_t width);
  Status open_first_row();
  Status begin_without_header();
  void begin(TableLayout layout);
  void note_known();
  Status read_header();
  Error refuse(const Error& error);
  std::string widths_told(std::size_t without, bool has_label) const;
  Error wrong_width(std::size_t width) const;
  Error lacks_columns() const;
  std::string delimiter_hint() const;
  std::string_view field_of(const Place& place) const;
  std::string_view field_at(std::size_t column) const;
  bool is_formed(std::size_t column) const { return column < forms_.size() && !forms_[column].is_plain(); }
  std::string_view plain(std::size_t column, std::string_view field) const;
  std::string_view cell_at(std::size_t column) const { return plain(column, field_at(column)); }
  Status read_several_labels();
  void read_fields(const Place* places, std::size_t count, double* values) const;
  std::string column_at(std::size_t column) const;
  Status read_weight();
  Status read_label(std::string_view field);
  std::string_view on_one_line(std::string_view field) const;
  Status read_value(std::size_t column, Attribute attribute, std::string_view field, bool learns,
                    double& value) const;
  Status reveal_partial(std::span<const Attribute> attributes, std::span<double> values) const;
  Status use_numbers();

  const TableOptions options_;
  const std::vector<std::string> label_names_;  // where there are several
  char delimiter_;                              // 0: the first row shows it
  AttributeNames& names_;
  TableLayout* const known_;
  const TextKernel& kernel_;

  bool at_first_row_ = true;  // no row of the right width has come so far
  bool has_header_ = false;
  bool is_twin_ = false;                // whose records may come in another order: no header holds
  std::size_t header_width_ = 0;        // its columns, which may leave the label out; 0: there is none
  std::size_t header_ends_behind_ = 0;  // fields of a header that ends with a delimiter; 0: of none
  bool has_rows_ = false;               // one below the header was read
  bool rows_end_with_delimiter_ = false;
  bool has_new_names_ = false;  // of the header; they stay with the first row that is learned from
  std::vector<std::string> names_in_header_;
  std::vector<std::string> sorted_names_;
  mutable std::string word_;  // of on_one_line()
  mutable std::string cell_;  // of plain()
  std::span<const ColumnForm> forms_;
  bool is_header_row_ = false;  // the record opened last is the header again
  std::string padded_;          // the record, where it lacked fields
  std::string refusal_;         // why the header was refused, if it was
  TableLayout layout_;

  // Of the record opened last:
  std::string_view record_;
  bool has_label_column_ = false;
  std::vector<double> labels_;  // where there are several
  Dialect dialect_;             // of records that are not as in RFC 4180
  RecordSplitter loose_{dialect_};
  OpenQuote open_quote_{dialect_};
  CsvFields split_;   // its fields, when it has quotes or may be a header
  FieldMarks marks_;  // the other rows'
  const FieldBlock* blocks_ = nullptr;

  const char* measured_ = nullptr;      // the line whose marks line_length() has made
  std::size_t window_ = 4096;           // bytes in which it looks for the end of a line
  std::vector<FieldBlock> own_blocks_;  // grows with the longest row

  const LineMarks* given_ = nullptr;   // of the lines that come
  std::size_t given_line_ = 0;         // the next of them
  const char* given_begin_ = nullptr;  // where it stands

  std::vector<Attribute> columns_;  // the planned ones
  std::vector<Place> places_;       // where they are
};

}  // namespace glimpse
