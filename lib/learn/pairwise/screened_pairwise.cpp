#include "learn/pairwise/screened_pairwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "learn/covariance/reselect.h"
#include "learn/covariance/settled_attributes.h"
#include "learn/evaluation/kept_share.h"
#include "learn/importance/attribute_importance.h"
#include "learn/judges/active_features.h"
#include "learn/judges/solve_labels.h"
#include "learn/pairwise/solving_learner.h"
#include "learn/solver/class_solve.h"
#include "stats/feature_sums.h"

namespace glimpse {

ScreenedPairwise::ScreenedPairwise(const LearnerOptions& options)
    : SolvingLearner(options, 0),
      screen_(options.dimension),
      slot_(options.dimension, kInactive),
      q_(options.dimension),
      drawn_(options.budget) {
  begin();
}

// Nothing is known.
void ScreenedPairwise::begin() {
  std::vector<Attribute> all;
  if (active_limit(options()) == options().dimension) {
    all.resize(options().dimension);
    std::iota(all.begin(), all.end(), Attribute{0});
  }
  activate(std::move(all));
  review();
}

namespace {
// Attributes ascending, and where each draw's is among them: until then draws hold the attributes themselves.
void sort_plan(Plan& plan) {
  std::sort(plan.attributes.begin(), plan.attributes.end());
  for (Draw& draw : plan.inner_product) {
    const auto at = std::lower_bound(plan.attributes.begin(), plan.attributes.end(), draw.position);
    draw.position = static_cast<std::uint32_t>(at - plan.attributes.begin());
  }
}
}  // namespace

void ScreenedPairwise::draw_plan(Random& random, Plan& plan) {
  plan.clear();
  const std::size_t k = options().budget;
  const std::size_t d = options().dimension;
  drawn_.clear();
  double rest = 1;  // what the attributes not drawn yet have of q
  const std::size_t of_best = best_.next(random);
  if (of_best > 0)
    best_.draw(random, of_best, *best_.set(), [this](Attribute i) { return q_.probability(i); }, plan);
  for (const Draw& draw : plan.inner_product) {
    drawn_.insert(draw.position);
    plan.attributes.push_back(draw.position);
    prefetch_attribute(draw.position);
  }
  const auto take = [&](Attribute i, double coefficient) {
    if (!drawn_.insert(i)) return false;
    plan.attributes.push_back(i);
    if (of_best == 0) plan.inner_product.push_back({i, coefficient});
    prefetch_attribute(i);
    return true;
  };
  // Draws that fall on an attribute drawn before are made again. Where few attributes have most of the
  // chances that could take long: the rest is then drawn uniformly.
  for (std::size_t left = kDrawsAnAttribute * k; plan.attributes.size() < k && left > 0;) {
    std::array<LevelTable::Ticket, 64> tickets;  // as many draws as are needed at least: all are begun first
    const std::size_t count = std::min({k - plan.attributes.size(), left, tickets.size()});
    for (std::size_t t = 0; t < count; ++t) tickets[t] = q_.begin_sample(random);
    for (std::size_t t = 0; t < count; ++t) {
      const LevelTable::Draw next = q_.finish_sample(tickets[t]);
      if (take(next.attribute, rest / next.probability)) rest -= next.probability;
    }
    left -= count;
  }
  while (plan.attributes.size() < k) {
    const std::size_t left = d - plan.attributes.size();
    if (2 * k <= d) {
      take(static_cast<Attribute>(random.below(d)), static_cast<double>(left));
      continue;
    }
    auto skip = random.below(left);
    Attribute i = 0;
    while (drawn_.contains(i) || skip-- > 0) ++i;
    take(i, static_cast<double>(left));
  }
  sort_plan(plan);
}

Status ScreenedPairwise::plan_among(Random& random, std::span<const Attribute> available, Plan& plan) {
  plan.clear();
  std::span<const Attribute> best;
  const std::size_t looks = best_.next(random);
  if (looks > 0) best = best_.among(available);
  if (!best.empty())
    best_.draw(random, looks, best, [this](Attribute i) { return q_.probability(i); }, plan);
  else
    plan.population = available.size();
  for (const Draw& draw : plan.inner_product) plan.attributes.push_back(draw.position);
  available_.begin();
  const auto is_drawn = [&](Attribute i) { return std::ranges::count(plan.attributes, i) > 0; };
  for (const Attribute i : available)
    if (!std::ranges::binary_search(best, i) || !is_drawn(i)) available_.add(i, q_.probability(i));
  while (plan.attributes.size() < std::min(options().budget, available.size()) && available_.size() > 0) {
    const SequentialDraws::Drawn draw = available_.draw(random);
    plan.attributes.push_back(draw.attribute);
    if (best.empty()) plan.inner_product.push_back({draw.attribute, draw.coefficient});
  }
  sort_plan(plan);
  return {};
}

Outcome ScreenedPairwise::step(const Plan& plan, std::span<const double> values, double label,
                               double importance) {
  if (!is_summable(values, label, importance)) return Outcome::kDiverged;
  judge(plan, values, label, watch());
  forget_moments();
  if (forgetting_ < 1) screen_.forget(forgetting_, moments_.label().weight);
  if (!features_.is_plain()) {
    finish_judges_copy();  // of the time before the first category
    activate_with_indicators(plan);
    add_features(plan, values, label, importance);
    return Outcome::kLearned;
  }
  slots_.clear();
  slot_values_.clear();
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) {
    const std::uint32_t slot = slot_[plan.attributes[a]];
    if (slot == kInactive) continue;
    slots_.push_back(slot);
    slot_values_.push_back(values[a]);
  }
  moments_.prefetch_pairs(slots_);
  keep_for_judge(slots_);
  moments_.add(slots_, slot_values_, label, importance);
  learn_class(importance);
  screen_example(plan, values, label, importance);
  return Outcome::kLearned;
}

