#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"
#include "data/text/text_kernel.h"

namespace glimpse {

/// The fast way to read what nearly all sparse text is: `index:value index:value …` between blanks, with
/// whole numbers that ascend strictly. Of a line that is otherwise it says no more than that: the caller then
/// reads it field by field.
///
/// Cost: one pass over the bytes, for each feature some operations to read its number that wait for nothing
/// before them, O(log(features)) for each planned attribute, and the values asked for. Memory: six times the
/// longest line. Thread-safety: none. Allocates only for a line longer than any before.
class SparseLine {
 public:
  /// Indices run from `index_base` (0 or 1).
  SparseLine(std::size_t dimension, unsigned index_base, const TextKernel& kernel);
  const TextKernel& kernel() const { return kernel_; }

  /// Divides `text`, which outlives the calls below, and finds the planned attributes, which ascend strictly
  /// and are < the dimension. False when the names of features are not all whole numbers of at most eight
  /// digits, in range, that ascend strictly; or when the byte `stop` occurs. A feature without a colon is
  /// fine only where `colons_optional`.
  bool read(std::string_view text, char stop, bool colons_optional, std::span<const Attribute> planned);

  /// Makes the room that read() needs, which then allocates nothing.
  void reserve(std::size_t text_bytes, std::size_t planned);

  // After read() was true:

  /// values[i] becomes the value of the i-th planned attribute, times `scale`: 0 where the line does not give
  /// it, 1 where it has no colon. False when one is not a finite number.
  bool read_planned(double scale, std::span<double> values);

  /// Every feature with its value, times `scale`, in order. False when one is not a finite number.
  bool read_all(double scale, std::vector<Entry>& entries);

  /// Says to `names` that the line uses its numbers. An Error when one is of an attribute that a record
  /// named; then some may have been said. O(log(features))
  /// unless records have named attributes.
  Status use_numbers(AttributeNames& names) const;

 private:
  void read_values(std::span<const std::uint32_t> features, double* values);

  const TextKernel& kernel_;
  const unsigned index_base_;
  const std::size_t dimension_;

  std::string_view text_;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> name_ends_;
  std::vector<std::uint32_t> numbers_;  // that the names are
  std::vector<std::uint32_t> found_;    // which feature each planned attribute is, or kNoToken
};

}  // namespace glimpse
