#include "daemon/training/plan_desk.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/buying/values_of_plan.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

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
      return "the label, or each value, is far beyond all that were seen; such numbers are learned from when "
             "more of them come";
    case Outcome::kLearned:
      break;
  }
  return "";
}

bool is_missing_or_in_range(double value) {
  return std::isnan(value) || std::abs(value) <= kLargestMagnitude;
}

TellAnswer answer(const Told& item, TellStatus status, std::string message) {
  return {std::string(item.id), status, std::move(message), {}, {}};
}

// Keeps what is said of labels that differ from what was told of them; `say`: how.
template <class Say>
void note_changes(TellAnswer& told, const std::vector<LabelsOfItem::Change>& changes, const Say& say) {
  for (const LabelsOfItem::Change& change : changes) {
    if (change.label.empty())
      told.told_label = change.before;
    else
      told.told_labels.emplace_back(valid_utf8(change.label), std::get<double>(change.before));
    told.message += (told.message.empty() ? "" : "; ") + say(change);
  }
}

// Of a plan that is not open. A label that says otherwise than the first is named; nothing is kept of it.
TellAnswer answer_closed(StreamProcessor& processor, const TellBatch& batch, const Told& item, PlanId id) {
  const PlanBook& book = processor.plans();
  const auto fate = book.fate(id);
  const TellStatus status = fate ? status_of(*fate) : TellStatus::kUnknown;
  TellAnswer told = answer(item, status, advice(status));
  const ToldLabels* const before = book.told_labels(id);
  if (status != TellStatus::kDuplicate || before == nullptr || !(item.label || item.has_labels)) return told;
  AttributeNames& names = processor.names();
  names.keep();
  LabelsOfItem labels(processor.learner().options().labels);
  (void)labels.read(batch, item, names);  // what is not sound is none that was told
  const auto changes = labels.changes(*before, item, names.categories());
  names.take_back();
  if (changes.empty()) return told;
  told.message.clear();
  note_changes(told, changes, [](const LabelsOfItem::Change& change) {
    return fmt::format("this plan was told before with {} {}, which stays; {} {} was not learned",
                       change.name, change.before_text, change.name, change.now);
  });
  return told;
}

}  // namespace

const char* name_of(TellStatus status) {
  static constexpr const char* kNames[] = {"learned",       "incomplete", "duplicate", "not_learned",
                                           "expired",       "abandoned",  "unknown",   "wrong_attributes",
                                           "invalid_value", "invalid",    "frozen",    "elsewhere"};
  return kNames[static_cast<std::size_t>(status)];
}

bool is_error(TellStatus status) { return status >= TellStatus::kExpired; }

