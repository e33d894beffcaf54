#include "learn/pairwise/pairwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "learn/covariance/look_weights.h"
#include "learn/covariance/reselect.h"
#include "learn/evaluation/kept_share.h"
#include "learn/judges/active_features.h"
#include "learn/judges/solve_labels.h"
#include "learn/pairwise/screened_pairwise.h"
#include "learn/pairwise/solving_learner.h"
#include "learn/solver/class_solve.h"
#include "stats/feature_sums.h"

namespace glimpse {

Pairwise::Pairwise(const LearnerOptions& options)
    : SolvingLearner(options, options.dimension),
      q_(options.dimension),
      drawn_(options.dimension),
      position_(options.dimension) {
  if (options.budget_cost) priced_.emplace(options);
  plan_sampling();
}

Outcome Pairwise::step(const Plan& plan, std::span<const double> values, double label, double importance) {
  if (!is_summable(values, label, importance)) return Outcome::kDiverged;
  judge(plan, values, label, watch());
  if (features_.is_plain()) {
    keep_for_judge(plan.attributes);
    forget_moments();
    moments_.add(plan.attributes, values, label, importance);
    learn_class(importance);
  } else {
    finish_judges_copy();  // of the time before the first category
    forget_moments();
    add_features(plan, values, label, importance);
  }
  return Outcome::kLearned;
}

// Indicators have slots behind those of all attributes.
void Pairwise::add_features(const Plan& plan, std::span<const double> values, double label,
                            double importance) {
  slots_.clear();
  indicators_.clear();
  slot_values_.clear();
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) {
    const Attribute i = plan.attributes[a];
    if (std::isnan(values[a])) continue;
    slots_.push_back(i);
    slot_values_.push_back(features_.is_category(i) ? 1 : values[a]);
    if (!features_.has_indicators(i)) continue;
    for (const double code : features_.codes(i, values[a]))
      if (const std::uint32_t indicator = features_.find_or_add(i, code); indicator != FeatureMap::kNone)
        indicators_.push_back(indicator);
  }
  std::sort(indicators_.begin(), indicators_.end());
  slots_.insert(slots_.end(), indicators_.begin(), indicators_.end());
  slot_values_.resize(slots_.size(), 1.0);
  if (moments_.dimension() < features_.room()) make_room();
  moments_.add(slots_, slot_values_, label, importance);
  learn_class(importance);
}

void Pairwise::make_room() {
  std::vector<std::size_t> from(features_.room(), kNewSlot);
  for (std::size_t i = 0; i < moments_.dimension(); ++i) from[i] = i;
  moments_ = reselect(moments_, from);
  captured_.is_stale = true;
}

double Pairwise::mean_of(std::size_t slot) const {
  return features_.is_plain() ? moments_[slot].mean() : feature_sums(moments_, features_, slot).mean();
}

void Pairwise::after_example() {
  if (steps() >= next_plan_) plan_sampling();
  judge_when_due();
}

std::unique_ptr<JudgeBasis> Pairwise::judge_basis() const {
  auto basis = std::make_unique<JudgeBasis>();
  lend_memory(*basis);
  basis->examples = counts().examples;
  basis->snapshot.begin(moments_, options().bias, features_);
  basis->features = features_;
  basis->means.resize(moments_.dimension());
  for (std::size_t i = 0; i < basis->means.size(); ++i)
    basis->means[i] = features_.is_category(i) ? 0 : mean_of(i);
  return basis;
}

void Pairwise::forget(const ChangeDetector::Rise& rise) {
  const double kept = share_kept(rise, label_of_losses());
  if (kept == 0) return forget_everything();
  forget_judgements();
  if (kept < 1) moments_.decay(kept);
  begin_again_from_sums();
}

void Pairwise::forget_everything() {
  forget_judgements();
  moments_ = no_sums(features_.room());
  begin_again_from_sums();
}

void Pairwise::forget_attribute(Attribute attribute) {
  finish_judges_copy();
  moments_.forget_attribute(attribute);
  forget_judgements_of(attribute);
  drop_solution();
}

