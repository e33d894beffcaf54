#include <algorithm>
#include <cmath>

#include "data/text/text.h"
#include "session.h"

// Plans that are given out, and told later.

namespace glimpse::python {

Result<Session::PlanGiven> Session::ask(const std::vector<Attribute>& available, double now,
                                        double expires_at) {
  const std::lock_guard lock(mutex_);
  plans_.expire(now);
  if (plans_.full())
    return failure(ErrorCode::kTooLarge, "{} plans are open: tell or abandon some", plans_.open());
  plans_ahead_.give_back(*learner_, random_);
  plan_.clear();
  if (available.empty()) {
    learner_->begin_plan(random_, plan_);
    learner_->finish_plan(inner_random_, plan_);
  } else if (const Status status = learner_->plan_among(random_, available, plan_); !status) {
    return status.error();
  }
  if (plan_.attributes.empty())
    return failure(ErrorCode::kUnavailable,
                   "no attribute can be bought: each that is available costs more than budget_cost");
  names_.give_numbers(plan_.attributes);
  const Money cost = bill_ ? bill_->of(plan_.attributes) : plan_.attributes.size() * kMoneyUnit;
  const OpenPlan& given = plans_.give(plan_, cost, expires_at);
  return PlanGiven{format_plan_id(given.id), given.plan.attributes, money_in_units(cost)};
}

Result<OpenPlan*> Session::open_plan(const std::string& id, double now) {
  plans_.expire(now);
  const auto number = parse_plan_id(id);
  OpenPlan* const open = number ? plans_.find(*number) : nullptr;
  if (open != nullptr) return open;
  const auto fate = number ? plans_.fate(*number) : std::nullopt;
  if (!fate)
    return failure(ErrorCode::kNotFound, "there is no plan {}, or it was closed long ago", in_quotes(id));
  switch (*fate) {
    case PlanFate::kExpired:
      return failure(ErrorCode::kUnavailable, "plan {} has expired", id);
    case PlanFate::kAbandoned:
      return failure(ErrorCode::kUnavailable, "plan {} was abandoned", id);
    default:
      return static_cast<OpenPlan*>(nullptr);
  }
}

Result<std::string> Session::tell(const std::string& id,
                                  const std::vector<std::variant<double, std::string>>& values, double label,
                                  double importance, double now) {
  const std::lock_guard lock(mutex_);
  GLIMPSE_TRY_ASSIGN(const auto found, open_plan(id, now));
  if (found == nullptr) return std::string("duplicate");
  OpenPlan& open = *found;
  const auto& attributes = open.plan.attributes;
  if (values.size() != attributes.size())
    return failure(ErrorCode::kInvalidInput, "{} values, but the plan has {} attributes", values.size(),
                   attributes.size());
  values_.resize(values.size());
  for (std::size_t a = 0; a < values.size(); ++a) {
    const auto* const number = std::get_if<double>(&values[a]);
    const auto value = number != nullptr ? Result<double>(*number)
                                         : read_word(attributes[a], std::get<std::string>(values[a]), true);
    if (!value) {
      names_.take_back();
      return value.error();
    }
    values_[a] = *value;
    if (std::abs(*value) > kLargestMagnitude) {
      names_.take_back();
      return failure(ErrorCode::kInvalidInput, "value {} of attribute {} is beyond {:g}", *value,
                     names_.callable_name(attributes[a]), kLargestMagnitude);
    }
  }
  names_.keep();
  open.labels.tell(0, label);
  const Outcome outcome = take(open.plan, label, importance);
  const bool is_learned = outcome == Outcome::kLearned;
  plans_.close(open.id, is_learned ? PlanFate::kLearned : PlanFate::kNotLearned);
  return std::string(is_learned ? "learned" : "not_learned");
}

Status Session::abandon(const std::string& id, double now) {
  const std::lock_guard lock(mutex_);
  GLIMPSE_TRY_ASSIGN(const auto found, open_plan(id, now));
  if (found == nullptr) return failure(ErrorCode::kUnavailable, "plan {} was told already", id);
  plans_.close(found->id, PlanFate::kAbandoned);
  return {};
}

}  // namespace glimpse::python
