#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "learn/solver/pairwise_solver.h"

/// What the tests of PairwiseSolver share: streams of examples, their moments, and the loss of a model on
/// them.
namespace glimpse::pairwise_solver_test {

inline constexpr std::size_t kDimension = 12;

// Correlated attributes with means, in units of their own; label 3 + ⟨w, x⟩ + noise, or noise alone.
struct Stream {
  explicit Stream(std::uint64_t seed) : random(seed) {}

  void next(bool signal) {
    double common = random.uniform() - 0.5;
    label = signal ? 3 : 0;
    for (std::size_t i = 0; i < kDimension; ++i) {
      x[i] = unit(i) * (2 + common + random.uniform());
      if (signal) label += weight(i) * x[i];
    }
    label += 0.1 * (random.uniform() - 0.5);
  }
  double unit(std::size_t i) const { return scale * std::pow(10, static_cast<double>(i % 5) - 2); }
  double weight(std::size_t i) const { return (i % 3 == 0 ? 1.0 : -0.5) / unit(i); }

  Random random;
  std::vector<double> x = std::vector<double>(kDimension);
  double label = 0;
  double scale = 1;
};

inline PairMoments learn_moments(Stream stream, int examples, std::size_t budget, bool signal = true) {
  PairMoments moments(kDimension);
  for (int e = 0; e < examples; ++e) {
    stream.next(signal);
    std::vector<Attribute> seen;
    std::vector<double> values;
    for (std::size_t i = 0; i < kDimension; ++i) {
      if (stream.random.uniform() * kDimension > static_cast<double>(budget)) continue;
      seen.push_back(static_cast<Attribute>(i));
      values.push_back(stream.x[i]);
    }
    moments.add(seen, values, stream.label, 1);
  }
  return moments;
}

inline PairSnapshot snapshot_of(const PairMoments& moments, bool bias = true) {
  PairSnapshot snapshot;
  snapshot.take(moments, bias);
  return snapshot;
}

inline PairSnapshot learn(Stream stream, int examples, std::size_t budget, bool signal = true,
                          bool bias = true) {
  return snapshot_of(learn_moments(stream, examples, budget, signal), bias);
}

inline double loss(const Model& model, Stream stream, bool signal = true) {
  double sum = 0;
  for (int e = 0; e < 2000; ++e) {
    stream.next(signal);
    double prediction = model.bias;
    for (std::size_t i = 0; i < kDimension; ++i) prediction += model.weights[i] * stream.x[i];
    sum += (prediction - stream.label) * (prediction - stream.label);
  }
  return sum / 2000;
}

}  // namespace glimpse::pairwise_solver_test
