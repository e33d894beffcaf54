#include "data/text/dialect.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

#include "data/text/arff.h"
#include "data/text/text.h"

namespace glimpse {

// The length of the delimiter that stands at `at`; 0: none does.
std::size_t RecordSplitter::delimiter_at(std::string_view text, std::size_t at) const {
  if (at >= text.size()) return 0;
  if (dialect_->divides_by_runs) {
    std::size_t end = at;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
    return end - at;
  }
  const std::string& delimiter = dialect_->delimiter;
  if (delimiter.empty() || text[at] != delimiter[0]) return 0;
  return text.compare(at, delimiter.size(), delimiter) == 0 ? delimiter.size() : 0;
}

bool RecordSplitter::is_padding(char c) const {
  if (c != ' ' && c != '\t') return false;
  return !dialect_->divides_by_runs && dialect_->delimiter != std::string_view(&c, 1);
}

// Whether a field may end at `at`, but for blanks: the delimiter, the end of the line or that of the text is
// there.
bool RecordSplitter::ends_field(std::string_view text, std::size_t at) const {
  while (at < text.size() && is_padding(text[at])) ++at;
  if (at >= text.size() || text[at] == dialect_->line_end) return true;
  return delimiter_at(text, at) > 0 || text.substr(at).starts_with("\r\n");
}

// Reads the field whose first quote is at `at`, and moves `at` behind its last. False: that quote is text.
bool RecordSplitter::read_quoted(std::string_view text, Rules rules, std::size_t& at) {
  const char quote = dialect_->quote;
  const std::size_t begin = at + 1;
  constexpr std::size_t kLong = 256;  // bytes of a field
  std::uint64_t last_escape = 0;
  auto& passed = passed_[rules.doubles_quotes ? 1 : 0];
  auto known = passed.end();
  bool may_be_known = !passed.empty();
  const auto note = [&](std::size_t end) {
    if (known == passed.end()) known = passed.emplace(at_ + begin, Passed()).first;
    known->second = {at_ + end, std::max(known->second.escape, last_escape)};
  };
  std::size_t last_quote = text.size();
  std::size_t i = begin;
  for (;; ++i) {
    if (may_be_known && i < text.size() && text[i] != quote) {
      may_be_known = false;
      const auto behind = passed.upper_bound(at_ + i);
      if (behind != passed.begin() && at_ + i < std::prev(behind)->second.end &&
          (!rules.may_open_in_vain || std::prev(behind)->second.end >= at_ + text.size())) {
        known = std::prev(behind);
        if (known->second.escape >= at_ + begin) last_escape = known->second.escape;
        i = static_cast<std::size_t>(known->second.end - at_);
      }
    }
    while (i < text.size() && text[i] != quote && (text[i] != dialect_->escape || dialect_->escape == 0)) ++i;
    if (i >= text.size()) {
      std::size_t end = i;
      if (last_quote < text.size()) {  // whose field may end yet
        std::size_t behind = last_quote + 1;
        while (behind < text.size() && is_padding(text[behind])) ++behind;
        if (behind + std::max<std::size_t>(2, dialect_->delimiter.size()) > text.size()) end = last_quote;
      }
      if (known == passed.end() || at_ + end > known->second.end) note(end);
      if (open_column_ == 0) open_column_ = fields_.size() + 1;
      return false;
    }
    if (text[i] == dialect_->escape && dialect_->escape != 0 && text[i] != quote) {
      last_escape = at_ + i;
      ++i;
      continue;
    }
    const bool is_pair = i + 1 < text.size() && text[i + 1] == quote;
    if (ends_field(text, i + 1)) {
      if (i - begin > kLong && !rules.may_open_in_vain) note(i);
      break;
    }
    if (is_pair && rules.doubles_quotes) {
      last_escape = at_ + i;
      ++i;
      continue;
    }
    last_quote = i;
    // ,"Great where the text before it seemed to be quoted: the quote before that was text.
    const bool opens = i > begin && delimiter_at(text, i - 1) > 0;
    if (rules.may_open_in_vain && opens) return false;
  }
  at = i + 1;
  std::string_view field = text.substr(begin, i - begin);
  has_escapes_ = has_escapes_ || last_escape > 0;
  if (last_escape > 0 && !keeps_escapes_) {
    const std::size_t copy = unescaped_.size();
    for (std::size_t c = 0; c < field.size(); ++c) {
      const bool is_pair =
          rules.doubles_quotes && field[c] == quote && c + 1 < field.size() && field[c + 1] == quote;
      const bool is_escape = dialect_->escape != 0 && field[c] == dialect_->escape && c + 1 < field.size() &&
                             (field[c + 1] == quote || field[c + 1] == dialect_->escape);
      if (is_pair || is_escape) ++c;
      unescaped_ += field[c];
    }
    field = std::string_view(unescaped_).substr(copy);
  }
  fields_.push_back(field);
  are_quoted_.push_back(true);
  return true;
}

// Divides the first record of `text`, behind which nothing comes, and returns its length.
std::size_t RecordSplitter::scan(std::string_view text, Rules rules) {
  fields_.clear();
  are_quoted_.clear();
  unescaped_.clear();
  has_escapes_ = false;
  open_column_ = 0;
  const char line_end = dialect_->line_end;
  const bool is_one = dialect_->delimiter.size() == 1 && !dialect_->divides_by_runs;
  const char first = is_one ? dialect_->delimiter[0] : line_end;
  std::size_t at = 0;
  if (dialect_->divides_by_runs)
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  for (;;) {
    while (at < text.size() && is_padding(text[at])) ++at;
    const bool opens =
        rules.has_quotes && dialect_->quote != 0 && at < text.size() && text[at] == dialect_->quote;
    if (!opens || !read_quoted(text, rules, at)) {
      std::size_t end = at;
      if (is_one)
        while (end < text.size() && text[end] != first && text[end] != line_end) ++end;
      else
        while (end < text.size() && text[end] != line_end && delimiter_at(text, end) == 0) ++end;
      fields_.push_back(trimmed(text.substr(at, end - at)));
      are_quoted_.push_back(false);
      at = end;
    }
    while (at < text.size() && (is_padding(text[at]) || (text[at] == '\r' && dialect_->line_end == '\n')))
      ++at;
    if (at >= text.size() || fields_.size() > most_fields_) return text.size();
    if (text[at] == dialect_->line_end) return at + 1;
    at += is_one ? 1 : std::max<std::size_t>(1, delimiter_at(text, at));
    if (dialect_->divides_by_runs && ends_field(text, at)) {
      while (at < text.size() && text[at] != dialect_->line_end) ++at;
      return std::min(at + 1, text.size());
    }
  }
}

std::size_t RecordSplitter::open_quote_of(std::string_view line) {
  forget();
  at_ = 1;  // 0 is no place of an escape
  unescaped_.reserve(line.size());
  scan(line, {});
  return open_column_;
}

std::size_t RecordSplitter::split(std::string_view text, bool is_whole, std::uint64_t at) {
  if (at == 0) forget();
  at_ = at + 1;  // 0 is no place of an escape
  for (auto& passed : passed_)
    while (!passed.empty() && passed.begin()->second.end <= at_) passed.erase(passed.begin());
  const std::size_t end = text.find(dialect_->line_end);
  if (end == std::string_view::npos && !is_whole) return 0;
  const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
  const std::string_view content = trimmed(text.substr(0, end));
  is_blank_ = content.empty() && (dialect_->delimiter != "\t" || line.find('\t') == std::string_view::npos);
  is_comment_ = dialect_->comment != 0 && content.starts_with(dialect_->comment);
  const bool is_arff = !dialect_->zeros.empty();
  is_comment_ = is_comment_ || (is_arff && ArffHeader::is_line(content));
  fields_.clear();
  are_quoted_.clear();
  if (is_blank_ || is_comment_) return line.size();
  if (is_arff) {
    status_ = split_arff_row(content, dialect_->zeros, unescaped_, fields_);
    are_quoted_.resize(fields_.size());
    return line.size();
  }
  unescaped_.reserve(std::min(text.size(), std::max(longest_, line.size())));
  const auto off = [this] {
    const std::size_t width = dialect_->width == 0 ? fields_.size() : dialect_->width;
    return fields_.size() > width ? fields_.size() - width : width - fields_.size();
  };
  std::string_view record = line;
  scan(line, {});
  if (open_column_ > 0) {
    const bool is_cut = text.size() < longest_ && !is_whole;
    const std::string_view longest = text.substr(0, std::max(longest_, line.size()));
    // With more fields the line alone is nearer to the width.
    most_fields_ = dialect_->width == 0 ? static_cast<std::size_t>(-1) : dialect_->width + off();
    keeps_escapes_ = true;
    const std::size_t length = scan(longest, {});
    keeps_escapes_ = false;
    const std::size_t most = std::exchange(most_fields_, static_cast<std::size_t>(-1));
    const bool has_too_many = open_column_ == 0 && fields_.size() > most;
    const bool is_end = length == text.size() && is_whole;
    const bool has_ended = open_column_ == 0 && fields_.size() <= most &&
                           (length < longest.size() || is_end || longest.ends_with(dialect_->line_end));
    if (!has_ended && is_cut && !has_too_many) return 0;
    if (has_ended) record = longest.substr(0, length);
    if (!has_ended || (has_escapes_ && off() == 0)) scan(record, {});
  }
  std::size_t least = off();
  if (least == 0 || dialect_->quote == 0 || line.find(dialect_->quote) == std::string_view::npos)
    return record.size();
  // Its quotes have their others, and those in fields are doubled: fields lack.
  std::ptrdiff_t quotes = 0;
  for (std::size_t i = 0; i < fields_.size(); ++i)
    quotes += are_quoted_[i] ? 2 + 2 * std::ranges::count(fields_[i], dialect_->quote) : 0;
  const bool is_sound = record.size() == line.size() && fields_.size() < dialect_->width &&
                        quotes == std::ranges::count(line, dialect_->quote);
  if (is_sound) return record.size();
  constexpr Rules kLessStrict[] = {
      {}, {.doubles_quotes = false}, {.may_open_in_vain = true}, {false, true, true}, {.has_quotes = false}};
  Rules best;
  for (const Rules rules : kLessStrict) {
    scan(line, rules);
    if (off() >= least) continue;
    least = off();
    best = rules;
    record = line;
    if (least == 0) return line.size();
  }
  scan(record, best);
  return record.size();
}

Status OpenQuote::take(std::string_view line) {
  const bool was_open = is_open();
  if (was_open) text_.assign(1, dialect_->quote).append(line);
  const std::size_t column = splitter_.open_quote_of(was_open ? text_ : line);
  if (!was_open && column == 0) return {};
  if (!was_open) column_ = column;
  lines_ = was_open ? lines_ + 1 : 0;
  bytes_ += line.size() + 1;
  if (column == 0 || bytes_ >= RecordSplitter::kLongestRecord) bytes_ = 0;
  return failure(
      ErrorCode::kInvalidInput,
      "{} column #{} {}: where each line is answered (--replies all) or counted (a named source), "
      "records over lines are read with --format csv and a table that is known, as by --schema FILE",
      lines_ == 0 ? "the quote of" : "a part of the record whose quote of", column_,
      lines_ == 0   ? "does not end in the line"
      : lines_ == 1 ? "opens a line before"
                    : fmt::format("opens {} lines before", lines_));
}

std::string one_line(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!text.substr(i).starts_with("\r\n")) line += text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
  return line;
}

