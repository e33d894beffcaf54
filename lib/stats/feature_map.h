#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/date_parts.h"
#include "base/result.h"
#include "base/state.h"
#include "base/types.h"

namespace glimpse {

/// Which features the attributes of a model have. An attribute is what is looked at; a feature is what has a
/// weight. An attribute of numbers is one feature, the number. An attribute of categories has an indicator
/// for each category that was learned from: 1 where the attribute is that category, 0 where it is another
/// one. An attribute of dates is a number of days, which is a feature, and has an indicator for each day of
/// the week, month or hour that was learned from, as far as these vary (DatePart): one of each is 1.
///
/// A category is known by its code: 0, 1, 2, … in the order in which the data brought them. Features have
/// slots, which are the places of their sums and weights. Slot i < attributes() is attribute i's own: its
/// number, or, of an attribute of categories, that it was seen, which is no feature and has no weight.
/// Indicators have the slots behind, in the order in which they were learned. Slots never change.
///
/// Sums have room() places, so that they need not grow with each new slot. What is behind slots() is like an
/// attribute that was never seen.
///
/// Memory: nothing while there are no categories and dates, else 5 bytes an attribute and 12 a feature.
/// Thread-safety: none.
class FeatureMap {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMostCodes = std::uint32_t{1} << 20;  ///< of an attribute

  FeatureMap() = default;
  /// All attributes are numbers. There are never more than `most_slots`, attributes included, so far as
  /// room() goes: a category beyond has no feature.
  explicit FeatureMap(std::size_t attributes, std::size_t most_slots = kNone)
      : attributes_(attributes), most_slots_(most_slots) {}

  std::size_t attributes() const { return attributes_; }
  /// Every attribute is one number: slots are attributes.
  bool is_plain() const { return lists_.empty(); }
  bool is_category(std::size_t attribute) const {
    return has_indicators(attribute) && date_parts(attribute) == 0;
  }
  bool is_date(std::size_t attribute) const { return date_parts(attribute) != 0; }
  /// Of categories or of dates.
  bool has_indicators(std::size_t attribute) const {
    return attribute < list_of_.size() && list_of_[attribute] != kNone;
  }
  /// The parts of dates that are features, as a set of DatePart; 0: the attribute holds no dates.
  std::uint8_t date_parts(std::size_t attribute) const {
    return attribute < date_parts_.size() ? date_parts_[attribute] : 0;
  }

  /// Attributes of categories.
  std::size_t categories() const { return lists_.size() - dates_; }
  std::size_t slots() const { return attributes_ + owners_.size(); }
  /// A function of attributes() and slots() alone: at most a quarter more indicators than there are, or 7.
  std::size_t room() const { return room_for(slots()); }
  /// There are categories, and a new one gets no indicator: there is no room.
  bool is_full() const { return !is_plain() && room_for(slots() + 1) > most_slots_; }
  /// Whether a weight belongs to this slot.
  bool is_feature(std::size_t slot) const { return slot < attributes_ ? !is_category(slot) : slot < slots(); }
  bool is_indicator(std::size_t slot) const { return slot >= attributes_ && slot < slots(); }
  /// The attribute of a slot below slots().
  std::size_t owner(std::size_t slot) const {
    return slot < attributes_ ? slot : owners_[slot - attributes_].attribute;
  }
  /// The code of an indicator.
  std::uint32_t code(std::size_t slot) const { return owners_[slot - attributes_].code; }
  /// The indicators of an attribute by their codes; kNone: not learned from yet. REQUIRES: has_indicators().
  std::span<const std::uint32_t> indicators(std::size_t attribute) const {
    return lists_[list_of_[attribute]];
  }
  /// The codes that a value has: of a category itself, of a date those of its parts. REQUIRES:
  /// has_indicators().
  FeatureCodes codes(std::size_t attribute, double value) const {
    return is_category(attribute) ? FeatureCodes{{value}, 1} : date_codes(value, date_parts(attribute));
  }
  /// The indicator of a code; kNone where it has none. REQUIRES: has_indicators().
  std::uint32_t indicator(std::size_t attribute, double code) const {
    const auto& list = lists_[list_of_[attribute]];
    return code >= 0 && code < static_cast<double>(list.size()) ? list[static_cast<std::size_t>(code)]
                                                                : kNone;
  }

  /// The attribute holds categories from now on: nothing was learned of it as a number.
  void make_category(std::size_t attribute);
  /// The attribute holds dates from now on, of which these parts, a set of DatePart that is not empty, are
  /// features. Nothing of it was learned before. REQUIRES: it holds no categories.
  void make_date(std::size_t attribute, std::uint8_t parts);
  /// Takes either back where no indicator was learned from; else nothing. O(attributes).
  void forget(std::size_t attribute);
  /// The same as indicator(); a code that has none gets one, where there is room. Allocates then alone.
  std::uint32_t find_or_add(std::size_t attribute, double code);

  /// Puts "features.categories" (the attributes of categories, ascending), "features.dates" (attribute and
  /// parts of each attribute of dates, ascending) and "features.indicators" (attribute and code of each),
  /// where there are any.
  void save(State& state) const;
  /// Takes back what save() put; where there is nothing, all are numbers. Errors: kCorrupt.
  Status restore(const State& state);

 private:
  struct Owner {
    std::uint32_t attribute;
    std::uint32_t code;
  };

  std::size_t room_for(std::size_t slots) const;

  std::size_t attributes_ = 0;
  std::size_t most_slots_ = kNone;
  void make_list(std::size_t attribute);

  std::vector<std::uint32_t> list_of_;    // by attribute; empty while there are no indicators
  std::vector<std::uint8_t> date_parts_;  // by attribute; empty while there are no dates
  std::size_t dates_ = 0;                 // attributes of them
  std::vector<std::vector<std::uint32_t>> lists_;
  std::vector<Owner> owners_;  // of the slots from attributes_ on
};

}  // namespace glimpse
