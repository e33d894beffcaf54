#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "data/formats/ndjson_grammar.h"
#include "data/records/attribute_names.h"
#include "data/text/text_kernel.h"

namespace glimpse {

/// Reads an NDJSON example that is written plainly, 64 bytes at a time (TextKernel): no escapes, nothing that
/// the grammar refuses. NdjsonGrammar reads the others, and says what is wrong with them. It would make the
/// same of those that are read here.
///
/// Names of attributes are mostly in the order of the record before. So each is first taken for the one that
/// came behind its predecessor last time, and looked up where it is not.
///
/// Memory: 8 bytes a byte of the longest record, and 12 an attribute where they have names. Thread-safety:
/// none. Allocates nothing in the long run.
class NdjsonLine {
 public:
  /// `labels`: how many "labels" there may be. `kernel` outlives the line and changes no result.
  NdjsonLine(std::size_t dimension, std::size_t labels, const TextKernel& kernel)
      : kernel_(kernel), dimension_(dimension), labels_(labels) {}

  /// False: it is to be read by NdjsonGrammar. Cost: one pass over the record, and O(members).
  bool read(std::string_view record, const AttributeNames& names);

  /// The same of an object whose keys are columns: all its members are in example().features, by name.
  bool read_flat(std::string_view record);

  // After read() was true, until the record goes:

  /// What stands beside the values; `features` where are_found() is false.
  NdjsonExample& example() { return example_; }

  /// Whether each value is of an attribute that is known, and of another one. Otherwise a name is new, or an
  /// attribute is given twice, or indices do not ascend: then the values are in example().features.
  bool are_found() const { return way_ != Way::kFeatures; }

  // Where are_found():

  std::size_t count() const { return count_; }
  Attribute attribute(std::size_t member) const {
    return way_ == Way::kElements ? static_cast<Attribute>(member) : attributes_[member];
  }

  /// members[i] becomes the place of attributes[i], which ascend, among the values, or kNoToken.
  void find(std::span<const Attribute> attributes, std::uint32_t* members);

  /// numbers[i] becomes the value of members[i], and NaN where that is no number, or takes more work:
  /// feature() then tells what it is. At most kAtOnce of them.
  void read_numbers(std::span<const std::uint32_t> members, double* numbers);
  static constexpr std::size_t kAtOnce = 64;

  NdjsonFeature feature(std::size_t member) const;

  /// Says to `names` that the line uses its numbers, where it gives attributes by number. An Error when one
  /// is of an attribute that a record named; then some may have been said.
  Status use_numbers(AttributeNames& names) const;

 private:
  // How values say whose they are.
  enum class Way {
    kElements,  // an array
    kNumbers,   // indices that ascend
    kNames,     // names that are known
    kFeatures,  // otherwise
  };

  bool begin(std::string_view record);
  bool read_example(const char* at, const AttributeNames& names);
  const char* read_member(const char* key, const char* key_end, const char* at, const AttributeNames& names);
  const char* read_labels(const char* at);
  const char* read_elements(const char* at);
  const char* read_values(const char* at, const AttributeNames& names);
  bool find_names(const AttributeNames& names);
  bool are_different();
  bool list_features();
  NdjsonFeature named_feature(std::size_t member) const;
  JsonMarks mark_members(const char* at);
  Place place_of(std::size_t member) const;

  const TextKernel& kernel_;
  const std::size_t dimension_;
  const std::size_t labels_;

  const char* end_ = nullptr;  // of the record
  NdjsonExample example_;
  unsigned members_ = 0;  // of the example that were given: bits

  Way way_ = Way::kFeatures;
  const char* values_ = nullptr;  // behind the opening bracket
  std::size_t values_size_ = 0;   // up to the closing one
  std::size_t count_ = 0;
  std::vector<FieldBlock> blocks_;         // of an array
  std::vector<std::uint32_t> key_begins_;  // of an object, in values_
  std::vector<std::uint32_t> key_ends_;
  std::vector<Attribute> attributes_;

  Attribute first_ = 0;               // of the record before
  std::vector<Attribute> followers_;  // by attribute: the one that came behind it last
  std::vector<std::uint64_t>
      members_of_;            // by attribute: the record << 32 | its member, of those that do not ascend
  std::uint32_t record_ = 0;  // of members_of_
  bool ascend_ = true;
};

}  // namespace glimpse
