#include "learn/pairwise/screened_pairwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "learn/covariance/settled_attributes.h"
#include "learn/evaluation/kept_share.h"
#include "learn/judges/active_features.h"
#include "learn/pairwise/pairwise_rules.h"

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
  if (active_limit(options()) < options().dimension) activate(categories_among(features_, active_));
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

}  // namespace glimpse
