#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"
#include "data/records/attribute_names.h"
#include "data/text/encoding.h"

namespace glimpse {

/// A column of a table, as people say which.
struct ColumnChoice {
  enum class Kind : std::uint8_t { kNumber, kName, kLast };

  Kind kind = Kind::kNumber;
  std::size_t number = 0;  ///< from 0, as everywhere in the code; of kNumber
  std::string name;        ///< as it was given, also where it is a number; empty: nothing was given
  /// What the first header called a column that was chosen by its place: it is found by this name in others.
  std::string in_header = {};

  bool operator==(const ColumnChoice&) const = default;
};

/// "last", a number counted from 1 as "#5", or a name. A header that has a column of that name wins over
/// both.
ColumnChoice parse_column(std::string_view text);
/// As it is given: a name, "last", or a number as "#5".
std::string text_of(const ColumnChoice& choice);
/// What digits alone name, which earlier releases took for a number from 0: a column that a header calls so,
/// and else none.
std::optional<std::size_t> bare_number(const ColumnChoice& choice);
/// "--label 5: columns count from 1 now: #6 is 'rides'" (kInvalidInput), where `name` is known of the
/// column, which is from 0; else "…: give #6, as --label=#6".
Error counts_from_1(std::string_view option, std::string_view text, std::size_t column,
                    std::string_view name = {});
/// "column #3 ('temp')", of the column `column` from 0; without a name "column #3".
std::string column_text(std::size_t column, std::string_view name = {});
/// How somebody would give a column to an option: " temp", or of one without a name "=#3".
std::string column_argument(std::size_t column, std::string_view name = {});

/// Whether the first row of a table names its columns.
enum class HeaderChoice : std::uint8_t {
  kAuto,  ///< where it has a field that is neither missing nor a number
  kYes,
  kNo,
};

/// What may divide the fields of a table, and the word for it where people choose.
struct Delimiter {
  std::string_view word;
  char character;
};
inline constexpr Delimiter kDelimiters[] = {
    {",", ','}, {";", ';'}, {"|", '|'}, {"tab", '\t'}, {"space", ' '}};

/// Nothing for what divides no fields.
std::optional<std::string_view> word_of_delimiter(char delimiter);
/// Nothing for another word.
std::optional<char> delimiter_of_word(std::string_view word);

/// How the rows of tables are read.
struct TableOptions {
  ColumnChoice label = {};                        ///< the first column by default
  std::vector<ColumnChoice> further_labels = {};  ///< where there are several: those behind the first
  std::vector<ColumnChoice> ignored = {};         ///< columns that are neither label nor attribute
  std::optional<ColumnChoice> weight = {};        ///< the column of each row's importance; none: that is 1
  char delimiter = ',';                           ///< of kDelimiters; 0: the one that the first row shows
  HeaderChoice header = HeaderChoice::kAuto;
  std::vector<std::string> missing =
      {};  ///< further marks for missing values: "-999", or of one column "a=-999"
  std::optional<Encoding> encoding = {};  ///< none: the sample shows it
  bool decimal_comma = false;             ///< 3,5 is a number and 3.5 is none
  bool reads_short_rows = false;  ///< fields that a row lacks at its end are missing; else it is refused
  bool has_comments = true;       ///< rows that begin with # are none
  bool is_sampled = false;        ///< a sample of this very stream decided
  bool may_be_utf8 = false;       ///< each record that is valid UTF-8 is, whatever the form says
  bool goes_on = false;           ///< rows stood before: the first one is not the beginning of a file
  bool are_lines = false;         ///< each line comes as a record (Framing::lines())
  bool learns_partial = false;    ///< rows with a label, also where the header lacks attributes
  bool ignores_others = false;    ///< of a header: columns that are neither attribute nor label
  bool rows_have_label = false;   ///< also without a header: a row that is shorter is no question

  /// What several labels are called: as they were given. None where there is one.
  std::vector<std::string> label_names() const;

  /// Each column that is chosen, with its option, the label first. They live as long as this.
  std::vector<std::pair<const char*, const ColumnChoice*>> choices() const;

  /// Whether a column is chosen by a name.
  bool has_names() const;

  bool operator==(const TableOptions&) const = default;
};

/// Columns of a header: all but a last one without a name, which a delimiter at its end makes, unless an
/// option has its number.
std::size_t columns_named(const TableOptions& options, std::span<const std::string_view> fields);

/// Which field of a row is the label, and which is each attribute. A row may leave the label out; the fields
/// behind it then stand one place before.
class TableLayout {
 public:
  /// No column is an attribute.
  TableLayout() = default;

  /// Of rows that have `dimension` attributes in order, beside label, weight and the columns that are
  /// ignored. Errors (kInvalidInput): a column is chosen by a name, which a header alone can tell; a number
  /// is beyond the row; the label is ignored as well.
  static Result<TableLayout> without_header(const TableOptions& options, std::size_t dimension);

