#include "data/records/record_framer.h"

#include <algorithm>
#include <cstring>
#include <xxhash.h>

#include "data/records/npy_header.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

Error too_long(std::size_t limit) {
  return failure(ErrorCode::kTooLarge, "line is longer than the limit of {} bytes (--max-line)", limit);
}

bool may_be_of_several(std::string_view line, std::size_t question_fields) {
  const auto is_number = [](std::string_view text) {
    double number = 0;
    return read_number(text, number);
  };
  std::size_t fields = 0;
  const char* const end = line.data() + line.size();
  for (const char* at = line.data(); at != end; at = skip_blanks(at, end)) {
    const char* const begin = at;
    at = find_blank(at, end);
    const std::string_view field = between(begin, at);
    const std::size_t colon = std::min(field.rfind(':'), field.size());
    const bool is_feature = colon > 0 && colon < field.size() && !is_number(field.substr(0, colon)) &&
                            is_number(field.substr(colon + 1));
    if (fields++ == 0 ? !is_number(field) : !is_feature) return false;
  }
  return fields > 0 && question_fields > 0 && fields != question_fields;
}

// Whether each field of a line that begins with a quote ends with one, and no other field has any.
// RecordSplitter finds so as well, more slowly.
bool ends_quotes(std::string_view line, const Dialect& dialect) {
  if (dialect.escape != 0 || dialect.divides_by_runs || dialect.delimiter.size() != 1) return false;
  const char delimiter = dialect.delimiter[0];
  for (std::size_t at = line.find(dialect.quote); at != std::string_view::npos;
       at = line.find(dialect.quote, at + 1)) {
    if (at > 0 && line[at - 1] != delimiter) return false;
    at = line.find(dialect.quote, at + 1);
    while (at < line.size() && line.substr(at + 1).starts_with(dialect.quote))
      at = line.find(dialect.quote, at + 2);
    if (at == std::string_view::npos) return false;
    const std::string_view behind = line.substr(at + 1);
    if (!behind.empty() && behind[0] != delimiter && behind != "\r") return false;
  }
  return true;
}

}  // namespace

Framing Framing::table(std::shared_ptr<const Dialect> dialect, std::size_t max_line_bytes) {
  Framing framing(true, max_line_bytes);
  const bool is_wide = dialect->encoding == Encoding::kUtf16Le || dialect->encoding == Encoding::kUtf16Be;
  if (!is_wide && dialect->quote == 0 && dialect->line_end == '\n') return framing;
  framing.unit_ = is_wide ? 2 : 1;
  framing.dialect_ = std::move(dialect);
  return framing;
}

std::size_t Framing::find(char c, std::string_view text, std::size_t from) const {
  if (unit_ == 1) return text.find(c, from);
  const std::size_t place = dialect_->encoding == Encoding::kUtf16Le ? 0 : 1;  // of the byte that is not 0
  for (std::size_t at = text.find(c, from); at != std::string_view::npos; at = text.find(c, at + 1)) {
    if (at % 2 != place) continue;
    const std::size_t zero = place == 0 ? at + 1 : at - 1;
    if (zero < text.size() && text[zero] == '\0') return at - place;
  }
  return std::string_view::npos;
}

std::string Framing::end_of_line() const {
  std::string end(unit_, '\0');
  end[unit_ > 1 && dialect_->encoding == Encoding::kUtf16Be ? 1 : 0] = line_end();
  return end;
}

RecordFramer::RecordFramer(Framing framing, std::optional<std::uint64_t> left)
    : framing_(std::move(framing)), left_(left) {
  if (framing_.dialect() != nullptr)
    splitter_.emplace(*framing_.dialect(),
                      std::min(framing_.max_line_bytes(), RecordSplitter::kLongestRecord));
}

Opening opening_of(std::string_view text, std::size_t question_fields, bool is_whole) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 10;
  std::string_view first;
  for (text = without_mark(text); !text.empty();) {
    const std::size_t end = length_of_line(text);
    const std::string_view line = trimmed(text.substr(0, end));
    if (!first.empty() && static_cast<std::size_t>(text.data() - first.data()) + end > kMostBytes)
      return {first, false};
    if (end == text.size() && !is_whole) break;
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_blank_or_comment(line)) continue;
    if (!may_be_of_several(line, question_fields)) return {line, false};
    if (first.empty()) first = line;
  }
  return {{}, !first.empty()};
}