void Pairwise::begin_again_from_sums() {
  forget_judgements();
  forget_best();
  drop_solution();
  restart_steps();
  plan_sampling();
}

JudgeForm Pairwise::judge_form() const {
  const auto& best = best_.set();
  return {.ball = ball(),
          .steps = PairwiseSolver::kRoughSteps,
          .class_steps = PairwiseSolver::kClassSteps,
          .best = best_set_form(options(), best ? *best : std::vector<Attribute>())};
}

void Pairwise::begin_copy() const {
  snapshot_.begin(moments_, options().bias, features_);
  captured_ = now();
}

void Pairwise::start_capture() const {
  begin_copy();
  has_copy_ = true;
  for (std::size_t l = 1; l < label_count(); ++l) {
    const Pairwise& other = sibling(l);
    snapshot_.begin_label(other.moments_, other.side_);
    other.captured_ = other.now();
  }
}

bool Pairwise::capture(std::size_t bytes) {
  if (captured_.is_stale) {
    start_capture();  // of sums that may have another size
    return false;
  }
  moments_.add_at_once(true);
  if (!moments_.settle_some(bytes) || !snapshot_.copy(moments_, bytes)) return false;
  if (!captured_.is_stale && !is_old(captured_)) {
    moments_.add_at_once(false);
    captured_.choice = guard_.choice();
    for (std::size_t l = 1; l < label_count(); ++l) sibling(l).captured_.choice = sibling(l).guard_.choice();
    return true;
  }
  start_capture();
  return false;
}

void Pairwise::covariances(const TargetMoments& about, std::span<const Attribute> rows,
                           std::span<const Attribute> columns, std::span<double> out) const {
  glimpse::covariances(moments_, features_, about, rows, columns, out);
}

SamplingRow Pairwise::sampling_row(Attribute attribute) const {
  const AttributeSums& s = moments_[attribute];
  if (features_.is_category(attribute))
    return {{NAN, NAN, SecondMoments::count_of(s.weight()), 0}, look_chance(attribute)};
  const double mean = s.mean();
  return outward(attribute, {{mean, s.variance() + mean * mean, SecondMoments::count_of(s.weight()),
                              static_cast<float>(s.largest)},
                             look_chance(attribute)});
}

std::size_t Pairwise::sums_memory_bytes() const {
  const std::size_t d = moments_.dimension();
  if (lead() != nullptr) return d * (2 * sizeof(AttributeSums) + PairSnapshot::kBytesAnAttribute);
  return PairMoments::memory_bytes(d) + moments_.targets() * d * TargetSums::kBytesACell +
         (PairBatch::is_worthwhile(d, options().budget) ? PairBatch::bytes_of(d) : 0) + q_.memory_bytes() +
         (priced_ ? priced_->memory_bytes() : 0) + d / 8 + 4 * d +
         (has_copy_ ? PairSnapshot::memory_bytes(d) + PairwiseSolver::memory_bytes(d)
                    : PairSnapshot::kBytesAnAttribute * snapshot_.dimension());
}

void Pairwise::save_state(State& state) const {
  moments_.save(state);
  if (priced_) {
    priced_->save(state);
  } else {
    state.put_copy<std::uint8_t>("sampling.levels", q_.levels());
  }
  look_phase_.save(state);
  const std::uint64_t numbers[] = {q_.lowest_key(), q_.shift(), next_plan_};
  state.put_copy<std::uint64_t>("pairwise.sampling", numbers);
  save_judges(state);
}

// A limit of cost, or prices, may have come, gone or changed since: then q is planned again.
Status Pairwise::restore_sampling(const State& state, std::span<const std::uint64_t> numbers) {
  draw_otherwise();
  next_plan_ = numbers[2];
  if (priced_) {
    GLIMPSE_TRY_ASSIGN(const auto same, priced_->restore(state));
    if (!same) plan_sampling();
    return {};
  }
  if (state.find("costs.levels") != nullptr) {
    plan_sampling();
    return {};
  }
  GLIMPSE_TRY_ASSIGN(const auto levels, state.get<std::uint8_t>("sampling.levels", options().dimension));
  if (!q_.restore(levels, static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1])))
    return failure(ErrorCode::kCorrupt, "pairwise.sampling is of no distribution");
  return {};
}

