#include "learn/plans/plan_book.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/numbers.h"

namespace glimpse {

namespace {

constexpr unsigned kNumberBits = 40;
constexpr std::size_t kProcessDigits = 6;  // of the 24 bits
constexpr PlanId kNumbers = (PlanId{1} << kNumberBits) - 1;

}  // namespace

std::string format_plan_id(PlanId id) {
  char text[kProcessDigits + 1 + 20];
  const auto process = static_cast<std::uint32_t>(id >> kNumberBits);
  for (std::size_t digit = 0; digit < kProcessDigits; ++digit)
    text[digit] = "0123456789abcdef"[process >> 4 * (kProcessDigits - 1 - digit) & 15];
  text[kProcessDigits] = '-';
  const auto end = std::to_chars(text + kProcessDigits + 1, std::end(text), id & kNumbers).ptr;
  return {text, end};
}

std::optional<PlanId> parse_plan_id(std::string_view text) {
  if (text.size() <= kProcessDigits + 1 || text[kProcessDigits] != '-') return std::nullopt;
  const auto process = whole_text_as<PlanId>(text.substr(0, kProcessDigits), 16);
  const std::string_view digits = text.substr(kProcessDigits + 1);
  const auto number = whole_text_as<PlanId>(digits);
  if (!process || !number || *number > kNumbers || digits.front() == '0') return std::nullopt;
  return *process << kNumberBits | *number;
}

const OpenPlan& PlanBook::give(const Plan& plan, Money cost, double expires_at) {
  const OpenPlan& given = enter(PlanId{process_} << kNumberBits | next_number_++, plan, cost, expires_at);
  ++counts_.given;
  return given;
}

// Without memory for all of it no plan is open that was not open before.
OpenPlan& PlanBook::enter(PlanId id, const Plan& plan, Money cost, double expires_at) {
  if (free_.empty()) {
    if (free_.capacity() <= slots_.size()) free_.reserve(2 * slots_.size() + 8);  // close() needs no memory
    slots_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
  }
  const std::uint32_t slot = free_.back();
  OpenPlan& entry = slots_[slot];
  entry.id = id;
  entry.expires_at = expires_at;
  entry.cost = cost;
  entry.plan = plan;
  entry.values.clear();
  entry.labels.begin(label_count_);
  entry.importance = 1;
  add_due(expires_at, entry.id);
  index_.emplace(entry.id, slot);
  free_.pop_back();
  ++open_;
  open_attributes_ += plan.attributes.size();
  open_cost_ += cost;
  return entry;
}

// Plans that were answered in time stay in the heap; once they are the larger part of it they go.
void PlanBook::add_due(double time, PlanId id) {
  if (due_.size() >= 64 && due_.size() > 2 * open()) {
    std::erase_if(due_, [this](const Due& due) { return !is_open(due.id); });
    std::make_heap(due_.begin(), due_.end());
  }
  due_.push_back({time, id});
  std::push_heap(due_.begin(), due_.end());
}

OpenPlan* PlanBook::find(PlanId id) {
  const auto at = index_.find(id);
  return at == index_.end() || at->second >= kClosed ? nullptr : &slots_[at->second];
}

const PlanBook::Closed* PlanBook::closed(PlanId id) const {
  const auto at = index_.find(id);
  return at == index_.end() || at->second < kClosed ? nullptr : &remembered_[at->second - kClosed];
}

std::optional<PlanFate> PlanBook::fate(PlanId id) const {
  const Closed* const plan = closed(id);
  return plan != nullptr ? std::optional(plan->fate) : std::nullopt;
}

const ToldLabels* PlanBook::told_labels(PlanId id) const {
  const Closed* const plan = closed(id);
  return plan != nullptr ? &plan->labels : nullptr;
}

void PlanBook::close(PlanId id, PlanFate fate) {
  const auto at = index_.find(id);
  const std::uint32_t slot = at->second;
  std::swap(remember(id, fate).labels, slots_[slot].labels);  // first: memory may not suffice for it
  open_attributes_ -= slots_[slot].plan.attributes.size();
  open_cost_ -= slots_[slot].cost;
  --open_;
  free_.push_back(slot);
  switch (fate) {
    case PlanFate::kLearned:
      ++counts_.learned;
      break;
    case PlanFate::kNotLearned:
      ++counts_.not_learned;
      break;
    case PlanFate::kExpired:
      ++counts_.expired;
      break;
    case PlanFate::kAbandoned:
      ++counts_.abandoned;
      break;
  }
}

// In place of the oldest, where there is no room.
PlanBook::Closed& PlanBook::remember(PlanId id, PlanFate fate) {
  std::size_t place = remembered_.size();
  if (place < limit_) {
    remembered_.emplace_back();
  } else {
    place = std::exchange(oldest_, (oldest_ + 1) % limit_);
    index_.erase(remembered_[place].id);
  }
  index_.insert_or_assign(id, kClosed + static_cast<std::uint32_t>(place));
  Closed& plan = remembered_[place];
  plan.id = id;
  plan.fate = fate;
  return plan;
}

void PlanBook::expire(double now) {
  while (!due_.empty() && due_.front().time <= now) {
    if (const PlanId id = due_.front().id; is_open(id)) close(id, PlanFate::kExpired);
    std::pop_heap(due_.begin(), due_.end());
    due_.pop_back();
  }
}

std::vector<const OpenPlan*> PlanBook::list(PlanId after, std::size_t most) const {
  const auto number = [](PlanId id) { return id & kNumbers; };
  std::vector<std::pair<PlanId, std::uint32_t>> found;  // the number, and where the plan is
  for (const auto& [id, slot] : index_)
    if (slot < kClosed && number(id) > number(after)) found.emplace_back(number(id), slot);
  if (found.size() > most) {
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
    found.resize(most);
  }
  std::sort(found.begin(), found.end());
  std::vector<const OpenPlan*> plans;
  plans.reserve(found.size());
  for (const auto& [id, slot] : found) plans.push_back(&slots_[slot]);
  return plans;
}

}  // namespace glimpse
