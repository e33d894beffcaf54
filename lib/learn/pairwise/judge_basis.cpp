#include "learn/pairwise/judge_basis.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "learn/covariance/settled_attributes.h"
#include "learn/pairwise/active_features.h"
#include "learn/solver/class_solve.h"

namespace glimpse {

namespace {
void spread_out(TargetMoments& moments, std::span<const std::uint32_t> places, std::size_t slots) {
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

std::shared_ptr<const PastModel> JudgeBasis::solve(const JudgeForm& form,
                                                   const PairwiseSolver::Cancelled& cancelled) const {
  Model model;
  std::shared_ptr<TargetMoments> moments;
  std::optional<SolvedClasses> classes;
  std::shared_ptr<ClassMoments> class_moments;
  const std::span<const std::uint32_t> places = !active         ? std::span<const std::uint32_t>()
                                                : slots.empty() ? std::span<const std::uint32_t>(*active)
                                                                : slots;
  if (snapshot.targets() > 1) {
    const std::size_t steps = snapshot.targets() > 2 ? form.class_steps : form.steps;
    classes = solve_classes(snapshot, form.ball, solver, cancelled, steps);
    if (cancelled && cancelled()) return nullptr;
    if (!active && features.is_plain()) {
      moments = std::make_shared<TargetMoments>();
      class_moments = std::make_shared<ClassMoments>(std::move(classes->moments));
      describe_classes(snapshot, solver, classes->indicators[kLabelClass], classes->indicators, *moments,
                       *class_moments);
    }
    if (active) classes = spread_out(*classes, places, means.size());
    model = classes->indicators[kLabelClass];
  } else if (snapshot.dimension() > 0) {
    solver.solve(snapshot, form.ball, model, cancelled, form.steps);
    if (cancelled && cancelled()) return nullptr;
    if ((!active || form.describes_active) && features.is_plain()) {
      moments = std::make_shared<TargetMoments>();
      solver.describe(snapshot, model, *moments);
      if (active) spread_out(*moments, places, means.size());
    }
  } else {
    model.bias = snapshot.label_centre();
  }
  if (active && !classes) {
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
  const auto count = state.get_number<std::uint64_t>(name + ".examples");
  if (!count) return count.error();
  examples = *count;
  const auto centre = state.get<double>(name + ".means", dimension);
  if (!centre) return centre.error();
  means.assign(centre->begin(), centre->end());
  active.reset();
  if (state.find(name + ".active") == nullptr) return snapshot.restore(state, name, dimension);
  const auto places = state.get<std::uint32_t>(name + ".active");
  if (!places) return places.error();
  const bool ascends =
      std::adjacent_find(places->begin(), places->end(), std::greater_equal<>()) == places->end();
  if (!ascends || (!places->empty() && places->back() >= dimension))
    return failure(ErrorCode::kCorrupt, "{}.active is no set of attributes below {}", name, dimension);
  active.emplace(places->begin(), places->end());
  const auto since = state.get<std::uint64_t>(name + ".ages", active->size());
  if (!since) return since.error();
  ages.assign(since->begin(), since->end());
  return snapshot.restore(state, name, active->size());
}

}  // namespace glimpse
