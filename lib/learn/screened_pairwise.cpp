#include "learn/screened_pairwise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/reselect.h"

namespace glimpse {

namespace {
constexpr double kActiveShare = 0.5;          // of the draws, where some are active and others are not
constexpr double kUniformShare = 0.1;         // of the draws
constexpr double kEnter = 2;                  // n·E[ρ²] above which an attribute becomes active
constexpr double kLeave = 0.5;                // and below which it is no longer
constexpr double kStayer = 2;                 // how much more another has to explain to take its place
constexpr std::uint64_t kFirstReview = 8;     // once a draw was made for one in so many attributes
constexpr std::uint64_t kSolutionShare = 50;  // predict() takes a solution that lacks 1/50 of the examples
constexpr std::uint32_t kDrawsAnAttribute = 16;
constexpr double kLargestTerm = 1e60;  // its square, summed over a stream, is still a number
}  // namespace

ScreenedPairwise::ScreenedPairwise(const LearnerOptions& options)
    : Learner(options),
      screen_(options.dimension),
      slot_(options.dimension, kInactive),
      q_(options.dimension),
      drawn_(options.dimension) {
  std::vector<Attribute> all;
  if (active_limit(options) == options.dimension) {
    all.resize(options.dimension);
    std::iota(all.begin(), all.end(), Attribute{0});
  }
  activate(std::move(all));
  review();
}

void ScreenedPairwise::plan(Random& random, Plan& plan) {
  plan.clear();
  const std::size_t k = options().budget;
  const std::size_t d = options().dimension;
  if (++plans_ == 0) {
    std::fill(drawn_.begin(), drawn_.end(), 0U);
    plans_ = 1;
  }
  const auto take = [&](Attribute i) {
    if (drawn_[i] == plans_) return;
    drawn_[i] = plans_;
    plan.attributes.push_back(i);
    screen_.prefetch_attribute(i);
  };
  // Draws that fall on an attribute drawn before are made again. Where few attributes have most of the
  // chances that could take long: the rest is then drawn uniformly.
  for (std::size_t draw = 0; plan.attributes.size() < k && draw < kDrawsAnAttribute * k; ++draw)
    take(q_.sample(random).attribute);
  while (plan.attributes.size() < k) {
    if (2 * k <= d) {
      take(static_cast<Attribute>(random.below(d)));
      continue;
    }
    auto skip = random.below(d - plan.attributes.size());
    Attribute i = 0;
    while (drawn_[i] == plans_ || skip-- > 0) ++i;
    take(i);
  }
  std::sort(plan.attributes.begin(), plan.attributes.end());
}

Status ScreenedPairwise::plan_among(Random& random, std::span<const Attribute> available, Plan& plan) {
  plan.clear();
  available_.begin();
  for (const Attribute i : available) available_.add(i, q_.probability(i));
  while (plan.attributes.size() < std::min(options().budget, available.size()))
    plan.attributes.push_back(available_.draw(random).attribute);
  std::sort(plan.attributes.begin(), plan.attributes.end());
  return {};
}

Outcome ScreenedPairwise::step(const Plan& plan, std::span<const double> values, double label,
                               double importance) {
  double largest = std::abs(label);
  for (const double value : values)
    if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
  if (!(largest <= kLargestTerm) || !(importance <= kLargestTerm)) return Outcome::kDiverged;
  slots_.clear();
  slot_values_.clear();
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) {
    const std::uint32_t slot = slot_[plan.attributes[a]];
    if (slot == kInactive) continue;
    slots_.push_back(slot);
    slot_values_.push_back(values[a]);
  }
  moments_.prefetch_pairs(slots_);
  moments_.add(slots_, slot_values_, label, importance);
  screen_.add(plan.attributes, values, label - moments_.label().reference, importance);
  return Outcome::kLearned;
}

void ScreenedPairwise::after_example() {
  if (steps() >= next_review_) review();
}

void ScreenedPairwise::review() {
  const std::size_t d = options().dimension;
  std::vector<float> explained(d);
  std::vector<float> worth(d);
  std::vector<Candidate> candidates;
  screen_.fit(moments_.label(), options().bias);
  for (std::size_t i = 0; i < d; ++i) {
    const AttributeScreen::Estimate e = screen_.estimate(i);
    explained[i] = static_cast<float>(e.explained);
    worth[i] = static_cast<float>(e.deviation);
    const bool stays = slot_[i] != kInactive;
    if (e.weight * e.explained > (stays ? kLeave : kEnter))
      candidates.push_back({(stays ? kStayer : 1) * e.explained, static_cast<Attribute>(i)});
  }
  if (active_limit(options()) < d) choose_active(candidates);
  for (std::size_t i = 0; i < d; ++i)
    if (slot_[i] == kInactive) worth[i] = explained[i] * explained[i];
  plan_sampling(worth);
  set_next_review();
}

void ScreenedPairwise::choose_active(std::vector<Candidate>& candidates) {
  const std::size_t limit = active_limit(options());
  if (candidates.size() > limit) {
    const auto better = [](const Candidate& a, const Candidate& b) {
      return a.key != b.key ? a.key > b.key : a.attribute < b.attribute;
    };
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(limit);
    std::nth_element(candidates.begin(), end, candidates.end(), better);
    candidates.erase(end, candidates.end());
  }
  std::vector<Attribute> chosen;
  for (const Candidate& candidate : candidates) chosen.push_back(candidate.attribute);
  std::sort(chosen.begin(), chosen.end());
  if (chosen != active_) activate(std::move(chosen));
}

