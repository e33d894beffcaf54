#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/records/example_reader.h"

namespace glimpse {

/// A feature that an example has: the slot of its weight, and its value, which is not 0.
struct FeatureValue {
  std::uint32_t slot;
  double value;
};

/// Which features an example has, beside those that it comes with: products of attributes, found while
/// examples come. Attribute i is feature i. Thread-safety: none, expand_known() included.
class Expansion {
 public:
  virtual ~Expansion() = default;

  /// The features of an example whose attributes other than 0 are `entries`, ascending, each feature once,
  /// into `features`, whose memory is reused. Those that are new get slots. O(features), whatever the number
  /// of attributes is.
  virtual void expand(std::span<const Entry> entries, std::vector<FeatureValue>& features) = 0;
  /// The same of the features that have slots already; the entries may be in any order.
  virtual void expand_known(std::span<const Entry> entries, std::vector<FeatureValue>& features) const = 0;

  /// Features have slots below.
  virtual std::size_t slots() const = 0;
};

}  // namespace glimpse
