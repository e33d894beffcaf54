#include "data/text/arff.h"

#include <algorithm>
#include <cctype>

#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

std::string lower_case(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

// Takes a value, which ends in front of one of `ends`, with the blanks around it. Nothing is appended to
// `room` of a value without quotes. False: its quote does not end.
bool take_value(std::string_view& rest, std::string_view ends, std::string& room, std::string_view& value) {
  rest = trimmed(rest);
  if (!rest.starts_with('\'') && !rest.starts_with('"')) {
    value = rest.substr(0, rest.find_first_of(ends));
    rest = trimmed(rest.substr(value.size()));
    value = trimmed(value);
    return true;
  }
  const std::size_t begin = room.size();
  std::size_t at = 1;
  for (; at < rest.size() && rest[at] != rest[0]; ++at) {
    const bool is_escape = rest[at] == '\\' && at + 1 < rest.size();
    if (is_escape) ++at;
    const bool is_line_end = is_escape && (rest[at] == 'n' || rest[at] == 'r' || rest[at] == 't');
    room += is_line_end ? ' ' : rest[at];
  }
  value = std::string_view(room).substr(begin);
  const bool ends_quote = at < rest.size();
  rest = trimmed(rest.substr(std::min(at + 1, rest.size())));
  return ends_quote;
}

// "name type" of @attribute.
Result<ArffAttribute> read_attribute(std::string_view rest) {
  ArffAttribute attribute;
  std::string room;
  std::string_view value;
  if (!take_value(rest, " \t{", room, value) || value.empty() || rest.empty())
    return failure(ErrorCode::kInvalidInput,
                   "@attribute needs a name, which stands in quotes where it has blanks, and a type");
  attribute.name = value;
  if (rest[0] == '{') {
    attribute.type = ArffAttribute::Type::kWord;
    rest.remove_prefix(1);
    if (!take_value(rest, ",}", room, value) || rest.find('}') == std::string_view::npos)
      return failure(ErrorCode::kInvalidInput, "the values of {} do not end with }}",
                     in_quotes(attribute.name));
    attribute.zero = value;
    return attribute;
  }
  const std::string word(rest.substr(0, rest.find_first_of(" \t[%")));
  const std::string type = lower_case(word);
  if (type == "numeric" || type == "real" || type == "integer") return attribute;
  if (type == "string") {
    attribute.type = ArffAttribute::Type::kWord;
    attribute.zero.clear();
    return attribute;
  }
  if (type != "date")
    return failure(ErrorCode::kInvalidInput,
                   "{} has the type {}: numeric, real, integer, string, date and {{values}} are read",
                   in_quotes(attribute.name), in_quotes(word));
  attribute.type = ArffAttribute::Type::kDate;
  attribute.is_day_first = rest.find("dd") < rest.find("MM");
  attribute.zero = "1970-01-01";
  return attribute;
}

Status split_sparse(std::string_view line, std::string& room, std::vector<std::string_view>& fields) {
  std::string_view rest = trimmed(line.substr(1));
  std::uint64_t least = 0;  // indices ascend
  while (!rest.starts_with('}')) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t,}"));
    rest.remove_prefix(word.size());
    std::uint64_t index = 0;
    if (!read_index(word, index) || index < least || index >= fields.size())
      return failure(
          ErrorCode::kInvalidInput,
          "a sparse row has {{index value, …}} with indices that ascend from 0 to {}, and {} is none",
          fields.size() - 1, in_quotes(word));
    least = index + 1;
    if (!take_value(rest, ",}", room, fields[index]) || rest.empty())
      return failure(ErrorCode::kInvalidInput, "the sparse row does not end with }}");
    if (rest[0] == ',') rest = trimmed(rest.substr(1));
  }
  return trimmed(rest.substr(1)).empty()
             ? Status()
             : failure(ErrorCode::kInvalidInput, "text behind the sparse row: weights of rows are not read");
}

bool split_dense(std::string_view rest, std::string_view ends, std::string& room,
                 std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    if (!take_value(rest, ends, room, fields.emplace_back())) return false;
    if (rest.empty()) return true;
    if (rest[0] == ',')
      rest.remove_prefix(1);
    else if (ends.size() == 1)
      return false;  // text behind a quote
  }
}

}  // namespace

bool ArffHeader::is_line(std::string_view line) {
  if (!line.starts_with('@')) return false;
  const std::string word = lower_case(line.substr(0, line.find_first_of(" \t\r\n")));
  return word == "@relation" || word == "@attribute" || word == "@data" || word == "@end";
}

bool ArffHeader::begins(std::string_view text) {
  for (;;) {
    const std::size_t end = text.find_first_of("\r\n");
    const std::string_view line = trimmed(text.substr(0, end));
    if ((!line.empty() && line[0] != '%') || end == std::string_view::npos) return is_line(line);
    text.remove_prefix(end + 1);
  }
}

Result<ArffHeader> ArffHeader::read(std::string_view text) {
  ArffHeader header;
  const char end_of_line = text.find('\n') != std::string_view::npos ? '\n' : '\r';
  for (std::size_t number = 1; !text.empty() && !header.is_whole(); ++number) {
    const std::string_view line = text.substr(0, text.find(end_of_line));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (const Status status = header.take(line); !status)
      return failure(ErrorCode::kInvalidInput, "line {}: {}", number, status.error().message);
  }
  if (!header.is_whole())
    return failure(
        ErrorCode::kInvalidInput,
        "the ARFF header has {} attributes and no @data behind them: a sample (--sample-bytes) has all of it",
        header.attributes().size());
  return header;
}

Status ArffHeader::take(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line[0] == '%') return {};
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  const std::string keyword = lower_case(word);
  if (keyword == "@relation") {
    *this = {};
  } else if (keyword == "@attribute") {
    GLIMPSE_TRY_ASSIGN(auto attribute, read_attribute(line.substr(word.size())));
    attributes_.push_back(std::move(attribute));
  } else if (keyword != "@data" || attributes_.empty()) {
    return failure(
        ErrorCode::kInvalidInput,
        "an ARFF header has lines of @relation, @attribute NAME TYPE and then @data, and this is {}",
        in_quotes(line));
  } else {
    is_whole_ = true;
  }
  return {};
}

Status split_arff_row(std::string_view line, const std::vector<std::string>& zeros, std::string& room,
                      std::vector<std::string_view>& fields) {
  line = trimmed(line);
  room.clear();
  room.reserve(2 * line.size());  // no view into it moves
  fields.assign(zeros.begin(), zeros.end());
  Status status;
  if (line.starts_with('{')) {
    status = split_sparse(line, room, fields);
  } else {
    bool is_fine = split_dense(line, ",", room, fields);
    const bool has_weight = fields.size() == zeros.size() + 1 && fields.back().starts_with('{');
    if (!is_fine || fields.size() != zeros.size()) {
      std::vector<std::string_view> by_blanks;
      if (split_dense(line, ", \t", room, by_blanks) && by_blanks.size() == zeros.size()) {
        fields = std::move(by_blanks);
        is_fine = true;
      }
    }
    if (!is_fine)
      status = failure(ErrorCode::kInvalidInput,
                       "a value in quotes ends with the quote that it begins with, in front of a comma; a "
                       "quote in it has \\ in front");
    else if (has_weight)
      status =
          failure(ErrorCode::kInvalidInput, "weights of rows, as {}, are not read", in_quotes(fields.back()));
  }
  if (!status) fields.assign(1, line);
  return status;
}

}  // namespace glimpse
