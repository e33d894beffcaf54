#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"
#include "data/text/line_marks.h"
#include "data/text/text_kernel.h"

namespace glimpse {

/// Finds the attributes that a sparse record gives among those that are asked for. While they ascend, as they
/// mostly do, a find costs O(1) amortised; an attribute out of order costs a binary search. Thread-safety:
/// none.
class PlanCursor {
 public:
  static constexpr std::size_t kNotPlanned = static_cast<std::size_t>(-1);

  /// `plan` ascends strictly and outlives the cursor.
  explicit PlanCursor(std::span<const Attribute> plan) : plan_(plan) {}

  /// The position of `attribute` in the plan, or kNotPlanned.
  std::size_t find(Attribute attribute) {
    if (at_ > 0 && plan_[at_ - 1] >= attribute) {
      at_ = search(0, at_, attribute);
    } else if (at_ < plan_.size() && plan_[at_] < attribute) {
      ++at_;
      if (at_ < plan_.size() && plan_[at_] < attribute) at_ = search(at_ + 1, plan_.size(), attribute);
    }
    return at_ < plan_.size() && plan_[at_] == attribute ? at_ : kNotPlanned;
  }

 private:
  std::size_t search(std::size_t from, std::size_t to, Attribute attribute) const {
    const auto begin = plan_.begin();
    const auto found = std::lower_bound(begin + static_cast<std::ptrdiff_t>(from),
                                        begin + static_cast<std::ptrdiff_t>(to), attribute);
    return static_cast<std::size_t>(found - begin);
  }

  std::span<const Attribute> plan_;
  std::size_t at_ = 0;  // everything before is less than the attribute asked for last
};

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

  /// For ExampleReader::use_marks(): the lines that line_length() is asked for may be those of these marks,
  /// which were found by the rule of the reader. nullptr: there are none.
  void use_marks(const LineMarks* marks);
  /// For ExampleReader::line_length(): where `rest` begins with such a line it may be read() then.
  std::size_t line_length(std::string_view rest);

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
  bool use_tokens(bool colons_optional);
  bool find_tokens(std::string_view text, char stop, bool colons_optional);
  std::size_t name_end(std::size_t token) const {
    return name_sizes_ != nullptr ? begins_[token] + std::size_t{name_sizes_[token]} : name_ends_[token];
  }
  void read_values(std::span<const std::uint32_t> features, double* values);

  const TextKernel& kernel_;
  const unsigned index_base_;
  const std::size_t dimension_;

  std::string_view text_;
  std::size_t count_ = 0;
  // Of the tokens; of those that were found by another thread there are the sizes of names and no ends.
  const std::uint32_t* begins_ = nullptr;
  const std::uint32_t* name_ends_ = nullptr;
  const std::uint8_t* name_sizes_ = nullptr;
  const std::uint32_t* numbers_ = nullptr;  // that the names are

  const TokenLines* found_tokens_ = nullptr;
  const char* found_begin_ = nullptr;             // of the next line
  std::size_t next_found_ = 0;                    // its number
  const TokenLines::Line* found_line_ = nullptr;  // that is worked on; nullptr: it is none of them
  std::vector<std::uint32_t> own_begins_;
  std::vector<std::uint32_t> own_name_ends_;
  std::vector<std::uint32_t> own_numbers_;
  std::vector<std::uint32_t> found_;  // which feature each planned attribute is, or kNoToken
};

/// An attribute that occurs more than once, if there is one; `attributes` are sorted for that. O(n) when they
/// ascend, O(n log n) otherwise. Allocates nothing.
std::optional<Attribute> repeated_attribute(std::vector<Attribute>& attributes);

/// Makes one entry, at the place of the first, of all that give the same attribute; its value is their sum,
/// added in order. Costs as above. `scratch` is any vector that the caller keeps, so that nothing is
/// allocated in the long run.
void add_up_repeats(std::vector<Entry>& entries, std::vector<std::uint32_t>& scratch);

}  // namespace glimpse
