#include "daemon/dry_run.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <vector>

#include <boost/json.hpp>

#include "base/date_parts.h"
#include "daemon/config/schema_choice.h"
#include "daemon/config/schema_file.h"
#include "daemon/ingest/input_source.h"
#include "daemon/startup.h"
#include "data/first_records.h"
#include "data/sniff.h"
#include "data/table_rows.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::size_t kShownRecords = 5;
constexpr std::size_t kWidestName = 24;
constexpr std::size_t kWidestValues = 32;

std::string_view type_name(SniffedColumn::Type type) {
  constexpr std::string_view kNames[] = {"number", "true or false", "date", "time", "words", "empty"};
  return kNames[static_cast<std::size_t>(type)];
}

// At most so many characters of UTF-8, on one line.
std::string cut(std::string_view text, std::size_t most) {
  std::string shown;
  std::size_t characters = 0;
  for (const char c : text) {
    const bool is_first = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    if (is_first && ++characters > most) return shown + "…";
    shown += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return shown;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, characters(text)), ' ');
}

Status write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return {};
  return failure(ErrorCode::kSystem, "standard output: {}", std::strerror(errno));
}

// What a sample shows, and what learning makes of it.
struct Shown {
  std::string name;
  Sniffed sniffed;
  std::string text;       // of the sample, in UTF-8
  bool is_whole = false;  // nothing comes behind it
  Result<std::optional<FirstRecords>> learned = std::optional<FirstRecords>();
};

// What FILE of --schema says, with the counts of a sample that has as many columns.
void show_decided(const TableForm& form, SniffedTable& table) {
  using Type = SniffedColumn::Type;
  constexpr Type kTypes[] = {Type::kEmpty, Type::kNumber, Type::kWord, Type::kDate, Type::kTime};
  table.dialect = form.dialect;
  table.runner_up.clear();
  if (table.columns.size() != form.columns.size()) table.columns.assign(form.columns.size(), {});
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    SniffedColumn& column = table.columns[i];
    column.name = i < form.names.size() ? form.names[i] : std::string();
    if (form.columns[i].type != ColumnForm::Type::kAuto)
      column.type = kTypes[static_cast<std::size_t>(form.columns[i].type)];
    column.form = form.columns[i].form;
    column.unit = form.columns[i].unit;
    column.odd = column.numbers = 0;
    column.far.clear();
  }
}

// What becomes of each column; an Error where the table is refused.
Result<std::vector<std::string>> uses_of(const Shown& shown) {
  GLIMPSE_TRY(shown.learned);
  const std::size_t width = shown.sniffed.table.columns.size();
  if (!*shown.learned) return failure(ErrorCode::kInvalidInput, "it has no record");
  const FirstRecords& first = **shown.learned;
  const TableLayout& layout = first.layout;
  const auto use_of = [&](Attribute attribute, std::size_t i) -> std::string {
    if (std::ranges::find(first.categories, attribute) != first.categories.end())
      return "attribute, categories";
    if (i < first.form.columns.size() && first.form.columns[i].date_parts != 0)
      return "attribute, with " + describe_date_parts(first.form.columns[i].date_parts);
    return "attribute";
  };
  const std::string label = fmt::format(
      "label{}{}", first.has_label_words ? ", classes" : "",
      first.is_label_given || first.format != Format::kCsv ? "" : " (--label NAME chooses another)");
  std::vector<std::string> uses;
  if (first.format != Format::kCsv) {
    for (std::size_t i = 0; i + 1 < width; ++i) uses.push_back(use_of(static_cast<Attribute>(i), i));
    if (width > 0) uses.push_back(label);
    return uses;
  }
  if (layout.width() != width)
    return failure(ErrorCode::kInvalidInput, "learning reads other columns: {}", first.describe());
  for (std::size_t i = 0; i < width; ++i) {
    const bool is_further = std::ranges::find(layout.further_labels(), i) != layout.further_labels().end();
    const auto attribute = layout.attribute(i, true);
    if (layout.label() == i || is_further)
      uses.push_back(label);
    else if (layout.weight() == i)
      uses.emplace_back("weight");
    else
      uses.push_back(attribute ? use_of(*attribute, i) : "ignored");
  }
  return uses;
}