// Whole lines could be found by looking for every newline from the front. But the last newline is all that is
// needed, and the limit helps to check the lines before it without visiting each: from the beginning of a
// line, step `limit` + 1 bytes ahead and look backwards for a newline. If there is none, this line is too
// long; if there is, no line up to it can be, and it is the next place to step from. For lines much shorter
// than the limit this reads one line in every limit + 1 bytes.
Result<std::size_t> RecordFramer::whole_lines(std::string_view bytes) {
  const std::size_t limit = framing_.max_line_bytes();
  std::size_t line = 0;                                  // where the line begins from which to step
  std::size_t clean = std::min(scanned_, bytes.size());  // up to here there is no newline behind `line`
  for (;;) {
    const bool reaches_end = bytes.size() - line <= limit;
    const std::size_t ahead = reaches_end ? bytes.size() : line + limit + 1;
    const void* newline = ahead > clean ? ::memrchr(bytes.data() + clean, '\n', ahead - clean) : nullptr;
    clean = std::max(clean, ahead);
    if (newline != nullptr) {
      line = static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data()) + 1;
      if (!reaches_end) continue;
    } else if (!reaches_end && line == 0) {
      scanned_ = clean;
      return too_long(limit);
    }
    scanned_ = clean - line;
    return line;
  }
}

Result<std::size_t> RecordFramer::whole_records(std::string_view bytes) {
  if (framing_.has_header() || (left_ == 0 && begins_npy_header(bytes))) {
    const auto header = npy_header_length(bytes);
    if (header && *header > 0) {
      framing_ = framing_.behind_header();
      left_ = npy_rows_bytes(bytes.substr(0, *header), framing_.row_bytes());
    }
    return header;
  }
  if (!framing_.is_lines()) {
    if (left_ == 0) left_.reset();  // none is: not the array's
    const std::uint64_t most = std::min<std::uint64_t>(bytes.size(), left_.value_or(bytes.size()));
    const auto whole = static_cast<std::size_t>(most - most % framing_.row_bytes());
    if (left_) *left_ -= whole;
    return whole;
  }
  if (framing_.question_fields() > 0) {
    const Opening opening = opening_of(bytes, framing_.question_fields(), false);
    if (opening.waits) return std::size_t{0};
    if (!opening.line.empty()) framing_ = framing_.at_once();
  }
  return splitter_ ? whole_table_records(bytes) : whole_lines(bytes);
}

Result<std::size_t> RecordFramer::whole_table_records(std::string_view bytes) {
  const std::size_t limit = framing_.max_line_bytes();
  const std::size_t unit = framing_.unit();
  // No record has ended where no line has.
  const std::size_t line_end = framing_.find(framing_.line_end(), bytes, scanned_ / unit * unit);
  if (line_end == std::string_view::npos && bytes.size() <= limit) {
    scanned_ = bytes.size();
    return 0;
  }
  has_quote_ = unit > 1 || framing_.line_end() != '\n' || framing_.has_quote(bytes);
  if (!has_quote_) {
    const auto lines = whole_lines(bytes);
    if (lines) taken_ += *lines;
    return lines;
  }
  std::size_t begin = 0;
  auto length = record_length(bytes, false, taken_);
  for (; length && *length <= limit; length = record_length(bytes.substr(begin), false, taken_ + begin))
    begin += *length + unit;
  const bool is_too_long = length.value_or(bytes.size() - begin) > limit;
  scanned_ = is_too_long ? 0 : bytes.size() - begin;
  if (is_too_long && begin == 0) return too_long(limit);
  taken_ += begin;
  return begin;
}

