#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/state.h"
#include "learn/model.h"
#include "learn/plan.h"
#include "stats/change_detector.h"

namespace glimpse {

/// Models of the past against the examples that came after them: an honest loss within the budget, as no
/// model has learned from the examples that judge it, and a watch for changes of the stream. For learners
/// that draw distinct attributes, and whose model is solved for now and then.
///
/// The loss of a model that stays the same has the same mean for ever, unless the stream changes: neither
/// learning nor the adoption of another model is mistaken for a change. So the two newest models are kept,
/// each with a ChangeDetector of its own; when a newer one comes, the older has seen at least half of the
/// examples since its own time, where models come at powers of two.
///
/// Estimates are distinct_squared_error()'s, about the means that attributes had when the model came. Memory:
/// 32 bytes an attribute. Thread-safety: none.
class PastModels {
 public:
  explicit PastModels(std::size_t dimension) : dimension_(dimension) {}

  bool empty() const { return !newer_; }
  /// From now on the newest. mean(i): that of attribute i. O(d).
  void add(const Model& model, const std::function<double(std::size_t)>& mean);
  void clear();

  struct Judgement {
    double squared_error = 0;                  ///< of the newest model
    std::optional<ChangeDetector::Rise> rise;  ///< of either model's loss
  };
  /// An example that none of the models has learned from. plan.inner_product holds the draws as
  /// distinct_squared_error() wants them; no value is missing; not empty(). `watch`: feed the detectors.
  /// O(K).
  Judgement judge(const Plan& plan, std::span<const double> values, double label, bool watch);

  void save(State& state) const;
  Status restore(const State& state);

 private:
  struct PastModel {
    std::vector<double> weights;
    std::vector<double> centre;
    double at_centre = 0;  // the prediction there
    ChangeDetector detector;
  };

  double squared_error(const PastModel& model, const Plan& plan, std::span<const double> values,
                       double label) const;

  std::size_t dimension_;
  std::optional<PastModel> newer_;
  std::optional<PastModel> older_;
};

}  // namespace glimpse
