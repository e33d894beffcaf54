#include "daemon/buying/values_of_plan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "data/text/text.h"
#include "learn/options/options.h"

namespace glimpse {

namespace {
constexpr double kRefused = std::numeric_limits<double>::quiet_NaN();
}  // namespace

Status ValuesOfPlan::read(const TellBatch& batch, const Told& item) {
  const std::size_t n = plan_.attributes.size();
  values_.assign(n, 0.0);
  state_.assign(n, kNotTold);
  for (std::size_t r = item.refused_begin; r < item.refused_end; ++r) {
    GLIMPSE_TRY_ASSIGN(const auto place, find(batch.refused[r].text, batch.refused[r].is_number));
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

Result<std::size_t> ValuesOfPlan::find(std::string_view text, bool is_number) const {
  GLIMPSE_TRY_ASSIGN(const auto attribute, names_.resolve(text, is_number));
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
    return failure(ErrorCode::kInvalidInput, "{} value{}, but the plan has {} attribute{}{}", values.size(),
                   values.size() == 1 ? "" : "s", n, n == 1 ? "" : "s",
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

namespace {

bool in_range(double value) { return std::abs(value) <= kLargestMagnitude; }

// As it was told: a word where labels are words.
std::variant<double, std::string> as_told(double label, const Categories& categories) {
  const auto& words = categories.label_words();
  const auto code = static_cast<std::size_t>(std::clamp(label, 0.0, static_cast<double>(words.size())));
  if (categories.has_label_words() && code < words.size()) return valid_utf8(words[code]);
  return label;
}

std::string label_text(const std::variant<double, std::string>& label) {
  const auto* const word = std::get_if<std::string>(&label);
  return word != nullptr ? in_quotes(*word) : fmt::format("{}", std::get<double>(label));
}

}  // namespace

std::string LabelsOfItem::name_of(std::size_t l) const {
  return are_several() ? fmt::format("label {}", in_quotes(names_[l])) : "label";
}

Status LabelsOfItem::read(const TellBatch& batch, const Told& item, AttributeNames& attributes) {
  if (are_several()) return read_several(batch, item);
  if (item.has_labels)
    return failure(ErrorCode::kMismatch,
                   "'labels' is for several labels, which --label NAME,NAME names: one is 'label'");
  return read_one(item, attributes);
}

// Of a word its code.
Status LabelsOfItem::read_one(const Told& item, AttributeNames& attributes) {
  Categories& categories = attributes.categories();
  const bool is_word = item.label && (std::isnan(*item.label) || categories.has_label_words());
  labels_[0] = item.label;
  if (is_word) {
    labels_[0].reset();
    GLIMPSE_TRY_ASSIGN(labels_[0], categories.read_label(item.label_text, true));
  }
  if (!labels_[0] || in_range(*labels_[0])) return {};
  return failure(ErrorCode::kInvalidInput, "label {} is beyond {:g}", *labels_[0], kLargestMagnitude);
}

Status LabelsOfItem::read_several(const TellBatch& batch, const Told& item) {
  if (item.label)
    return failure(
        ErrorCode::kMismatch,
        "'label' is one, but there are {} labels: tell {{\"labels\": {{\"{}\": ..., \"{}\": ...}}}}",
        names_.size(), names_[0], names_[1]);
  std::vector<bool> is_given(names_.size());
  for (std::size_t t = item.labels_begin; t < item.labels_end; ++t) {
    const Told::Value& told = batch.labels[t];
    const auto at = std::ranges::find(names_, told.attribute);
    if (at == names_.end())
      return failure(
          ErrorCode::kMismatch, "no label is called {}{}", in_quotes(told.attribute),
          did_you_mean(told.attribute, std::vector<std::string_view>(names_.begin(), names_.end())));
    const auto l = static_cast<std::size_t>(at - names_.begin());
    if (is_given[l])
      return failure(ErrorCode::kMismatch, "the label {} is given twice", in_quotes(told.attribute));
    is_given[l] = true;
    if (told.text.empty()) continue;
    if (std::isnan(told.value))
      return failure(
          ErrorCode::kInvalidInput,
          "the label {} must be a number or null, not the word {}: of several labels none holds words",
          in_quotes(told.attribute), in_quotes(told.text));
    if (!in_range(told.value))
      return failure(
          ErrorCode::kInvalidInput,
          "the label {} is {}, beyond {:g}, the largest magnitude that is learned from: tell another "
          "number, or null until it is known",
          in_quotes(told.attribute), told.value, kLargestMagnitude);
    labels_[l] = told.value;
  }
  return {};
}

void LabelsOfItem::tell(ToldLabels& labels) const {
  for (std::size_t l = 0; l < labels_.size(); ++l)
    if (labels_[l]) labels.tell(l, *labels_[l]);
}

std::vector<LabelsOfItem::Change> LabelsOfItem::changes(const ToldLabels& before, const Told& item,
                                                        const Categories& categories) const {
  std::vector<Change> changes;
  for (std::size_t l = 0; l < labels_.size(); ++l) {
    const auto told = before[l];
    const bool is_unsound = !are_several() && item.label && !labels_[l];  // a word too many
    if (!told || (!labels_[l] && !is_unsound) || labels_[l] == told) continue;
    Change& change = changes.emplace_back();
    change.name = name_of(l);
    if (are_several()) change.label = names_[l];
    change.before = are_several() ? *told : as_told(*told, categories);
    change.before_text = label_text(change.before);
    change.now = is_unsound ? in_quotes(item.label_text) : label_text(as_told(*labels_[l], categories));
  }
  return changes;
}

std::string LabelsOfItem::missing(const ToldLabels& told) const {
  if (told.are_all_told()) return {};
  if (!are_several()) return "the label is";
  std::string list;
  std::size_t count = 0;
  for (std::size_t l = 0; l < names_.size(); ++l) {
    if (told[l]) continue;
    list += (count > 0 ? ", " : "") + in_quotes(names_[l]);
    ++count;
  }
  return count == 1 ? fmt::format("the label {} is", list) : fmt::format("the labels {} are", list);
}

}  // namespace glimpse
