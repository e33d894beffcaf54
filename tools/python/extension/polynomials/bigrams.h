#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "data/records/example_reader.h"

namespace glimpse {

/// Attributes for pairs of neighbours: of each two attributes of an example that are not 0, and have none
/// other than 0 between, the product. They double an example, as ABHLT14 §3.2 has it. Pairs get numbers from
/// the dimension on, in the order in which they come. Thread-safety: none.
class Bigrams {
 public:
  /// At most `most` pairs; those that come later are left out, and counted.
  Bigrams(std::size_t dimension, std::size_t most) : dimension_(dimension), most_(most) {}

  /// Appends the pairs of `entries`, which ascend, so that the whole ascends. New ones get numbers where
  /// `learns`; elsewhere they are left out.
  void extend(std::vector<Entry>& entries, bool learns);

  /// No further pair gets a number.
  void close() { most_ = numbers_.size(); }

  /// Of all attributes that it may say.
  std::size_t dimension() const { return dimension_ + most_; }
  std::size_t pairs() const { return numbers_.size(); }
  std::uint64_t lacking() const { return lacking_; }

 private:
  std::size_t dimension_;
  std::size_t most_;
  std::uint64_t lacking_ = 0;
  std::unordered_map<std::uint64_t, Attribute> numbers_;
};

}  // namespace glimpse
