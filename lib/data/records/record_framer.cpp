#include "data/records/record_framer.h"

#include <algorithm>
#include <cstring>

#include "data/records/npy_header.h"

namespace glimpse {

namespace {

Error too_long(std::size_t limit) {
  return failure(ErrorCode::kTooLarge, "line is longer than the limit of {} bytes (--max-line)", limit);
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

RecordFramer::RecordFramer(Framing framing) : framing_(std::move(framing)) {
  if (framing_.dialect() != nullptr)
    splitter_.emplace(*framing_.dialect(),
                      std::min(framing_.max_line_bytes(), RecordSplitter::kLongestRecord));
}

// Whole lines could be found by looking for every newline from the front. But the last newline is all that is
// needed, and the limit helps to check the lines before it without visiting each: from the beginning of a
// line, step `limit` + 1 bytes ahead and look backwards for a newline. If there is none, this line is too
// long; if there is, no line up to it can be, and it is the next place to step from. For lines much shorter
// than the limit this reads one line in every limit + 1 bytes.
//
// `clean`: up to there is no newline.
Result<std::size_t> RecordFramer::whole_lines(std::string_view bytes, std::size_t clean) {
  const std::size_t limit = framing_.max_line_bytes();
  std::size_t line = 0;                   // where the line begins from which to step
  clean = std::min(clean, bytes.size());  // up to here there is no newline behind `line`
  for (;;) {
    const bool reaches_end = bytes.size() - line <= limit;
    const std::size_t ahead = reaches_end ? bytes.size() : line + limit + 1;
    const void* newline =
        ahead > clean ? ::memrchr(bytes.data() + clean, framing_.line_end(), ahead - clean) : nullptr;
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
  if (framing_.has_header()) {
    const auto header = npy_header_length(bytes);
    if (header && *header > 0) framing_ = framing_.behind_header();
    return header;
  }
  if (!framing_.is_lines()) return bytes.size() - bytes.size() % framing_.row_bytes();
  return splitter_ ? whole_table_records(bytes) : whole_lines(bytes, scanned_);
}

// Lines in front of the next quote are found as whole_lines() does, the record with the quote by itself.
Result<std::size_t> RecordFramer::whole_table_records(std::string_view bytes) {
  const std::size_t limit = framing_.max_line_bytes();
  const std::size_t unit = framing_.unit();
  has_quote_ = false;
  const std::size_t begin_unit = scanned_ - scanned_ % unit;
  if (bytes.size() <= limit &&
      framing_.find(framing_.line_end(), bytes, begin_unit) == std::string_view::npos) {
    scanned_ = bytes.size();
    return 0;
  }
  std::size_t begin = 0;
  bool is_too_long = false;
  while (begin < bytes.size()) {
    std::string_view rest = bytes.substr(begin);
    if (unit == 1) {
      const std::size_t quote = rest.find(framing_.dialect()->quote);
      const bool has_quotes = framing_.dialect()->quote != 0 && quote != std::string_view::npos;
      const auto lines = whole_lines(has_quotes ? rest.substr(0, quote) : rest, 0);
      is_too_long = !lines;
      if (lines) begin += *lines;
      if (is_too_long || !has_quotes) break;
      rest = bytes.substr(begin);
    }
    const std::size_t length = record_length(rest, false);
    is_too_long = (length > 0 ? length - unit : rest.size()) > limit;
    if (length == 0 || is_too_long) break;
    has_quote_ = true;
    begin += length;
  }
  scanned_ = is_too_long ? 0 : bytes.size() - begin;
  if (is_too_long && begin == 0) return too_long(limit);
  return begin;
}

std::size_t RecordFramer::record_length(std::string_view text, bool is_whole) {
  if (framing_.dialect() == nullptr) return std::min(length_of_line(text) + 1, text.size());
  const std::size_t mark = mark_length(text, framing_.dialect()->encoding);
  text.remove_prefix(mark);
  const std::size_t end = framing_.find(framing_.line_end(), text);
  if (end == std::string_view::npos && !is_whole) return 0;
  std::size_t line = end == std::string_view::npos ? text.size() : end + framing_.unit();
  if (framing_.has_quote(text.substr(0, line))) line = quoted_length(text, line, is_whole);
  return line == 0 && !text.empty() ? 0 : mark + line;
}

// `line`: the length of the first line. Of UTF-16 twice as many lines are converted until the record is
// there.
std::size_t RecordFramer::quoted_length(std::string_view text, std::size_t line, bool is_whole) {
  if (framing_.unit() == 1) return splitter_->split(text, is_whole);
  for (std::size_t size = line;;) {
    utf8_.clear();
    append_as_utf8(text.substr(0, size), framing_.dialect()->encoding, utf8_);
    const bool is_all = size == text.size();
    const std::size_t length = splitter_->split(utf8_, is_all && is_whole);
    if (length == 0 && is_all) return 0;
    const char line_end = framing_.line_end();
    if (length > 0) {
      auto lines = std::ranges::count(std::string_view(utf8_).substr(0, length), line_end);
      std::size_t end = 0;
      for (; lines > 0; --lines) end = framing_.find(line_end, text, end) + framing_.unit();
      return utf8_[length - 1] == line_end ? end : size;
    }
    const std::size_t next = framing_.find(line_end, text, std::min(2 * size, text.size()));
    size = next == std::string_view::npos ? text.size() : next + framing_.unit();
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

// Whether the next line, of this length, holds no quote.
bool RecordCursor::ends_plain(std::size_t length) {
  const Dialect* const dialect = framer_.framing().dialect();
  if (dialect == nullptr) return true;
  if (next_quote_ < position_ || (next_quote_ == 0 && position_ == 0))
    next_quote_ = std::min(block_.find(dialect->quote, position_), block_.size());
  return position_ + length <= next_quote_;
}

std::string_view RecordCursor::take_line(std::string_view rest, std::size_t length) {
  position_ += length < rest.size() ? length + 1 : length;
  if (length > 0 && rest[length - 1] == '\r') --length;
  return rest.substr(0, length);
}

std::string_view RecordCursor::take_table_record(std::string_view rest) {
  const Framing& framing = framer_.framing();
  std::string_view record = rest.substr(0, framer_.record_length(rest, true));
  position_ += record.size();
  for (const char end : {'\n', '\r'}) {
    if (end == '\n' && framing.line_end() != end) continue;
    const std::size_t last = record.size() - std::min(record.size(), framing.unit());
    if (framing.find(end, record, last) != std::string_view::npos) record = record.substr(0, last);
  }
  return record;
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

}  // namespace glimpse
