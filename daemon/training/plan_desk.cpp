#include "daemon/training/plan_desk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr double kRefused = std::numeric_limits<double>::quiet_NaN();

// `attributes` and `cost`: of a plan that does not fit any more.
Error all_spent(const SpendingReport& r, std::size_t attributes, Money cost) {
  std::string limits;
  if (r.limits.attributes) limits = fmt::format("--total-budget {}", *r.limits.attributes);
  if (r.limits.cost)
    limits += fmt::format("{}--total-cost {}", limits.empty() ? "" : ", ", format_money(*r.limits.cost));
  return failure(
      ErrorCode::kUnavailable,
      "nothing more is bought: the next {} attributes would cost {}, {} attributes were bought for {}, "
      "and {} more are promised to open plans for {} ({})",
      attributes, format_money(cost), r.attributes, format_money(r.cost), r.attributes_reserved,
      format_money(r.cost_reserved), limits);
}

// The values of a plan as they were told, refused ones NaN; or why not.
class ValuesOfPlan {
 public:
  ValuesOfPlan(const Plan& plan, AttributeNames& names) : plan_(plan), names_(names) {}

  Status read(const TellBatch& batch, const Told& item) {
    const std::size_t n = plan_.attributes.size();
    values_.assign(n, 0.0);
    state_.assign(n, kNotTold);
    for (std::size_t r = item.refused_begin; r < item.refused_end; ++r) {
      const auto place = find(batch.refused[r]);
      if (!place) return place.error();
      state_[*place] = kTold;
      values_[*place] = kRefused;
    }
    const auto values =
        std::span(batch.values).subspan(item.values_begin, item.values_end - item.values_begin);
    if (const Status status = item.in_plan_order ? take_in_order(values) : take_named(values); !status)
      return status;
    for (std::size_t a = 0; a < n; ++a)
      if (state_[a] == kNotTold)
        return failure(ErrorCode::kInvalidInput, "attribute {} of the plan is neither told nor refused",
                       names_.callable_name(plan_.attributes[a]));
    return {};
  }

  const std::vector<double>& values() const { return values_; }

 private:
  static constexpr char kNotTold = 0;
  static constexpr char kTold = 1;

  Result<std::size_t> find(std::string_view text) const {
    const auto attribute = names_.resolve(text);
    if (!attribute) return attribute.error();
    const auto at = std::lower_bound(plan_.attributes.begin(), plan_.attributes.end(), *attribute);
    if (at == plan_.attributes.end() || *at != *attribute)
      return failure(ErrorCode::kInvalidInput, "attribute {} is not of the plan", text);
    return static_cast<std::size_t>(at - plan_.attributes.begin());
  }

  // All of them, or those that were not refused.
  Status take_in_order(std::span<const Told::Value> values) {
    const std::size_t n = values_.size();
    const auto refused = static_cast<std::size_t>(std::count(state_.begin(), state_.end(), kTold));
    if (values.size() != n && values.size() != n - refused)
      return failure(ErrorCode::kInvalidInput, "{} values, but the plan has {} attributes{}", values.size(),
                     n, refused > 0 ? fmt::format(", {} of them refused", refused) : "");
    std::size_t next = 0;
    for (std::size_t a = 0; a < n; ++a) {
      if (state_[a] == kTold) {
        if (values.size() == n && !values[next++].text.empty())
          return failure(ErrorCode::kInvalidInput, "attribute {} has a value and is refused as well",
                         names_.callable_name(plan_.attributes[a]));
        continue;
      }
      const auto value = value_of(plan_.attributes[a], values[next++]);
      if (!value) return value.error();
      values_[a] = *value;
      state_[a] = kTold;
    }
    return {};
  }

  Status take_named(std::span<const Told::Value> values) {
    for (const Told::Value& value : values) {
      const auto place = find(value.attribute);
      if (!place) return place.error();
      if (state_[*place] == kTold && !(std::isnan(values_[*place]) && value.text.empty()))
        return failure(ErrorCode::kInvalidInput, "attribute {} is told twice, or refused as well",
                       value.attribute);
      state_[*place] = kTold;
      const auto number = value_of(plan_.attributes[*place], value);
      if (!number) return number.error();
      values_[*place] = *number;
    }
    return {};
  }

