#include "glimpsectl/input/piece_reading.h"

#include <algorithm>

#include "compression/decompressor.h"
#include "data/formats.h"
#include "glimpsectl/input/console.h"

namespace glimpse::ctl {

namespace {

// Of the first line that shows one; "auto": none does.
std::string format_of(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (const Format format = detect_format(line); format != Format::kAuto)
      return std::string(name_of(format));
  }
  return "auto";
}

// Line `number` of `text`, from 1, with its end; empty: there are fewer.
std::string line_of(std::string_view text, std::uint64_t number) {
  for (; number > 1 && !text.empty(); --number)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::string line(text.substr(0, text.find('\n')));
  if (!line.empty()) line += '\n';
  return line;
}

}  // namespace

Result<std::string> PieceReading::prepare(LineChunks::Chunk& piece) {
  if (is_untold_)
    return failure(
        ErrorCode::kInvalidInput,
        "this glimpsed is an older one, which does not tell whether the first row of a table is its "
        "header; only the first {} lines were sent: upgrade it, or send the table in files below "
        "1 MB, each with the header",
        piece.lines_before);
  std::string query = format_.empty() ? "" : "format=" + format_;
  if (format_ == "auto") format_ = format_of(piece.text);
  if (table_) {
    query += table_->header_line ? "&header=yes" : "&header=no";
    query += "&delimiter=" + as_query_value(table_->delimiter);
    piece.text.insert(0, header_);
  } else if (may_be_table()) {
    text_ = piece.text;
    lines_before_ = piece.lines_before;
  }
  // A server takes a body for a packed one by its first bytes, which a blank line hides.
  const bool seems_packed =
      piece.lines_before > 0 && header_.empty() && Decompressor::for_bytes(piece.text) != nullptr;
  if (seems_packed) piece.text.insert(0, "\n");
  const std::uint64_t first_line = piece.lines_before + (header_.empty() && !seems_packed ? 1 : 0);
  if (first_line > 1) query += fmt::format("{}first_line={}", query.empty() ? "" : "&", first_line);
  return query.empty() ? query : "?" + query;
}

Status PieceReading::note(const std::optional<TableReply>& table, bool has_examples) {
  if (table_ || !may_be_table()) return {};
  if (!table) {
    is_untold_ = has_examples && format_ == "csv";
    return {};
  }
  if (table->header_line) {
    const std::uint64_t line = *table->header_line;
    header_ = line > lines_before_ ? line_of(text_, line - lines_before_) : std::string();
    if (header_.empty())
      return failure(ErrorCode::kCorrupt, "it says that line {} is the header, which was not sent", line);
  }
  table_ = table;
  format_ = "csv";
  text_ = {};
  return {};
}

}  // namespace glimpse::ctl
