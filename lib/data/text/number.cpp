#include "data/text/number.h"

#include <cmath>
#include <cstring>
#include <fast_float/fast_float.h>
#include <limits>
#include <system_error>

#include "data/text/short_decimal.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

bool read_any_decimal(const char* begin, const char* end, double& value) {
  if (begin != end && *begin == '+') {
    ++begin;
    if (begin != end && *begin == '-') return false;
  }
  const auto [at, code] = fast_float::from_chars(begin, end, value);
  // fast_float 3.9 turns an overflow into infinity without an error; later versions report it, and underflows
  // too.
  if (code != std::errc() && code != std::errc::result_out_of_range) return false;
  return at == end && std::isfinite(value);
}

}  // namespace

bool read_number(std::string_view text, double& value) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (text.empty() || text.size() > kShortDecimalBytes) return read_any_decimal(begin, end, value);
  char copy[kShortDecimalBytes] = {};
  char* const copy_end = copy + kShortDecimalBytes;
  std::memcpy(copy_end - text.size(), begin, text.size());
  return read_short_decimal(copy_end - text.size(), copy_end, value) || read_any_decimal(begin, end, value);
}

bool read_number(const char* readable, const char* begin, const char* end, double& value) {
  if (static_cast<std::size_t>(end - readable) < kShortDecimalBytes)
    return read_number(std::string_view(begin, static_cast<std::size_t>(end - begin)), value);
  return read_short_decimal(begin, end, value) || read_any_decimal(begin, end, value);
}

bool read_index(std::string_view text, std::uint64_t& index) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  if (text.empty()) return false;
  index = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    index = index > (kLargest - digit) / 10 ? kLargest : index * 10 + digit;
  }
  return true;
}

Error not_a_number(std::string_view what, std::string_view text) {
  return failure(ErrorCode::kInvalidInput, "{} {} is not a finite number", what, in_quotes(text));
}

Error index_out_of_range(std::string_view index, std::size_t dimension, std::string_view format,
                         unsigned base) {
  std::uint64_t number = 0;
  const bool is_zero = base == 1 && read_index(index, number) && number == 0;
  return failure(
      ErrorCode::kInvalidInput,
      "index {:.40} is out of range: this model has dimension {}, so {} indices run from {} to {}{}", index,
      dimension, format, base, dimension - 1 + base,
      is_zero ? "; where they run from 0: --index-base 0" : "");
}

}  // namespace glimpse
