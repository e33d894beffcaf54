// Numbers of every text format against the C++ library's, and what else is written as one word: units,
// amounts, names of plans, intervals.

#include <charconv>
#include <cmath>
#include <string>

#include "base/units.h"
#include "daemon/predictions/class_prediction.h"
#include "data/text/number.h"
#include "data/text/short_decimal.h"
#include "fuzzing.h"
#include "learn/options/options.h"
#include "learn/plans/plan_book.h"

namespace glimpse::numbers_fuzz {

bool same(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

// [+-]digits[.digits][e[+-]digits], where one of the digits before and behind the point may be left out.
bool is_decimal(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  std::size_t count = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    count += digits();
  }
  if (count == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

// By the C++ library; numbers too small for a double are 0.
bool read_slowly(std::string_view text, double& value) {
  if (!is_decimal(text)) return false;
  if (text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(text).c_str(), nullptr);
    return std::isfinite(value);
  }
  return error == std::errc() && end == text.data() + text.size();
}

void check_number(std::string_view text) {
  double expected = 0;
  const bool is_number = read_slowly(text, expected);
  double value = 0;
  require(read_number(text, value) == is_number);
  if (is_number) require(same(value, expected));

  // As a part of a record: other bytes before it.
  std::string record(kShortDecimalBytes, '7');
  record += text;
  const Exact exact(record);
  const char* const begin = exact.view().data() + kShortDecimalBytes;
  const char* const end = begin + text.size();
  require(read_number(exact.view().data(), begin, end, value) == is_number);
  if (is_number) require(same(value, expected));
  if (read_short_decimal(begin, end, value)) require(is_number && same(value, expected));

  std::uint64_t index = 0;
  const bool all_digits = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  require(read_index(text, index) == all_digits);
  std::uint64_t exactly = 0;
  if (!all_digits) return;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), exactly);
  require(index == (error == std::errc() ? exactly : ~std::uint64_t{0}));
}

void check_words(std::string_view text) {
  const auto duration = parse_duration(text);
  if (duration) require(duration->count() >= 0);
  if (const auto bytes = parse_bytes(text)) require(*bytes >= 1);
  if (const auto amount = parse_money(text)) {
    const auto again = parse_money(format_money(*amount));
    require(again && *again == *amount);
  }
  if (const auto id = parse_plan_id(text)) require(parse_plan_id(format_plan_id(*id)) == id);
  if (const auto clip = parse_clip(text)) {
    const auto again = parse_clip(clip->text());
    require(again && again->kind == clip->kind);
    if (clip->kind == Clip::Kind::kRange)
      require(same(again->low, clip->low) && same(again->high, clip->high) && clip->low < clip->high);
  }
  LearnerOptions options;
  if (parse_step(text, options))
    require((options.step != StepKind::kNumber && options.step != StepKind::kAdaGrad) ||
            (options.step_number > 0 && std::isfinite(options.step_number)));
  if (parse_phase1(text, options) && options.phase1_fraction) require(*options.phase1_fraction >= 0);
  if (parse_confidence(text, options) && options.confidence)
    require(*options.confidence >= 0 && std::isfinite(*options.confidence));
}

const Fuzzer fuzzer("numbers", [](Input input) {
  const Exact text(input.rest());
  check_number(text.view());
  check_words(text.view());
});

}  // namespace glimpse::numbers_fuzz