std::optional<std::size_t> RecordFramer::record_length(std::string_view text, bool is_whole,
                                                       std::uint64_t at) {
  const Encoding encoding = framing_.dialect()->encoding;
  const char line_end = framing_.line_end();
  const std::size_t mark = mark_length(text, encoding);
  const std::size_t line = framing_.find(line_end, text, mark);
  if (line == std::string_view::npos && !is_whole) return std::nullopt;
  const std::string_view first = text.substr(0, line);
  if (!framing_.has_quote(first) || (framing_.unit() == 1 && ends_quotes(first, *framing_.dialect())))
    return first.size();
  // Of UTF-16 twice as much is converted until the record is there.
  for (std::size_t size = framing_.unit() > 1 ? line : text.size();; size *= 2) {
    const std::size_t end = size < text.size() ? framing_.find(line_end, text, size) : size;
    const bool is_all = end >= text.size();
    std::string_view utf8 = text.substr(mark, is_all ? end : end + framing_.unit() - mark);
    if (framing_.unit() > 1) {
      utf8_.clear();
      append_as_utf8(utf8, encoding, utf8_);
      utf8 = utf8_;
    }
    const std::size_t length =
        splitter_->split(utf8, is_all && is_whole, framing_.unit() > 1 ? 0 : at + mark);
    if (length == 0 && is_all) return std::nullopt;
    if (length == 0) continue;
    if (utf8[length - 1] != line_end) return text.size();
    if (framing_.unit() == 1) return mark + length - 1;
    std::size_t at = line;
    for (auto lines = std::ranges::count(utf8.substr(0, length - 1), line_end); lines > 0; --lines)
      at = framing_.find(line_end, text, at + framing_.unit());
    return at;
  }
}

std::size_t length_of_records(std::string_view bytes, const Framing& framing, std::size_t least) {
  if (framing.has_header()) {
    const auto header = npy_header_length(bytes);
    return header && *header > 0 ? *header : bytes.size();
  }
  if (bytes.size() <= least) return bytes.size();
  if (framing.dialect() != nullptr) {
    RecordCursor cursor(bytes, framing);
    while (cursor.position() < least && cursor.next()) continue;
    return cursor.position();
  }
  if (framing.is_lines()) {
    const std::size_t begin = least - 1;
    return std::min(bytes.size(), begin + length_of_line(bytes.substr(begin)) + 1);
  }
  const std::size_t row = framing.row_bytes();
  return std::min(bytes.size(), (least + row - 1) / row * row);
}

std::size_t length_of_line(std::string_view text) {
  const void* newline = text.empty() ? nullptr : std::memchr(text.data(), '\n', text.size());
  return newline != nullptr ? static_cast<std::size_t>(static_cast<const char*>(newline) - text.data())
                            : text.size();
}

void RecordCursor::find_quote() {
  next_quote_ = std::min(block_.find(framer_.framing().dialect()->quote, position_), block_.size());
}

// Rows, and records that may go over lines.
std::string_view RecordCursor::take_record(std::string_view rest) {
  if (!framer_.framing().is_lines()) return take_row(rest);
  const std::size_t unit = framer_.framing().unit();
  const std::size_t length = *framer_.record_length(rest, true, position_);
  position_ += std::min(length + unit, rest.size());
  const std::string_view line = rest.substr(0, length);
  if (unit == 1) return line.substr(0, line.size() - static_cast<std::size_t>(line.ends_with('\r')));
  const std::size_t end = framer_.framing().find('\r', line, length - std::min(length, unit));
  return line.substr(0, end + unit == length ? end : length);
}

std::string_view RecordCursor::take_row(std::string_view rest) {
  const Framing& framing = framer_.framing();
  std::size_t length = framing.row_bytes();
  if (framing.has_header()) {
    const auto header = npy_header_length(rest);
    length = header && *header > 0 ? *header : rest.size();  // none, or cut short: the reader's to say
    framer_ = RecordFramer(framing.behind_header());
  }
  const std::string_view row = rest.substr(0, length);
  position_ += row.size();
  return row;
}

std::uint64_t contents_with(std::uint64_t before, std::string_view record) {
  return XXH3_64bits_withSeed(record.data(), record.size(), before);
}

}  // namespace glimpse
