#include <algorithm>
#include <cmath>

#include "learn/classes/class_scores.h"
#include "learn/core/solving.h"
#include "session.h"

// Answers by the newest model, as the daemon's Predictor gives them.

namespace glimpse::python {

void Session::refresh() {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
}

void Session::bring_up_to_date() {
  if (has_news_ && learner_->solving() != nullptr) (void)learner_->shared_model();
  has_news_ = false;
}

void Session::find_reaches(const Limits& limits) {
  reaches_.clear();
  if (limits.kind != Limits::Kind::kAuto || !keeps_pairs(learner_->options().algorithm)) return;
  for (std::size_t i = 0; i < dimension(); ++i)
    reaches_.push_back(learner_->reach(static_cast<Attribute>(i)));
}

void Session::bound() {
  is_complete_ = true;
  for (Entry& entry : entries_) {
    if (std::abs(entry.value) > kLargestMagnitude) entry.value = NAN;  // as where it is learned from
    if (!reaches_.empty()) entry.value = within_reach(entry.value, reaches_[entry.attribute]);
    is_complete_ = is_complete_ && !std::isnan(entry.value);
  }
}

template <class Source>
Status Session::read(const Source& rows, std::size_t row) {
  entries_.clear();
  for (std::size_t i = 0; i < rows.columns; ++i) {
    const auto attribute = static_cast<Attribute>(i);
    const std::string* const word = rows.word(row, i);
    double value = rows.number(row, i);
    if (word != nullptr) {
      GLIMPSE_TRY_ASSIGN(value, read_word(attribute, *word, false));
    }
    entries_.push_back({attribute, value});
  }
  bound();
  return {};
}

// What was never learned of says nothing. What was, and is not given, is not known.
void Session::read_named(const std::vector<NamedValue>& values) {
  entries_.clear();
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (learner_->has_seen(static_cast<Attribute>(i))) entries_.push_back({static_cast<Attribute>(i), NAN});
  for (const NamedValue& value : values) {
    const auto attribute = names_.find(value.first);
    if (!attribute) continue;
    const auto entry = std::ranges::lower_bound(entries_, *attribute, {}, &Entry::attribute);
    if (entry == entries_.end() || entry->attribute != *attribute) continue;
    const auto* const number = std::get_if<double>(&value.second);
    const auto code = number != nullptr ? Result<double>(*number)
                                        : read_word(*attribute, std::get<std::string>(value.second), false);
    if (code) entry->value = *code;
  }
  bound();
}

double Session::answer(const Limits& limits, const std::shared_ptr<const Solution>& basis, double* error) {
  double prediction = 0;
  IncompleteExamples::Answer incomplete;
  const bool conditions = !is_complete_ && IncompleteExamples::conditions(*learner_, entries_);
  if (!is_complete_ && (conditions || error != nullptr))
    incomplete = incomplete_.predict(*learner_, entries_, basis);
  prediction = conditions ? incomplete.prediction : learner_->predict(entries_);
  if (error != nullptr)
    *error = is_complete_ ? IncompleteExamples::standard_error_of_complete(*learner_, *basis)
                          : incomplete.standard_error;
  if (limits.kind == Limits::Kind::kRange) return std::clamp(prediction, limits.low, limits.high);
  const LabelRange& seen = learner_->labels();
  if (limits.kind == Limits::Kind::kAuto && !seen.empty())
    return std::clamp(prediction, seen.min(), seen.max());
  return prediction;
}

// Solved for once, and only where somebody needs it.
std::shared_ptr<const Solution> Session::basis_for(bool is_needed) {
  return is_needed ? prediction_basis(*learner_) : nullptr;
}

void Session::classify(const std::shared_ptr<const Solution>& basis, std::span<double> out) {
  if (learner_->labels().empty())
    std::ranges::fill(out, 0.0);
  else if (!is_complete_)
    incomplete_.class_scores(*learner_, entries_, basis, out);
  else
    learner_->class_scores(nullptr, entries_, out);
  to_probabilities(slope_, out);
}

Status Session::predict(const Rows& rows, const Limits& limits, std::span<double> out,
                        std::span<double> errors) {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
  find_reaches(limits);
  std::shared_ptr<const Solution> basis = basis_for(!errors.empty());
  return std::visit(
      [&](const auto& r) -> Status {
        for (std::size_t row = 0; row < r.rows; ++row) {
          GLIMPSE_TRY(read(r, row));
          if (!is_complete_ && !basis) basis = basis_for(true);
          out[row] = answer(limits, basis, errors.empty() ? nullptr : &errors[row]);
        }
        predictions_ += r.rows;
        return {};
      },
      rows);
}

Status Session::probabilities(const Rows& rows, const Limits& limits, std::span<double> out) {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
  find_reaches(limits);
  std::shared_ptr<const Solution> basis;
  const std::size_t classes = learner_->classes().size();
  return std::visit(
      [&](const auto& r) -> Status {
        for (std::size_t row = 0; row < r.rows; ++row) {
          GLIMPSE_TRY(read(r, row));
          if (!is_complete_ && !basis) basis = basis_for(true);
          classify(basis, out.subspan(row * classes, classes));
        }
        predictions_ += r.rows;
        return {};
      },
      rows);
}

double Session::predict_one(const std::vector<NamedValue>& values, const Limits& limits) {
  const std::lock_guard lock(mutex_);
  find_reaches(limits);
  read_named(values);
  ++predictions_;
  return answer(limits, basis_for(!is_complete_), nullptr);
}

std::vector<double> Session::probabilities_one(const std::vector<NamedValue>& values, const Limits& limits) {
  const std::lock_guard lock(mutex_);
  find_reaches(limits);
  read_named(values);
  ++predictions_;
  std::vector<double> out(learner_->classes().size());
  classify(basis_for(!is_complete_), out);
  return out;
}

}  // namespace glimpse::python
