#include "daemon/ingest/first_line.h"

#include "data/text/text.h"

namespace glimpse {

namespace {

// In front of a version stands a blank, or the beginning of the line.
constexpr std::string_view kName = " http/";

bool is_line_blank(char c) { return is_blank(c) || c == '\v' || c == '\f'; }
bool is_text(char c) { return (c >= ' ' && c <= '~') || is_line_blank(c) || c == '\n'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

FirstLine::Verdict FirstLine::add(std::string_view bytes) {
  for (const char c : bytes) {
    if (verdict_ != Verdict::kUnfinished) break;
    take(c);
  }
  return verdict_;
}

void FirstLine::take(char c) {
  if (!records_are_lines_ && (!is_text(c) || ++text_ > kMostText)) {
    verdict_ = Verdict::kRecords;
    return;
  }
  if ((c == '\n' || c == '\r') && may_end_) {
    verdict_ = Verdict::kHttp;
    return;
  }
  if (c == '\n' && !is_blank_) {
    verdict_ = Verdict::kRecords;
    return;
  }
  is_blank_ = is_blank_ && (is_line_blank(c) || c == '\n');
  match(c);
}

void FirstLine::match(char c) {
  if (is_line_blank(c) || c == '\n') {
    matched_ = 1;
    return;  // blanks behind a version leave it one
  }
  const bool in_version = matched_ >= kName.size();
  if (in_version && (is_digit(c) || (c == '.' && may_end_))) {
    may_end_ = is_digit(c);
    return;
  }
  may_end_ = false;
  const bool goes_on = !in_version && kName[matched_] == lower(c);
  matched_ = goes_on ? matched_ + 1 : 0;
}

}  // namespace glimpse