  // Of a word its code.
  Result<double> value_of(Attribute attribute, const Told::Value& value) {
    const bool is_word = std::isnan(value.value) || names_.categories().holds(attribute);
    if (value.text.empty() || !is_word) return value.value;
    return names_.read_word(attribute, value.text, true);
  }

  const Plan& plan_;
  AttributeNames& names_;
  std::vector<double> values_;
  std::vector<char> state_;
};

TellStatus status_of(PlanFate fate) {
  switch (fate) {
    case PlanFate::kLearned:
    case PlanFate::kNotLearned:
      return TellStatus::kDuplicate;
    case PlanFate::kExpired:
      return TellStatus::kExpired;
    case PlanFate::kAbandoned:
      return TellStatus::kAbandoned;
  }
  return TellStatus::kUnknown;
}

const char* advice(TellStatus status) {
  switch (status) {
    case TellStatus::kDuplicate:
      return "this plan was told before; nothing was learned twice";
    case TellStatus::kExpired:
      return "this plan has expired: ask for another one, with a longer ttl";
    case TellStatus::kAbandoned:
      return "this plan was abandoned: ask for another one";
    case TellStatus::kUnknown:
      return "there is no such plan, or it was closed long ago: ask for another one";
    default:
      return "";
  }
}

const char* why_not_learned(Outcome outcome) {
  switch (outcome) {
    case Outcome::kMissing:
      return "values were refused, and this algorithm learns from whole plans only, pairwise from at least "
             "one "
             "value";
    case Outcome::kDiverged:
      return "the step would have left the range of numbers; lower --step, or look at the values";
    case Outcome::kOutOfRange:
      return "a value or the importance is beyond the largest magnitude that is learned from";
    case Outcome::kLeftOut:
      return "the label, or a value that this algorithm needs, is far beyond all that were seen; such "
             "numbers are "
             "learned from when more of them come";
    case Outcome::kLearned:
      break;
  }
  return "";
}

// Of a word 0 or 1.
Result<std::optional<double>> label_of(const Told& item, AttributeNames& names) {
  const bool is_word = item.label && (std::isnan(*item.label) || names.categories().has_label_words());
  if (!is_word) return item.label;
  const auto code = names.categories().read_label(item.label_text, true);
  if (!code) return code.error();
  return std::optional(*code);
}

bool in_range(double value) { return std::isnan(value) || std::abs(value) <= kLargestMagnitude; }

TellAnswer answer(const Told& item, TellStatus status, std::string message) {
  return {std::string(item.id), status, std::move(message), {}, {}};
}

// As it was told: a word where labels are words.
std::variant<double, std::string> as_told(double label, const Categories& categories) {
  const auto& words = categories.label_words();
  const auto code = static_cast<std::size_t>(std::clamp(label, 0.0, static_cast<double>(words.size())));
  if (categories.has_label_words() && code < words.size()) return valid_utf8(words[code]);
  return label;
}

std::string text_of(const std::variant<double, std::string>& label) {
  const auto* const word = std::get_if<std::string>(&label);
  return word != nullptr ? quoted(*word) : fmt::format("{}", std::get<double>(label));
}

// Of a plan that is not open. A label that says otherwise than the first is named; nothing is kept of it.
TellAnswer answer_closed(const Told& item, PlanId id, const PlanBook& book, AttributeNames& names) {
  const auto fate = book.fate(id);
  const TellStatus status = fate ? status_of(*fate) : TellStatus::kUnknown;
  TellAnswer told = answer(item, status, advice(status));
  const auto before = book.told_label(id);
  if (status != TellStatus::kDuplicate || !before || !item.label) return told;
  names.keep();
  const auto label = label_of(item, names);
  const bool is_same = label && *label == before;
  const std::string now =
      label ? text_of(as_told(**label, names.categories())) : quoted(item.label_text);  // a third word
  names.take_back();
  if (is_same) return told;
  told.told_label = as_told(*before, names.categories());
  told.message = fmt::format("this plan was told before with label {}, which stays; label {} was not learned",
                             text_of(*told.told_label), now);
  return told;
}

}  // namespace

