#pragma once

#include <cmath>
#include <vector>

#include "learn/learner_test_support.h"

namespace glimpse::test {

/// Options that aer and baseline accept: a radius, and the step 0.1/t.
inline LearnerOptions css10_options(const std::string& algorithm, std::size_t dimension, std::size_t budget,
                                    double radius) {
  LearnerOptions options = options_of(algorithm, dimension, budget);
  options.radius = radius;
  return options;
}

/// AER's present iterate w_t (d numbers, and the bias), read from the saved state: w = ±(a − T)/t.
inline std::vector<double> aer_iterate(const Learner& learner) {
  const State state = saved(learner);
  const auto a = *state.get<double>("shrunk.a");
  const double threshold = (*state.get<double>("shrunk.scalars"))[0];
  const auto steps = static_cast<double>(*state.get_number<std::uint64_t>("shrunk.steps"));
  std::vector<double> w(a.begin(), a.end());
  for (double& value : w)
    if (value != 0) value = std::copysign(std::abs(value) - threshold, value) / steps;
  return w;
}

inline bool same_state(const State& a, const State& b) {
  if (a.tensors().size() != b.tensors().size()) return false;
  for (const Tensor& tensor : a.tensors()) {
    const Tensor* other = b.find(tensor.name);
    if (other == nullptr || other->bytes != tensor.bytes) return false;
  }
  return true;
}

}  // namespace glimpse::test
