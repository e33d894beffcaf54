#include "daemon/buying/values_of_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glimpse {

namespace {
constexpr double kRefused = std::numeric_limits<double>::quiet_NaN();
}  // namespace

Status ValuesOfPlan::read(const TellBatch& batch, const Told& item) {
  const std::size_t n = plan_.attributes.size();
  values_.assign(n, 0.0);
  state_.assign(n, kNotTold);
  for (std::size_t r = item.refused_begin; r < item.refused_end; ++r) {
    GLIMPSE_TRY_ASSIGN(const auto place, find(batch.refused[r]));
    state_[place] = kTold;
    values_[place] = kRefused;
  }
  const auto values = std::span(batch.values).subspan(item.values_begin, item.values_end - item.values_begin);
  GLIMPSE_TRY(item.in_plan_order ? take_in_order(values) : take_named(values));
  for (std::size_t a = 0; a < n; ++a)
    if (state_[a] == kNotTold)
      return failure(ErrorCode::kInvalidInput, "attribute {} of the plan is neither told nor refused",
                     names_.callable_name(plan_.attributes[a]));
  return {};
}

Result<std::size_t> ValuesOfPlan::find(std::string_view text) const {
  GLIMPSE_TRY_ASSIGN(const auto attribute, names_.resolve(text));
  const auto at = std::lower_bound(plan_.attributes.begin(), plan_.attributes.end(), attribute);
  if (at == plan_.attributes.end() || *at != attribute)
    return failure(ErrorCode::kInvalidInput, "attribute {} is not of the plan", text);
  return static_cast<std::size_t>(at - plan_.attributes.begin());
}

// All of them, or those that were not refused.
Status ValuesOfPlan::take_in_order(std::span<const Told::Value> values) {
  const std::size_t n = values_.size();
  const auto refused = static_cast<std::size_t>(std::count(state_.begin(), state_.end(), kTold));
  if (values.size() != n && values.size() != n - refused)
    return failure(ErrorCode::kInvalidInput, "{} values, but the plan has {} attributes{}", values.size(), n,
                   refused > 0 ? fmt::format(", {} of them refused", refused) : "");
  std::size_t next = 0;
  for (std::size_t a = 0; a < n; ++a) {
    if (state_[a] == kTold) {
      if (values.size() == n && !values[next++].text.empty())
        return failure(ErrorCode::kInvalidInput, "attribute {} has a value and is refused as well",
                       names_.callable_name(plan_.attributes[a]));
      continue;
    }
    GLIMPSE_TRY_ASSIGN(values_[a], value_of(plan_.attributes[a], values[next++]));
    state_[a] = kTold;
  }
  return {};
}

Status ValuesOfPlan::take_named(std::span<const Told::Value> values) {
  for (const Told::Value& value : values) {
    GLIMPSE_TRY_ASSIGN(const auto place, find(value.attribute));
    if (state_[place] == kTold && !(std::isnan(values_[place]) && value.text.empty()))
      return failure(ErrorCode::kInvalidInput, "attribute {} is told twice, or refused as well",
                     value.attribute);
    state_[place] = kTold;
    GLIMPSE_TRY_ASSIGN(values_[place], value_of(plan_.attributes[place], value));
  }
  return {};
}

// Of a word its code.
Result<double> ValuesOfPlan::value_of(Attribute attribute, const Told::Value& value) {
  const bool is_word = std::isnan(value.value) || names_.categories().holds(attribute);
  if (value.text.empty() || !is_word) return value.value;
  return names_.read_word(attribute, value.text, true);
}

}  // namespace glimpse