// After moments_ has the example.
void ScreenedPairwise::screen_example(const Plan& plan, std::span<const double> numbers, double label,
                                      double importance) {
  screen_.add(plan.attributes, numbers, label - moments_.label().reference, importance);
  if (is_classifier()) screen_.add_to_class(plan.attributes, numbers, class_of_example(), importance);
}

void ScreenedPairwise::after_example() {
  if (lead() == nullptr && steps() >= next_review_) review();
  judge_when_due();
}

std::unique_ptr<JudgeBasis> ScreenedPairwise::judge_basis() const {
  auto basis = std::make_unique<JudgeBasis>();
  lend_memory(*basis);
  basis->examples = counts().examples;
  basis->snapshot.begin(moments_, options().bias, places_);
  basis->features = features_;
  basis->active = active_;
  if (!features_.is_plain()) basis->slots = learner_slots(features_, active_, places_);
  basis->ages = ages();
  basis->means.resize(features_.room());
  for (std::size_t i = 0; i < basis->means.size(); ++i)
    basis->means[i] = features_.is_category(i) ? 0 : mean_of(i);
  return basis;
}

JudgeForm ScreenedPairwise::judge_form() const {
  const auto& best = best_.set();
  return {.ball = ball(), .best = best_set_form(options(), best ? *best : std::vector<Attribute>())};
}

void ScreenedPairwise::best_changed() {
  draw_otherwise();
  note_chances();
}

void ScreenedPairwise::note_chances() {
  chance_of_best_ = 0;
  if (!best_.is_on()) return;
  for (const Attribute i : *best_.set()) chance_of_best_ += q_.probability(i);
  best_.note_spread(spread_of(options().dimension, [this](Attribute i) { return look_chance(i); }));
}

std::optional<NormBall> ScreenedPairwise::ball() const {
  if (!options().radius) return std::nullopt;
  return NormBall{Ball::kL2, *options().radius};
}

void ScreenedPairwise::forget(const ChangeDetector::Rise& rise) {
  const double kept = share_kept(rise, label_of_losses());
  if (kept == 0) return forget_everything();
  forget_judgements();
  if (kept < 1) {
    screen_.decay(kept, moments_.label().weight);
    moments_.decay(kept);
  }
  begin_again_from_sums();
}

void ScreenedPairwise::forget_everything() {
  forget_judgements();
  moments_ = no_sums(moments_.dimension());
  since_.assign(active_.size(), 0);
  screen_ = AttributeScreen(options().dimension);
  if (active_limit(options()) < options().dimension) activate(with_indicators_among(features_, active_));
  begin_again_from_sums();
}