  /// Of the table whose header is `fields`. Attributes that all have names are found by them, in any order;
  /// else the columns are the attributes in order, as many as `names` has: names() says how they are called.
  /// A header may leave the label out, and attributes that have names (is_partial()), and end with a
  /// delimiter (columns_named()). Errors (kInvalidInput; kMismatch where it contradicts what is known) name
  /// the column, and the option that mends it.
  static Result<TableLayout> with_header(const TableOptions& options,
                                         std::span<const std::string_view> fields,
                                         const AttributeNames& names);
  /// Names the columns that `options` choose by their places, where this header told the names.
  void name_choices(TableOptions& options) const;
  /// Columns that are no attributes, of a table that has its labels.
  static std::size_t beside_attributes(const TableOptions& options) {
    return 1 + options.further_labels.size() + options.ignored.size() + (options.weight ? 1 : 0);
  }

  /// Puts the text "inputs.table", as "width=5 label=3 ignored=0,1", where there are columns, with attributes
  /// in order; and the array "inputs.table_names" of the names that a header gave to the label, to what is
  /// ignored, and to the weight.
  void save(State& state) const;
  /// Of save(), with so many attributes; of no columns where there is no such text. Errors: kCorrupt.
  static Result<TableLayout> restore(const State& state, std::size_t dimension);

  /// Fields of a row with the label; 0: rows have none.
  std::size_t width() const { return width_; }
  std::size_t dimension() const { return dimension_; }
  /// The label's column, among width().
  std::optional<std::size_t> label() const { return label_; }
  /// The same of further labels, in their order. They are among ignored() as well.
  const std::vector<std::size_t>& further_labels() const { return further_labels_; }
  /// The column of each row's importance. It is among ignored() as well.
  std::optional<std::size_t> weight() const { return weight_; }
  /// Columns that are no attribute, beside the label; ascending.
  const std::vector<std::size_t>& ignored() const { return ignored_; }
  /// Those of them that TableOptions::ignored names.
  std::size_t left_out() const { return ignored_.size() - further_labels_.size() - (weight_ ? 1 : 0); }
  /// Of the attributes, where a header gives them names; else empty.
  const std::vector<std::string>& names() const { return names_; }
  /// What a header calls the label, each column of TableOptions::ignored, and the weight where there is one;
  /// empty: it does not say.
  const std::vector<std::string>& chosen_names() const { return chosen_names_; }

  /// Whether the table lacks attributes, which are missing in each of its rows; and which.
  bool is_partial() const { return is_partial_; }
  bool lacks(Attribute attribute) const { return is_partial_ && columns_[attribute] == kNone; }

  /// Whether a row of so many fields is one of these; and then whether it has the label.
  bool fits(std::size_t fields) const {
    return fields == width_ || (label_ && further_labels_.empty() && fields + 1 == width_);
  }
  bool has_label(std::size_t fields) const { return label_ && fields == width_; }

  /// The fields of `attributes`, none of which it lacks, in a row with the label, or in one without.
  void find_columns(std::span<const Attribute> attributes, bool with_label, Attribute* columns) const;
  std::size_t column(Attribute attribute, bool with_label) const {
    const std::size_t column = columns_.empty()
                                   ? attribute + static_cast<std::size_t>(label_ && attribute >= *label_)
                                   : columns_[attribute];
    return column - static_cast<std::size_t>(!with_label && label_ && column > *label_);
  }
  /// The attribute of a field; none: the label, or one that is ignored.
  std::optional<Attribute> attribute(std::size_t field, bool with_label) const;
  /// Whether the columns are the attributes in order, beside the label alone.
  bool has_all_columns_in_order() const { return columns_.empty(); }
  /// Whether the attributes stand in ascending columns.
  bool is_in_order() const;

  bool operator==(const TableLayout&) const = default;

 private:
  static constexpr auto kNone = static_cast<std::uint32_t>(-1);  // among columns_ and attributes_

  static Result<TableLayout> by_names(const TableOptions& options, std::span<const std::string_view> fields,
                                      const AttributeNames& names);
  static Result<TableLayout> in_order(const TableOptions& options, std::span<const std::string_view> fields,
                                      std::size_t dimension);
  std::string describe() const;
  static Result<TableLayout> parse(std::string_view description, std::size_t dimension);
  Status check_labels(const TableOptions& options, bool lacks_some) const;
  void note_chosen(const TableOptions& options, std::span<const std::string_view> fields);
  void insert_label(const ColumnChoice& choice, std::vector<std::uint32_t>& columns);
  void finish(std::vector<std::uint32_t> columns);

  std::size_t width_ = 0;
  std::size_t dimension_ = 0;
  std::optional<std::size_t> label_;
  std::vector<std::size_t> ignored_;
  std::vector<std::size_t> further_labels_;
  std::optional<std::size_t> weight_;
  std::vector<std::string> names_;
  std::vector<std::string> chosen_names_;
  std::vector<std::uint32_t> columns_;     // by attribute; empty: in order around the label
  std::vector<std::uint32_t> attributes_;  // by column; empty as well
  bool is_partial_ = false;
};

/// What an attribute is that an object of JSON does not give.
enum class Absent : std::uint8_t {
  kAuto,     ///< unknown where every attribute has a name, else zero
  kUnknown,  ///< as null: the value is missing
  kZero,     ///< sparse data
};

/// "auto", "unknown", "zero"; anything else is an Error (kInvalidOption) that lists them.
Result<Absent> parse_absent(std::string_view name);
std::string_view name_of(Absent absent);

}  // namespace glimpse
