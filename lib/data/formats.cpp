#include "data/formats.h"

#include <array>
#include <utility>

#include "data/formats/csv_reader.h"
#include "data/formats/dialect_reader.h"
#include "data/formats/f32_reader.h"
#include "data/formats/ndjson_reader.h"
#include "data/formats/svmlight_reader.h"
#include "data/formats/vw_reader.h"
#include "data/text/foreign_file.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::array<std::pair<Format, std::string_view>, 8> kFormatNames{{
    {Format::kAuto, "auto"},
    {Format::kSvmlight, "svmlight"},
    {Format::kVw, "vw"},
    {Format::kCsv, "csv"},
    {Format::kNdjson, "ndjson"},
    {Format::kF32, "f32"},
    {Format::kNpy, "npy"},
    {Format::kCsv, "arff"},  // a table with a header of its own, which shows what it is
}};

bool is_index_value_pair(std::string_view field) {
  const std::size_t colon = field.find(':');
  if (colon == std::string_view::npos) return false;
  std::uint64_t index = 0;
  double value = 0;
  return read_index(field.substr(0, colon), index) && read_number(field.substr(colon + 1), value);
}

// LibFFM's field:index:value, which svmlight's reader knows and refuses.
bool is_triple(std::string_view field) {
  std::uint64_t index = 0;
  const std::size_t colon = field.find(':');
  return colon != std::string_view::npos && read_index(field.substr(0, colon), index) &&
         is_index_value_pair(field.substr(colon + 1));
}

// A pair anywhere, or triples alone behind a label.
bool is_sparse(std::string_view record) {
  std::size_t fields = 0;
  std::size_t triples = 0;
  const char* at = record.data();
  const char* const end = at + record.size();
  for (at = skip_blanks(at, end); at != end; at = skip_blanks(at, end)) {
    const char* const field = at;
    at = find_blank(at, end);
    if (is_index_value_pair(between(field, at))) return true;
    ++fields;
    triples += static_cast<std::size_t>(is_triple(between(field, at)));
  }
  return triples > 1 && triples + 1 == fields;
}

// Detects the format at the first record that tells, and from then on is a reader of that format. Blank lines
// and comments before carry no example. A line before that may be of several formats (opening_of()) is read
// as the lines behind it say, which line_length() shows; where none tells it is refused. A block of lines has
// such lines behind it (Framing::undecided_lines()).
class AutoReader final : public ExampleReader {
 public:
  AutoReader(const FormatOptions& options, AttributeNames& names) : options_(options), names_(names) {}

  // nullptr: the format is not known yet.
  const ExampleReader* reader() const { return reader_.get(); }

  std::size_t line_length(std::string_view rest) override {
    if (reader_) return reader_->line_length(rest);
    opening_ = opening_of(rest, question_fields(options_), true);
    return ExampleReader::line_length(rest);
  }
  std::optional<char> field_delimiter() const override {
    return reader_ ? reader_->field_delimiter() : std::nullopt;
  }
  const TokenRule* token_rule() const override { return reader_ ? reader_->token_rule() : nullptr; }
  bool rows_end_with_delimiter() const override { return reader_ && reader_->rows_end_with_delimiter(); }
  bool is_amid_record() const override { return reader_ && reader_->is_amid_record(); }
  void end_message() override {
    if (reader_) reader_->end_message();
  }
  void use_marks(const LineMarks* marks) override {
    if (reader_) reader_->use_marks(marks);
  }
  Status open(std::string_view record) override {
    has_example_ = false;
    head_ = {};
    if (!reader_) GLIMPSE_TRY(decide(record));
    if (!reader_) return {};
    auto status = reader_->open(record);
    has_example_ = reader_->has_example();
    head_ = reader_->head();
    return status;
  }
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override {
    return reader_ ? reader_->reveal(attributes, values) : no_example();
  }
  Status reveal_all(std::vector<Entry>& entries) override {
    entries.clear();
    return reader_ ? reader_->reveal_all(entries) : no_example();
  }
  std::unique_ptr<ExampleReader> twin(AttributeNames& names) const override {
    return reader_ ? reader_->twin(names) : nullptr;
  }

 private:
  Status decide(std::string_view record) {
    if (refusal_.empty()) refusal_ = foreign_file(record);
    if (!refusal_.empty()) return Error{ErrorCode::kInvalidInput, refusal_};
    Opening opening = std::exchange(opening_, {});
    if (opening.line.empty()) opening = opening_of(record, question_fields(options_), true);
    if (opening.waits)
      return failure(
          ErrorCode::kInvalidInput,
          "{} may be svmlight's, with no features, or stand above a table, and no line behind it tells: "
          "--format svmlight, or another, says what it is",
          in_quotes(record));
    if (!opening.line.empty()) reader_ = make_example_reader(detect_format(opening.line), options_, names_);
    return {};
  }

  const FormatOptions options_;
  AttributeNames& names_;
  std::string refusal_;                    // why no record is read: they are no lines
  Opening opening_;                        // of the record that comes, and of those behind it
  std::unique_ptr<ExampleReader> reader_;  // none until the format is known
};

}  // namespace

Result<Format> parse_format(std::string_view name) {
  for (const auto& [format, known] : kFormatNames) {
    if (name == known) return format;
  }
  std::string names;
  for (std::size_t i = 0; i < kFormatNames.size(); ++i)
    names.append(i == 0 ? "" : i + 1 < kFormatNames.size() ? ", " : " or ").append(kFormatNames[i].second);
  return failure(ErrorCode::kInvalidOption, "format {} is unknown: {}", in_quotes(name), names);
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [format, name] : kFormatNames) names.emplace_back(name);
  return names;
}

