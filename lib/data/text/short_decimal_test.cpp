#include "data/text/short_decimal.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/text/number.h"
#include "data/text/text_kernel.h"

namespace short_decimal_test {

using namespace glimpse;

namespace {

// What the standard library reads: it refuses a leading '+', and calls numbers beyond the doubles an error.
struct Standard {
  bool is_number = false;
  bool in_range = false;
  double value = 0;
};

Standard by_standard(const std::string& text) {
  const std::string rest = text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
  Standard result;
  const auto [at, code] = std::from_chars(rest.data(), rest.data() + rest.size(), result.value);
  result.is_number = code != std::errc::invalid_argument && at == rest.data() + rest.size() &&
                     rest.find_first_of("nNiI") == std::string::npos;
  result.in_range = code == std::errc();
  return result;
}

std::size_t read_by_kernels = 0;  // how often agrees() saw a kernel read a number

// All ways to read `text` agree with the standard library to the bit. Returns whether the short way was
// taken.
bool agrees(const std::string& text, std::string_view before) {
  const Standard standard = by_standard(text);
  const std::string inside = std::string(before) + text;
  const char* const readable = inside.data();
  const char* const begin = readable + before.size();
  const char* const end = readable + inside.size();
  double value = 0;
  const auto same_bits = [&] {
    return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(standard.value);
  };
  CAPTURE(text);
  const bool is_number = read_number(text, value);
  if (standard.in_range) {
    REQUIRE(is_number == standard.is_number);
    if (is_number) REQUIRE(same_bits());
  } else if (!standard.is_number) {
    REQUIRE_FALSE(is_number);
  }
  double inside_value = 0;
  REQUIRE(read_number(readable, begin, end, inside_value) == is_number);
  if (is_number) REQUIRE(std::bit_cast<std::uint64_t>(inside_value) == std::bit_cast<std::uint64_t>(value));
  // In the last, the first and a middle lane of those that are read at once, beside other numbers.
  for (const TextKernel* kernel : text_kernels()) {
    const Place here{before.size(), inside.size()};
    const Place other{3, 3};  // nothing
    const std::size_t lane = text.size() % 3 == 0 ? 7 : text.size() % 3 == 1 ? 0 : 4;
    std::vector<Place> places(8 + text.size() % 5, other);
    places[lane] = here;
    std::vector<double> values(places.size(), 7);
    kernel->read_numbers(readable, places.data(), places.size(), values.data());
    for (std::size_t i = 0; i < values.size(); ++i) REQUIRE((i == lane || std::isnan(values[i])));
    if (std::isnan(values[lane])) continue;
    REQUIRE(standard.is_number);
    REQUIRE(std::bit_cast<std::uint64_t>(values[lane]) == std::bit_cast<std::uint64_t>(standard.value));
    ++read_by_kernels;
  }
  if (inside.size() < kShortDecimalBytes || !read_short_decimal(begin, end, value)) return false;
  REQUIRE(standard.is_number);
  REQUIRE(standard.in_range);
  REQUIRE(same_bits());
  return true;
}

constexpr std::string_view kBefore = "0.5,e-7.9999,99.99999999";

std::string random_digits(Random& random, std::size_t count) {
  std::string text(count, '0');
  for (char& c : text) c = static_cast<char>('0' + random.below(10));
  return text;
}

}  // namespace

TEST_CASE("short decimals: what people write is read the short way") {
  for (const std::string text : {"0",
                                 "1",
                                 "-1",
                                 "+1",
                                 "255",
                                 "-0",
                                 "0.0",
                                 "-0.1234",
                                 "+.5",
                                 "5.",
                                 "3.25e-5",
                                 "1e3",
                                 "-2.5E+2",
                                 "00012.50",
                                 "0.12156862745098039",
                                 "-1.2345678901234567",
                                 "9007199254740994",
                                 "1e22",
                                 "1e-22",
                                 "12345678",
                                 "123456789",
                                 "1234567.8",
                                 "12345678.",
                                 ".12345678",
                                 "1234567890123456",
                                 ".1234567890123456",
                                 "1.7976931348623157",
                                 "1234567890123456789",
                                 "0.999999999999999999"})
    CHECK_MESSAGE(agrees(text, kBefore), text);
}

TEST_CASE("short decimals: random numbers are what the standard library makes of them, to the bit") {
  Random random(30);
  std::size_t total = 0;
  std::size_t taken = 0;
  for (int trial = 0; trial < 150'000; ++trial) {
    std::string text = random_digits(random, random.below(trial % 4 == 0 ? 22 : 10));
    if (random.below(3) != 0) text.insert(random.below(text.size() + 1), 1, '.');
    if (random.below(3) == 0) text.insert(0, 1, random.below(4) == 0 ? '+' : '-');
    if (random.below(6) == 0) {
      text += random.below(2) == 0 ? 'e' : 'E';
      if (random.below(2) == 0) text += random.below(3) == 0 ? '+' : '-';
      text += random_digits(random, random.below(4));
    }
    const std::size_t room = random.below(4) == 0 ? random.below(kBefore.size()) : kBefore.size();
    taken += static_cast<std::size_t>(agrees(text, kBefore.substr(kBefore.size() - room)));
    ++total;
  }
  CHECK(taken > total / 2);
}

TEST_CASE("short decimals: numbers written so that they come back are read the short way, nearly all") {
  Random random(31);
  std::size_t taken = 0;
  constexpr int kTrials = 100'000;
  const std::size_t before = read_by_kernels;
  for (int trial = 0; trial < kTrials; ++trial) {
    const double value = (random.uniform() - 0.5) * (trial % 2 == 0 ? 1 : 1000);
    taken += static_cast<std::size_t>(agrees(fmt::format("{}", value), kBefore));
  }
  CHECK(taken > kTrials * 0.99);
  CHECK(static_cast<double>(read_by_kernels - before) >
        kTrials * 0.98 * static_cast<double>(text_kernels().size()));
}

// Digits of numbers half-way between two doubles, and of their neighbours: where rounding is decided late.
TEST_CASE("short decimals: numbers near half-way between two doubles are rounded correctly or left") {
  Random random(32);
  for (int trial = 0; trial < 100'000; ++trial) {
    const int places = static_cast<int>(random.below(20));
    const double scale = 1 / static_cast<double>(std::uint64_t{1} << random.below(40));
    const double value = static_cast<double>(random.bits() >> 11) * scale;
    const double next = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) + 1);
    // Exact: half-way numbers of this size have no more than 64 bits behind the point.
    std::string text = fmt::format(
        "{:.{}f}", static_cast<long double>(value) + (static_cast<long double>(next) - value) / 2, places);
    if (text.size() > 20) text.resize(20);
    agrees(text, kBefore);
    if (text.back() >= '1' && text.back() <= '8') {
      ++text.back();
      agrees(text, kBefore);
      text.back() = static_cast<char>(text.back() - 2);
      agrees(text, kBefore);
    }
  }
}

TEST_CASE("short decimals: no other text is taken for a number") {
  Random random(33);
  constexpr std::string_view kAlphabet = "0123456789.+-eE,: \xb0\xae/;\0na";
  for (int trial = 0; trial < 150'000; ++trial) {
    std::string text = random_digits(random, random.below(21));
    for (std::uint64_t n = 1 + random.below(2); n > 0 && !text.empty(); --n)
      text[random.below(text.size())] = kAlphabet[random.below(kAlphabet.size())];
    agrees(text, kBefore);
  }
  for (const std::string text :
       {"", ".", "+", "-", "-.", "e5", ".e5", "1e", "1e+", "1..2", "1.2.3", "--1", "+-1", "1e5e5"})
    CHECK_FALSE_MESSAGE(agrees(text, kBefore), text);
}

}  // namespace short_decimal_test
