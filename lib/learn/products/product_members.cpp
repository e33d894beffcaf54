#include "learn/products/product_members.h"

#include <algorithm>
#include <utility>

namespace glimpse {

namespace {

constexpr const char* kRound = "products.round";
constexpr const char* kGoesRound = "products.goes_round";
constexpr double kAdvantageOfMembers = 2;    // how much more another has to matter to take a place
constexpr std::size_t kShareThatMatter = 3;  // one place in so many is for attributes that matter alone

double pairs(std::size_t n) { return static_cast<double>(n * (n + 1) / 2); }

}  // namespace

ProductMembers::ProductMembers(std::size_t attributes, std::size_t places)
    : attributes_(attributes), goes_round_(places) {
  clear();
}

void ProductMembers::clear() {
  std::ranges::fill(goes_round_, has_all() ? 0 : 1);
  round_ = 0;
  next_ = has_all() ? 0 : goes_round_.size();
  tried_ = 0;
  begin_round();
}

void ProductMembers::begin_round() {
  seen_ = 0;
  if (has_all()) return;
  tried_ += products_going_round();
}

double ProductMembers::products_going_round() const {
  const auto staying = static_cast<std::size_t>(std::ranges::count(goes_round_, 0));
  return pairs(goes_round_.size()) - pairs(staying);
}

bool ProductMembers::add(std::size_t members, std::size_t going_round) {
  if (has_all()) return false;
  const double products = products_going_round();
  if (products == 0) {  // everything stays, until it is asked again whether it still matters
    seen_ += pairs(members);
    return seen_ >= kLooks * pairs(goes_round_.size());
  }
  if (going_round == 0) return false;
  seen_ += pairs(members) - pairs(members - going_round);
  return seen_ >= kLooks * products;
}

// A third of the places is for them. Those that are there count double, so that noise does not throw sums
// away.
std::vector<Attribute> ProductMembers::most_important(const ProductSlots& slots, const Worth& worth) const {
  std::vector<Attribute> order;
  for (Attribute i = 0; i < worth.attributes.size(); ++i)
    if (worth.attributes[i] > 0) order.push_back(i);
  const auto key = [&](Attribute i) {
    const std::uint32_t place = slots.place(i);
    const bool stays = place != ProductSlots::kNone && !goes_round(place);
    return (stays ? kAdvantageOfMembers : 1) * worth.attributes[i];
  };
  const std::size_t most = std::min(order.size(), goes_round_.size() / kShareThatMatter);
  const auto better = [&](Attribute a, Attribute b) {
    return key(a) > key(b) || (key(a) == key(b) && a < b);
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(), better);
  order.resize(most);
  return order;
}

std::vector<ProductMembers::Change> ProductMembers::choose(const ProductSlots& slots, const Worth& worth) {
  ++round_;
  for (std::size_t place = 0; place < goes_round_.size(); ++place)
    goes_round_[place] = worth.products[place] > 0 ? 0 : 1;
  std::vector<Attribute> coming;
  for (const Attribute i : most_important(slots, worth)) {
    const std::uint32_t place = slots.place(i);
    if (place == ProductSlots::kNone) {
      coming.push_back(i);
    } else {
      goes_round_[place] = 0;
    }
  }
  // The less promising half of what goes round gives its places away.
  std::vector<std::size_t> going;
  for (std::size_t place = 0; place < goes_round_.size(); ++place)
    if (goes_round(place)) going.push_back(place);
  std::ranges::sort(going, {}, [&](std::size_t place) { return std::pair(worth.promise[place], place); });
  std::size_t leaving = going.size() / 2;
  while (leaving < going.size() && !(worth.promise[going[leaving]] > kPromising)) ++leaving;
  std::vector<bool> is_member(attributes_);
  for (std::size_t place = 0; place < slots.places(); ++place) is_member[slots.member(place)] = true;
  for (const Attribute i : coming) is_member[i] = true;
  std::vector<Change> changes;
  for (std::size_t k = 0; k < leaving; ++k) {
    const bool is_wanted = k < coming.size();
    if (!is_wanted) {
      for (std::size_t tries = 0; tries < attributes_ && is_member[next_]; ++tries)
        next_ = (next_ + 1) % attributes_;
      if (is_member[next_]) break;  // all are members
      is_member[next_] = true;
    }
    changes.push_back({going[k], is_wanted ? coming[k] : static_cast<Attribute>(next_)});
    goes_round_[going[k]] = is_wanted ? 0 : 1;
  }
  begin_round();
  return changes;
}

void ProductMembers::save(State& state) const {
  if (has_all()) return;
  const double numbers[] = {static_cast<double>(round_), static_cast<double>(next_), seen_, tried_};
  state.put_copy<double>(kRound, numbers);
  state.put_copy<std::uint8_t>(kGoesRound, goes_round_);
}

Status ProductMembers::restore(const State& state) {
  clear();
  if (has_all()) return {};
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>(kRound, 4));
  GLIMPSE_TRY_ASSIGN(const auto going, state.get<std::uint8_t>(kGoesRound, goes_round_.size()));
  const auto is_count = [](double number, double most) { return number >= 0 && number <= most; };
  constexpr double kMost = 0x1p53;
  if (!is_count(numbers[0], kMost) || !is_count(numbers[1], static_cast<double>(attributes_)) ||
      !is_count(numbers[2], kMost) || !is_count(numbers[3], kMost))
    return failure(ErrorCode::kCorrupt, "{} is of no round among {} attributes", kRound, attributes_);
  round_ = static_cast<std::size_t>(numbers[0]);
  next_ = static_cast<std::uint64_t>(numbers[1]) % attributes_;
  seen_ = numbers[2];
  tried_ = numbers[3];
  goes_round_.assign(going.begin(), going.end());
  return {};
}

}  // namespace glimpse
