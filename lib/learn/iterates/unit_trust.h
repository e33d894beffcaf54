#pragma once

#include <algorithm>
#include <cmath>

#include "base/state.h"
#include "stats/second_moments.h"

namespace glimpse {

/// How far the auto step may trust the unit of an attribute, its largest absolute value seen, with pairs or
/// control variates.
///
/// A gradient step moves w_i by η·g̃_i/unit². Where the unit is far too small, as for a pixel that was seen
/// once or twice and then hardly lit, w_i becomes so large that the first bright value throws the prediction.
/// Dividing w_i by f² when the unit grows by f mends that when the attribute is revealed. Predictions before
/// that still have the error. So the step of attribute i is multiplied by
///
///     n/(n + 2)·min(1, unit/pooled)^(2/(1 + s²n))
///
/// with n = Σx²/unit², how many values of the largest size would have the same sum of squares. The first
/// factor is for the little that n values say of an attribute, whatever its unit. The second draws the
/// logarithm of a unit below the others' up towards their mean, ln(pooled). It does so with the weight that
/// their spread s² and its own noise, 1/n, deserve: empirical Bayes for normal means, as in
/// attribute_units.h. Among attributes whose units differ by orders of magnitude s² is large, and the others
/// say next to nothing. Neither factor is above 1, both tend to 1 as n grows, and nothing but the step is
/// changed. gradient/EXPERIMENTS.md has what each gains.
///
/// The unit that all attributes share has no influence; where each has a unit of its own, these change by how
/// much the first few values move a weight, and nothing else.
///
/// pooled and s² are computed again when the number of examples has doubled, in O(d). Thread-safety: none.
class UnitTrust {
 public:
  /// What the step of an attribute is multiplied by: above 0, at most 1. O(1).
  double operator()(const Moment& m) const {
    const auto unit = static_cast<double>(m.max_abs);
    if (!(unit > 0)) return 1;
    const double n = effective_count(m, unit);
    const double known = n / (n + kDoubt);
    if (unit >= pooled_) return known;
    return known * std::pow(unit / pooled_, 2 / (1 + spread_ * n));
  }

  /// Compares the units of all attributes seen. Logarithms weigh n/(n + 1), which bounds those of which
  /// little is known, and s² is their variance less what noise adds to it. O(d).
  void pool(const SecondMoments& moments) {
    double weights = 0;
    double sum = 0;
    double squares = 0;
    double noise = 0;
    for (std::size_t i = 0; i < moments.dimension(); ++i) {
      const auto unit = static_cast<double>(moments[i].max_abs);
      if (!(unit > 0)) continue;
      const double n = effective_count(moments[i], unit);
      const double logarithm = std::log(unit);
      const double weight = n / (n + 1);
      weights += weight;
      sum += weight * logarithm;
      squares += weight * logarithm * logarithm;
      noise += weight / n;
    }
    if (weights == 0) return;
    const double mean = sum / weights;
    pooled_ = std::exp(mean);
    spread_ = std::max((squares - noise) / weights - mean * mean, kLeastSpread);
  }

  void save(State& state) const {
    const double values[] = {pooled_, spread_};
    state.put_copy<double>("units.pooled", values);
  }
  Status restore(const State& state) {
    GLIMPSE_TRY_ASSIGN(const auto values, state.get<double>("units.pooled", 2));
    pooled_ = values[0];
    spread_ = values[1];
    return {};
  }

 private:
  static constexpr double kDoubt = 2;
  static constexpr double kLeastSpread = 0.05;  // of the logarithms, in attribute_units.cpp as well

  static double effective_count(const Moment& m, double unit) {
    return std::max(m.count * (m.second / unit / unit), 1.0);
  }

  double pooled_ = 0;  // the mean unit; 0: nothing is known
  double spread_ = 0;  // s²
};

}  // namespace glimpse
