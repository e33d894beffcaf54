#include "data/records/record_framer.h"

#include <algorithm>
#include <cstring>

#include "data/records/npy_header.h"

namespace glimpse {

// Whole lines could be found by looking for every newline from the front. But the last newline is all that is
// needed, and the limit helps to check the lines before it without visiting each: from the beginning of a
// line, step `limit` + 1 bytes ahead and look backwards for a newline. If there is none, this line is too
// long; if there is, no line up to it can be, and it is the next place to step from. For lines much shorter
// than the limit this reads one line in every limit + 1 bytes.
Result<std::size_t> RecordFramer::whole_records(std::string_view bytes) {
  if (framing_.has_header()) {
    const auto header = npy_header_length(bytes);
    if (header && *header > 0) framing_ = framing_.behind_header();
    return header;
  }
  if (!framing_.is_lines()) return bytes.size() - bytes.size() % framing_.row_bytes();

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
      return failure(ErrorCode::kTooLarge, "line is longer than the limit of {} bytes (--max-line)", limit);
    }
    scanned_ = clean - line;
    return line;
  }
}

std::size_t length_of_records(std::string_view bytes, const Framing& framing, std::size_t least) {
  if (framing.has_header()) {
    const auto header = npy_header_length(bytes);
    return header && *header > 0 ? *header : bytes.size();
  }
  if (bytes.size() <= least) return bytes.size();
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

std::string_view RecordCursor::take_line(std::string_view rest, std::size_t length) {
  position_ += length < rest.size() ? length + 1 : length;
  if (length > 0 && rest[length - 1] == '\r') --length;
  return rest.substr(0, length);
}

std::string_view RecordCursor::take_row(std::string_view rest) {
  std::size_t length = framing_.row_bytes();
  if (framing_.has_header()) {
    const auto header = npy_header_length(rest);
    length = header && *header > 0 ? *header : rest.size();  // none, or cut short: the reader's to say
    framing_ = framing_.behind_header();
  }
  const std::string_view row = rest.substr(0, length);
  position_ += row.size();
  return row;
}

}  // namespace glimpse