const char* name_of(TellStatus status) {
  static constexpr const char* kNames[] = {"learned",       "incomplete", "duplicate", "not_learned",
                                           "expired",       "abandoned",  "unknown",   "wrong_attributes",
                                           "invalid_value", "invalid",    "frozen"};
  return kNames[static_cast<std::size_t>(status)];
}

bool is_error(TellStatus status) { return status >= TellStatus::kExpired; }

namespace {

// A plan is told of one label.
Status check_one_label(const Learner& learner) {
  if (learner.label_count() == 1) return {};
  return failure(
      ErrorCode::kUnavailable,
      "plans are told of one label, and --label names {}: send whole examples, of which {} attributes "
      "are looked at each",
      learner.label_count(), learner.options().budget);
}

}  // namespace

Status ask(StreamProcessor& processor, std::size_t count, const Available& available, double now,
           double expires_at, AskedPlans& plans) {
  PlanBook& book = processor.plans();
  AttributeNames& names = processor.names();
  if (const Status status = check_one_label(processor.learner()); !status) return status;
  book.expire(now);
  plans.expires_at = expires_at;
  Plan& plan = processor.scratch_plan();
  for (std::size_t k = 0; k < count; ++k) {
    if (book.full())
      return failure(ErrorCode::kTooLarge,
                     "{} plans are open, as many as --max-plans allows: tell or abandon some, or wait until "
                     "they expire",
                     book.open());
    if (processor.freeze().is_frozen())
      return failure(ErrorCode::kUnavailable,
                     "nothing is bought while the model is frozen, as nothing would be learned of it: POST "
                     "/v1/unfreeze ends that");
    if (const auto stopped = processor.buying().stopped())
      return all_spent(processor.buying().report(), stopped->attributes, stopped->cost);
    if (const Status status = processor.draw_plan(available ? &*available : nullptr); !status) return status;
    if (plan.attributes.empty())
      return failure(ErrorCode::kUnavailable,
                     "no attribute can be bought: each that is available costs more than --budget-cost");
    const Money cost = processor.buying().cost_of(plan.attributes);
    if (!processor.buying().may_buy(plan.attributes.size(), cost))
      return all_spent(processor.buying().report(), plan.attributes.size(), cost);
    names.give_numbers(plan.attributes);
    const OpenPlan& given = book.give(plan, cost, expires_at);
    processor.note_change();
    plans.attributes.insert(plans.attributes.end(), plan.attributes.begin(), plan.attributes.end());
    if (!names.empty())
      for (const Attribute i : plan.attributes) plans.names.push_back(names.callable_name(i));
    plans.rows.push_back({given.id, cost, plans.attributes.size()});
  }
  return {};
}

namespace {

// What is sound of an item goes into its plan, which is learned from once nothing is missing.
TellAnswer keep_or_learn(StreamProcessor& processor, Door& door, const Told& item, OpenPlan& open,
                         const std::optional<double>& label) {
  processor.note_change();
  TellAnswer told = answer(item, TellStatus::kIncomplete, {});
  if (label && open.label && *label != *open.label) {
    const Categories& categories = processor.names().categories();
    told.told_label = as_told(*open.label, categories);
    told.message = fmt::format("label {} takes the place of {}, which was told before",
                               text_of(as_told(*label, categories)), text_of(*told.told_label));
  }
  if (label) open.label = label;
  if (item.importance) open.importance = *item.importance;
  if (!open.label || open.values.empty()) {
    told.message =
        fmt::format("kept; {}{}{} still to be told", told.message, told.message.empty() ? "" : "; ",
                    open.label ? "the values are" : "the label is");
    return told;
  }
  const Outcome outcome =
      processor.learn(door, open.plan, open.values, {&*open.label, 1}, open.importance, open.cost);
  processor.plans().close(open.id, outcome == Outcome::kLearned ? PlanFate::kLearned : PlanFate::kNotLearned);
  told.status = outcome == Outcome::kLearned ? TellStatus::kLearned : TellStatus::kNotLearned;
  if (outcome != Outcome::kLearned)
    told.message = why_not_learned(outcome) + (told.message.empty() ? "" : "; " + told.message);
  return told;
}

}  // namespace

