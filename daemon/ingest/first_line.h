#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace glimpse {

/// Tells a request of HTTP from records by its first line, which ends in a blank and HTTP/x.y, whatever its
/// first word is. A web page could make a browser send such a request, with records as its body. Lines of
/// nothing but blanks do not count. Lower case, blanks behind the version and a line that ends with CR alone
/// make no difference, as a client that is no browser may be as careless.
///
/// Rows have no lines: there the first byte that cannot stand in a line of text, or kMostText bytes without
/// the end of a line, show that rows have come. Every byte is looked at once. Thread-safety: none.
class FirstLine {
 public:
  static constexpr std::size_t kMostText = std::size_t{64} << 10;  ///< bytes, where records are rows

  enum class Verdict : std::uint8_t { kUnfinished, kRecords, kHttp };

  explicit FirstLine(bool records_are_lines) : records_are_lines_(records_are_lines) {}

  /// `bytes` follow those that were given before. Once it is known, the verdict stays.
  Verdict add(std::string_view bytes);
  Verdict verdict() const { return verdict_; }
  bool records_are_lines() const { return records_are_lines_; }
  /// No more bytes come, or none are waited for: what is unfinished is records.
  void give_up() {
    if (verdict_ == Verdict::kUnfinished) verdict_ = Verdict::kRecords;
  }

 private:
  void take(char c);
  void match(char c);

  const bool records_are_lines_;
  Verdict verdict_ = Verdict::kUnfinished;
  bool is_blank_ = true;     // the line so far
  bool may_end_ = false;     // the line so far ends in a version, perhaps with blanks behind it
  std::size_t matched_ = 1;  // characters of " HTTP/" that the line ends in; it begins as behind a blank
  std::size_t text_ = 0;     // bytes so far
};

}  // namespace glimpse