void append_field(std::string_view field, bool is_line, std::string& to, char delimiter) {
  const auto is_special = [delimiter](char c) {
    return c == delimiter || c == '"' || c == '\r' || c == '\n';
  };
  if (!(is_line && field.starts_with('#')) && std::ranges::none_of(field, is_special)) {
    to += field;
    return;
  }
  to += '"';
  for (const char c : is_line ? one_line(field) : std::string(field)) to.append(c == '"' ? 2 : 1, c);
  to += '"';
}

bool RecordSplitter::has_delimiters_alone() const {
  return fields_.size() > 1 &&
         std::ranges::all_of(fields_, [](std::string_view field) { return field.empty(); });
}

namespace {

std::string escaped(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte > ' ' && byte < 0x7f && c != '\\' ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return shown;
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const bool is_escape = text[i] == '\\' && i + 3 < text.size();
    if (is_escape && std::from_chars(&text[i] + 2, &text[i] + 4, byte, 16).ec == std::errc()) i += 3;
    plain += is_escape ? static_cast<char>(byte) : text[i];
  }
  return plain;
}

}  // namespace

std::string text_of(const Dialect& dialect) {
  std::string text;
  Dialect::each_part(dialect, [&text](std::string_view name, const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (!std::is_same_v<Value, std::vector<std::string>>)
      text.append(text.empty() ? "" : " ").append(name).append("=");
    if constexpr (std::is_same_v<Value, std::vector<std::string>>)
      for (const std::string& each : value) text.append(" ").append(name).append("=").append(escaped(each));
    else if constexpr (std::is_same_v<Value, std::string>)
      text += escaped(value);
    else if constexpr (std::is_same_v<Value, char>)
      text += value == 0 ? std::string() : escaped({&value, 1});
    else if constexpr (std::is_same_v<Value, Encoding>)
      text += name_of(value);
    else
      text += fmt::format("{}", static_cast<std::size_t>(value));
  });
  return text;
}

