#include <algorithm>
#include <cmath>

#include "data/text/number.h"
#include "data/text/text.h"
#include "learn/core/solving.h"
#include "session.h"

// Answers by the newest model.

namespace glimpse::python {

void Session::refresh() {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
}

void Session::bring_up_to_date() {
  if (has_news_ && learner_->solving() != nullptr) (void)learner_->shared_model();
  has_news_ = false;
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
  predictor_.take(entries_);
  return {};
}

template <class Answer>
Status Session::for_each_row(const Rows& rows, const Answer& answer) {
  return std::visit(
      [&](const auto& r) -> Status {
        for (std::size_t row = 0; row < r.rows; ++row) {
          GLIMPSE_TRY(read(r, row));
          GLIMPSE_TRY(answer(row));
        }
        predictions_ += r.rows;
        return {};
      },
      rows);
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
  predictor_.take(entries_);
}

Status Session::predict(const Rows& rows, const Clip& clip, std::span<double> out, std::span<double> errors) {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
  predictor_.set_clip(clip);
  const std::size_t labels = learner_->label_count();
  std::vector<double> of_complete;
  for (std::size_t l = 0; l < labels && !errors.empty(); ++l)
    of_complete.push_back(IncompleteExamples::standard_error_of_complete(
        learner_->of_label(l), *prediction_basis(learner_->of_label(l))));
  return for_each_row(rows, [&](std::size_t row) {
    for (std::size_t l = 0; l < labels; ++l) {
      out[row * labels + l] = predictor_.predict(nullptr, l);
      if (errors.empty()) continue;
      const auto error = predictor_.standard_errors(nullptr, l);
      errors[row * labels + l] = error ? error->incomplete : of_complete[l];
    }
    return Status();
  });
}

Status Session::probabilities(const Rows& rows, const Clip& clip, std::span<double> out) {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
  predictor_.set_clip(clip);
  predictor_.set_slope(slope_);
  const std::size_t classes = learner_->classes().size();
  return for_each_row(rows, [&](std::size_t row) {
    std::ranges::copy(predictor_.classify(nullptr).probabilities, out.subspan(row * classes).begin());
    return Status();
  });
}

Status Session::hold_out(const Rows& rows, std::span<const double> codes, Temperature& temperature) {
  const std::lock_guard lock(mutex_);
  predictor_.set_clip({Clip::Kind::kOff});
  GLIMPSE_TRY(for_each_row(rows, [&](std::size_t row) {
    temperature.add(predictor_.scores_as_judged(), static_cast<std::size_t>(codes[row]));
    return Status();
  }));
  slope_ = temperature.slope();
  return {};
}

std::vector<bool> Session::take_numbers() const {
  const std::lock_guard lock(mutex_);
  std::vector<bool> take(dimension());
  for (Attribute i = 0; i < take.size(); ++i)
    take[i] = !names_.categories().holds(i) &&
              (forms_.empty() || (!forms_[i].holds_days() && forms_[i].missing.empty()));
  return take;
}

// As DialectReader and CsvReader read them, of a column that is not empty.
Result<std::vector<double>> Session::read_cells(Attribute attribute, const std::vector<std::string>& cells,
                                                bool are_numbers) {
  const std::lock_guard lock(mutex_);
  const Categories& categories = names_.categories();
  const bool holds_words = categories.holds(attribute);
  ColumnForm form = forms_.empty() ? ColumnForm() : forms_[attribute];
  if (are_numbers && !form.holds_days()) form = {.missing = form.missing};
  std::vector<double> values(cells.size(), NAN);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view cell = trimmed(cells[i]);
    if (is_missing_cell(cell) || is_mark(cell, form.missing)) continue;
    if (!holds_words && (is_missing_number(cell) || read_in_form(cell, form, values[i]))) continue;
    const bool is_label = attribute >= dimension();
    const auto code =
        is_label ? Result<double>(not_a_number("label", cell)) : names_.read_word(attribute, cell, false);
    if (!code || (!holds_words && is_not_finite_cell(cell)))
      return failure(ErrorCode::kInvalidInput, "column {}: {} is not a {}, nor a mark for a missing value",
                     in_quotes(is_label ? labels_[attribute - dimension()] : names_.callable_name(attribute)),
                     in_quotes(cell), form.holds_days() ? "date or time" : "finite number");
    values[i] = *code;
  }
  return values;
}

Result<Session::Explained> Session::explain(const Rows& rows, const Clip& clip, std::size_t label) {
  const std::lock_guard lock(mutex_);
  bring_up_to_date();
  predictor_.set_clip(clip);
  predictor_.set_slope(slope_);
  const std::size_t slots = prediction_basis(learner_->of_label(label))->model.weights.size();
  Explained all;
  all.amounts.resize(rows_of(rows) * slots);
  GLIMPSE_TRY(for_each_row(rows, [&](std::size_t row) -> Status {
    const auto one =
        learner_->is_classifier() ? predictor_.explain_class(slots) : predictor_.explain(slots, label);
    if (!one)
      return failure(ErrorCode::kInvalidInput, "predictions of {}{} have no explanations",
                     learner_->options().algorithm, learner_->is_classifier() ? " for classes" : "");
    for (const Explanation::Part& part : one->parts) all.amounts[row * slots + part.slot] = part.amount;
    all.predictions.push_back(one->margin ? one->prediction : predictor_.predict(nullptr, label));
    all.at_means.push_back(one->at_means);
    all.unknown.push_back(one->unknown);
    all.clipped.push_back(one->clipped);
    if (!one->margin) return {};
    for (const std::size_t code : {one->margin->predicted, one->margin->next})
      all.classes.push_back(static_cast<std::int32_t>(code));
    return {};
  }));
  return all;
}

double Session::predict_one(const std::vector<NamedValue>& values, const Clip& clip) {
  const std::lock_guard lock(mutex_);
  predictor_.set_clip(clip);
  read_named(values);
  ++predictions_;
  return predictor_.predict(nullptr);
}

std::vector<double> Session::probabilities_one(const std::vector<NamedValue>& values, const Clip& clip) {
  const std::lock_guard lock(mutex_);
  predictor_.set_clip(clip);
  predictor_.set_slope(slope_);
  read_named(values);
  ++predictions_;
  const auto probabilities = predictor_.classify(nullptr).probabilities;
  return {probabilities.begin(), probabilities.end()};
}

}  // namespace glimpse::python
