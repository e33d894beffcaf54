// Reviews: which attributes are active, and how often each is looked at.

#include <algorithm>
#include <utility>

#include "learn/covariance/reselect.h"
#include "learn/judges/active_features.h"
#include "learn/pairwise/screened_pairwise.h"

namespace glimpse {

namespace {
constexpr double kActiveShare = 0.5;       // of the draws, where some are active and others are not
constexpr double kUniformDraws = 0.1;      // of the draws
constexpr double kEnter = 2;               // n·E[ρ²] above which an attribute becomes active
constexpr double kLeave = 0.5;             // and below which it is no longer, for each direction
constexpr double kStayer = 2;              // how much more another has to explain to take its place
constexpr std::uint64_t kFirstReview = 8;  // once a draw was made for one in so many attributes
}  // namespace

void ScreenedPairwise::review() {
  if (lead() != nullptr) return;
  const std::size_t d = options().dimension;
  std::vector<float> explained(d);
  std::vector<float> worth(d);
  std::vector<Candidate> candidates;
  screen_.fit(moments_.label(), options().bias, class_shares());
  for (std::size_t l = 1; l < label_count(); ++l)
    sibling(l).screen_.fit(sibling(l).moments_.label(), options().bias);
  const double directions = screen_.directions();
  const std::vector<Attribute> members = choose_members();
  std::vector<AttributeScreen::Estimates> estimates{AttributeScreen::Estimates(screen_)};
  for (std::size_t l = 1; l < label_count(); ++l) estimates.emplace_back(sibling(l).screen_);
  for (std::size_t i = 0; i < d; ++i) {
    if (slot_[i] != kInactive && places_.is_category(slot_[i])) {
      worth[i] = static_cast<float>(spread_of_categories(slot_[i]));
      continue;
    }
    const AttributeScreen::Estimate e = estimate(estimates, i);
    explained[i] = static_cast<float>(e.explained);
    worth[i] = static_cast<float>(e.deviation);
    const bool stays = slot_[i] != kInactive;
    if (e.weight * e.explained > (stays ? kLeave : kEnter) * directions)
      candidates.push_back({(stays ? kStayer : 1) * e.explained, static_cast<Attribute>(i)});
  }
  if (active_limit(options()) < d) choose_active(members, candidates);
  follow_active();
  for (std::size_t i = 0; i < d; ++i) {
    if (slot_[i] != kInactive) continue;
    const float promise = explained[i] + static_cast<float>(promise_in_products(static_cast<Attribute>(i)));
    worth[i] = promise * promise;
  }
  prefer(worth);
  plan_sampling(worth);
  set_next_review();
}

// Of several labels what it explains of the one that it explains best. All have seen the same of its values.
AttributeScreen::Estimate ScreenedPairwise::estimate(std::span<AttributeScreen::Estimates> of_labels,
                                                     std::size_t i) {
  AttributeScreen::Estimate best = of_labels[0](i);
  for (AttributeScreen::Estimates& other : of_labels.subspan(1))
    best.explained = std::max(best.explained, other(i).explained);
  return best;
}

// What is looked at has its pairs kept. Its places are not all, so that others can be found.
std::vector<Attribute> ScreenedPairwise::choose_members() {
  if (!best_.is_on() || best_.set()->size() > active_limit(options()) / 2) return {};
  std::vector<Attribute> members;
  for (const Attribute i : *best_.set())
    if (!features_.is_category(i)) members.push_back(i);
  return members;
}

std::vector<double> ScreenedPairwise::class_shares() const {
  std::vector<double> shares(moments_.targets());
  for (std::size_t c = 0; c < shares.size(); ++c) shares[c] = moments_.target(c).mean();
  return shares;
}

// `members`: those that are active whatever they explain alone, ascending.
void ScreenedPairwise::choose_active(std::span<const Attribute> members, std::vector<Candidate>& candidates) {
  std::vector<Attribute> chosen = categories_among(features_, active_);
  chosen.insert(chosen.end(), members.begin(), members.end());
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return std::binary_search(members.begin(), members.end(), candidate.attribute);
  });
  const std::size_t limit = active_limit(options()) - chosen.size();
  if (candidates.size() > limit) {
    const auto better = [](const Candidate& a, const Candidate& b) {
      return a.key != b.key ? a.key > b.key : a.attribute < b.attribute;
    };
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(limit);
    std::nth_element(candidates.begin(), end, candidates.end(), better);
    candidates.erase(end, candidates.end());
  }
  for (const Candidate& candidate : candidates) chosen.push_back(candidate.attribute);
  std::sort(chosen.begin(), chosen.end());
  if (chosen != active_) activate_for_all(chosen);
}

