#include "glimpsectl/input/record_messages.h"

#include <algorithm>

#include "data/records/npy_header.h"

namespace glimpse::ctl {

namespace {

// How many bytes of `lines` make a message: up to the last newline that fits, else the first line.
std::size_t lines_of_message(std::string_view lines, std::size_t most) {
  // The newline at the end is not sent.
  if (lines.size() - 1 <= most) return lines.size();
  const std::size_t last = lines.rfind('\n', most);
  return (last == std::string_view::npos ? lines.find('\n', most) : last) + 1;
}

}  // namespace

std::string_view RecordMessages::take(std::string_view& records) {
  if (row_bytes_ == 0) {
    const std::size_t length = lines_of_message(records, most_);
    // Behind a line without content it stays, as a reader takes the last one for an end.
    const bool ends_empty = length > 1 && records[length - 2] == '\n';
    const std::string_view message = records.substr(0, ends_empty ? length : length - 1);
    records.remove_prefix(length);
    return message;
  }
  const std::size_t rows = std::clamp<std::size_t>(most_ / row_bytes_, 1, records.size() / row_bytes_);
  const std::string_view message = records.substr(0, rows * row_bytes_);
  records.remove_prefix(message.size());
  if (!as_npy_) return message;
  array_ = npy_header(rows, row_bytes_ / sizeof(float));
  array_ += message;
  return array_;
}

}  // namespace glimpse::ctl