std::string examples_text(const SniffedColumn& column) {
  std::string text;
  for (const std::string& example : column.examples) text += (text.empty() ? "" : "  ") + example;
  return text;
}

// `uses`: of all columns, or an Error.
std::vector<std::string> notes_of_column(const SniffedColumn& column, std::size_t i,
                                         const Result<std::vector<std::string>>& uses) {
  const std::string_view use = uses ? (*uses)[i] : std::string_view();
  if (use == "ignored") return {};
  auto notes = notes_of(column, column_argument(i, column.name), use.starts_with("label"));
  if (column.form != NumberForm::kPlain)
    notes.insert(notes.begin(), fmt::format("numbers are written as {}", describe(column.form)));
  return notes;
}

bool is_arff(const Sniffed& sniffed) { return !sniffed.table.dialect.zeros.empty(); }

std::string_view format_of(const Sniffed& sniffed) {
  return is_arff(sniffed) ? "arff" : name_of(sniffed.format);
}

std::string describe_input(const Sniffed& sniffed) {
  std::string text(format_of(sniffed));
  text.append(" in ").append(name_of(sniffed.encoding));
  if (sniffed.format != Format::kCsv || is_arff(sniffed)) return text;
  const Dialect& dialect = sniffed.table.dialect;
  text.append(", ").append(describe_dialect(dialect));
  if (dialect.header_records == 0)
    text += ", no header";
  else if (dialect.header_records == 1)
    text += fmt::format(", the header in line {}", dialect.preamble_lines + 1);
  else
    text += fmt::format(", a header of {} records from line {}", dialect.header_records,
                        dialect.preamble_lines + 1);
  return text;
}

// The fields of records of a table; of other formats their lines.
std::vector<std::vector<std::string>> first_records(const Shown& shown) {
  std::vector<std::vector<std::string>> records;
  std::string_view text = shown.text;
  if (shown.sniffed.format == Format::kCsv) {
    TableRows rows(shown.sniffed.table.dialect, Encoding::kUtf8, 0);
    rows.read(text, shown.is_whole, [&](const auto& fields) {
      records.emplace_back(fields.begin(), fields.end());
      return records.size() < kShownRecords;
    });
    return records;
  }
  while (!text.empty() && records.size() < kShownRecords) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!is_blank_or_comment(line)) records.push_back({std::string(line)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return records;
}

void append_columns(const Shown& shown, const Result<std::vector<std::string>>& uses, std::string& out) {
  const SniffedTable& table = shown.sniffed.table;
  out += fmt::format("{} {} record{}", shown.is_whole ? "read:" : "the sample:", table.records,
                     table.records == 1 ? "" : "s");
  if (table.other_widths > 0)
    out += fmt::format(", {} of them without the {} fields that the others have", table.other_widths,
                       table.dialect.width);
  if (!table.runner_up.empty())
    out += fmt::format("; certainty {:.2f} before {}", table.certainty, table.runner_up);
  out += "\n\n";
  std::size_t widest = 4;
  for (const SniffedColumn& column : table.columns)
    widest = std::max(widest, characters(cut(printable(column.name), kWidestName)));
  out += fmt::format("{:>4}  {}  {:<10}  {:>8}  {}  {}\n", "#", padded("name", widest), "type", "missing",
                     padded("values", kWidestValues), uses ? "use" : "");
  std::vector<SniffedColumn> columns = table.columns;
  const auto shared =
      take_shared_far(columns, [&](std::size_t i) { return !uses || (*uses)[i] != "ignored"; });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const SniffedColumn& column = columns[i];
    out += fmt::format("{:>4}  {}  {:<10}  {:>8}  {}  {}\n", i + 1,
                       padded(cut(printable(column.name), kWidestName), widest), type_name(column.type),
                       column.missing,
                       padded(cut(printable(examples_text(column)), kWidestValues - 1), kWidestValues),
                       uses ? (*uses)[i] : "");
    for (const std::string& note : notes_of_column(column, i, uses)) out += fmt::format("      {}\n", note);
  }
  for (const std::string& note : shared) out += fmt::format("      {}\n", note);
}

