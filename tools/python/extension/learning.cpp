#include <algorithm>
#include <cmath>
#include <limits>

#include "data/formats/csv_cells.h"
#include "data/text/text.h"
#include "session.h"

// From rows in memory to steps of the learner.

namespace glimpse::python {

namespace {

Error infinite(std::size_t row, const AttributeNames& names, Attribute attribute) {
  return failure(ErrorCode::kInvalidInput, "X has an infinite value: row {}, attribute {}", row,
                 names.callable_name(attribute));
}

}  // namespace

Result<double> Session::read_word(Attribute attribute, std::string_view word, bool learns) {
  word = trimmed(word);
  if (is_missing_cell(word)) return std::numeric_limits<double>::quiet_NaN();
  return names_.read_word(attribute, word, learns);
}

// The values of a plan. A word that has no code yet gets one.
template <class Source>
Status Session::reveal(const Source& rows, std::size_t row, const Plan& plan) {
  values_.resize(plan.attributes.size());
  for (std::size_t a = 0; a < values_.size(); ++a) {
    const Attribute i = plan.attributes[a];
    const std::string* const word = rows.word(row, i);
    if (word == nullptr) {
      values_[a] = rows.number(row, i);
      if (std::isinf(values_[a])) return infinite(row, names_, i);
      continue;
    }
    GLIMPSE_TRY_ASSIGN(values_[a], read_word(i, *word, true));
  }
  return {};
}

template <class Source>
const Plan& Session::plan_of(const Source& rows, std::size_t row) {
  if (!learner_->learns_from_entries()) {
    const Plan& plan = plans_ahead_.next(*learner_, random_, inner_random_);
    if (plans_ahead_.size() > 0) rows.prefetch(row + plans_ahead_.size(), plans_ahead_.last().attributes);
    return plan;
  }
  plan_.clear();
  for (std::size_t i = 0; i < rows.columns; ++i) plan_.attributes.push_back(static_cast<Attribute>(i));
  return plan_;
}

// An example whose values are in values_.
Outcome Session::take(const Plan& plan, double label, double importance) {
  note_words();
  if (bill_) bill_->begin();
  std::size_t obtained = 0;
  for (std::size_t a = 0; a < values_.size(); ++a) {
    if (std::isnan(values_[a])) continue;
    ++obtained;
    if (bill_) bill_->add(plan.attributes[a]);
  }
  spent_ = add_money(spent_, bill_ ? bill_->total() : obtained * kMoneyUnit);
  const Outcome outcome = learner_->learn(plan, values_, label, importance);
  has_news_ = true;
  return outcome;
}

template <class Source>
Result<Session::LearnReport> Session::learn_rows(const Source& rows, std::size_t begin, std::size_t end,
                                                 std::span<const double> labels,
                                                 std::span<const double> importances) {
  LearnReport report;
  for (std::size_t row = begin; row < end; ++row) {
    const Plan& plan = plan_of(rows, row);
    if (const Status status = reveal(rows, row, plan); !status) {
      if (!learner_->learns_from_entries()) plans_ahead_.put_back(*learner_, random_, inner_random_);
      names_.take_back();
      return status.error();
    }
    const double importance = importances.empty() ? 1 : importances[row];
    const Outcome outcome = take(plan, labels[row], importance);
    // As the daemon's: what was compared with what was seen of its attributes counts there.
    if (outcome != Outcome::kMissing && outcome != Outcome::kOutOfRange) {
      if (names_.fixed() == 0 && !has_named_) (void)names_.use_all_numbers();
      names_.keep();
    } else {
      names_.take_back();
    }
    ++(outcome == Outcome::kLearned ? report.learned : report.skipped);
  }
  return report;
}

Result<Session::LearnReport> Session::learn(const Rows& rows, std::size_t begin, std::size_t end,
                                            std::span<const double> labels,
                                            std::span<const double> importances) {
  const std::lock_guard lock(mutex_);
  return std::visit([&](const auto& r) { return learn_rows(r, begin, end, labels, importances); }, rows);
}

Status Session::learn_by(Session& planner, const Rows& rows, std::size_t row, double label) {
  const std::scoped_lock lock(mutex_, planner.mutex_);
  planner.learner_->plan(random_, plan_);
  GLIMPSE_TRY(std::visit([&](const auto& r) { return reveal(r, row, plan_); }, rows));
  (void)take(plan_, label, 1);
  return {};
}

// The attributes of an example's names, ascending, and their values. A new name gets a free place.
Status Session::place(const std::vector<NamedValue>& values) {
  has_named_ = true;
  given_.clear();
  for (const NamedValue& value : values) {
    GLIMPSE_TRY_ASSIGN(const auto attribute, names_.find_or_add(value.first));
    given_.emplace_back(attribute, &value);
  }
  std::ranges::sort(given_, {}, &Given::first);
  const auto twice = std::ranges::adjacent_find(given_, {}, &Given::first);
  if (twice == given_.end()) return {};
  return failure(ErrorCode::kInvalidInput,
                 "attribute {} is given twice: names are compared as text, so that 1 and \"1\" are one",
                 in_quotes(twice->second->first));
}

// Looks go to what the example has.
Status Session::plan_among_given() {
  std::vector<Attribute> available;
  for (const auto& [attribute, value] : given_) available.push_back(attribute);
  plan_.clear();
  if (learner_->learns_from_entries()) {
    plan_.attributes = available;
    return {};
  }
  plans_ahead_.give_back(*learner_, random_);
  return available.empty() ? Status() : learner_->plan_among(random_, available, plan_);
}

Status Session::reveal_given() {
  values_.clear();
  for (const Attribute i : plan_.attributes) {
    const auto at = std::ranges::lower_bound(given_, i, {}, &Given::first);
    const auto* const number = std::get_if<double>(&at->second->second);
    if (number != nullptr && std::isinf(*number)) return infinite(0, names_, i);
    GLIMPSE_TRY_ASSIGN(const auto value, number != nullptr
                                             ? Result<double>(*number)
                                             : read_word(i, std::get<std::string>(at->second->second), true));
    values_.push_back(value);
  }
  return {};
}

Result<bool> Session::learn_one(const std::vector<NamedValue>& values, double label, double importance) {
  const std::lock_guard lock(mutex_);
  Status status = place(values);
  if (status) status = plan_among_given();
  if (status) status = reveal_given();
  if (!status) {
    names_.take_back();
    return status.error();
  }
  names_.keep();
  return !plan_.attributes.empty() && take(plan_, label, importance) == Outcome::kLearned;
}

}  // namespace glimpse::python
