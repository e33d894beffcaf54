#include "learn/pairwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace glimpse {

namespace {
constexpr double kUniformShare = 0.1;
constexpr std::uint64_t kSolutionShare = 50;  // predict() takes a solution that lacks 1/50 of the examples
constexpr std::uint64_t kLargestGrowth = 4;   // of the examples while they are copied: by 1/4
constexpr std::uint32_t kDrawsAnAttribute = 16;
constexpr double kLargestTerm = 1e60;  // its square, summed over a stream, is still a number
}  // namespace

Pairwise::Pairwise(const LearnerOptions& options)
    : Learner(options), moments_(options.dimension), q_(options.dimension), drawn_(options.dimension) {
  plan_sampling();
}

void Pairwise::plan(Random& random, Plan& plan) {
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
  };
  // Draws that fall on an attribute drawn before are made again. Where K is close to d that could take long:
  // the rest is then drawn uniformly.
  for (std::size_t draw = 0; plan.attributes.size() < k && draw < kDrawsAnAttribute * k; ++draw)
    take(q_.sample(random).attribute);
  while (plan.attributes.size() < k) {
    auto skip = random.below(d - plan.attributes.size());
    Attribute i = 0;
    while (drawn_[i] == plans_ || skip-- > 0) ++i;
    take(i);
  }
  std::sort(plan.attributes.begin(), plan.attributes.end());
  moments_.prefetch_pairs(plan.attributes);
}

Outcome Pairwise::step(const Plan& plan, std::span<const double> values, double label, double importance) {
  double largest = std::abs(label);
  for (const double value : values)
    if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
  if (!(largest <= kLargestTerm) || !(importance <= kLargestTerm)) return Outcome::kDiverged;
  moments_.add(plan.attributes, values, label, importance);
  return Outcome::kLearned;
}

void Pairwise::after_example() {
  if (steps() < next_plan_) return;
  plan_sampling();
}

void Pairwise::plan_sampling() {
  const std::size_t d = options().dimension;
  const auto scaled = [&](std::size_t i) {  // Σ (x − mean)² in units of the largest value
    const AttributeSums& s = moments_[i];
    return s.largest > 0 ? s.weight() * s.variance() / (s.largest * s.largest) : 0;
  };
  double squares = 0;
  double counts = 0;
  for (std::size_t i = 0; i < d; ++i) {
    squares += scaled(i);
    counts += moments_[i].weight();
  }
  const double pooled = counts > 0 && squares > 0 ? squares / counts : 1;
  const auto deviation = [&](std::size_t i) {
    return std::sqrt((scaled(i) + pooled / 2) / (moments_[i].weight() + 0.5));
  };
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) sum += deviation(i);
  const double mean = sum / static_cast<double>(d);
  q_.build([&](std::size_t i) { return kUniformShare + (1 - kUniformShare) * deviation(i) / mean; });
  // Powers of two and the points half-way between.
  std::uint64_t power = 1;
  while (power <= steps()) power *= 2;
  const std::uint64_t between = power / 2 + power / 4;
  next_plan_ = between > steps() ? between : power;
}

void Pairwise::start_capture() const {
  snapshot_.begin(moments_, options().bias);
  captured_ = {counts().examples, counts().attributes_revealed};
  captured_steps_ = steps();
  has_copy_ = true;
}

void Pairwise::begin_capture() { start_capture(); }

bool Pairwise::capture(std::size_t bytes) {
  if (!snapshot_.copy(moments_, bytes)) return false;
  if (steps() <= captured_steps_ + captured_steps_ / kLargestGrowth) return true;
  start_capture();
  return false;
}

std::shared_ptr<const Solution> Pairwise::solve_captured(const Cancelled& cancelled) const {
  auto solution = std::make_shared<Solution>();
  std::optional<NormBall> ball;
  if (options().radius) ball = NormBall{options().ball.value_or(Ball::kL2), *options().radius};
  solver_.solve(snapshot_, ball, solution->model, cancelled);
  if (cancelled && cancelled()) return nullptr;
  solution->origin = captured_;
  return solution;
}

std::shared_ptr<const Solution> Pairwise::solve(const Cancelled& cancelled) {
  return solve_captured(cancelled);
}

void Pairwise::adopt(std::shared_ptr<const Solution> solution) {
  solution_ = std::move(solution);
  adopted_ = true;
}

const Solution& Pairwise::solution(std::uint64_t oldest) const {
  if (adopted_ || (solution_ && solved_at_ >= oldest)) return *solution_;
  if (steps() == 0) {
    auto nothing = std::make_shared<Solution>();
    nothing->model.weights.assign(options().dimension, 0.0);
    solution_ = std::move(nothing);
  } else {
    start_capture();
    snapshot_.copy(moments_, std::numeric_limits<std::size_t>::max());
    solution_ = solve_captured({});
  }
  solved_at_ = steps();
  return *solution_;
}

double Pairwise::predict(std::span<const Entry> entries) const {
  const std::uint64_t n = steps();
  const Model& model = solution(n - n / kSolutionShare).model;
  double sum = model.bias;
  for (const Entry& entry : entries)
    sum += model.weights[entry.attribute] *
           (std::isnan(entry.value) ? moments_[entry.attribute].mean() : entry.value);
  return sum;
}

void Pairwise::model(Model& model) const { model = solution(steps()).model; }

std::optional<ModelOrigin> Pairwise::model_origin() const {
  if (!solution_) return std::nullopt;
  return solution_->origin;
}

SamplingRow Pairwise::sampling_row(Attribute attribute) const {
  const AttributeSums& s = moments_[attribute];
  const double count = std::min(s.weight(), static_cast<double>(SecondMoments::kCertain));
  const double mean = s.mean();
  return {
      {mean, s.variance() + mean * mean, static_cast<std::uint32_t>(count), static_cast<float>(s.largest)},
      q_.probability(attribute)};
}

std::size_t Pairwise::memory_bytes() const {
  const std::size_t d = options().dimension;
  return PairMoments::memory_bytes(d) + q_.memory_bytes() + d * sizeof(std::uint32_t) +
         (has_copy_ ? PairSnapshot::memory_bytes(d) + PairwiseSolver::memory_bytes(d) : 0);
}

void Pairwise::save_state(State& state) const {
  moments_.save(state);
  state.put_copy<std::uint8_t>("sampling.levels", q_.levels());
  const std::uint64_t numbers[] = {q_.lowest_key(), q_.shift(), next_plan_};
  state.put_copy<std::uint64_t>("pairwise.sampling", numbers);
}

Status Pairwise::restore_state(const State& state) {
  if (const Status status = moments_.restore(state); !status) return status;
  const auto levels = state.get<std::uint8_t>("sampling.levels", options().dimension);
  if (!levels) return levels.error();
  const auto numbers = state.get<std::uint64_t>("pairwise.sampling", 3);
  if (!numbers) return numbers.error();
  q_.restore(*levels, static_cast<std::uint32_t>((*numbers)[0]), static_cast<std::uint32_t>((*numbers)[1]));
  next_plan_ = (*numbers)[2];
  solution_.reset();
  adopted_ = false;
  return {};
}

}  // namespace glimpse