std::string_view name_of(Format format) {
  for (const auto& [known, name] : kFormatNames) {
    if (format == known) return name;
  }
  return "unknown";
}

Format detect_format(std::string_view record) {
  record = without_mark(record);
  if (is_blank_or_comment(record)) return Format::kAuto;
  const char first = trimmed(record).front();
  if (first == '{' || first == '[') return Format::kNdjson;
  if (record.find('|') != std::string_view::npos) return Format::kVw;
  return is_sparse(record) ? Format::kSvmlight : Format::kCsv;
}

std::size_t question_fields(const FormatOptions& options) {
  return options.dimension > 0 ? options.dimension + TableLayout::beside_attributes(options.table) - 1 : 0;
}

Framing framing_of(Format format, std::size_t dimension, std::size_t max_line_bytes,
                   const std::shared_ptr<const TableForm>& form) {
  if (format == Format::kCsv && form && !form->is_of_json())
    return Framing::table(std::shared_ptr<const Dialect>(form, &form->dialect), max_line_bytes);
  if (format == Format::kF32) return Framing::rows(f32_row_bytes(dimension));
  if (format == Format::kNpy) return Framing::npy_rows(f32_row_bytes(dimension));
  return Framing::lines(max_line_bytes);
}

RecordForm record_form_of(const TableForm& form) {
  if (form.is_of_json())
    return {.format = Format::kNdjson,
            .is_flat = !form.names.empty() && form.names.back() != kJsonLabel,
            .table = form};
  const std::string& delimiter = form.dialect.delimiter;
  const bool is_one = delimiter.size() == 1 && word_of_delimiter(delimiter[0]);
  return {.format = Format::kCsv,
          .delimiter = is_one ? delimiter[0] : '\0',
          .header = form.dialect.header_records > 0 ? HeaderChoice::kYes : HeaderChoice::kNo,
          .table = form};
}

RecordForm form_of(const ExampleReader& reader) {
  if (const auto* const by_itself = dynamic_cast<const AutoReader*>(&reader))
    return by_itself->reader() != nullptr ? form_of(*by_itself->reader()) : RecordForm();
  if (dynamic_cast<const SvmlightReader*>(&reader) != nullptr) return {.format = Format::kSvmlight};
  if (dynamic_cast<const VwReader*>(&reader) != nullptr) return {.format = Format::kVw};
  if (const auto* const json = dynamic_cast<const NdjsonReader*>(&reader))
    return {.format = Format::kNdjson, .is_flat = json->is_flat()};
  if (const auto* const table = dynamic_cast<const DialectReader*>(&reader)) {
    const Dialect& dialect = table->form().dialect;
    return {Format::kCsv, dialect.delimiter.size() == 1 ? dialect.delimiter[0] : '\0',
            dialect.header_records > 0 ? HeaderChoice::kYes : HeaderChoice::kNo};
  }
  const auto* const table = dynamic_cast<const CsvReader*>(&reader);
  if (table == nullptr) return {};
  return {Format::kCsv, table->field_delimiter().value_or(0),
          table->has_header() ? HeaderChoice::kYes : HeaderChoice::kNo};
}

std::unique_ptr<ExampleReader> make_example_reader(Format format, const FormatOptions& options,
                                                   AttributeNames& names) {
  switch (format) {
    case Format::kAuto:
      return std::make_unique<AutoReader>(options, names);
    case Format::kSvmlight:
      return std::make_unique<SvmlightReader>(options.dimension, options.svmlight_index_base, names,
                                              *options.kernel);
    case Format::kVw:
      return std::make_unique<VwReader>(options.dimension, names, *options.kernel);
    case Format::kCsv:
      if (options.form && !options.form->is_of_json() && !is_plain(*options.form))
        return std::make_unique<DialectReader>(options.form, options.table, names, options.known_table,
                                               *options.kernel);
      return std::make_unique<CsvReader>(options.table, names, options.known_table, *options.kernel);
    case Format::kNdjson:
      return std::make_unique<NdjsonReader>(options.dimension, names, options.absent, options.table,
                                            options.known_table, *options.kernel, options.form);
    case Format::kF32:
      return std::make_unique<F32Reader>(options.dimension, names);
    case Format::kNpy:
      return std::make_unique<F32Reader>(options.dimension, names, F32Reader::Header::kNpy);
  }
  return nullptr;
}

ValidatingReader::ValidatingReader(std::unique_ptr<ExampleReader> reader) : reader_(std::move(reader)) {}

std::size_t ValidatingReader::line_length(std::string_view rest) { return reader_->line_length(rest); }

Status ValidatingReader::open(std::string_view record) {
  has_example_ = false;
  head_ = {};
  GLIMPSE_TRY(reader_->open(record));
  if (!reader_->has_example()) return {};
  GLIMPSE_TRY(reader_->reveal_all(entries_));
  has_example_ = true;
  head_ = reader_->head();
  return {};
}

Status ValidatingReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  return has_example_ ? reader_->reveal(attributes, values) : Status(no_example());
}

Status ValidatingReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  if (!has_example_) return no_example();
  entries = entries_;
  return {};
}

void ValidatingReader::prefetch(std::string_view record, std::span<const Attribute> attributes) const {
  reader_->prefetch(record, attributes);
}

}  // namespace glimpse