TellAnswer tell(StreamProcessor& processor, Door& door, const TellBatch& batch, const Told& item,
                double now) {
  if (!item.error.empty()) return answer(item, TellStatus::kInvalid, item.error);
  PlanBook& book = processor.plans();
  book.expire(now);
  const auto id = parse_plan_id(item.id);
  if (!id)
    return answer(item, TellStatus::kUnknown,
                  fmt::format("{} is no plan's id; ids look like 3f9a2b-1842", quoted(item.id)));
  OpenPlan* const open = book.find(*id);
  if (open == nullptr) return answer_closed(item, *id, book, processor.names());

  if (processor.freeze().is_frozen())
    return answer(
        item, TellStatus::kFrozen,
        "nothing is learned while the model is frozen; the plan stays open: tell it again after POST "
        "/v1/unfreeze");

  // Nothing is kept of an item that is not sound as a whole.
  AttributeNames& names = processor.names();
  names.keep();
  const auto label = label_of(item, names);
  if (!label) return answer(item, TellStatus::kInvalidValue, label.error().message);
  if (*label && !in_range(**label)) {
    names.take_back();
    return answer(item, TellStatus::kInvalidValue,
                  fmt::format("label {} is beyond {:g}", **label, kLargestMagnitude));
  }
  if (item.importance && !(*item.importance >= 0 && *item.importance <= kLargestMagnitude)) {
    names.take_back();
    return answer(item, TellStatus::kInvalidValue,
                  fmt::format("importance {} must be from 0 to {:g}", *item.importance, kLargestMagnitude));
  }
  if (item.has_values) {
    ValuesOfPlan values(open->plan, names);
    if (const Status status = values.read(batch, item); !status) {
      names.take_back();
      TellAnswer wrong = answer(item, TellStatus::kWrongAttributes, status.error().message);
      wrong.expected = open->plan.attributes;
      if (!processor.names().empty())
        for (const Attribute i : wrong.expected) wrong.names.push_back(processor.names().callable_name(i));
      return wrong;
    }
    for (std::size_t a = 0; a < values.values().size(); ++a)
      if (!in_range(values.values()[a])) {
        names.take_back();
        return answer(item, TellStatus::kInvalidValue,
                      fmt::format("value {} of attribute {} is beyond {:g}", values.values()[a],
                                  names.callable_name(open->plan.attributes[a]), kLargestMagnitude));
      }
    open->values = values.values();
  }
  names.keep();
  return keep_or_learn(processor, door, item, *open, *label);
}

Status abandon(StreamProcessor& processor, std::string_view text, double now) {
  PlanBook& book = processor.plans();
  book.expire(now);
  const auto id = parse_plan_id(text);
  if (id && book.find(*id) != nullptr) {
    book.close(*id, PlanFate::kAbandoned);
    processor.note_change();
    return {};
  }
  const auto fate = id ? book.fate(*id) : std::nullopt;
  if (!fate) return failure(ErrorCode::kNotFound, "there is no open plan {}", quoted(text));
  switch (*fate) {
    case PlanFate::kAbandoned:
      return {};  // as often as one likes
    case PlanFate::kExpired:
      return failure(ErrorCode::kUnavailable, "plan {} has expired already", text);
    case PlanFate::kLearned:
    case PlanFate::kNotLearned:
      break;
  }
  return failure(ErrorCode::kUnavailable, "plan {} was told already", text);
}

}  // namespace glimpse