void ScreenedPairwise::begin_again_from_sums() {
  forget_judgements();
  forget_best();
  drop_solution();
  restart_steps();
  review();
}

void ScreenedPairwise::forget_attribute(Attribute attribute) {
  finish_judges_copy();
  screen_.forget_attribute(attribute);
  if (slot_[attribute] != kInactive) {
    moments_.forget_attribute(slot_[attribute]);
    since_[slot_[attribute]] = steps();
  }
  forget_judgements_of(attribute);
  drop_solution();
}

SamplingRow ScreenedPairwise::sampling_row(Attribute attribute) const {
  if (attribute >= options().dimension) {
    const double p = mean_of(attribute);
    return {{p, p, 0, 1}, 0};
  }
  if (features_.is_category(attribute)) {
    const bool is_active = slot_[attribute] != kInactive;
    const double weight = is_active ? moments_[slot_[attribute]].weight() : 0;
    return {{NAN, NAN, SecondMoments::count_of(weight), 0}, look_chance(attribute)};
  }
  const double mean = screen_.mean(attribute);
  return outward(attribute, {{mean, screen_.variance(attribute) + mean * mean,
                              SecondMoments::count_of(screen_.weight(attribute)),
                              static_cast<float>(screen_.largest(attribute))},
                             look_chance(attribute)});
}

std::size_t ScreenedPairwise::sums_memory_bytes() const {
  const std::size_t d = options().dimension;
  const std::size_t a = moments_.dimension();
  if (lead() != nullptr)
    return d * (AttributeScreen::kBytesAnAttribute + sizeof(slot_[0])) + drawn_.memory_bytes() +
           q_.memory_bytes() + a * (2 * sizeof(AttributeSums) + PairSnapshot::kBytesAnAttribute);
  return static_cast<std::size_t>(PairMoments::memory_bytes(a)) + q_.memory_bytes() +
         d * (AttributeScreen::kBytesAnAttribute + sizeof(slot_[0])) + drawn_.memory_bytes() +
         screen_.class_bytes() + moments_.targets() * a * TargetSums::kBytesACell +
         copy_.memory_bytes(has_copy_) +
         (has_solution() ? (1 + moments_.targets()) * features_.room() * sizeof(double) : 0);
}

void ScreenedPairwise::save_state(State& state) const {
  screen_.save(state);
  state.put_copy<std::uint32_t>("screened.active", active_);
  state.put_copy<std::uint64_t>("screened.since", since_);
  moments_.save(state);
  state.put_copy<std::uint8_t>("sampling.levels", q_.levels());
  look_phase_.save(state);
  const std::uint64_t numbers[] = {q_.lowest_key(), q_.shift(), next_review_};
  state.put_copy<std::uint64_t>("screened.sampling", numbers);
  save_judges(state);
}

Status ScreenedPairwise::restore_state(const State& state) {
  const std::size_t d = options().dimension;
  GLIMPSE_TRY(screen_.restore(state));
  GLIMPSE_TRY_ASSIGN(const auto active, state.get<std::uint32_t>("screened.active"));
  const bool ascends = std::is_sorted(active.begin(), active.end()) &&
                       std::adjacent_find(active.begin(), active.end()) == active.end();
  if (active.size() > active_limit(options()) || !ascends || (!active.empty() && active.back() >= d))
    return failure(ErrorCode::kCorrupt, "screened.active is no set of attributes below {}", d);
  GLIMPSE_TRY_ASSIGN(const auto levels, state.get<std::uint8_t>("sampling.levels", d));
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("screened.sampling", 3));
  for (const Attribute i : active_) slot_[i] = kInactive;
  active_.assign(active.begin(), active.end());
  for (std::size_t s = 0; s < active_.size(); ++s) slot_[active_[s]] = static_cast<std::uint32_t>(s);
  since_.assign(active_.size(), 0);
  if (state.find("screened.since") != nullptr) {  // checkpoints of earlier builds have none
    GLIMPSE_TRY_ASSIGN(const auto since, state.get<std::uint64_t>("screened.since", active_.size()));
    since_.assign(since.begin(), since.end());
  }
  GLIMPSE_TRY_ASSIGN(places_, features_of_places(features_, active_));
  moments_ = no_sums(places_.room());
  if (const auto* const first = static_cast<const ScreenedPairwise*>(lead());
      first != nullptr && (active_ != first->active_ || moments_.dimension() != first->moments_.dimension()))
    return failure(ErrorCode::kCorrupt, "screened.active is not that of the first label");
  GLIMPSE_TRY(moments_.restore(state));
  draw_otherwise();
  if (!q_.restore(levels, static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1])))
    return failure(ErrorCode::kCorrupt, "screened.sampling is of no distribution");
  next_review_ = numbers[2];
  GLIMPSE_TRY(look_phase_.restore(state, looks()));
  const Status status = restore_judges(state);
  note_chances();
  return status;
}

