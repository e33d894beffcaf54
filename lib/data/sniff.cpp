#include "data/sniff.h"

#include <algorithm>
#include <utility>

#include "data/formats/csv_cells.h"
#include "data/text/foreign_file.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

bool is_number(std::string_view text) {
  double value = 0;
  return read_number(text, value);
}

// A label, an importance and a tag, as far as they are there, and then the bar of features, as VW text has
// them.
bool is_vw(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) return false;
  std::string_view head = trimmed(line.substr(0, bar));
  if (bar > 0 && !head.empty() && !is_blank(line[bar - 1]) && line[bar - 1] != '\'' && is_number(head))
    return false;
  for (std::size_t token = 0; !head.empty(); ++token) {
    const std::size_t end = std::min(head.find_first_of(" \t"), head.size());
    const std::string_view word = head.substr(0, end);
    head = trimmed(head.substr(end));
    const bool is_tag = head.empty() && (word.starts_with('\'') || token > 0);
    if (!is_number(word) && !is_tag) return false;
    if (token > 3) return false;
  }
  const std::string_view behind = line.substr(bar + 1);
  return behind.empty() || is_blank(behind.front()) || behind.find_first_of(" \t") != std::string_view::npos;
}

// A label and pairs of an index and a value; a label alone tells nothing.
bool is_svmlight(std::string_view line) {
  if (const std::size_t hash = line.find('#'); hash != std::string_view::npos) line = line.substr(0, hash);
  std::size_t pairs = 0;
  for (std::size_t token = 0; !(line = trimmed(line)).empty(); ++token) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    const std::size_t colon = word.find(':');
    std::uint64_t index = 0;
    const std::size_t last = word.rfind(':');  // LibFFM has field:index:value, which the reader refuses
    const bool is_pair = colon != std::string_view::npos && is_number(word.substr(last + 1)) &&
                         ((read_index(word.substr(0, colon), index) &&
                           (last == colon || read_index(word.substr(colon + 1, last - colon - 1), index))) ||
                          word.starts_with("qid:"));
    if (!is_pair && token > 0) return false;
    pairs += is_pair ? 1 : 0;
  }
  return pairs > 0;
}

// {"a": 1} or [1, 2], and not [name],[other].
bool is_json(std::string_view line) {
  if (line.empty() || (line[0] != '{' && line[0] != '[')) return false;
  const std::string_view inner = trimmed(line.substr(1));
  if (inner.empty()) return true;
  if (line[0] == '{') return inner[0] == '"' || inner[0] == '}' || inner[0] == '\'';
  return is_digit(inner[0]) || std::string_view("-{[]\"").find(inner[0]) != std::string_view::npos ||
         inner.starts_with("null");
}

// The format of most of the first lines; tables are what is none of the others.
Format format_of(std::string_view text) {
  constexpr std::size_t kLines = 100;
  std::size_t lines = 0;
  std::size_t vw = 0;
  std::size_t svmlight = 0;
  std::size_t labels = 0;
  while (!text.empty() && lines < kLines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_blank_or_comment(line)) continue;
    if (lines == 0 && is_json(line)) return Format::kNdjson;
    ++lines;
    if (is_vw(line))
      ++vw;
    else if (is_svmlight(line))
      ++svmlight;
    else if (is_number(line))
      ++labels;
  }
  if (2 * vw > lines) return Format::kVw;
  return svmlight > 0 && 2 * (svmlight + labels) > lines ? Format::kSvmlight : Format::kCsv;
}

}  // namespace

TableHints hints_of(const TableOptions& options) {
  TableHints hints;
  hints.missing = options.missing;
  hints.encoding = options.encoding;
  if (options.delimiter != 0) hints.delimiter = std::string(1, options.delimiter);
  if (options.header != HeaderChoice::kAuto) hints.has_header = options.header == HeaderChoice::kYes;
  for (const auto& [option, choice] : options.choices())
    if (choice->kind == ColumnChoice::Kind::kName) hints.column_names.push_back(choice->name);
  return hints;
}

std::string_view sample_of(std::string_view beginning, const SampleLimits& limits) {
  const std::string_view most = beginning.substr(0, limits.bytes);
  std::size_t end = 0;
  for (std::size_t line = 0; line <= limits.records; ++line) {
    const std::size_t next = most.find('\n', end);
    if (next == std::string_view::npos) return most.size() < limits.bytes ? std::string_view() : most;
    end = next + 1;
  }
  return most.substr(0, end);
}

Format sniff_format(std::string_view sample) {
  const Encoding encoding = detect_encoding(sample);
  if (encoding == Encoding::kUtf8) return format_of(sample.substr(mark_length(sample, encoding)));
  std::string text;
  append_as_utf8(sample.substr(mark_length(sample, encoding)), encoding, text);
  return format_of(text);
}

Result<Sniffed> sniff(std::string_view sample, bool is_whole, Format format, const TableHints& hints) {
  Sniffed sniffed;
  sniffed.encoding = hints.encoding.value_or(detect_encoding(sample));
  const bool is_wide = sniffed.encoding == Encoding::kUtf16Le || sniffed.encoding == Encoding::kUtf16Be;
  if (format == Format::kAuto || format == Format::kCsv)
    if (std::string foreign = foreign_file(sample);
        !foreign.empty() && !is_wide && !sample.starts_with("sep="))
      return Error{ErrorCode::kInvalidInput, std::move(foreign)};
  sniffed.mark = mark_length(sample, sniffed.encoding);
  std::string converted;
  std::string_view text = sample.substr(sniffed.mark);
  text = text.substr(0, whole_characters(text, sniffed.encoding));
  if (sniffed.encoding != Encoding::kUtf8) {
    append_as_utf8(text, sniffed.encoding, converted);
    text = converted;
  }
  sniffed.format = format == Format::kAuto ? format_of(text) : format;
  if (sniffed.format != Format::kCsv) return sniffed;
  sniffed.table = sniff_table(text, is_whole, hints);
  sniffed.table.dialect.encoding = sniffed.encoding;
  return sniffed;
}

}  // namespace glimpse
