#include "learn/pairwise/screened_pairwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "learn/covariance/reselect.h"
#include "learn/covariance/settled_attributes.h"
#include "learn/evaluation/kept_share.h"
#include "learn/pairwise/active_features.h"
#include "learn/pairwise/pairwise_rules.h"

namespace glimpse {

namespace {
constexpr double kActiveShare = 0.5;       // of the draws, where some are active and others are not
constexpr double kUniformDraws = 0.1;      // of the draws
constexpr double kEnter = 2;               // n·E[ρ²] above which an attribute becomes active …
constexpr double kLeave = 0.5;             // … and below which it is no longer, for each direction
constexpr double kStayer = 2;              // how much more another has to explain to take its place
constexpr std::uint64_t kFirstReview = 8;  // once a draw was made for one in so many attributes
}  // namespace

ScreenedPairwise::ScreenedPairwise(const LearnerOptions& options)
    : SolvingLearner(options, 0),
      screen_(options.dimension),
      slot_(options.dimension, kInactive),
      q_(options.dimension),
      drawn_(options.dimension) {
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

void ScreenedPairwise::begin_plan(Random& random, Plan& plan) {
  plan.clear();
  const std::size_t k = options().budget;
  const std::size_t d = options().dimension;
  if (++plans_ == 0) {
    std::fill(drawn_.begin(), drawn_.end(), 0U);
    plans_ = 1;
  }
  double rest = 1;  // what the attributes not drawn yet have of q
  const auto take = [&](Attribute i, double coefficient) {
    if (drawn_[i] == plans_) return false;
    drawn_[i] = plans_;
    plan.attributes.push_back(i);
    plan.inner_product.push_back({i, coefficient});
    screen_.prefetch_attribute(i);
    return true;
  };
  // Draws that fall on an attribute drawn before are made again. Where few attributes have most of the
  // chances that could take long: the rest is then drawn uniformly.
  for (std::size_t draw = 0; plan.attributes.size() < k && draw < kDrawsAnAttribute * k; ++draw) {
    const LevelTable::Draw next = q_.sample(random);
    if (take(next.attribute, rest / next.probability)) rest -= next.probability;
  }
  while (plan.attributes.size() < k) {
    const std::size_t left = d - plan.attributes.size();
    if (2 * k <= d) {
      take(static_cast<Attribute>(random.below(d)), static_cast<double>(left));
      continue;
    }
    auto skip = random.below(left);
    Attribute i = 0;
    while (drawn_[i] == plans_ || skip-- > 0) ++i;
    take(i, static_cast<double>(left));
  }
  sort_plan(plan);
}

Status ScreenedPairwise::plan_among(Random& random, std::span<const Attribute> available, Plan& plan) {
  plan.clear();
  available_.begin();
  for (const Attribute i : available) available_.add(i, q_.probability(i));
  plan.population = available.size();
  while (plan.attributes.size() < std::min(options().budget, available.size())) {
    const SequentialDraws::Drawn draw = available_.draw(random);
    plan.attributes.push_back(draw.attribute);
    plan.inner_product.push_back({draw.attribute, draw.coefficient});
  }
  sort_plan(plan);
  return {};
}

Outcome ScreenedPairwise::step(const Plan& plan, std::span<const double> values, double label,
                               double importance) {
  if (!is_summable(values, label, importance)) return Outcome::kDiverged;
  judge(plan, values, label, options().drift == Drift::kAuto);
  forget_moments();
  if (forgetting_ < 1) screen_.forget(forgetting_, moments_.label().weight);
  if (!features_.is_plain()) {
    finish_judges_copy();  // of the time before the first category
    activate_categories(plan);
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
  if (steps() >= next_review_) review();
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
  moments_ = PairMoments(moments_.dimension());
  since_.assign(active_.size(), 0);
  screen_ = AttributeScreen(options().dimension);
  if (active_limit(options()) < options().dimension) activate(categories_among(features_, active_));
  begin_again_from_sums();
}

void ScreenedPairwise::begin_again_from_sums() {
  forget_judgements();
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

void ScreenedPairwise::review() {
  const std::size_t d = options().dimension;
  std::vector<float> explained(d);
  std::vector<float> worth(d);
  std::vector<Candidate> candidates;
  screen_.fit(moments_.label(), options().bias, class_shares());
  const double directions = screen_.directions();
  for (std::size_t i = 0; i < d; ++i) {
    if (slot_[i] != kInactive && places_.is_category(slot_[i])) {
      worth[i] = static_cast<float>(spread_of_categories(slot_[i]));
      continue;
    }
    const AttributeScreen::Estimate e = screen_.estimate(i);
    explained[i] = static_cast<float>(e.explained);
    worth[i] = static_cast<float>(e.deviation);
    const bool stays = slot_[i] != kInactive;
    if (e.weight * e.explained > (stays ? kLeave : kEnter) * directions)
      candidates.push_back({(stays ? kStayer : 1) * e.explained, static_cast<Attribute>(i)});
  }
  if (active_limit(options()) < d) choose_active(candidates);
  for (std::size_t i = 0; i < d; ++i)
    if (slot_[i] == kInactive) worth[i] = explained[i] * explained[i];
  plan_sampling(worth);
  set_next_review();
}

std::vector<double> ScreenedPairwise::class_shares() const {
  std::vector<double> shares(moments_.targets());
  for (std::size_t c = 0; c < shares.size(); ++c) shares[c] = moments_.target(c).mean();
  return shares;
}

void ScreenedPairwise::choose_active(std::vector<Candidate>& candidates) {
  std::vector<Attribute> chosen = categories_among(features_, active_);
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
  if (chosen != active_) activate(std::move(chosen));
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
  ++plan_version_;
  q_.build([&](std::size_t i) {
    return uniform + static_cast<double>(worth[i]) * (slot_[i] != kInactive ? active_factor : other_factor);
  });
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

SamplingRow ScreenedPairwise::sampling_row(Attribute attribute) const {
  if (attribute >= options().dimension) {
    const double p = mean_of(attribute);
    return {{p, p, 0, 1}, 0};
  }
  if (features_.is_category(attribute)) {
    const bool is_active = slot_[attribute] != kInactive;
    const double weight = is_active ? moments_[slot_[attribute]].weight() : 0;
    return {{NAN, NAN, SecondMoments::count_of(weight), 0}, q_.probability(attribute)};
  }
  const double mean = screen_.mean(attribute);
  return outward(attribute, {{mean, screen_.variance(attribute) + mean * mean,
                              SecondMoments::count_of(screen_.weight(attribute)),
                              static_cast<float>(screen_.largest(attribute))},
                             q_.probability(attribute)});
}

std::size_t ScreenedPairwise::sums_memory_bytes() const {
  const std::size_t d = options().dimension;
  const std::size_t a = moments_.dimension();
  return static_cast<std::size_t>(PairMoments::memory_bytes(a)) + q_.memory_bytes() +
         d * (AttributeScreen::kBytesAnAttribute + sizeof(slot_[0]) + sizeof(drawn_[0])) +
         screen_.class_bytes() + moments_.targets() * a * TargetSums::kBytesACell +
         copy_.memory_bytes(has_copy_) +
         (has_solution() ? (1 + moments_.targets()) * features_.room() * sizeof(double) : 0);
}

}  // namespace glimpse
