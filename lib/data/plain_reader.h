#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"

namespace glimpse {

/// What stands beside the values of a plain record.
struct PlainExample {
  double label = 0;  ///< a number
  double importance = 1;
  std::optional<AttributeNames::Numbers> numbers =
      {};                     ///< attributes that it said by number, of those not fixed
  std::string_view tag = {};  ///< ExampleHead::tag, of a record that asks for a prediction
};

/// Reads plain records on another thread than the reader of their stream: those with one label that is a
/// number, whose names are all known, and that say no new word. They bring nothing to the dictionary, so that
/// they can be read ahead of the records before them. All others are left to that reader, with all that is to
/// be said of them.
///
/// Thread-safety: none; each thread has one of its own. Cost: as ExampleReader; up to six times kLongest
/// bytes of memory, and a copy of the names.
class PlainReader {
 public:
  static constexpr std::size_t kLongest = std::size_t{256} << 10;   ///< bytes of a plain record
  static constexpr std::size_t kMostNames = std::size_t{16} << 10;  ///< that are copied

  /// Of the records that `reader`, whose names are `names`, gets from now on. nullptr: none of them can be
  /// told to be plain (ExampleReader::twin(); more than kMostNames names; attributes that hold words).
  static std::unique_ptr<PlainReader> make(const ExampleReader& reader, const AttributeNames& names);

  /// False: the record is not plain, or there was no memory. True: `values` and `example` are what open() and
  /// reveal() of `reader` would find, as long as no attribute holds words and fixed() of its names is what it
  /// was. `attributes` as there.
  bool read(std::string_view record, std::span<const Attribute> attributes, std::span<double> values,
            PlainExample& example);
  /// The same of a record without a label, and of reveal_all(); as long as version() of its names is what it
  /// was.
  bool read_all(std::string_view record, std::vector<Entry>& entries, PlainExample& example);

 private:
  template <class Take>
  bool read_if_plain(std::string_view record, const Take& take);

  explicit PlainReader(AttributeNames names) : names_(std::move(names)) {}

  AttributeNames names_;
  std::unique_ptr<ExampleReader> reader_;
};

}  // namespace glimpse
