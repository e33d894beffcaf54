#include "data/text/short_decimal.h"

#include <bit>
#include <cfloat>
#include <cstdint>
#include <cstring>

#include "data/text/text_kernel.h"

// A loop over the digits of a number costs a mispredicted branch at its end, and a multiplication a digit
// that waits for the last. Instead the text is taken from its end, eight bytes at a time as one 64-bit number
// each (the first byte in the lowest place), and what stands before the number is cleared:
//
//   bytes                 , - 0 . 1 2 3 4      less '0' each, by an exclusive or
//   cleared               0 0 0 . 1 2 3 4      of what is before the number
//   without the point     0 0 0 0 1 2 3 4      the bytes before it move up by one
//   by pairs              00  00  12  34       each round is one multiplication for the whole word
//   by fours              0000    1234
//   by eights             00001234
//
// This gives the number as w / 10^k with a whole w < 10^19.

namespace glimpse {

namespace {

static_assert(std::endian::native == std::endian::little, "the first digit is in the lowest byte");
static_assert(FLT_EVAL_METHOD == 0, "a product of doubles is rounded once");

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;
constexpr std::uint64_t kToZero = 0x3030303030303030;  // '0' to 0, '9' to 9
constexpr std::uint64_t kPoint = ('.' ^ '0') * kOnes;
constexpr std::size_t kMostDigits = kMostDecimalDigits;

// w / 10^k, or w · 10^-k.
struct Decimal {
  std::uint64_t w;
  int k;
};

std::uint64_t load(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word ^ kToZero;
}

// Of a word the last n bytes. REQUIRES: n from 1 to 8, or the result is not used.
std::uint64_t last_bytes(std::uint64_t word, std::size_t n) {
  return word & (~std::uint64_t{0} << ((64 - 8 * n) & 63));
}

// Bit 7 of the first byte that is a point; 0 when there is none.
std::uint64_t first_point(std::uint64_t word) {
  const std::uint64_t x = word ^ kPoint;
  const std::uint64_t points = (x - kOnes) & ~x & kHighBits;  // and perhaps of bytes behind it
  return points & (0 - points);
}

std::uint64_t all_ones_if(bool condition) { return 0 - static_cast<std::uint64_t>(condition); }

// `word`, whose bytes move up by one where `mask` has ones; `before` is the word before it.
std::uint64_t move_up(std::uint64_t word, std::uint64_t before, std::uint64_t mask) {
  return ((word << 8 | before >> 56) & mask) | (word & ~mask);
}

// The number of which a is the text of the last eight bytes, b of those before them, and c of those before
// these; `bytes` is how long its text is. No branch depends on where the point is, or whether there is one:
// that differs from number to number. Words behind the point stay, those before it move up, and in its own
// word the bytes up to it do.
[[gnu::always_inline]] inline bool read_words(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                              std::size_t bytes, Decimal& decimal) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  const std::uint64_t point_a = first_point(a);
  const std::uint64_t point_b = first_point(b);
  const std::uint64_t point_c = first_point(c);
  const std::uint64_t in_a = all_ones_if(point_a != 0);
  const std::uint64_t in_b = all_ones_if(point_b != 0);
  const std::uint64_t in_c = all_ones_if(point_c != 0);
  const std::uint64_t moved_a = move_up(a, b, (point_a ^ (point_a - 1)) & in_a);
  const std::uint64_t moved_b = move_up(b, c, ((point_b ^ (point_b - 1)) & in_b) | in_a);
  const std::uint64_t moved_c = move_up(c, 0, ((point_c ^ (point_c - 1)) & in_c) | in_a | in_b);
  // A second point is found here, since it stays.
  const std::uint64_t digits = bytes - ((in_a | in_b | in_c) & 1);
  if ((not_digits(moved_a) | not_digits(moved_b) | not_digits(moved_c)) != 0 || digits - 1 >= kMostDigits)
    return false;
  decimal.w = std::uint64_t{number_of_digits(moved_a)} +
              std::uint64_t{number_of_digits(moved_b)} * 100'000'000 +
              std::uint64_t{number_of_digits(moved_c)} * 10'000'000'000'000'000;
  const auto place = [](std::uint64_t point) {
    return static_cast<unsigned>(std::countr_zero(point | kTop)) / 8;
  };
  decimal.k = static_cast<int>((7 - place(point_a)) + ((15 - place(point_b)) & in_b) +
                               ((23 - place(point_c)) & in_c));
  return true;
}

// Digits and perhaps a point among them.
[[gnu::always_inline]] inline bool read_digits(const char* begin, const char* end, Decimal& decimal) {
  const auto bytes = static_cast<std::size_t>(end - begin);
  if (bytes - 1 > kMostDigits) return false;
  const std::uint64_t a = load(end - 8);
  const std::uint64_t b = load(end - 16);
  if (bytes > 16) return read_words(a, b, last_bytes(load(end - 24), bytes - 16), bytes, decimal);
  const std::uint64_t in_a = last_bytes(a, bytes > 8 ? 8 : bytes);
  return read_words(in_a, bytes > 8 ? last_bytes(b, bytes - 8) : 0, 0, bytes, decimal);
}

// w / 10^k for any w > 0 and k in [0, 19], rounded, where 64 bits of the quotient are enough to know how: the
// product with the reciprocal is less than three units of its 64th bit below the quotient, and when no number
// half-way between two doubles is that near, they round alike. Of random numbers one in 500 is too near.
bool divide(std::uint64_t w, int k, double& value) {
  const std::uint64_t reciprocal = kDecimalReciprocals.values[static_cast<std::size_t>(k)];
  const auto shift = static_cast<int>(kDecimalReciprocals.shifts[static_cast<std::size_t>(k)]);
  const int zeros = std::countl_zero(w);
  const Uint128 product = static_cast<Uint128>(w << zeros) * reciprocal;
  const auto high = static_cast<std::uint64_t>(product >> 64);
  const int one_less = static_cast<int>(high >> 63 ^ 1);
  const auto top = static_cast<std::uint64_t>(product >> (64 - one_less));
  constexpr std::uint64_t kHalf = 1 << 10;  // of the 53rd bit
  const std::uint64_t above_half = (top + kHalf) & (2 * kHalf - 1);
  if (above_half - 1 > 2 * kHalf - 5) return false;
  // The sum carries out of 64 bits when it is rounded up to the next power of two.
  const std::uint64_t rounded = (top >> 11) + (top >> 10 & 1);
  const int exponent = 64 - one_less - zeros - shift + 11;
  value =
      static_cast<double>(rounded) * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  return true;
}

// With w and 10^|k| both exact, one division or multiplication rounds correctly (W. Clinger, "How to read
// floating point numbers accurately", 1990).
bool to_double(const Decimal& decimal, double& value) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (decimal.w > kExact) {
    return decimal.k >= 0 && decimal.k <= static_cast<int>(kMostDigits) &&
           divide(decimal.w, decimal.k, value);
  }
  if (decimal.k > kMostExactPower || decimal.k < -kMostExactPower) return false;
  value = static_cast<double>(decimal.w);
  if (decimal.k >= 0) {
    value /= kDecimalPowers[static_cast<std::size_t>(decimal.k)];
  } else {
    value *= kDecimalPowers[static_cast<std::size_t>(-decimal.k)];
  }
  return true;
}

