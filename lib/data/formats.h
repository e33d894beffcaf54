#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/records/attribute_names.h"
#include "data/records/cell.h"
#include "data/records/example_reader.h"
#include "data/records/record_framer.h"
#include "data/records/table_layout.h"
#include "data/text/text_kernel.h"

namespace glimpse {

/// The format of an input's records (FORMATS.md). kAuto: the first bytes tell it.
enum class Format { kAuto, kSvmlight, kVw, kCsv, kNdjson, kF32, kNpy };

/// "auto", "svmlight", "vw", "csv", "ndjson", "f32", "npy", and "arff", a table; anything else is an Error
/// (kInvalidOption) that lists them.
Result<Format> parse_format(std::string_view name);
std::string_view name_of(Format format);
/// The names of all formats.
std::vector<std::string> format_names();

/// How the records of one source are read.
struct FormatOptions {
  std::size_t dimension = 0;         ///< attributes are 0 … dimension − 1; > 0
  unsigned svmlight_index_base = 1;  ///< 0 or 1: what the first attribute is called in svmlight
  TableOptions table = {};
  std::shared_ptr<const TableForm> form = nullptr;  ///< of kCsv and kNdjson, where it is known
  Absent absent = Absent::kAuto;                    ///< what an object of JSON does not give
  TableLayout* known_table = nullptr;         ///< what CSV rows without a header are; nullptr: it is not kept
  const TextKernel* kernel = &text_kernel();  ///< never null; changes no result
};

/// The format that a first record is written in: ndjson when it begins with '{' or '[', vw when it holds a
/// '|', svmlight when it has an index:value pair, csv otherwise. Blank lines and lines of a '#' comment say
/// nothing: kAuto. Never kF32 and kNpy, which are no lines.
Format detect_format(std::string_view record);

/// Fields of a table's row without a label; 0: not known.
std::size_t question_fields(const FormatOptions& options);

/// How a stream of `format` divides into records: lines, or rows of f32, behind numpy's header for npy; of a
/// table whose `form` is known its records.
Framing framing_of(Format format, std::size_t dimension, std::size_t max_line_bytes,
                   const std::shared_ptr<const TableForm>& form = nullptr);

/// How records are written, as far as the first of them showed it; else auto.
struct RecordForm {
  Format format = Format::kAuto;
  char delimiter = 0;  ///< of a table
  HeaderChoice header = HeaderChoice::kAuto;
  bool is_flat = false;                           ///< of ndjson: keys are columns
  std::optional<TableForm> table = std::nullopt;  ///< of a table of which a sample was read
  std::uint64_t sample_records = 0;               ///< of the sample that decided; 0: none did

  bool operator==(const RecordForm&) const = default;
};

/// Of a table, or of objects, of `form`.
RecordForm record_form_of(const TableForm& form);

/// What the records showed of which `reader`, of make_example_reader(), has read an example.
RecordForm form_of(const ExampleReader& reader);

/// A reader for `format`; kAuto detects it at the first record that tells and keeps it. `names` may grow,
/// and is shared by every reader of one learner; it must outlive the reader.
std::unique_ptr<ExampleReader> make_example_reader(Format format, const FormatOptions& options,
                                                   AttributeNames& names);

/// Reads records as another reader does, but only those of which every attribute can be read. A value that
/// cannot be read is an Error of open(), and not of reveal() if its attribute is planned (FORMATS.md). For
/// streams whose lines may be damaged: no example is learned of which another plan would have found that it
/// cannot be read. The names of a record are added to the dictionary by open().
///
/// Cost: that of reveal_all() for every record, so O(length of the record) conversions. It has no
/// field_delimiter(): marks of lines are of no use where every field is read. Thread-safety: none.
class ValidatingReader final : public ExampleReader {
 public:
  /// `reader` is not null.
  explicit ValidatingReader(std::unique_ptr<ExampleReader> reader);

  std::size_t line_length(std::string_view rest) override;
  bool rows_end_with_delimiter() const override { return reader_->rows_end_with_delimiter(); }
  void end_message() override { reader_->end_message(); }
  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;
  Status check_end() const override { return reader_->check_end(); }
  void prefetch(std::string_view record, std::span<const Attribute> attributes) const override;

 private:
  const std::unique_ptr<ExampleReader> reader_;
  std::vector<Entry> entries_;  // of the record opened last, where it holds an example
};

}  // namespace glimpse