Status Pairwise::restore_state(const State& state) {
  if (moments_.dimension() != features_.room()) moments_ = no_sums(features_.room());
  GLIMPSE_TRY(moments_.restore(state));
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("pairwise.sampling", 3));
  GLIMPSE_TRY(restore_sampling(state, numbers));
  GLIMPSE_TRY(look_phase_.restore(state, looks()));
  const Status status = restore_judges(state);
  note_chances();
  return status;
}

// Which attributes Pairwise looks at.

void Pairwise::draw_plan(Random& random, Plan& plan) {
  plan.clear();
  drawn_.clear();  // of a plan that there was no memory for
  if (const std::size_t looks = best_.next(random); looks > 0) {
    draw_best(random, looks, *best_.set(), plan);
    if (drawn_.size() > 0) {
      if (!priced_) fill_from_all(random);
      return place_draws(plan);
    }
  }
  if (priced_) {
    priced_->draw(random, drawn_, plan);
    return place_draws(plan);
  }
  const std::size_t k = options().budget;
  const std::size_t d = options().dimension;
  double rest = 1;  // what the attributes not drawn yet have of q
  // Draws that fall on an attribute drawn before are made again. Where K is close to d that could take long:
  // the rest is then drawn uniformly.
  Random source = random;  // its own, so that it stays in registers
  for (std::size_t left = kDrawsAnAttribute * k; drawn_.size() < k && left > 0;) {
    std::array<LevelTable::Ticket, 64> tickets;  // as many draws as are needed at least: all are begun first
    const std::size_t count = std::min({k - drawn_.size(), left, tickets.size()});
    for (std::size_t t = 0; t < count; ++t) tickets[t] = q_.begin_sample(source);
    for (std::size_t t = 0; t < count; ++t) {
      const LevelTable::Draw draw = q_.finish_sample(tickets[t]);
      if (!drawn_.insert(draw.attribute)) continue;
      plan.inner_product.push_back({draw.attribute, rest / draw.probability});
      rest -= draw.probability;
    }
    left -= count;
  }
  while (drawn_.size() < k) {
    auto skip = source.below(d - drawn_.size());
    Attribute i = 0;
    while (drawn_.contains(i) || skip-- > 0) ++i;
    plan.inner_product.push_back({i, static_cast<double>(d - drawn_.size())});
    drawn_.insert(i);
    rest -= q_.probability(i);
  }
  random = source;
  drawn_.take_all(plan.attributes);
  for (std::uint32_t a = 0; a < k; ++a) position_[plan.attributes[a]] = a;
  for (Draw& draw : plan.inner_product) draw.position = position_[draw.position];
  moments_.prefetch_pairs(plan.attributes);
}

Status Pairwise::plan_among(Random& random, std::span<const Attribute> available, Plan& plan) {
  plan.clear();
  drawn_.clear();
  if (const std::size_t looks = best_.next(random); looks > 0) {
    const std::span<const Attribute> best = best_.among(available);
    if (!best.empty()) draw_best(random, looks, best, plan);
  }
  if (drawn_.size() > 0) {
    if (!priced_) fill_from(random, available);
  } else if (priced_) {
    if (!priced_->draw_among(random, available, drawn_, plan))
      return failure(ErrorCode::kUnavailable,
                     "each of the {} available attributes costs more than --budget-cost {}", available.size(),
                     format_money(*options().budget_cost));
  } else {
    available_.begin();
    for (const Attribute i : available) available_.add(i, q_.probability(i));
    plan.population = available.size();
    while (drawn_.size() < std::min(options().budget, available.size())) {
      const SequentialDraws::Drawn draw = available_.draw(random);
      plan.inner_product.push_back({draw.attribute, draw.coefficient});
      drawn_.insert(draw.attribute);
    }
  }
  place_draws(plan);
  return {};
}