// Divides text with an exponent of at most three digits: `end` becomes where the digits before it end.
bool read_exponent(const char* begin, const char*& end, int& exponent) {
  const char* at = end;
  int power = 1;
  int sum = 0;
  while (at != begin && end - at < 3 && at[-1] >= '0' && at[-1] <= '9') {
    sum += power * (*--at - '0');
    power *= 10;
  }
  if (at == end || at == begin) return false;
  if (at[-1] == '-' || at[-1] == '+') {
    if (*--at == '-') sum = -sum;
  }
  if (at == begin || (at[-1] != 'e' && at[-1] != 'E')) return false;
  end = at - 1;
  exponent = sum;
  return true;
}

// Digits with an exponent behind them.
[[gnu::noinline]] bool read_with_exponent(const char* begin, const char* end, Decimal& decimal) {
  int exponent = 0;
  if (!read_exponent(begin, end, exponent)) return false;
  // The bytes that may be read begin so many before the end of the whole text, not of these digits.
  const auto bytes = static_cast<std::size_t>(end - begin);
  if (bytes > kMostDigits + 1) return false;
  char copy[kShortDecimalBytes] = {};
  char* const copy_end = copy + kShortDecimalBytes;
  std::memcpy(copy_end - bytes, begin, bytes);
  if (!read_digits(copy_end - bytes, copy_end, decimal)) return false;
  decimal.k -= exponent;
  return true;
}

}  // namespace

bool read_short_decimal(const char* begin, const char* end, double& value) {
  if (begin == end) return false;
  const bool is_negative = *begin == '-';
  const bool has_sign = is_negative | (*begin == '+');
  begin += static_cast<int>(has_sign);
  Decimal decimal{};
  if (!read_digits(begin, end, decimal) && !read_with_exponent(begin, end, decimal)) return false;
  if (!to_double(decimal, value)) return false;
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ static_cast<std::uint64_t>(is_negative)
                                                                          << 63);
  return true;
}

}  // namespace glimpse
