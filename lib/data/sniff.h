#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/formats.h"
#include "data/records/cell.h"
#include "data/text/dialect.h"
#include "data/text/encoding.h"

namespace glimpse {

/// What the cells of a column of a sample are.
struct SniffedColumn {
  enum class Type : std::uint8_t { kNumber, kBool, kDate, kTime, kWord, kEmpty };

  std::string name;  ///< of the header; empty without one
  Type type = Type::kEmpty;
  NumberForm form = NumberForm::kPlain;
  bool is_form_ambiguous = false;   ///< more than one form reads all numbers, to different values
  bool is_day_first = false;        ///< of dates of numbers: the day stands in front of the month
  bool is_year_first = false;       ///< of these: the year, of two digits, does
  bool is_order_ambiguous = false;  ///< no date says what stands first
  std::uint8_t date_parts = 0;      ///< of dates and times: those that vary, a set of DatePart
  bool may_be_groups = false;       ///< of kPlain: each point may divide thousands, as in 1.234
  std::string unit;                 ///< beside each number, in front of it or behind it
  std::size_t values = 0;           ///< cells that are not missing
  std::size_t missing = 0;          ///< empty ones and marks for missing values
  std::size_t odd = 0;              ///< cells that are not of the type
  std::string odd_cell;             ///< the first of them; of kWord the first word
  std::size_t odd_record = 0;       ///< where it stands, counted from 1 among the records behind the header
  bool is_declared = false;         ///< by the header of ARFF
  std::size_t numbers = 0;  ///< of kWord, where they are half of the values; of a unit, those without it
  std::string bare_cell;    ///< the first number without the unit
  std::string odd_number;   ///< of kWord: the first of most values, which are numbers to people
  bool differs = false;     ///< of kWord: nearly every value is another
  /// Values that repeat, each with its count, and lie far outside all others: marks for missing values?
  std::vector<std::pair<std::string, std::size_t>> far;
  std::vector<std::string> examples;  ///< the first distinct values, at most kMostExamples
  static constexpr std::size_t kMostExamples = 4;
};

/// What a sample of a table shows of all of it.
struct SniffedTable {
  Dialect dialect;
  std::vector<SniffedColumn> columns;
  std::size_t records = 0;  ///< of the sample, without header, blank ones, comments and those of delimiters
  std::size_t other_widths = 0;  ///< of these: with another number of fields than Dialect::width
  double certainty = 0;          ///< 0 to 1: how much worse the second best dialect explains the sample
  std::string runner_up;         ///< that dialect, as describe_dialect() has it; empty: there was none
  std::vector<std::string> first_names;  ///< of the header's first record; SniffedColumn::name joins all
  bool is_header_marked = false;         ///< # stands in front of its names, as numpy.savetxt() writes it
  double header_certainty = 0;           ///< 0 to 1
};

/// What is known of a table beforehand; what is not given is sniffed.
struct TableHints {
  std::optional<std::string> delimiter;
  std::optional<bool> has_header;
  std::vector<std::string> column_names;  ///< the header has one of them, where there is a header
  std::vector<std::string> missing = {};  ///< as TableOptions::missing
  std::optional<Encoding> encoding = {};
  bool may_lack_label = false;  ///< most rows may have a field less than the first record: no label
};

/// The dialect by which most records of the sample, which is UTF-8 without a byte order mark, have the same
/// number of fields, and these hold numbers, dates and plain words: the measure is that of van den Burg,
/// Nazábal and Sutton, "Wrangling messy CSV files by detecting row and type patterns", 2019, with the share
/// of the most frequent width in place of its patterns. Then the lines in front of the header, the header's
/// records and the types of the columns. With `is_whole` nothing comes behind the sample; else its last
/// record may be cut and is left out. The result depends on the sample alone. Cost: a few passes over the
/// first 64 KiB for each dialect that may be, and one over all.
SniffedTable sniff_table(std::string_view sample, bool is_whole, const TableHints& hints);

/// The same of a table in ARFF, whose header says columns and types (ArffHeader): attributes that are nominal
/// or strings hold words, unless all are true and false. Errors (kInvalidInput): the header is none.
Result<SniffedTable> sniff_arff(std::string_view sample, bool is_whole, const TableHints& hints);

/// What the cells of so many columns are: `each_cell` gives them all, each with its column from 0 and its
/// record from 1. A column has its examples, and no name.
using TakeCell = std::function<void(std::size_t column, std::string_view cell, std::size_t record)>;
std::vector<SniffedColumn> sniff_columns(std::size_t count,
                                         const std::function<void(const TakeCell& take)>& each_cell);

/// How the cells of such a column are read.
ColumnForm form_of(const SniffedColumn& column);
/// Whether one value in a hundred, or more, is odd.
bool are_many_odd(const SniffedColumn& column);
/// What somebody should know of a column beside its type, a sentence each, with the option that changes it.
/// `argument`: how an option gets the column, as " name" or "=#3".
std::vector<std::string> notes_of(const SniffedColumn& column, std::string_view argument,
                                  bool is_label = false);
/// Takes values that lie far from all others in several of the columns, of those that `is_of` has, out of
/// SniffedColumn::far: a sentence each, with the option for all columns.
std::vector<std::string> take_shared_far(std::vector<SniffedColumn>& columns,
                                         const std::function<bool(std::size_t column)>& is_of);
/// "1234,5 with a decimal comma"; empty of kPlain.
std::string_view describe(NumberForm form);
/// "fields divided by ';', quotes \"".
std::string describe_dialect(const Dialect& dialect);

/// How much of an input is its sample: it ends with the first that comes, or with the input.
struct SampleLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t records = 10000;
  bool ends_with_any = false;  ///< of a pipe: with its first record, as each is answered
};

/// What the sample of an input shows of all of it.
struct Sniffed {
  Format format = Format::kCsv;
  Encoding encoding = Encoding::kUtf8;
  std::size_t mark = 0;   ///< bytes of the byte order mark
  std::size_t bytes = 0;  ///< of the sample
  SniffedTable table;     ///< of kCsv, with the encoding as well
};

/// Decides how an input is read, from its beginning alone; `is_whole`: and it ends there. `format` and
/// `hints` are what somebody says of it. Errors (kInvalidInput): the bytes are of a file that is no text,
/// with what to do.
Result<Sniffed> sniff(std::string_view sample, bool is_whole, Format format, const TableHints& hints);

/// The format alone that the sample shows. Cost: 100 lines.
Format sniff_format(std::string_view sample);

/// What options say of a table.
TableHints hints_of(const TableOptions& options);

/// The sample of an input with this beginning, whose lines of an ARFF header do not count as records, where
/// that is long enough; else empty. It is the same whatever stands behind it, and ends with a line, unless
/// none ends before the limit.
std::string_view sample_of(std::string_view beginning, const SampleLimits& limits);

}  // namespace glimpse