void Pairwise::draw_best(Random& random, std::size_t looks, std::span<const Attribute> best, Plan& plan) {
  if (priced_) {
    if (!priced_->draw_among(random, best, drawn_, plan)) return plan.clear();
    return best_.note(plan, plan.population);
  }
  best_.draw(random, looks, best, [this](Attribute i) { return q_.probability(i); }, plan);
  for (const Draw& draw : plan.inner_product) drawn_.insert(draw.position);
}

// Looks that the best leave: no estimate is of them.
void Pairwise::fill_from_all(Random& random) {
  const std::size_t k = options().budget;
  for (std::size_t left = kDrawsAnAttribute * k; drawn_.size() < k && left > 0; --left)
    drawn_.insert(q_.sample(random).attribute);
  while (drawn_.size() < k) {
    auto skip = random.below(options().dimension - drawn_.size());
    Attribute i = 0;
    while (drawn_.contains(i) || skip-- > 0) ++i;
    drawn_.insert(i);
  }
}

void Pairwise::fill_from(Random& random, std::span<const Attribute> available) {
  available_.begin();
  for (const Attribute i : available)
    if (!drawn_.contains(i)) available_.add(i, q_.probability(i));
  while (drawn_.size() < options().budget && available_.size() > 0)
    drawn_.insert(available_.draw(random).attribute);
}

void Pairwise::place_draws(Plan& plan) {
  drawn_.take_all(plan.attributes);
  for (std::uint32_t a = 0; a < plan.attributes.size(); ++a) position_[plan.attributes[a]] = a;
  for (auto* draws : {&plan.data_point, &plan.inner_product})
    for (Draw& draw : *draws) draw.position = position_[draw.position];
  moments_.prefetch_pairs(plan.attributes);
}

void Pairwise::show_together(std::span<const Attribute> attributes) {
  priced_->show_together(attributes);
  draw_otherwise();
}

void Pairwise::plan_sampling() {
  if (lead() != nullptr) return;
  draw_otherwise();
  const std::size_t d = options().dimension;
  const double share = static_cast<double>(options().budget) / static_cast<double>(d);
  const auto chances = [&](std::span<const double> weights, std::span<double> pi) {
    if (priced_) return priced_->expect(weights, pi);
    for (std::size_t i = 0; i < d; ++i) pi[i] = std::min(1.0, share * weights[i]);
  };
  bool by_label = false;
  std::vector<const PairMoments*> further;
  for (std::size_t l = 1; l < label_count(); ++l) further.push_back(&sibling(l).moments_);
  const bool is_uniform = options().looks == Looks::kUniform;
  std::vector<double> weights =
      is_uniform ? std::vector<double>(d, 1) : look_weights(moments_, chances, features_, &by_label, further);
  if (!is_uniform) prefer(weights);
  const auto weight = [&](std::size_t i) { return weights[i]; };
  if (priced_) {
    priced_->plan(weight);
  } else {
    q_.build(weight);
  }
  note_chances();
  note_sampling(weights, by_label);
  // Powers of two and the points half-way between.
  std::uint64_t power = 1;
  while (power <= steps()) power *= 2;
  const std::uint64_t between = power / 2 + power / 4;
  next_plan_ = between > steps() ? between : power;
}

void Pairwise::best_changed() {
  draw_otherwise();
  note_chances();
}

void Pairwise::note_chances() {
  chance_of_best_ = 0;
  if (!best_.is_on()) return;
  for (const Attribute i : *best_.set()) chance_of_best_ += chance(i);
  best_.note_spread(spread_of(options().dimension, [this](Attribute i) { return look_chance(i); }));
}

