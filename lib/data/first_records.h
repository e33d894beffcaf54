#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/formats.h"

namespace glimpse {

/// What the first records of a stream tell of all: for streams whose attributes nobody has named or counted.
struct FirstRecords {
  Format format = Format::kCsv;    ///< kCsv, kNdjson or kNpy
  std::size_t dimension = 0;       ///< attributes; > 0
  std::vector<std::string> names;  ///< of all attributes; empty: they have none
  bool has_header = false;         ///< of a table
  bool is_flat = false;            ///< of ndjson: keys are columns
  char delimiter = ',';
  TableLayout layout;
  std::string label_name;                        ///< of the header, or of flat objects; empty without one
  bool is_label_given = false;                   ///< by --label
  std::vector<std::string> further_label_names;  ///< of further labels
  std::vector<Attribute> categories;             ///< those that hold words in the first example
  bool has_label_words = false;                  ///< its label is one

  /// "csv: header, 12 attributes, label 'cnt' (column #13), 2 categories: season, weather, 4 columns
  /// ignored".
  std::string describe() const;

 private:
  std::string describe_categories() const;
};

/// Reads the first records of `bytes`, with which a stream begins; `is_whole`: and ends. Nothing: more bytes
/// are needed, which are two records at most.
///
/// The first row of a table is a header where it has a word above a number, or only words above a row that
/// has a number. --header yes or no says it where neither can be told.
///
/// Errors (kInvalidInput) name the option that mends them: formats whose records do not tell how many
/// attributes there are; a column of words; rows of different width.
Result<std::optional<FirstRecords>> read_first_records(std::string_view bytes, bool is_whole, Format format,
                                                       const FormatOptions& options);

}  // namespace glimpse