std::optional<Dialect> dialect_of(std::string_view text) {
  Dialect dialect;
  bool is_sound = true;
  Dialect::each_part(dialect, [&](std::string_view name, auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    const std::string key = fmt::format(" {}=", name);
    const std::string blank_first = " " + std::string(text);
    const auto value_at = [&](std::size_t at) {
      const std::string_view rest = std::string_view(blank_first).substr(at + key.size());
      return unescaped(rest.substr(0, rest.find(' ')));
    };
    std::size_t at = blank_first.find(key);
    if (at == std::string_view::npos) return;
    const std::string plain = value_at(at);
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      for (; at != std::string_view::npos; at = blank_first.find(key, at + 1)) value.push_back(value_at(at));
    } else if constexpr (std::is_same_v<Value, std::string>) {
      value = plain;
    } else if constexpr (std::is_same_v<Value, char>) {
      value = plain.empty() ? '\0' : plain[0];
    } else if constexpr (std::is_same_v<Value, Encoding>) {
      const auto encoding = encoding_of(plain);
      is_sound = is_sound && encoding;
      value = encoding.value_or(Encoding::kUtf8);
    } else {
      std::size_t number = 0;
      is_sound =
          is_sound && std::from_chars(plain.data(), plain.data() + plain.size(), number).ec == std::errc();
      value = static_cast<Value>(number);
    }
  });
  return is_sound ? std::optional(std::move(dialect)) : std::nullopt;
}

}  // namespace glimpse