void Pairwise::note_sampling(std::span<const double> weights, bool by_label) {
  using Cause = LookPhase::Cause;
  LookPhase::Preference preference{by_label ? Cause::kLabel : Cause::kSpread,
                                   spread_of(weights.size(), [&](Attribute i) { return weights[i]; }), 0};
  preference.looks = moments_.label().weight * static_cast<double>(options().budget) /
                     static_cast<double>(options().dimension);
  if (!(moments_.label().weight > 0)) preference.cause = Cause::kNothingKnown;
  if (!priced_ && options().budget >= options().dimension) preference.cause = Cause::kNothingToChoose;
  if (priced_ && options().buying == Buying::kUniform) preference.cause = Cause::kPrices;
  if (options().looks == Looks::kUniform) preference.cause = Cause::kUniform;
  look_phase_.planned(preference, looks(), counts().examples);
}

SamplingSpread Pairwise::looks() const {
  return spread_of(options().dimension, [this](Attribute i) { return chance(i); });
}

// What Pairwise solves for, from its copy of the sums.

std::optional<NormBall> Pairwise::ball() const {
  if (!options().radius) return std::nullopt;
  return NormBall{options().ball.value_or(Ball::kL2), *options().radius};
}

// The models of the indicators, and what is known of them; of a regression none.
struct Pairwise::OfClasses {
  std::vector<Model> indicators;
  ClassMoments moments;
};

std::shared_ptr<const Solution> Pairwise::solve_captured(const Cancelled& cancelled) const {
  auto solution = std::make_shared<Solution>();
  // Of all attributes: before some are left out.
  const bool is_newest = captured_.choice.served == Served::kNewest;
  if (is_newest) find_small_models(snapshot_, options().prices.get(), ball(), solver_, cancelled, *solution);
  leave_out_others();
  OfClasses of_classes;
  if (snapshot_.targets() > 1)
    of_classes = solve_classes_into(*solution, cancelled);
  else
    solver_.solve(snapshot_, ball(), solution->model, cancelled);
  if (cancelled && cancelled()) return nullptr;
  solution->serve(captured_.choice, snapshot_.label_centre());
  describe_solution(*solution, std::move(of_classes));
  const FeatureMap& features = snapshot_.features();
  if (!features.is_plain()) {
    solution->slots = features.slots();
    solution->features = features.slots() - features.categories();
  }
  if (!solution->withheld && snapshot_.targets() <= 2)
    solution->importances = solver_.importances(snapshot_, solution->model);
  if (!solution->withheld && granted().weight_errors)
    solution->weight_errors = solver_.weight_errors(snapshot_, cancelled);
  if (cancelled && cancelled()) return nullptr;
  solution->origin = captured_.origin;
  solution->outward(captured_.units);
  return solution;
}

void Pairwise::leave_out_others() const {
  std::vector<bool> out = not_best(captured_, options().dimension);
  if (out.empty()) return;
  if (!snapshot_.features().is_plain())
    out = with_indicators(std::move(out), snapshot_.features(), snapshot_.dimension());
  snapshot_.leave_out(out);
}

Pairwise::OfClasses Pairwise::solve_classes_into(Solution& solution, const Cancelled& cancelled) const {
  SolvedClasses solved = solve_classes(snapshot_, ball(), solver_, cancelled, PairwiseSolver::kSteps,
                                       captured_.choice.served == Served::kNewest);
  if (cancelled && cancelled()) return {};
  solution.model = solved.indicators[kLabelClass];
  solution.importances = std::move(solved.importances);
  solution.classes = std::make_shared<ClassModel>(std::move(solved.scores));
  return {std::move(solved.indicators), std::move(solved.moments)};
}

