#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "data/formats.h"

namespace glimpse {

inline constexpr std::size_t kNumbersAReading = 4;

/// What the options say of the columns of a table as a number: the label's, where nothing else is said; else
/// a hash, above kLargestNumber.
std::uint64_t columns_of(const TableOptions& table);
inline constexpr std::uint64_t kLargestNumber = (std::uint64_t{1} << 63) - 1;

/// The options that say what the bytes of an input mean. A checkpoint keeps them, since a position in a file
/// is of use only to who reads on as it was read before.
struct ReadingOptions {
  Format format = Format::kAuto;
  unsigned index_base = 1;
  std::uint64_t columns = 0;  ///< columns_of()
  char delimiter = ',';       ///< 0: that which the first row shows, which may be any
  Absent absent = Absent::kAuto;

  /// "name=value" lines, for a checkpoint.
  std::string describe() const;
  /// From describe(); what is not there or makes no sense is as in `*this`.
  ReadingOptions with(std::string_view description) const;

  /// The same as numbers: that of the format in FORMAT.md, the base, the columns, the delimiter's byte.
  /// `absent` is not among them.
  std::array<std::uint64_t, kNumbersAReading> numbers() const;
  /// From numbers(); those that make no sense are as by default.
  static ReadingOptions from(std::span<const std::uint64_t, kNumbersAReading> numbers);

  /// "--index-base 1", of the first option by which `other` reads records of `actual` otherwise; empty: none.
  /// `actual` kAuto: the records may be of any format.
  std::string difference(const ReadingOptions& other, Format actual) const;
};

}  // namespace glimpse
