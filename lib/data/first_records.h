#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/formats.h"
#include "data/records/cell.h"
#include "data/sniff.h"

namespace glimpse {

/// What a sample of a stream shows of all of it: its records at the beginning.
struct FirstRecords {
  Format format = Format::kCsv;      ///< never kAuto and kF32
  std::size_t dimension = 0;         ///< attributes; > 0
  std::vector<std::string> names;    ///< of all attributes; empty: they have none
  bool has_header = false;           ///< of a table
  bool begins_otherwise = false;     ///< records that are refused stand in front of the table
  bool is_flat = false;              ///< of ndjson: keys are columns
  bool is_of_form = false;           ///< of records_of_form()
  std::uint64_t sample_records = 0;  ///< of a table or ndjson: how many decided
  TableForm form;                    ///< of a table
  TableLayout layout;
  std::string label_name;                        ///< of the header, or of flat objects; empty without one
  bool is_label_given = false;                   ///< by --label
  std::vector<std::string> further_label_names;  ///< of further labels
  std::vector<Attribute> categories;             ///< those that hold words
  std::vector<Attribute> numbers;                ///< those that hold numbers; of others nothing is known
  bool has_label_words = false;                  ///< the label is one
  bool has_label_numbers = false;
  std::vector<Attribute> odd;  ///< of `numbers`: of which `remarks` say that values are none
  /// Decisions that are not certain and values that are odd, a sentence each with the option that changes it.
  std::vector<std::string> remarks;

  /// "csv: header, 12 attributes, label 'cnt' (column #13), 2 categories: season, weather, 4 columns
  /// ignored".
  std::string describe() const;
  /// What a reader of these records has to know.
  RecordForm record_form() const;
  /// The same, with all that was decided, for other readers of such records.
  RecordForm decided_form() const;

 private:
  std::string describe_categories() const;
};

/// Reads the sample at the beginning of `bytes`, with which a stream begins; `is_whole`: and ends. Nothing:
/// more bytes are needed for a sample of `limits`. `categories`: attributes that hold words as options say
/// (--categories). FormatOptions::form is that of the table that was learned from before, which columns keep
/// that can be read so. The result depends on the bytes of the sample alone.
///
/// svmlight and vw, which do not tell how many attributes there are, need FormatOptions::dimension.
///
/// `sniffed`, which may be null, is what the sample shows by itself, also where it is refused.
///
/// Errors (kInvalidInput) name the option that changes the decision: formats whose records do not tell how
/// many attributes there are; a table of one column; numbers that may be read in two ways.
Result<std::optional<FirstRecords>> read_first_records(std::string_view bytes, bool is_whole, Format format,
                                                       const FormatOptions& options,
                                                       const SampleLimits& limits = {},
                                                       std::span<const std::string> categories = {},
                                                       Sniffed* sniffed = nullptr);

/// The same of a pipe or a topic, whose sample also ends with the first record that asks for a prediction:
/// its writer may wait for the answer (SampleLimits::ends_with_any: to any record).
Result<std::optional<FirstRecords>> read_first_messages(std::string_view bytes, bool is_whole, Format format,
                                                        const FormatOptions& options,
                                                        const SampleLimits& limits,
                                                        std::span<const std::string> categories,
                                                        Sniffed* sniffed = nullptr);

/// What a table of `form` shows whose columns are as `options` say, without a look at it. Errors
/// (kInvalidInput): a column is not there, or none is left as an attribute.
Result<FirstRecords> records_of_form(const TableForm& form, const TableOptions& options);

}  // namespace glimpse