// An earlier model is described with what is known of the attributes now, and what it knew of the classes.
void Pairwise::describe_solution(Solution& solution, OfClasses of_classes) const {
  bool has_classes = !of_classes.indicators.empty();
  if (solution.withheld) {
    solver_.replace(snapshot_, solution.model);
    if (has_classes) solution.classes = served_classes(captured_.choice, snapshot_);
    const PastModel* const earlier = captured_.choice.earlier.get();
    const std::size_t slots = snapshot_.dimension();
    has_classes = has_classes && earlier != nullptr && earlier->class_moments &&
                  earlier->class_moments->slots() == slots;
    if (has_classes) of_classes = {indicators_of(*earlier, slots), *earlier->class_moments};
  }
  if (!has_classes) return solver_.describe(snapshot_, solution.model, solution.moments);
  auto classes = std::make_shared<ClassMoments>(std::move(of_classes.moments));
  describe_classes(snapshot_, solver_, solution.model, of_classes.indicators, solution.moments, *classes);
  solution.class_moments = std::move(classes);
}

std::shared_ptr<const Solution> Pairwise::solve(const Cancelled& cancelled) {
  if (label_count() == 1) return solve_captured(cancelled);
  return solve_all(
      label_count(), [&](std::size_t l) { return solve_beside(sibling(l), cancelled); },
      [&] { return solve_captured(cancelled); });
}

// From this one's copy, and in the memory of its solver.
std::shared_ptr<const Solution> Pairwise::solve_beside(const Pairwise& other,
                                                       const Cancelled& cancelled) const {
  const LentCopy copy(snapshot_, other.snapshot_, other.side_);
  const LentMatrix matrix(solver_, other.solver_);
  return other.solve_captured(cancelled);
}

std::shared_ptr<Solution> Pairwise::no_solution() const {
  auto nothing = std::make_shared<Solution>();
  nothing->model.weights.assign(moments_.dimension(), 0.0);
  nothing->moments = no_moments(moments_.dimension());
  nothing->origin = now().origin;
  return nothing;
}

std::shared_ptr<const Solution> Pairwise::solve_now() const {
  if (moments_.label().weight == 0) return no_solution();
  const LentMemory lent(lendable(), snapshot_, solver_);
  begin_copy();
  snapshot_.copy(moments_, std::numeric_limits<std::size_t>::max());
  return solve_captured({});
}

// What the learners that solve know of merging: sums add up, and all that follows from them is made again.

static_assert(MergedSlots::kNoSlot == kNewSlot);

namespace {

// Those of `other`, in the slots of `from`, with the classes of the learner that gets them.
PairMoments renumbered(const PairMoments& other, std::span<const std::size_t> from,
                       const MergedSlots& slots) {
  PairMoments moments = renumber(other, from, slots.classes);
  if (!slots.are_same_classes) moments.label_by_target(1);
  return moments;
}

// How far labels of `other` are above those of `mine`, which are about other references.
double offset_of_labels(const LabelSums& mine, const LabelSums& other) {
  return mine.weight > 0 && other.weight > 0 ? other.reference - mine.reference : 0;
}

}  // namespace

void SolvingLearner::merge_moments(const PairMoments& other, std::span<const std::size_t> from,
                                   const MergedSlots& slots, bool are_same) {
  moments_.grow_targets(slots.classes.size());
  if (are_same && slots.are_same_classes) return moments_.merge(other);
  moments_.merge(renumbered(other, from, slots));
}

void SolvingLearner::forget_for_merging() {
  forget_judgements();
  forget_best();
  drop_solution();
}

void SolvingLearner::judge_merged() {
  if (steps() < PastModels::kFewest) return;
  JudgeForm form = judge_form();
  form.best.chooses = true;
  pending_ = std::make_unique<PendingJudge>(judge_basis(), form, steps());
  use_judge();
}

Status Pairwise::merge_state(const Learner& other, const MergedSlots& slots) {
  forget_for_merging();
  if (moments_.dimension() < features_.room()) make_room();
  const PairMoments& theirs = static_cast<const Pairwise&>(other).moments_;
  merge_moments(theirs, slots.from, slots, slots.are_same && theirs.dimension() == moments_.dimension());
  return {};
}

void Pairwise::after_merging() {
  forget_for_merging();
  plan_sampling();
  judge_merged();
}

