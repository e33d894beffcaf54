#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/state.h"
#include "data/formats.h"

namespace glimpse {

/// --task: what labels are.
enum class Task : std::uint8_t {
  kAuto,        ///< classes where they are words, or --classes names them
  kRegression,  ///< numbers; of words two are 0 and 1
  kClasses,     ///< names of classes, also where they are numbers
};
std::string_view name_of(Task task);
std::string_view name_of(HeaderChoice header);
std::string_view name_of(ColumnForm::Type type);
/// As earlier releases wrote it: a name, "last", or a number from 0.
std::string earlier_text_of(const ColumnChoice& choice);

/// How the bytes of inputs become examples, as the options say it, and as records showed it where the options
/// leave it open. A checkpoint keeps it, since what was learned is of use only where records are read on as
/// they were read before. The names of the columns of the first table are in a TableLayout.
struct TableSchema {
  Format format = Format::kAuto;
  unsigned index_base = 1;
  TableOptions table;
  Absent absent = Absent::kAuto;
  std::vector<std::string> categories;  ///< as --categories names them
  Task task = Task::kAuto;
  Task labels = Task::kAuto;  ///< what labels turned out to be
  RecordForm form = {};       ///< what the first records showed that were read so
  /// Of a checkpoint of an earlier release, which has columns_of() in place of most of `table`.
  std::optional<std::uint64_t> old_columns = std::nullopt;

  bool operator==(const TableSchema&) const = default;

  /// The options that say how records are read.
  static const std::vector<std::string_view>& options();
  /// That option is as in `other` from now on.
  void take(std::string_view option, const TableSchema& other);

  /// "name=value" entries, each with a NUL behind it: names of columns are any other bytes.
  std::string describe() const;
  /// Of describe(), also of earlier releases, where numbers of columns count from 0; what is missing or makes
  /// no sense is as by default.
  static TableSchema parse(std::string_view description);

  /// Puts the array "inputs.schema".
  void save(State& state) const;
  /// Of save(), or of the text "inputs.reading" of earlier releases; none: the state has neither.
  /// Errors: kCorrupt.
  static Result<std::optional<TableSchema>> restore(const State& state);
  /// How each of the `count` inputs of a state was read: of the array "inputs.schemas", the entries of
  /// describe() and a NUL for each, no entries where it is as save() has it; or of "inputs.readings" and
  /// "inputs.absent" of earlier releases. Empty: the state does not say, as where nothing was
  /// learned. Errors: kCorrupt.
  static Result<std::vector<TableSchema>> of_inputs(const State& state, std::size_t count);

  /// One option as somebody would type it: "--label y" here and "--label z" there.
  struct Difference {
    std::string here;
    std::string there;
  };
  /// The first option by which `other` reads records of `actual` otherwise; none: it reads them the same.
  /// `actual` kAuto: the records may be of any format.
  std::optional<Difference> difference(const TableSchema& other, Format actual) const;
};

/// How earlier releases wrote the options of a table as a number: the label's column, where nothing else is
/// said; else a hash from 2^63 on.
std::uint64_t columns_of(const TableOptions& table);

}  // namespace glimpse