std::string as_text(const Shown& shown) {
  const bool is_table = shown.sniffed.format == Format::kCsv;
  std::string out = fmt::format("{}: {}\n", printable(shown.name), describe_input(shown.sniffed));
  const auto uses = uses_of(shown);
  if (is_table || !shown.sniffed.table.columns.empty()) append_columns(shown, uses, out);
  out += "\nthe first records:\n";
  for (const auto& record : first_records(shown)) {
    std::string line;
    if (is_table) append_record(record, line);
    const std::string_view text = is_table ? std::string_view(line).substr(0, line.size() - 1) : record[0];
    out += "  " + printable(text) + '\n';
  }
  out += uses ? fmt::format("\nread as {}\n", (*shown.learned)->describe())
              : fmt::format("\nit would be refused: {}\n", uses.error().message);
  return out;
}

std::string as_json(const Shown& shown) {
  const Sniffed& sniffed = shown.sniffed;
  const SniffedTable& table = sniffed.table;
  const Dialect& dialect = table.dialect;
  boost::json::object object{{"input", valid_utf8(shown.name)},
                             {"format", std::string(format_of(sniffed))},
                             {"encoding", std::string(name_of(sniffed.encoding))}};
  if (sniffed.format == Format::kCsv) {
    object["delimiter"] = dialect.divides_by_runs ? "blanks" : valid_utf8(dialect.delimiter);
    object["quote"] = dialect.quote == 0 ? std::string() : std::string(1, dialect.quote);
    object["escape"] = dialect.escape == 0 ? std::string() : std::string(1, dialect.escape);
    object["line_end"] = dialect.line_end == '\r' ? "CR" : "LF";
    object["comment"] = dialect.comment == 0 ? std::string() : std::string(1, dialect.comment);
    object["preamble_lines"] = dialect.preamble_lines;
    object["header_records"] = dialect.header_records;
    object["certainty"] = table.certainty;
    object["runner_up"] = table.runner_up;
    object["records_of_other_width"] = table.other_widths;
  }
  const auto uses = uses_of(shown);
  if (sniffed.format == Format::kCsv || !table.columns.empty()) {
    object["sample_records"] = table.records;
    object["sample_is_whole"] = shown.is_whole;
    boost::json::array columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const SniffedColumn& column = table.columns[i];
      boost::json::array notes;
      for (const std::string& note : notes_of_column(column, i, uses)) notes.emplace_back(valid_utf8(note));
      boost::json::array examples;
      for (const std::string& example : column.examples) examples.emplace_back(valid_utf8(example));
      columns.push_back({{"number", i + 1},
                         {"name", valid_utf8(column.name)},
                         {"type", std::string(type_name(column.type))},
                         {"values", column.values},
                         {"missing", column.missing},
                         {"odd", column.odd},
                         {"examples", examples},
                         {"notes", notes},
                         {"use", uses ? (*uses)[i] : ""}});
    }
    object["columns"] = std::move(columns);
  }
  boost::json::array records;
  for (const auto& record : first_records(shown)) {
    boost::json::array fields;
    for (const std::string& field : record) fields.emplace_back(valid_utf8(field));
    records.push_back(std::move(fields));
  }
  object["first_records"] = std::move(records);
  if (!uses) object["refused"] = valid_utf8(uses.error().message);
  return boost::json::serialize(object) + '\n';
}

