#include <algorithm>
#include <cmath>

#include "data/text/number.h"
#include "data/text/text.h"
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

namespace {
bool holds_days(const ColumnForm& form) {
  return form.type == ColumnForm::Type::kDate || form.type == ColumnForm::Type::kTime;
}
}  // namespace

std::vector<bool> Session::take_numbers() const {
  const std::lock_guard lock(mutex_);
  std::vector<bool> take(dimension());
  for (Attribute i = 0; i < take.size(); ++i)
    take[i] = !names_.categories().holds(i) &&
              (forms_.empty() || (!holds_days(forms_[i]) && forms_[i].missing.empty()));
  return take;
}

// As DialectReader and CsvReader read them, of a column that is not empty.
Result<std::vector<double>> Session::read_cells(Attribute attribute, const std::vector<std::string>& cells,
                                                bool are_numbers) {
  const std::lock_guard lock(mutex_);
  const Categories& categories = names_.categories();
  const bool holds_words = categories.holds(attribute);
  ColumnForm form = forms_.empty() ? ColumnForm() : forms_[attribute];
  if (are_numbers && !holds_days(form)) form = {.missing = form.missing};
  std::vector<double> values(cells.size(), NAN);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view cell = trimmed(cells[i]);
    if (is_missing_cell(cell) || is_mark(cell, form.missing)) continue;
    if (!holds_words && (is_missing_number(cell) || read_in_form(cell, form, values[i]))) continue;
    const bool is_label = attribute == dimension();
    const auto code =
        is_label ? Result<double>(not_a_number("label", cell)) : names_.read_word(attribute, cell, false);
    if (!code || (!holds_words && is_not_finite_cell(cell)))
      return failure(ErrorCode::kInvalidInput, "column {}: {} is not a {}, nor a mark for a missing value",
                     in_quotes(is_label ? label_ : names_.callable_name(attribute)), in_quotes(cell),
                     holds_days(form) ? "date or time" : "finite number");
    values[i] = *code;
  }
  return values;
}

Result<Session::Explained> Session::explain(const Rows& rows, const Limits& limits) {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
  find_reaches(limits);
  const auto basis = basis_for(true);
  const auto class_model = learner_->class_model();
  std::vector<double> scores(learner_->classes().size());
  const bool is_classifier = learner_->is_classifier();
  if (is_classifier ? !class_model || scores.size() < 2
                    : learner_->products() != nullptr && learner_->conditioning() == nullptr)
    return failure(ErrorCode::kInvalidInput, "{}{} has no explanations of its predictions",
                   learner_->options().algorithm, is_classifier ? " of classes" : "");
  const std::size_t slots = basis->model.weights.size();
  Explained all;
  all.amounts.resize(rows_of(rows) * slots);
  const auto explain_row = [&](std::size_t row) {
    Explanation one;
    if (is_classifier) {
      if (is_complete_)
        learner_->class_scores(nullptr, entries_, scores);
      else
        incomplete_.class_scores(*learner_, entries_, basis, scores);
      one = incomplete_.explain_margin(*learner_, entries_, basis, *class_model, scores, slope_, slots);
      all.classes.push_back(static_cast<std::int32_t>(one.margin->predicted));
      all.classes.push_back(static_cast<std::int32_t>(one.margin->next));
    } else {
      one = incomplete_.explain(*learner_, entries_, basis, slots);
      const double prediction = answer({Limits::Kind::kOff}, basis, nullptr);
      if (!is_complete_) one.unknown += prediction - one.prediction;
      one.clipped = answer(limits, basis, nullptr) - prediction;
      one.prediction = prediction + one.clipped;
    }
    for (const Explanation::Part& part : one.parts) all.amounts[row * slots + part.slot] = part.amount;
    all.predictions.push_back(one.prediction);
    all.at_means.push_back(one.at_means);
    all.unknown.push_back(one.unknown);
    all.clipped.push_back(one.clipped);
  };
  GLIMPSE_TRY(std::visit(
      [&](const auto& r) -> Status {
        for (std::size_t row = 0; row < r.rows; ++row) {
          GLIMPSE_TRY(read(r, row));
          explain_row(row);
        }
        return {};
      },
      rows));
  return all;
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
