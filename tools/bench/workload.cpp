#include "workload.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "learn/core/solving.h"
#include "learn/factory.h"

namespace glimpse {

namespace {
constexpr std::uint64_t kPhase1 = 1000;
}

SecondMoments spread_moments(std::size_t dimension) {
  Random random(2);
  SecondMoments moments(dimension);
  for (std::size_t i = 0; i < dimension; ++i) {
    Moment moment;
    moment.second = std::pow(10, -4 * random.uniform());
    moment.max_abs = 1;
    moment.count = SecondMoments::kCertain;
    moments.set(static_cast<Attribute>(i), moment);
  }
  return moments;
}

StepWorkload::StepWorkload(const WorkloadOptions& options) : pool_(kPool) {
  LearnerOptions learner;
  learner.algorithm = options.algorithm;
  learner.products = options.products;
  learner.dimension = options.dimension;
  learner.budget = options.budget;
  learner.radius = options.radius;
  if (has_two_phases(options.algorithm)) learner.phase1_examples = kPhase1;
  SecondMoments known;
  if (wants_moments(options.algorithm)) known = spread_moments(options.dimension);
  auto made = make_learner(learner, known.dimension() > 0 ? &known : nullptr);
  if (!made) throw std::invalid_argument(made.error().message);
  learner_ = std::move(*made);
  // As in the daemon: models are solved for elsewhere, and a past one is judged.
  if (Solving* solving = learner_->solving()) {
    solving->begin_capture();
    auto solution = std::make_shared<Solution>();
    solution->model.weights.assign(options.dimension, 0.01);
    solving->adopt(std::move(solution));
  }

  for (double& value : pool_) value = random_.below(5) == 0 ? random_.uniform() : 0;
  // Enough steps for a fifth of the attributes to have been drawn, so that weights and tree are spread over
  // all of memory; at d = 10⁷ that is what a stream of millions of examples has.
  const std::uint64_t warm_up = std::max<std::uint64_t>(20 * kPhase1, options.dimension / options.budget);
  for (std::uint64_t n = 0; n < warm_up; ++n) step();
}

std::size_t StepWorkload::step() {
  learner_->plan(random_, plan_);
  const std::size_t count = plan_.attributes.size();
  if (next_ + count >= pool_.size()) next_ = 0;
  const double label = pool_[next_] < 0.1 ? -1 : 1;
  learner_->learn(plan_, std::span<const double>(pool_).subspan(next_, count), label, 1);
  next_ += count + 1;
  return count;
}

}  // namespace glimpse
