#include "learn/pairwise.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace glimpse {

namespace {
constexpr double kUniformShare = 0.1;
constexpr std::uint64_t kSolutionShare = 50;  // predict() takes a solution that lacks 1/50 of the examples
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
  // Draws that fall on an attribute drawn before are made again. Where K is close to d that could take long:
  // the rest is then drawn uniformly.
  Random source = random;  // its own, so that it stays in registers
  for (std::size_t left = kDrawsAnAttribute * k; drawn_.size() < k && left > 0;) {
    std::array<LevelTable::Ticket, 64> tickets;  // as many draws as are needed at least: all are begun first
    const std::size_t count = std::min({k - drawn_.size(), left, tickets.size()});
    for (std::size_t t = 0; t < count; ++t) tickets[t] = q_.begin_sample(source);
    for (std::size_t t = 0; t < count; ++t) drawn_.insert(q_.finish_sample(tickets[t]).attribute);
    left -= count;
  }
  while (drawn_.size() < k) {
    auto skip = source.below(d - drawn_.size());
    Attribute i = 0;
    while (drawn_.contains(i) || skip-- > 0) ++i;
    drawn_.insert(i);
  }
  random = source;
  drawn_.take_all(plan.attributes);
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

const Model& Pairwise::solution(std::uint64_t oldest) const {
  if (!solved_ || solved_at_ < oldest) {
    solver_.solve(moments_, options().bias, options().radius, solution_);
    solved_at_ = steps();
    solved_ = true;
  }
  return solution_;
}

double Pairwise::predict(std::span<const Entry> entries) const {
  const std::uint64_t n = steps();
  const Model& model = solution(n - n / kSolutionShare);
  double sum = model.bias;
  for (const Entry& entry : entries)
    sum += model.weights[entry.attribute] *
           (std::isnan(entry.value) ? moments_[entry.attribute].mean() : entry.value);
  return sum;
}

void Pairwise::model(Model& model) const { model = solution(steps()); }

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
  return PairMoments::memory_bytes(d) + q_.memory_bytes() + d / 8 + (solved_ ? d * d * sizeof(float) : 0);
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
  solved_ = false;
  return {};
}

}  // namespace glimpse
