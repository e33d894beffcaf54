#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/records/table_layout.h"
#include "data/text/dialect.h"

namespace glimpse {

/// A way to write numbers. A text may be a number by several of them: 1,234 is one by kDecimalComma and by
/// kCommaGroups.
enum class NumberForm : std::uint8_t {
  kPlain,                    ///< 1234.5, 1e3
  kDecimalComma,             ///< 1234,5
  kCommaGroups,              ///< 1,234.5
  kPointGroups,              ///< 1.234,5
  kBlankGroups,              ///< 1 234.5, also with no-break and thin blanks
  kBlankGroupsDecimalComma,  ///< 1 234,5
  kApostropheGroups,         ///< 1'234.5
  kFortran,                  ///< 1.5D+03
};
inline constexpr std::size_t kNumberForms = 8;
inline constexpr unsigned kAllForms = (1U << kNumberForms) - 1;  ///< of a whole number without divided groups

/// "plain", "decimal-comma", "comma-groups", …
std::string_view name_of(NumberForm form);
/// Of name_of(); kPlain of another word.
NumberForm number_form_of(std::string_view name);

/// How the cells of one column of a table are read.
struct ColumnForm {
  /// kAuto: the first value decides whether the column holds numbers or words, as without a sample. kDate: a
  /// date, perhaps with a time, which becomes a number of days; kTime: a time of day, a part of one.
  enum class Type : std::uint8_t { kAuto, kNumber, kWord, kDate, kTime };

  Type type = Type::kAuto;
  NumberForm form = NumberForm::kPlain;   ///< of kNumber: how its numbers are written
  std::string unit = {};                  ///< of kNumber: what may stand beside them, in front or behind
  bool is_day_first = false;              ///< of kDate: 3/4/2026 is the third of April
  bool is_year_first = false;             ///< of kDate: 24-01-05 is the fifth of January 2024
  std::uint8_t date_parts = 0;            ///< of kDate and kTime: those that vary, a set of DatePart
  std::vector<std::string> missing = {};  ///< further marks for a missing value, beside the usual ones

  bool operator==(const ColumnForm&) const = default;
  bool is_read_as_number() const { return type != Type::kAuto && type != Type::kWord; }
  /// Its cells become numbers of days.
  bool holds_days() const { return type == Type::kDate || type == Type::kTime; }
  /// The cells can be read as they stand.
  bool is_plain() const {
    return !holds_days() && form == NumberForm::kPlain && unit.empty() && missing.empty();
  }
};

/// The key of the label of objects that are not flat.
inline constexpr std::string_view kJsonLabel = "label";

/// How a table is written: what a sample of it showed, or a schema says.
struct TableForm {
  Dialect dialect = {};
  std::vector<std::string> names = {};  ///< of all columns, where the table has a header
  bool renames = false;                 ///< the records of the header do not have the names as they are here
  std::vector<std::string> header =
      {};  ///< of `renames`: what the header calls the columns; empty: they have their places alone
  std::vector<ColumnForm> columns =
      {};  ///< of all columns, the label's among them; empty: nothing is known of them

  bool operator==(const TableForm&) const = default;
  /// Of objects of JSON: `columns` are the attributes in order, and then the label; so are `names`, if any.
  bool is_of_json() const { return dialect.width == 0 && dialect.delimiter.empty(); }
  bool is_arff() const { return !dialect.zeros.empty(); }
  /// With the label that this table has by default: the last column in ARFF.
  TableOptions with_label(TableOptions options) const {
    if (is_arff() && options.label.name.empty()) options.label = parse_column("last");
    return options;
  }
};

/// What a cell of a table seems to hold.
enum class CellType : std::uint8_t { kEmpty, kMissing, kNumber, kNotFinite, kBool, kDate, kTime, kWord };

/// A date as a number of days since 1970-01-01 in UTC, or a time of day as the part of a day.
struct Days {
  static constexpr std::size_t kDayFirst = 1;   ///< 3/4/2026 is the third of April, and no fourth of March
  static constexpr std::size_t kYearFirst = 2;  ///< 24-01-05 is of 2024
  static std::size_t order_of(bool is_day_first, bool is_year_first) {
    return is_year_first ? kYearFirst : is_day_first ? kDayFirst : 0;
  }