// Which are active is decided by what both screens know together, where there is no room for all of them.
std::vector<Attribute> ScreenedPairwise::active_of_both(std::vector<Attribute> all,
                                                        const PairMoments& label) {
  const std::size_t limit = active_limit(options());
  if (all.size() <= limit) return all;
  std::vector<double> shares(label.targets());
  for (std::size_t c = 0; c < shares.size(); ++c) shares[c] = label.target(c).mean();
  screen_.fit(label.label(), options().bias, shares);
  std::vector<Candidate> candidates;
  std::vector<Attribute> chosen = with_indicators_among(features_, all);
  for (const Attribute i : all)
    if (!features_.has_indicators(i)) candidates.push_back({screen_.estimate(i).explained, i});
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.key != b.key ? a.key > b.key : a.attribute < b.attribute;
  });
  candidates.resize(std::min(candidates.size(), limit - std::min(limit, chosen.size())));
  for (const Candidate& candidate : candidates) chosen.push_back(candidate.attribute);
  std::ranges::sort(chosen);
  return chosen;
}

// By place of moments_, that of theirs.
std::vector<std::size_t> ScreenedPairwise::places_of(const ScreenedPairwise& theirs,
                                                     const MergedSlots& slots) const {
  std::vector<std::size_t> their_place(theirs.features_.room(), kNewSlot);
  const auto their_slots = learner_slots(theirs.features_, theirs.active_, theirs.places_);
  for (std::size_t p = 0; p < their_slots.size(); ++p) their_place[their_slots[p]] = p;
  std::vector<std::size_t> from(places_.room(), kNewSlot);
  const auto own_slots = learner_slots(features_, active_, places_);
  for (std::size_t p = 0; p < own_slots.size(); ++p)
    if (const std::size_t slot = slots.from[own_slots[p]]; slot != kNewSlot) from[p] = their_place[slot];
  return from;
}

Status ScreenedPairwise::merge_state(const Learner& other, const MergedSlots& slots) {
  const auto& theirs = static_cast<const ScreenedPairwise&>(other);
  forget_for_merging();
  const auto own = [&](Attribute i) { return slots.attributes.empty() ? i : slots.attributes[i]; };
  std::vector<Attribute> all = active_;
  for (const Attribute i : theirs.active_) all.push_back(own(i));
  for (std::size_t i = 0; i < options().dimension; ++i)  // that one of them knew as numbers never seen
    if (features_.has_indicators(i)) all.push_back(static_cast<Attribute>(i));
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());

  PairMoments label = reselect(moments_, {});
  const PairMoments their_label = renumbered(theirs.moments_, {}, slots);
  const double offset = offset_of_labels(label.label(), their_label.label());
  if (slots.are_same_classes) {
    screen_.merge(theirs.screen_, slots.attributes, offset);
  } else {
    State state;  // which is how a screen is copied
    state.begin();
    theirs.screen_.save(state);
    state.finish();
    AttributeScreen screen(options().dimension);
    GLIMPSE_TRY(screen.restore(state));
    screen.renumber_classes(slots.classes, theirs.moments_.label().reference);
    screen_.merge(screen, slots.attributes, offset);
  }
  label.merge(their_label);

  std::vector<std::uint64_t> ages(options().dimension);
  for (std::size_t s = 0; s < active_.size(); ++s) ages[active_[s]] += steps() - std::min(since_[s], steps());
  for (std::size_t s = 0; s < theirs.active_.size(); ++s)
    ages[own(theirs.active_[s])] += theirs.steps() - std::min(theirs.since_[s], theirs.steps());
  activate(active_of_both(std::move(all), label));
  const std::uint64_t merged = steps() + theirs.steps();
  for (std::size_t s = 0; s < active_.size(); ++s) since_[s] = merged - std::min(ages[active_[s]], merged);
  merge_moments(theirs.moments_, places_of(theirs, slots), slots, false);
  return {};
}

void ScreenedPairwise::after_merging() {
  forget_for_merging();
  review();
  judge_merged();
}

}  // namespace glimpse
