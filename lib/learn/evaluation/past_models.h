#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/state.h"
#include "learn/core/model.h"
#include "learn/core/past_model.h"
#include "learn/core/plan.h"
#include "stats/change_detector.h"
#include "stats/feature_map.h"

namespace glimpse {

/// Judges models of the past by the examples that came after them. The loss is honest within the budget, as
/// no model has learned from the examples that judge it. It also tells when the stream changes.
///
/// The loss of a model that stays the same has the same mean for ever, unless the stream changes: neither
/// learning nor the adoption of another model is mistaken for a change. So the two newest models are kept,
/// each with a ChangeDetector of its own. Where models come at powers of two, the older has seen at least
/// half of the examples since its own time when a newer one comes.
///
/// Estimates are about the means that attributes had when the model came: unbiased, and far less noisy than
/// those of the plain values. A missing value (NaN) counts as that mean, as it does in predict(). The
/// estimate is then unbiased for the error of the prediction with every missing value of the example
/// replaced; the product of a missing value counts as its mean too. This needs that whether a value is
/// missing depends on the example and the attribute alone, not on what else was planned. Memory: 32 bytes an
/// attribute. Thread-safety: none.
class PastModels {
 public:
  /// What a plan's draws are.
  enum class Draws {
    kDistinct,     ///< inner_product: one after another from plan.population, for distinct_squared_error();
                   ///< data_point: what was certain to be there beside these
    kIndependent,  ///< data_point: with replacement, coefficient 1/(their number·probability); at least two
    kAll,          ///< every attribute is in the plan
  };

  /// Examples before the first model.
  static constexpr std::uint64_t kFewest = 32;

  /// `features`, which may be nullptr, outlives this: models are then of its slots.
  PastModels(std::size_t dimension, Draws draws, const FeatureMap* features = nullptr)
      : dimension_(dimension), draws_(draws), features_(features != nullptr ? *features : plain_) {}
  PastModels(const PastModels&) = delete;
  PastModels& operator=(const PastModels&) = delete;

  /// Whether a model made after `examples` should come: at powers of two, from 32 on, and once attributes
  /// were seen half a time each.
  static bool due(std::uint64_t examples, std::size_t dimension, std::size_t budget) {
    return examples >= kFewest && std::has_single_bit(examples) && 2 * examples * budget >= dimension;
  }

  /// The same for a model of `solved` attributes that is solved for on the thread that learns. It is due at
  /// powers of four alone while the solutions, of O(solved²) each, would take longer than the examples
  /// between them.
  static bool due(std::uint64_t examples, std::size_t dimension, std::size_t budget, std::size_t solved) {
    constexpr std::uint64_t kShare = 64;  // about 10 ns for a pair, and 1 us for an example
    const bool is_short = examples < static_cast<std::uint64_t>(solved) * solved / kShare;
    return due(examples, dimension, budget) && (!is_short || std::countr_zero(examples) % 2 == 0);
  }

  bool empty() const { return !newer_.model; }
  /// The one that add() was given last; nullptr while empty().
  const std::shared_ptr<const PastModel>& newest() const { return newer_.model; }
  /// From now on the newest, made after `examples`. mean(i): that of slot i, then. O(d).
  void add(const Model& model, std::uint64_t examples, const std::function<double(std::size_t)>& mean);
  /// The same of one that is made already.
  void add(std::shared_ptr<const PastModel> model);
  /// What was known of one attribute is of no use any more: the models take it to be at its mean. O(d).
  void forget_attribute(std::size_t attribute);
  void clear();

  /// What one example says of the models.
  struct Judgement {
    double squared_error = 0;                  ///< of the newest model
    std::optional<ChangeDetector::Rise> rise;  ///< of either model's loss, without_products()
  };
  /// An example that none of the models has learned from. `values` as learn() takes them, NaN: missing.
  /// Not empty(). `watch`: whether the detectors get it, and how. Attributes that the plan could not have
  /// drawn count as at their means: the loss is that of predicting so. O(K); O(K²) with products of two,
  /// O(K³) of three.
  Judgement judge(const Plan& plan, std::span<const double> values, double label, Watch watch) {
    return judge(plan, values, label, watch, nullptr);
  }
  /// Of an example of one of more than two classes: its own, and another one in its turn. What is judged is
  /// then half of the sum of the squared errors of all indicators (PastModel::indicators), the one of the
  /// other class standing for all others.
  struct Classes {
    std::size_t own = 0;
    std::size_t other = 0;
    double others = 1;  ///< how many

    /// An estimate of half of the sum over all classes, from numbers of two.
    template <class Of>
    double sum(const Of& of) const {
      return (of(own) + others * of(other)) / 2;
    }
  };
  /// The same of `classes` in place of the label, which may be nullptr.
  Judgement judge(const Plan& plan, std::span<const double> values, double label, Watch watch,
                  const Classes* classes);
  double squared_error(const PastModel& model, const Plan& plan, std::span<const double> values, double label,
                       const Classes* classes) const;
  /// The same estimate of the squared error, of any model. O(K).
  double squared_error(const PastModel& model, const Plan& plan, std::span<const double> values,
                       double label) const;

  std::size_t memory_bytes() const {
    return (models_of(newer_) + models_of(older_)) * features_.room() * 2 * sizeof(double);
  }

  void save(State& state) const;
  /// Models are of up to `most_slots`; 0: of those that the features have room for.
  Status restore(const State& state, std::size_t most_slots = 0);

 private:
  struct Watched {
    std::shared_ptr<const PastModel> model;  // may be nullptr
    ChangeDetector detector;
  };

  // Two numbers a slot each; the scores of C classes are C numbers, their moments twice as many.
  static std::size_t models_of(const Watched& watched) {
    if (!watched.model) return 0;
    const std::size_t classes = watched.model->indicators.size();
    return 1 + 3 * classes / 2 + (watched.model->class_moments ? classes : 0);
  }
  double product_error(const PastModel& model, const Plan& plan, std::span<const double> values,
                       double rest) const;
  double error_with_certain(const PastModel& model, const Plan& plan, std::span<const double> values,
                            double rest) const;
  bool all_certain(const PastModel& model) const;

  std::size_t dimension_;
  Draws draws_;
  const FeatureMap plain_{dimension_};
  const FeatureMap& features_;
  Watched newer_;
  Watched older_;
  mutable std::vector<std::uint32_t> places_;  // of a plan's attributes among a model's products
  mutable std::vector<bool> is_certain_;       // of these products' places
};

}  // namespace glimpse