  CellType type = CellType::kWord;   ///< kDate, kTime, or neither
  std::array<double, 3> by_order{};  ///< by each order; NaN: the calendar has no such day
  bool has_order = false;            ///< of a date: day and month could stand the other way round
};
Days read_days(std::string_view text);

/// A cell as a sniffer sees it.
struct Cell {
  CellType type = CellType::kEmpty;
  unsigned forms = 0;             ///< of a number: a bit for each NumberForm that reads it
  bool is_bare = false;           ///< of a number: with nothing beside it
  bool is_plain = false;          ///< of a number: read_number() reads it
  double value = 0;               ///< of a bare number of kPlain
  std::string_view prefix;        ///< of a number: a currency in front, without the sign
  std::string_view suffix;        ///< of a number: a unit, a currency or % behind
  bool is_parenthesised = false;  ///< of a number: (5) is -5
  bool is_negative = false;       ///< of a number: by a minus in front
  std::string_view number;        ///< of a number: without what stands beside it
  Days days = {};                 ///< of a date or time
};

/// An empty cell, and a mark for a missing value everywhere: NA, N/A, #N/A, <NA>, na, n/a, null, NULL, ?, -
/// or .
bool is_missing_cell(std::string_view field);
/// nan and infinity in any spelling, #DIV/0! and its kin, and decimal numbers beyond the doubles.
bool is_not_finite_cell(std::string_view field);
/// read_number(); with `decimal_comma` a comma stands where a point would, and a point is an error.
[[nodiscard]] bool read_cell(std::string_view field, bool decimal_comma, double& value);
/// Whether a cell is one of these texts, or the same number as one.
bool is_mark(std::string_view cell, std::span<const std::string> marks);
/// Those of `given` that are of a column: "-999" is of all, and "name=-999" or "#2=-999" of one, whose number
/// counts from 1.
std::vector<std::string> marks_of(std::span<const std::string> given, std::string_view name,
                                  std::size_t number);

/// Of a text without blanks around it. Cost: O(its length), of a word O(1).
Cell classify_cell(std::string_view text);
/// Whether the form reads the number of a cell.
inline bool reads(const Cell& cell, NumberForm form) {
  return (cell.forms >> static_cast<unsigned>(form) & 1U) != 0;
}

/// Appends the number that a cell of such a column is, as read_number() has it: its digits are copied. Of
/// kTime it is the number of days since 1970-01-01 in UTC, or of a time alone the part of a day. Years of two
/// digits are 1969 to 2068. False, and nothing is appended, where the cell is not of the form.
[[nodiscard]] bool append_in_form(std::string_view text, const ColumnForm& form, std::string& to);
/// The same number; of a date or a time no text is written.
[[nodiscard]] bool read_in_form(std::string_view text, const ColumnForm& form, double& value);

/// Whether a word is a date or a time of day: 2011-01-31, 31/1/2011, 1 Jan 2011, 12:30.
bool looks_like_date(std::string_view word);
/// Whether a word that is no number here is one to people: with a comma or a point for the other, digits in
/// groups, a percent sign or a currency, of base 16, in single quotes or as a formula of Excel: 1,5, 1.5
/// beside decimal commas, 1,234.5, 1 234, 12%, $5, 0x1f, '5', ="5".
bool looks_like_odd_number(std::string_view word);

/// What stands for a missing value among numbers, beside the marks that do so everywhere: #NA, nan, NaN, NAN,
/// None, none, NaT, \N, --, n.a. and N.A.
bool is_missing_number(std::string_view word);
/// 1 of true, 0 of false, each as true, True or TRUE; nothing of others.
std::optional<double> truth_value(std::string_view word);

/// What to say of an attribute, `called` so, that holds such words.
std::string odd_number_advice(std::string_view called, std::string_view word);
/// What to say of such a label.
std::string odd_label_advice(std::string_view word);

}  // namespace glimpse
