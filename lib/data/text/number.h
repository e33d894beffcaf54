#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// Reads a finite decimal number that fills all of `text`, rounded to the nearest double:
/// [+-](digits[.[digits]] | .digits)[(e|E)[+-]digits]. False for anything else, for nan and inf, and for
/// numbers beyond the largest double; `value` is then undefined. Numbers too small for a double become 0.
[[nodiscard]] bool read_number(std::string_view text, double& value);

/// The same for a part of a record; faster, since the bytes before it may be read along with it.
/// `readable` ≤ `begin` ≤ `end`: all bytes from there may be read.
[[nodiscard]] bool read_number(const char* readable, const char* begin, const char* end, double& value);

/// Reads a whole number: digits and nothing else. Those too large for 64 bits become the largest, so that a
/// check against a limit finds them.
[[nodiscard]] bool read_index(std::string_view text, std::uint64_t& index);

/// "value 'inf' is not a finite number", where `what` is the value, label, importance, …
Error not_a_number(std::string_view what, std::string_view text);

/// "index 785 is out of range: this model has dimension 784, so svmlight indices run from 1 to 784"
Error index_out_of_range(std::string_view index, std::size_t dimension, std::string_view format,
                         unsigned base);

}  // namespace glimpse
