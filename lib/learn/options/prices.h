#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/records/attribute_names.h"

namespace glimpse {

/// An amount in millionths of the user's currency: sums of prices are exact, so that a limit is kept exactly.
using Money = std::uint64_t;
inline constexpr Money kMoneyUnit = 1000000;
/// The largest price or limit: sums of 2³¹ such prices, capped by add_money(), never wrap.
inline constexpr Money kLargestMoney = 1000000000000 * kMoneyUnit;

/// a + b; 2⁶⁴ − 1 where 64 bits do not hold it.
Money add_money(Money a, Money b);

/// "7.27": digits, at most six of them after the point; up to 10¹². An Error (kInvalidInput) says what is
/// wrong.
Result<Money> parse_money(std::string_view text);
/// The same of an amount that must be above 0.
Result<Money> parse_positive_money(std::string_view text);
/// The shortest text that parse_money() reads as the same amount.
std::string format_money(Money amount);
/// In the user's currency, for reports.
inline double money_in_units(Money amount) { return static_cast<double>(amount) / kMoneyUnit; }

/// What it costs to obtain the value of each attribute. Attributes of a group share a cost that is paid once
/// an example, however many of them are obtained: the blood that several tests are made of. Immutable once
/// filled; memory: 12 bytes an attribute. Thread-safety: const calls from any thread.
class Prices {
 public:
  static constexpr std::uint32_t kNoGroup = ~0U;

  /// Every attribute costs 1, alone.
  explicit Prices(std::size_t dimension);

  /// A new group, whose members pay `shared` once together.
  std::uint32_t add_group(Money shared);
  void set(Attribute attribute, Money own, std::uint32_t group = kNoGroup);

  /// The same of some attributes alone, by their places: groups keep their numbers.
  Prices of(std::span<const Attribute> attributes) const;

  std::size_t dimension() const { return own_.size(); }
  std::size_t groups() const { return shared_.size(); }
  /// Without what its group shares.
  Money own(Attribute attribute) const { return own_[attribute]; }
  std::uint32_t group(Attribute attribute) const { return group_[attribute]; }
  Money shared(std::uint32_t group) const { return shared_[group]; }
  /// The price of obtaining this attribute and no other.
  Money alone(Attribute attribute) const {
    const std::uint32_t group = group_[attribute];
    return group == kNoGroup ? own_[attribute] : own_[attribute] + shared_[group];
  }

 private:
  std::vector<Money> own_;
  std::vector<std::uint32_t> group_;
  std::vector<Money> shared_;
};

/// The bill of one example while attributes are added to it. Reused: begin() takes O(1), and nothing
/// allocates. Thread-safety: none.
class Bill {
 public:
  /// `prices` must outlive it.
  explicit Bill(const Prices& prices) : prices_(&prices), paid_(prices.groups()) {}

  void begin();
  /// What adding `attribute`, which is not on the bill, would cost.
  Money next(Attribute attribute) const {
    const std::uint32_t group = prices_->group(attribute);
    const Money own = prices_->own(attribute);
    return group == Prices::kNoGroup || paid_[group] == bill_ ? own : own + prices_->shared(group);
  }
  void add(Attribute attribute);
  Money total() const { return total_; }

  /// The whole bill of distinct attributes.
  Money of(std::span<const Attribute> attributes);

 private:
  const Prices* prices_;
  std::vector<std::uint64_t> paid_;  // the last bill on which each group stood
  std::uint64_t bill_ = 1;
  Money total_ = 0;
};

/// Reads the text of --costs FILE. A line is an attribute, by its name or its number from 0, its price, and
/// the group it belongs to, if any. Commas, tabs or blanks stand between them. `@GROUP PRICE` is the price
/// that the members of a group share, `* PRICE` the price of every attribute that is not listed. Lines that
/// begin with # are comments.
///
///     age          1
///     bilirubin    7.27  blood
///     sgot         7.27  blood
///     @blood       2.10
///
/// Errors (kInvalidInput) name the line; one is an attribute without a price.
Result<Prices> parse_prices(std::string_view text, std::size_t dimension, const AttributeNames& names);

}  // namespace glimpse
