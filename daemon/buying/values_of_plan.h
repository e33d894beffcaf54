#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/buying/told.h"
#include "data/records/attribute_names.h"
#include "learn/core/plan.h"

namespace glimpse {

/// The values of a plan as an item tells them. `plan` and `names` outlive it. Thread-safety: none.
class ValuesOfPlan {
 public:
  ValuesOfPlan(const Plan& plan, AttributeNames& names) : plan_(plan), names_(names) {}

  /// Errors (kInvalidInput) say why they are not the values of the plan. Words may have got codes then, which
  /// the caller takes back.
  Status read(const TellBatch& batch, const Told& item);

  /// One an attribute of the plan; NaN: refused.
  const std::vector<double>& values() const { return values_; }

 private:
  static constexpr char kNotTold = 0;
  static constexpr char kTold = 1;

  Result<std::size_t> find(std::string_view text) const;
  Status take_in_order(std::span<const Told::Value> values);
  Status take_named(std::span<const Told::Value> values);
  Result<double> value_of(Attribute attribute, const Told::Value& value);

  const Plan& plan_;
  AttributeNames& names_;
  std::vector<double> values_;
  std::vector<char> state_;
};

}  // namespace glimpse
