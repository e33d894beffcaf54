#include "data/formats/csv_fields.h"

#include <algorithm>

#include "data/text/text.h"

namespace glimpse {

namespace {

bool is_padding(char c, char delimiter) { return is_blank(c) && c != delimiter; }

}  // namespace

// Adds the field whose first quote is at `at`, and moves `at` behind its last. False when there is no last.
bool CsvFields::read_quoted(std::string_view record, std::size_t& at) {
  const std::size_t begin = at + 1;
  std::size_t end = record.find('"', begin);
  bool has_pairs = false;
  while (end != std::string_view::npos && record.substr(end).starts_with("\"\"")) {
    has_pairs = true;
    end = record.find('"', end + 2);
  }
  if (end == std::string_view::npos) return false;
  at = end + 1;
  std::string_view text = record.substr(begin, end - begin);
  if (has_pairs) {
    const std::size_t copy = unescaped_.size();
    for (std::size_t i = 0; i < text.size(); ++i) {
      unescaped_ += text[i];
      if (text[i] == '"') ++i;
    }
    text = std::string_view(unescaped_).substr(copy);
  }
  fields_.push_back(text);
  return true;
}

Status CsvFields::split(std::string_view record, char delimiter, std::size_t most) {
  fields_.clear();
  unescaped_.clear();
  unescaped_.reserve(record.size());
  std::size_t at = 0;
  for (;;) {
    if (fields_.size() == most)
      return failure(ErrorCode::kInvalidInput, "the row has more than {} fields", most);
    while (at < record.size() && is_padding(record[at], delimiter)) ++at;
    if (at == record.size() || record[at] != '"') {
      const std::size_t end = std::min(record.find(delimiter, at), record.size());
      fields_.push_back(trimmed(record.substr(at, end - at)));
      at = end;
    } else {
      if (!read_quoted(record, at)) {
        return failure(ErrorCode::kInvalidInput,
                       "the quote of field {} does not end: fields that go over lines are not read",
                       fields_.size() + 1);
      }
      while (at < record.size() && is_padding(record[at], delimiter)) ++at;
      if (at < record.size() && record[at] != delimiter) {
        return failure(ErrorCode::kInvalidInput, "field {} has text behind its quotes: {}", fields_.size(),
                       quoted(record.substr(at)));
      }
    }
    if (at >= record.size()) return {};
    ++at;  // the delimiter; a record that ends with one has an empty field behind it
  }
}

}  // namespace glimpse
