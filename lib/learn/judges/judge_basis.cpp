#include "learn/judges/judge_basis.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "learn/covariance/settled_attributes.h"
#include "learn/judges/active_features.h"
#include "learn/small_models/attribute_choice.h"
#include "learn/small_models/small_refit.h"
#include "learn/solver/class_solve.h"

namespace glimpse {

namespace {
void spread_moments(TargetMoments& moments, std::span<const std::uint32_t> places, std::size_t slots) {
  const auto spread = [&](std::vector<double>& array, double rest) {
    const std::vector<double> placed = std::exchange(array, std::vector<double>(slots, rest));
    for (std::size_t s = 0; s < places.size(); ++s) array[places[s]] = placed[s];
  };
  for (auto* array : {&moments.means, &moments.variances, &moments.ridge, &moments.target}) spread(*array, 0);
  spread(moments.shrinkage, 1);
}
}  // namespace

void JudgeBasis::leave_out_young() {
  if (!active) return;
  const FeatureMap& places = snapshot.features();
  snapshot.leave_out(places.is_plain() ? too_young(ages)
                                       : with_indicators(too_young(ages), places, snapshot.dimension()));
}

void JudgeBasis::add_classes(SolvedClasses& classes, PastModel& result) const {
  if (classes.indicators.size() > 2)
    for (const Model& indicator : classes.indicators)
      result.indicators.push_back(
          std::make_shared<PastModel>(past_model(indicator, means, examples, features)));
  result.scores = std::make_shared<ClassModel>(std::move(classes.scores));
}

std::optional<BestChoice> JudgeBasis::choose_best(const JudgeForm& form,
                                                  const PairwiseSolver::Cancelled& cancelled) const {
  if (!active) return choose_best_set(form.best, snapshot, form.ball, solver, cancelled);
  BestSetForm places = form.best;
  places.now.clear();
  for (const Attribute i : form.best.now) {
    const auto found = std::ranges::lower_bound(*active, i);
    if (found != active->end() && *found == i)
      places.now.push_back(static_cast<Attribute>(found - active->begin()));
  }
  if (is_settled(form.best.settled_after)) places.attributes = std::min(places.attributes, active->size());
  return choose_best_set(places, snapshot, form.ball, solver, cancelled);
}

// No attribute became active in the last half of the examples: there may be no others that explain anything.
bool JudgeBasis::is_settled(std::uint64_t enough) const {
  return !ages.empty() && *std::ranges::min_element(ages) >= std::min(examples / 2, enough);
}

std::shared_ptr<const PastModel> JudgeBasis::solve(const JudgeForm& form,
                                                   const PairwiseSolver::Cancelled& cancelled) const {
  auto choice = choose_best(form, cancelled);
  if (!choice) return nullptr;
  std::vector<Attribute>& best = choice->attributes;
  // The slots that a model is solved for; empty: all of the learner's.
  std::vector<std::uint32_t> places;
  if (active) places = slots.empty() ? std::vector<std::uint32_t>(active->begin(), active->end()) : slots;
  PairSnapshot part;
  const PairSnapshot& all = snapshot;
  if (!best.empty()) {
    std::vector<std::uint32_t> chosen =
        select_attributes(snapshot, features_of_attributes(snapshot), best, part);
    if (active)
      for (std::uint32_t& slot : chosen) slot = places[slot];
    places = std::move(chosen);
  }
  auto result = solve_part(form, best.empty() ? all : part, places, cancelled);
  if (result) result->best_wait = choice->wait;
  if (!result || best.empty()) return result;
  if (active)
    for (Attribute& i : best) i = (*active)[i];
  result->best = std::make_shared<const std::vector<Attribute>>(std::move(best));
  return result;
}

std::shared_ptr<PastModel> JudgeBasis::solve_part(const JudgeForm& form, const PairSnapshot& sums,
                                                  std::span<const std::uint32_t> places,
                                                  const PairwiseSolver::Cancelled& cancelled) const {
  Model model;
  std::shared_ptr<TargetMoments> moments;
  std::optional<SolvedClasses> classes;
  std::shared_ptr<ClassMoments> class_moments;
  const bool is_all = !active && places.empty();
  if (sums.targets() > 1) {
    const std::size_t steps = sums.targets() > 2 ? form.class_steps : form.steps;
    classes = solve_classes(sums, form.ball, solver, cancelled, steps);
    if (cancelled && cancelled()) return nullptr;
    if (is_all && features.is_plain()) {
      moments = std::make_shared<TargetMoments>();
      class_moments = std::make_shared<ClassMoments>(std::move(classes->moments));
      describe_classes(sums, solver, classes->indicators[kLabelClass], classes->indicators, *moments,
                       *class_moments);
    }
    if (!is_all) classes = spread_out(*classes, places, means.size());
    model = classes->indicators[kLabelClass];
  } else if (sums.dimension() > 0) {
    solver.solve(sums, form.ball, model, cancelled, form.steps);
    if (cancelled && cancelled()) return nullptr;
    if ((is_all || form.describes_active) && features.is_plain()) {
      moments = std::make_shared<TargetMoments>();
      solver.describe(sums, model, *moments);
      if (!is_all) spread_moments(*moments, places, means.size());
    }
  } else {
    model.bias = sums.label_centre();
  }
  if (!is_all && !classes) {
    std::vector<double> all(means.size());
    for (std::size_t s = 0; s < places.size(); ++s) all[places[s]] = model.weights[s];
    model.weights = std::move(all);
  }
  auto result = std::make_shared<PastModel>(past_model(model, means, examples, features));
  result->moments = std::move(moments);
  result->class_moments = std::move(class_moments);
  if (classes) add_classes(*classes, *result);
  return result;
}

bool JudgeBasis::is_soon_solved() const {
  constexpr std::size_t kSoonSolved = 512;
  return snapshot.dimension() <= kSoonSolved || !features.is_plain();
}

std::size_t JudgeBasis::memory_bytes() const {
  return PairSnapshot::memory_bytes(snapshot.dimension()) + means.size() * sizeof(double);
}

void JudgeBasis::save(State& state, const std::string& name) const {
  state.put_number(name + ".examples", examples);
  state.put_copy<double>(name + ".means", means);
  if (active) {
    state.put_copy<std::uint32_t>(name + ".active", *active);
    state.put_copy<std::uint64_t>(name + ".ages", ages);
  }
  snapshot.save(state, name);
}

Status JudgeBasis::restore(const State& state, const std::string& name, std::size_t dimension) {
  GLIMPSE_TRY_ASSIGN(examples, state.get_number<std::uint64_t>(name + ".examples"));
  GLIMPSE_TRY_ASSIGN(const auto centre, state.get<double>(name + ".means", dimension));
  means.assign(centre.begin(), centre.end());
  active.reset();
  if (state.find(name + ".active") == nullptr) return snapshot.restore(state, name, dimension);
  GLIMPSE_TRY_ASSIGN(const auto places, state.get<std::uint32_t>(name + ".active"));
  const bool ascends =
      std::adjacent_find(places.begin(), places.end(), std::greater_equal<>()) == places.end();
  if (!ascends || (!places.empty() && places.back() >= dimension))
    return failure(ErrorCode::kCorrupt, "{}.active is no set of attributes below {}", name, dimension);
  active.emplace(places.begin(), places.end());
  GLIMPSE_TRY_ASSIGN(const auto since, state.get<std::uint64_t>(name + ".ages", active->size()));
  ages.assign(since.begin(), since.end());
  return snapshot.restore(state, name, active->size());
}

}  // namespace glimpse