// Reviews: which attributes are active, and how often each is looked at.

namespace {
constexpr double kActiveShare = 0.5;       // of the draws, where some are active and others are not
constexpr double kUniformDraws = 0.1;      // of the draws
constexpr double kEnter = 2;               // n·E[ρ²] above which an attribute becomes active
constexpr double kLeave = 0.5;             // and below which it is no longer, for each direction
constexpr double kAdvantageOfActive = 2;   // how much more another has to explain to take its place
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
    if (slot_[i] != kInactive && places_.has_indicators(slot_[i])) {
      const double number = places_.is_category(slot_[i]) ? 0 : estimate(estimates, i).deviation;
      worth[i] = static_cast<float>(std::hypot(spread_of_indicators(slot_[i]), number));
      continue;
    }
    const AttributeScreen::Estimate e = estimate(estimates, i);
    explained[i] = static_cast<float>(e.explained);
    worth[i] = static_cast<float>(e.deviation);
    const bool stays = slot_[i] != kInactive;
    if (e.weight * e.explained > (stays ? kLeave : kEnter) * directions)
      candidates.push_back({(stays ? kAdvantageOfActive : 1) * e.explained, static_cast<Attribute>(i)});
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
    if (!features_.has_indicators(i)) members.push_back(i);
  return members;
}

std::vector<double> ScreenedPairwise::class_shares() const {
  std::vector<double> shares(moments_.targets());
  for (std::size_t c = 0; c < shares.size(); ++c) shares[c] = moments_.target(c).mean();
  return shares;
}

// `members`: those that are active whatever they explain alone, ascending.
void ScreenedPairwise::choose_active(std::span<const Attribute> members, std::vector<Candidate>& candidates) {
  std::vector<Attribute> chosen = with_indicators_among(features_, active_);
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
  FeatureMap places = features_of_places(features_, active).value();  // indicators stay active
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

// What ScreenedPairwise does about attributes that have indicators.

// Where there is no place for one its indicators are not learned from.
void ScreenedPairwise::activate_with_indicators(const Plan& plan) {
  for (const Attribute i : plan.attributes) {
    if (!features_.has_indicators(i)) continue;
    if (slot_[i] != kInactive && places_.has_indicators(slot_[i])) continue;
    std::vector<Attribute> active = active_;
    if (slot_[i] == kInactive) {
      if (active.size() >= active_limit(options())) continue;
      active.insert(std::lower_bound(active.begin(), active.end(), i), i);
    }
    activate(std::move(active));
  }
}

void ScreenedPairwise::add_features(const Plan& plan, std::span<const double> values, double label,
                                    double importance) {
  slots_.clear();
  slot_values_.clear();
  indicators_.clear();
  numbers_.assign(values.begin(), values.end());
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) {
    const Attribute i = plan.attributes[a];
    const bool is_category = features_.is_category(i);
    if (is_category) numbers_[a] = NAN;
    if (slot_[i] == kInactive || std::isnan(values[a])) continue;
    slots_.push_back(slot_[i]);
    slot_values_.push_back(is_category ? 1 : values[a]);
    if (!features_.has_indicators(i)) continue;
    // Both maps have an indicator or none has.
    for (const double code : features_.codes(i, values[a]))
      if (features_.find_or_add(i, code) != FeatureMap::kNone)
        indicators_.push_back(places_.find_or_add(slot_[i], code));
  }
  std::sort(indicators_.begin(), indicators_.end());
  slots_.insert(slots_.end(), indicators_.begin(), indicators_.end());
  slot_values_.resize(slots_.size(), 1.0);
  if (moments_.dimension() < places_.room()) {
    std::vector<std::size_t> from(places_.room(), kNewSlot);
    std::iota(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(moments_.dimension()), std::size_t{0});
    moments_ = reselect(moments_, from);
    spoil_capture();
  }
  moments_.add(slots_, slot_values_, label, importance);
  learn_class(importance);
  screen_example(plan, numbers_, label, importance);
}