// Reads on to the end, and writes each record.
Status write_rows(InputSource& input, const Sniffed& sniffed) {
  const SniffedTable& table = sniffed.table;
  std::string out;
  if (!table.first_names.empty()) {
    std::vector<std::string_view> names;
    for (const SniffedColumn& column : table.columns) names.push_back(column.name);
    append_record(names, out);
  }
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  TableRows rows(table.dialect, sniffed.encoding, sniffed.mark);
  std::string bytes(kPiece, '\0');
  for (bool is_end = false; !is_end;) {
    GLIMPSE_TRY_ASSIGN(const auto count, input.read(bytes));
    if (!count) continue;
    is_end = *count == 0;
    rows.read(std::string_view(bytes).substr(0, *count), is_end, [&](const auto& fields) {
      append_record(fields, out);
      return true;
    });
    GLIMPSE_TRY(write_out(out));
    out.clear();
  }
  if (std::fflush(stdout) != 0)
    return failure(ErrorCode::kSystem, "standard output: {}", std::strerror(errno));
  return {};
}

}  // namespace

Status print_as_read(const Configuration& configuration, FileSystem& files, DryRun what) {
  Configuration c = configuration;
  const std::string path = c.inputs.empty() ? "-" : c.inputs.front();
  GLIMPSE_TRY_ASSIGN(const auto input, InputSource::open(path));
  const SampleLimits limits = input->is_regular() ? c.sample : limits_of_messages(c);
  const auto read = input->is_regular() ? read_first_records : read_first_messages;
  FormatOptions options;
  options.table = c.table;
  options.absent = c.absent;
  options.dimension = c.learner.dimension;
  Shown shown;
  shown.name = input->name();
  Sniffed& sniffed = shown.sniffed;
  GLIMPSE_TRY(input->look_ahead(
      limits.bytes + c.max_line_bytes, [&](std::string_view bytes, bool is_whole) -> Result<bool> {
        if (c.decided) {
          const std::string_view sample = sample_of(bytes, limits);
          if (sample.empty() && !is_whole) return false;
          shown.is_whole = is_whole && (sample.empty() || sample.size() == bytes.size());
          if (!shown.is_whole) bytes = sample;
          TableHints hints = hints_of(c.table);
          hints.encoding = c.decided->dialect.encoding;
          GLIMPSE_TRY_ASSIGN(sniffed, sniff(bytes, shown.is_whole, c.format, hints));
          append_as_utf8(bytes.substr(sniffed.mark), sniffed.encoding, shown.text);
          show_decided(*c.decided, sniffed.table);
          shown.learned = records_of_form(*c.decided, c.table);
          return true;
        }
        shown.learned = read(bytes, is_whole, c.format, options, limits, c.categories, &sniffed);
        const bool is_decided = !shown.learned || *shown.learned || is_whole;
        if (!is_decided) return false;
        const bool is_text = c.format != Format::kF32 && c.format != Format::kNpy;
        if (!shown.learned && sniffed.bytes == 0 && is_text) return shown.learned.error();
        shown.is_whole = is_whole && sniffed.bytes == bytes.size();
        append_as_utf8(bytes.substr(sniffed.mark, sniffed.bytes - sniffed.mark), sniffed.encoding,
                       shown.text);
        return true;
      }));
  if (what == DryRun::kRows && shown.sniffed.format != Format::kCsv)
    return failure(ErrorCode::kInvalidInput,
                   "--rows: {} is {}, and rows are printed of tables: --dry-run describes it", shown.name,
                   name_of(shown.sniffed.format));
  if (!c.schema_file.empty() && !c.decided) {
    GLIMPSE_TRY(shown.learned);
    TableSchema schema = schema_of(c);
    if (*shown.learned) schema.form = (*shown.learned)->decided_form();
    if (!is_of_table(schema.form))
      return failure(ErrorCode::kInvalidInput, "--schema {}: {} shows no table", c.schema_file, shown.name);
    GLIMPSE_TRY(write_schema_file(c, files, schema));
  }
  if (what == DryRun::kRows) return write_rows(*input, shown.sniffed);
  GLIMPSE_TRY(write_out(what == DryRun::kJson ? as_json(shown) : as_text(shown)));
  return std::fflush(stdout) == 0 ? Status()
                                  : failure(ErrorCode::kSystem, "standard output: {}", std::strerror(errno));
}

}  // namespace glimpse