void ScreenedPairwise::activate(std::vector<Attribute> active) {
  std::vector<std::size_t> from;
  for (const Attribute i : active) from.push_back(slot_[i] == kInactive ? kNewSlot : slot_[i]);
  moments_ = reselect(moments_, from);
  for (const Attribute i : active_) slot_[i] = kInactive;
  active_ = std::move(active);
  for (std::size_t s = 0; s < active_.size(); ++s) slot_[active_[s]] = static_cast<std::uint32_t>(s);
  solved_ = false;
}

void ScreenedPairwise::plan_sampling(std::span<const float> worth) {
  const std::size_t d = options().dimension;
  double active = 0;
  double others = 0;
  for (std::size_t i = 0; i < d; ++i)
    (slot_[i] != kInactive ? active : others) += static_cast<double>(worth[i]);
  const double share = active_.size() == d ? 1 - kUniformShare : active_.empty() ? 0 : kActiveShare;
  const double active_factor = active > 0 ? share / active : 0;
  const double other_factor = others > 0 ? (1 - kUniformShare - share) / others : 0;
  const double uniform = kUniformShare / static_cast<double>(d);
  q_.build([&](std::size_t i) {
    return uniform + static_cast<double>(worth[i]) * (slot_[i] != kInactive ? active_factor : other_factor);
  });
}

void ScreenedPairwise::set_next_review() {
  // Powers of two and the points half-way between, from where there is something to know.
  const std::uint64_t first = options().dimension / (kFirstReview * options().budget);
  const std::uint64_t last = std::max(steps(), first);
  std::uint64_t power = 1;
  while (power <= last) power *= 2;
  const std::uint64_t between = power / 2 + power / 4;
  next_review_ = between > last ? between : power;
}

const Model& ScreenedPairwise::solution(std::uint64_t oldest) const {
  if (solved_ && solved_at_ >= oldest) return solution_;
  solution_.weights.assign(options().dimension, 0.0);
  solution_.bias = options().bias ? moments_.label().mean() : 0;
  if (!active_.empty()) {
    snapshot_.take(moments_, options().bias);
    std::optional<NormBall> ball;
    if (options().radius) ball = NormBall{Ball::kL2, *options().radius};
    solver_.solve(snapshot_, ball, slot_model_);
    solution_.bias = slot_model_.bias;
    for (std::size_t s = 0; s < active_.size(); ++s) solution_.weights[active_[s]] = slot_model_.weights[s];
  }
  solved_at_ = steps();
  solved_ = true;
  return solution_;
}

double ScreenedPairwise::predict(std::span<const Entry> entries) const {
  const std::uint64_t n = steps();
  const Model& model = solution(n - n / kSolutionShare);
  double sum = model.bias;
  for (const Entry& entry : entries)
    sum += model.weights[entry.attribute] *
           (std::isnan(entry.value) ? screen_.mean(entry.attribute) : entry.value);
  return sum;
}

void ScreenedPairwise::model(Model& model) const { model = solution(steps()); }

SamplingRow ScreenedPairwise::sampling_row(Attribute attribute) const {
  const double count = std::min(screen_.weight(attribute), static_cast<double>(SecondMoments::kCertain));
  const double mean = screen_.mean(attribute);
  return {{mean, screen_.variance(attribute) + mean * mean, static_cast<std::uint32_t>(count),
           static_cast<float>(screen_.largest(attribute))},
          q_.probability(attribute)};
}

std::size_t ScreenedPairwise::memory_bytes() const {
  const std::size_t d = options().dimension;
  const std::size_t a = active_.size();
  return static_cast<std::size_t>(PairMoments::memory_bytes(a)) + q_.memory_bytes() +
         d * (AttributeScreen::kBytesAnAttribute + sizeof(slot_[0]) + sizeof(drawn_[0])) +
         (solved_ ? PairSnapshot::memory_bytes(a) + PairwiseSolver::memory_bytes(a) + d * sizeof(double) : 0);
}

void ScreenedPairwise::save_state(State& state) const {
  screen_.save(state);
  state.put_copy<std::uint32_t>("screened.active", active_);
  moments_.save(state);
  state.put_copy<std::uint8_t>("sampling.levels", q_.levels());
  const std::uint64_t numbers[] = {q_.lowest_key(), q_.shift(), next_review_};
  state.put_copy<std::uint64_t>("screened.sampling", numbers);
}

Status ScreenedPairwise::restore_state(const State& state) {
  const std::size_t d = options().dimension;
  if (const Status status = screen_.restore(state); !status) return status;
  const auto active = state.get<std::uint32_t>("screened.active");
  if (!active) return active.error();
  const bool ascends = std::is_sorted(active->begin(), active->end()) &&
                       std::adjacent_find(active->begin(), active->end()) == active->end();
  if (active->size() > active_limit(options()) || !ascends || (!active->empty() && active->back() >= d))
    return failure(ErrorCode::kCorrupt, "screened.active is no set of attributes below {}", d);
  const auto levels = state.get<std::uint8_t>("sampling.levels", d);
  if (!levels) return levels.error();
  const auto numbers = state.get<std::uint64_t>("screened.sampling", 3);
  if (!numbers) return numbers.error();
  for (const Attribute i : active_) slot_[i] = kInactive;
  active_.assign(active->begin(), active->end());
  for (std::size_t s = 0; s < active_.size(); ++s) slot_[active_[s]] = static_cast<std::uint32_t>(s);
  moments_ = PairMoments(active_.size());
  if (const Status status = moments_.restore(state); !status) return status;
  q_.restore(*levels, static_cast<std::uint32_t>((*numbers)[0]), static_cast<std::uint32_t>((*numbers)[1]));
  next_review_ = (*numbers)[2];
  solved_ = false;
  return {};
}

}  // namespace glimpse