double ScreenedPairwise::mean_of(std::size_t slot) const {
  const std::size_t d = options().dimension;
  if (slot < d) return screen_.mean(slot);
  if (slot >= features_.slots()) return 0;
  return feature_sums(moments_, places_, active_.size() + (slot - d)).mean();
}

// The root of the sum of the indicators' variances.
double ScreenedPairwise::spread_of_indicators(std::size_t place) const {
  double sum = 0;
  for (const std::uint32_t slot : places_.indicators(place))
    if (slot != FeatureMap::kNone) sum += feature_sums(moments_, places_, slot).variance();
  return std::sqrt(sum);
}

void ScreenedPairwise::start_copy(Copy& copy) const {
  copy.snapshot.begin(moments_, options().bias, places_);
  copy.active = active_;
  copy.slots = learner_slots(features_, active_, places_);
  copy.room = features_.room();
  copy.features = features_.is_plain() ? 0 : features_.slots() - features_.categories();
  copy.ages = ages();
  copy.capture = now();
}

// What differs between labels is copied of each.
void ScreenedPairwise::start_capture() const {
  start_copy(copy_);
  has_copy_ = true;
  for (std::size_t l = 1; l < label_count(); ++l) {
    const ScreenedPairwise& other = sibling(l);
    copy_.snapshot.begin_label(other.moments_, other.side_);
    other.copy_.active = copy_.active;
    other.copy_.slots = copy_.slots;
    other.copy_.room = copy_.room;
    other.copy_.features = copy_.features;
    other.copy_.ages = copy_.ages;
    other.copy_.capture = other.now();
  }
}

bool ScreenedPairwise::capture(std::size_t bytes) {
  // Of other attributes there is nothing left to go on with.
  if (!copy_.capture.is_stale) {
    if (!copy_.snapshot.copy(moments_, bytes)) return false;
    if (!is_old(copy_.capture)) {
      copy_.capture.choice = guard_.choice();
      for (std::size_t l = 1; l < label_count(); ++l)
        sibling(l).copy_.capture.choice = sibling(l).guard_.choice();
      return true;
    }
  }
  start_capture();
  return false;
}

// The newest model and what belongs to it. Models are of all slots, the solver's of those in the copy.
void ScreenedPairwise::solve_active(Copy& copy, Solution& solution, const Cancelled& cancelled) const {
  const bool is_newest = copy.capture.choice.served == Served::kNewest;
  Importances importances;
  if (copy.snapshot.targets() > 1) {
    SolvedClasses solved =
        solve_classes(copy.snapshot, ball(), copy.solver, cancelled, PairwiseSolver::kSteps, is_newest);
    if (cancelled && cancelled()) return;
    copy.slot_model = solved.indicators[kLabelClass];
    importances = std::move(solved.importances);
    solution.classes = std::make_shared<ClassModel>(spread_out(solved, copy.slots, copy.room).scores);
  } else {
    copy.solver.solve(copy.snapshot, ball(), copy.slot_model, cancelled);
  }
  solution.model.bias = copy.slot_model.bias;
  for (std::size_t s = 0; s < copy.slots.size(); ++s)
    solution.model.weights[copy.slots[s]] = copy.slot_model.weights[s];
  if (!is_newest) return;
  if (copy.snapshot.targets() <= 2) importances = copy.solver.importances(copy.snapshot, copy.slot_model);
  solution.importances = spread_out(importances, copy.slots, copy.room);
  if (granted().weight_errors)
    solution.weight_errors =
        spread_out(copy.solver.weight_errors(copy.snapshot, cancelled), copy.slots, copy.room);
}