// The first label's last: until then the others' judges can copy what they share with it.
void ScreenedPairwise::activate_for_all(const std::vector<Attribute>& active) {
  for (std::size_t l = 1; l < label_count(); ++l) sibling(l).finish_judges_copy();
  for (std::size_t l = 1; l < label_count(); ++l) sibling(l).activate(active);
  activate(active);
  for (std::size_t l = 1; l < label_count(); ++l) sibling(l).since_ = since_;
}

void ScreenedPairwise::activate(std::vector<Attribute> active) {
  std::vector<std::size_t> from;
  std::vector<std::uint64_t> since;
  for (const Attribute i : active) {
    from.push_back(slot_[i] == kInactive ? kNewSlot : slot_[i]);
    since.push_back(slot_[i] == kInactive ? steps() : since_[slot_[i]]);
  }
  since_ = std::move(since);
  finish_judges_copy();
  FeatureMap places = features_of_places(features_, active).value();  // categories stay active
  for (std::size_t slot = active_.size(); slot < places_.slots(); ++slot) from.push_back(slot);
  from.resize(places.room(), kNewSlot);
  moments_ = reselect(moments_, from);
  places_ = std::move(places);
  for (const Attribute i : active_) slot_[i] = kInactive;
  active_ = std::move(active);
  for (std::size_t s = 0; s < active_.size(); ++s) slot_[active_[s]] = static_cast<std::uint32_t>(s);
  drop_solution();
}

void ScreenedPairwise::plan_sampling(std::span<const float> worth) {
  const std::size_t d = options().dimension;
  double active = 0;
  double others = 0;
  for (std::size_t i = 0; i < d; ++i)
    (slot_[i] != kInactive ? active : others) += static_cast<double>(worth[i]);
  const double share = active_.size() == d ? 1 - kUniformDraws : active_.empty() ? 0 : kActiveShare;
  const double active_factor = active > 0 ? share / active : 0;
  const double other_factor = others > 0 ? (1 - kUniformDraws - share) / others : 0;
  const double uniform = kUniformDraws / static_cast<double>(d);
  draw_otherwise();
  q_.build([&](std::size_t i) {
    return uniform + static_cast<double>(worth[i]) * (slot_[i] != kInactive ? active_factor : other_factor);
  });
  note_chances();
  using Cause = LookPhase::Cause;
  LookPhase::Preference preference{active_.size() == d ? Cause::kDeviation : Cause::kScreen, looks(), 0};
  preference.looks = moments_.label().weight * static_cast<double>(options().budget) /
                     static_cast<double>(options().dimension);
  if (!(moments_.label().weight > 0)) preference.cause = Cause::kNothingKnown;
  if (options().budget >= d) preference.cause = Cause::kNothingToChoose;
  look_phase_.planned(preference, preference.weights, counts().examples);
}

SamplingSpread ScreenedPairwise::looks() const {
  return spread_of(options().dimension, [this](Attribute i) { return q_.probability(i); });
}

void ScreenedPairwise::set_next_review() {
  // Powers of two and the points half-way between, from where there is something to know.
  const std::uint64_t first = options().dimension / (kFirstReview * options().budget);
  const std::uint64_t last = std::max(steps(), first);
  std::uint64_t power = 1;
  while (power <= last) power *= 2;
  const std::uint64_t between = power / 2 + power / 4;
  next_review_ = between > last ? between : power;
  if (!options().half_life) return;
  // What explains the label changes with what is remembered: O(d) work, at most O(K) an example.
  const std::uint64_t pause =
      std::max<std::uint64_t>(*options().half_life, options().dimension / options().budget);
  next_review_ = std::min(next_review_, last + pause);
}

// Of what is as old as the memory of the stream, more does not matter.
std::uint64_t ScreenedPairwise::age(std::uint64_t since) const {
  const std::uint64_t age = steps() - std::min(since, steps());
  return options().half_life ? std::min(age, 2 * *options().half_life) : age;
}

std::vector<std::uint64_t> ScreenedPairwise::ages() const {
  std::vector<std::uint64_t> ages;
  for (const std::uint64_t since : since_) ages.push_back(age(since));
  return ages;
}

}  // namespace glimpse