Status ask(StreamProcessor& processor, std::size_t count, const Available& available, double now,
           double expires_at, AskedPlans& plans) {
  PlanBook& book = processor.plans();
  AttributeNames& names = processor.names();
  processor.expire_plans(now);
  plans.expires_at = expires_at;
  Plan& plan = processor.scratch_plan();
  for (std::size_t k = 0; k < count; ++k) {
    if (book.full())
      return failure(ErrorCode::kTooLarge,
                     "as many plans are open as --max-plans allows, {}: tell or abandon some, or wait until "
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
    names.promise_numbers(plan.attributes);
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
                         const LabelsOfItem& labels) {
  processor.note_change();
  TellAnswer told = answer(item, TellStatus::kIncomplete, {});
  note_changes(told, labels.changes(open.labels, item, processor.names().categories()),
               [](const LabelsOfItem::Change& change) {
                 return fmt::format("{} {} takes the place of {}, which was told before", change.name,
                                    change.now, change.before_text);
               });
  labels.tell(open.labels);
  if (item.importance) open.importance = *item.importance;
  std::string missing = labels.missing(open.labels);
  if (open.values.empty() && (missing.empty() || processor.learner().label_count() > 1))
    missing += missing.empty() ? "the values are" : " still to be told, and the values are";
  if (!missing.empty()) {
    processor.names().keep();
    told.message =
        fmt::format("kept; {}{}{} still to be told", told.message, told.message.empty() ? "" : "; ", missing);
    return told;
  }
  std::vector<double> all(1, open.labels.first());
  all.insert(all.end(), open.labels.further().begin(), open.labels.further().end());
  const Outcome outcome = processor.learn(door, open.plan, open.values, all, open.importance, open.cost);
  if (outcome == Outcome::kLearned && open.importance > 0)
    processor.names().give_numbers(open.plan.attributes);
  processor.plans().close(open.id, outcome == Outcome::kLearned ? PlanFate::kLearned : PlanFate::kNotLearned);
  told.status = outcome == Outcome::kLearned ? TellStatus::kLearned : TellStatus::kNotLearned;
  if (outcome != Outcome::kLearned)
    told.message = why_not_learned(outcome) + (told.message.empty() ? "" : "; " + told.message);
  return told;
}

// The values of an item, where it has any; or the answer that says why they are not those of the plan.
std::optional<TellAnswer> take_values(StreamProcessor& processor, const TellBatch& batch, const Told& item,
                                      OpenPlan& open) {
  if (!item.has_values) return std::nullopt;
  AttributeNames& names = processor.names();
  ValuesOfPlan values(open.plan, names);
  if (const Status status = values.read(batch, item); !status) {
    names.take_back();
    TellAnswer wrong = answer(item, TellStatus::kWrongAttributes, status.error().message);
    wrong.expected = open.plan.attributes;
    if (!names.empty())
      for (const Attribute i : wrong.expected) wrong.names.push_back(names.callable_name(i));
    return wrong;
  }
  for (std::size_t a = 0; a < values.values().size(); ++a)
    if (!is_missing_or_in_range(values.values()[a])) {
      names.take_back();
      return answer(item, TellStatus::kInvalidValue,
                    fmt::format("value {} of attribute {} is beyond {:g}", values.values()[a],
                                names.callable_name(open.plan.attributes[a]), kLargestMagnitude));
    }
  open.values = values.values();
  return std::nullopt;
}

}  // namespace

TellAnswer tell(StreamProcessor& processor, Door& door, const TellBatch& batch, const Told& item,
                double now) {
  if (!item.error.empty()) return answer(item, TellStatus::kInvalid, item.error);
  PlanBook& book = processor.plans();
  processor.expire_plans(now);
  const auto id = parse_plan_id(item.id);
  if (!id)
    return answer(item, TellStatus::kUnknown,
                  fmt::format("{} is no plan's id; ids look like 3f9a2b-1842", in_quotes(item.id)));
  OpenPlan* const open = book.find(*id);
  if (open == nullptr) return answer_closed(processor, batch, item, *id);

  if (processor.freeze().is_frozen())
    return answer(
        item, TellStatus::kFrozen,
        "nothing is learned while the model is frozen; the plan stays open: tell it again after POST "
        "/v1/unfreeze");

  // Nothing is kept of an item that is not sound as a whole.
  AttributeNames& names = processor.names();
  names.keep();
  LabelsOfItem labels(processor.learner().options().labels);
  if (const Status status = labels.read(batch, item, names); !status) {
    names.take_back();
    const bool is_other = status.error().code == ErrorCode::kMismatch;
    return answer(item, is_other ? TellStatus::kInvalid : TellStatus::kInvalidValue, status.error().message);
  }
  if (item.importance && !(*item.importance >= 0 && *item.importance <= kLargestMagnitude)) {
    names.take_back();
    return answer(item, TellStatus::kInvalidValue,
                  fmt::format("importance {} must be from 0 to {:g}", *item.importance, kLargestMagnitude));
  }
  if (auto wrong = take_values(processor, batch, item, *open)) return std::move(*wrong);
  TellAnswer told = keep_or_learn(processor, door, item, *open, labels);
  processor.expire_plans(now);
  return told;
}

Status abandon(StreamProcessor& processor, std::string_view text, double now) {
  PlanBook& book = processor.plans();
  processor.expire_plans(now);
  const auto id = parse_plan_id(text);
  if (id && book.find(*id) != nullptr) {
    book.close(*id, PlanFate::kAbandoned);
    processor.expire_plans(now);
    processor.note_change();
    return {};
  }
  const auto fate = id ? book.fate(*id) : std::nullopt;
  if (!fate) return failure(ErrorCode::kNotFound, "there is no open plan {}", in_quotes(text));
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