std::shared_ptr<const Solution> ScreenedPairwise::solve_copy(Copy& copy, const Cancelled& cancelled) const {
  auto solution = std::make_shared<Solution>();
  solution->model.weights.assign(copy.room, 0.0);
  solution->model.bias = copy.snapshot.label_centre();
  if (!copy.active.empty()) {
    const FeatureMap& places = copy.snapshot.features();
    const auto of_slots = [&](std::vector<bool> out) {
      return places.is_plain() ? out : with_indicators(std::move(out), places, copy.snapshot.dimension());
    };
    copy.snapshot.leave_out(of_slots(too_young(copy.ages)));
    if (copy.capture.choice.served == Served::kNewest) find_small_models(copy, cancelled, *solution);
    if (copy.capture.best) {
      const std::vector<bool> out = not_best(copy.capture, options().dimension);
      std::vector<bool> of_places;
      for (const Attribute i : copy.active) of_places.push_back(out[i]);
      copy.snapshot.leave_out(of_slots(std::move(of_places)));
    }
    solve_active(copy, *solution, cancelled);
  } else if (copy.snapshot.targets() > 1) {
    solution->classes = std::make_shared<ClassModel>(class_priors(class_counts(copy.snapshot)));
  }
  if (cancelled && cancelled()) return nullptr;
  solution->origin = copy.capture.origin;
  solution->serve(copy.capture.choice, copy.snapshot.label_centre());
  if (solution->withheld && copy.snapshot.targets() > 1)
    solution->classes = served_classes(copy.capture.choice, copy.snapshot);
  complete(copy, *solution);
  solution->outward(copy.capture.units);
  return solution;
}

Status ScreenedPairwise::check_small_models() const {
  GLIMPSE_TRY(SolvingLearner::check_small_models());
  if (!active_.empty()) return {};
  return failure(
      ErrorCode::kUnavailable,
      "no attribute is active yet, as none was found to explain the label, and a small model is made "
      "of active ones; the next review is after {} examples: ask again then",
      (lead() == nullptr ? *this : sibling(0)).next_review_);
}

// Places among the active attributes become attributes.
void ScreenedPairwise::find_small_models(Copy& copy, const Cancelled& cancelled, Solution& solution) const {
  if (granted().small_models.empty()) return;
  std::optional<Prices> prices;
  if (options().prices) prices = options().prices->of(copy.active);
  SolvingLearner::find_small_models(copy.snapshot, prices ? &*prices : nullptr, ball(), copy.solver,
                                    cancelled, solution);
  const auto outward = [&](std::vector<Attribute>& places) {
    for (Attribute& place : places) place = copy.active[place];
  };
  for (SmallModel& small : solution.small_models) {
    outward(small.chosen);
    for (SmallModel::Step& step : small.steps) {
      outward(step.added);
      outward(step.removed);
    }
    const std::vector<double> weights = std::exchange(small.model.weights, std::vector<double>(copy.room));
    for (std::size_t s = 0; s < copy.slots.size(); ++s) small.model.weights[copy.slots[s]] = weights[s];
  }
}

std::shared_ptr<const Solution> ScreenedPairwise::solve(const Cancelled& cancelled) {
  if (label_count() == 1) return solve_copy(copy_, cancelled);
  return solve_all(
      label_count(), [&](std::size_t l) { return solve_beside(sibling(l), cancelled); },
      [&] { return solve_copy(copy_, cancelled); });
}

// From this one's copy, and in the memory of its solver.
std::shared_ptr<const Solution> ScreenedPairwise::solve_beside(const ScreenedPairwise& other,
                                                               const Cancelled& cancelled) const {
  const LentCopy copy(copy_.snapshot, other.copy_.snapshot, other.side_);
  const LentMatrix matrix(copy_.solver, other.copy_.solver);
  return other.solve_copy(other.copy_, cancelled);
}

std::shared_ptr<const Solution> ScreenedPairwise::solve_now() const {
  const LentMemory lent(lendable(), copy_.snapshot, copy_.solver);
  start_copy(copy_);
  copy_.snapshot.copy(moments_, std::numeric_limits<std::size_t>::max());
  return solve_copy(copy_, {});
}

}  // namespace glimpse
