#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "learn/gauge/value_gauge.h"

/// What the tests of ValueGauge share: a gauge of one attribute, verdicts as letters, and ordinary values.
namespace glimpse::value_gauge_test {

using Verdict = ValueGauge::Verdict;

inline ValueGauge one_attribute(GaugeUnits units = GaugeUnits::kOwn) { return {1, units, true}; }

// A letter a value: b believed, c cut, l left out, B begun again.
inline std::string judge_all(ValueGauge& gauge, const std::vector<double>& values) {
  std::string verdicts;
  for (double x : values) {
    switch (gauge.judge(0, x)) {
      case Verdict::kBelieve:
        verdicts += 'b';
        break;
      case Verdict::kCut:
        verdicts += 'c';
        break;
      case Verdict::kLeaveOut:
        verdicts += 'l';
        break;
      case Verdict::kBegin:
        verdicts += 'B';
        break;
    }
  }
  return verdicts;
}

inline double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
}

inline std::vector<double> ordinary(std::size_t count, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(normal(random));
  return values;
}

}  // namespace glimpse::value_gauge_test
