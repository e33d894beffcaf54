#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/formats/cell.h"
#include "data/text/dialect.h"

namespace glimpse {

/// How the cells of one column of a table are read.
struct ColumnForm {
  /// kAuto: the first value decides whether the column holds numbers or words, as without a sample. kDate: a
  /// date, perhaps with a time, which becomes a number of days; kTime: a time of day, a part of one.
  enum class Type : std::uint8_t { kAuto, kNumber, kWord, kDate, kTime };

  Type type = Type::kAuto;
  NumberForm form = NumberForm::kPlain;   ///< of kNumber: how its numbers are written
  std::string unit = {};                  ///< of kNumber: what may stand beside them, in front or behind
  bool is_day_first = false;              ///< of kDate: 3/4/2026 is the third of April
  std::vector<std::string> missing = {};  ///< further marks for a missing value, beside the usual ones

  bool operator==(const ColumnForm&) const = default;
  /// The cells can be read as they stand.
  bool is_plain() const {
    return type != Type::kDate && type != Type::kTime && form == NumberForm::kPlain && unit.empty() &&
           missing.empty();
  }
};

/// How a table is written: what a sample of it showed, or a schema says.
struct TableForm {
  Dialect dialect;
  std::vector<std::string> names;  ///< of all columns, where the table has a header
  bool renames = false;            ///< the records of the header do not have the names as they are here
  std::vector<ColumnForm>
      columns;  ///< of all columns, the label's among them; empty: nothing is known of them

  bool operator==(const TableForm&) const = default;
};

}  // namespace glimpse
