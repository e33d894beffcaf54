#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/helpers.h"
#include "base/types.h"
#include "learn/core/class_model.h"
#include "learn/core/model.h"
#include "learn/core/served_model.h"
#include "learn/core/small_model.h"
#include "learn/core/target_moments.h"

namespace glimpse {

/// A piece of work whose result a learner needs at a fixed later example. Any thread may do it before. If
/// none did, the learner does it then; if one has begun, the learner waits for it. The result is the same.
class SolveAhead {
 public:
  /// Asked now and then, on the thread that works: true gives it up.
  using Cancelled = std::function<bool()>;

  virtual ~SolveAhead() = default;

  /// Does the work, unless somebody did or does so. Given up, or where there was no memory for it, it is
  /// still to be done. Any thread.
  virtual void run(const Cancelled& cancelled) = 0;
};

/// The units that a learner's numbers were in when a solution was made: powers of two, see ValueGauge.
struct SolutionUnits {
  std::vector<std::int16_t> exponents;  ///< of each attribute: the learner has its values times 2^exponent
  int label = 0;                        ///< the same of the label

  /// A model in these units becomes one in the user's. Weights that are beyond a double are cut to 1e300.
  /// Those of its products go by the units of their factors.
  void outward(Model& model) const;
  /// The same of the standard errors of its weights.
  void outward(const Model& model, std::span<double> weight_errors) const;
  std::shared_ptr<const ClassModel> outward(const ClassModel& model) const;
  /// `units`, of the products of `model` as well.
  static std::shared_ptr<const SolutionUnits> of(std::shared_ptr<const SolutionUnits> units,
                                                 const Model& model);

 private:
  template <class Each>
  void for_each_weight(const Model& model, const Each& each) const;
};

/// What a solution has where somebody asked for it: it takes longer than the solution.
struct SolutionWish {
  bool weight_errors = false;
  static constexpr std::size_t kMostSmallModels = 8;
  std::vector<SmallModelQuestion> small_models = {};  ///< each once; further ones are not answered

  bool is_any() const { return weight_errors || !small_models.empty(); }
  void add(const SolutionWish& other) {
    weight_errors = weight_errors || other.weight_errors;
    for (const SmallModelQuestion& question : other.small_models)
      if (small_models.size() < kMostSmallModels &&
          std::ranges::find(small_models, question) == small_models.end())
        small_models.push_back(question);
  }
};

/// A model that was solved for, and what it was made from. Immutable once made.
struct Solution {
  Model model;                      ///< in the user's units
  ServedModel choice;               ///< which model it is
  std::shared_ptr<Model> withheld;  ///< what was solved for, where `model` is another: see ModelGuard
  ModelOrigin origin;
  TargetMoments moments;                       ///< of the attributes as the model knew them, in `units`
  Importances importances;                     ///< of `model`; empty where another was withheld
  std::vector<double> weight_errors;           ///< by slots; see SolutionWish. Empty: not known, or not asked
  std::vector<SmallModel> small_models;        ///< the same; none where another was withheld
  std::shared_ptr<const SolutionUnits> units;  ///< none: the user's own
  std::shared_ptr<const ClassModel> classes = nullptr;  ///< of a classifier, in the user's units
  /// For PartialClasses; nullptr: not known, and then an attribute that is not known counts as its mean.
  std::shared_ptr<const ClassMoments> class_moments = nullptr;
  /// Of a learner of several labels: those of the others, in their order.
  std::vector<std::shared_ptr<const Solution>> further = {};
  std::size_t slots = 0;     ///< of features and attributes when it was made; 0: as many as weights
  std::size_t features = 0;  ///< of these slots; 0: all

  /// Before outward(): the model that `served` names becomes the model, and what was solved for is withheld.
  /// `mean`: of the label, in the learner's unit. Nothing changes if the newest is to be served.
  void serve(const ServedModel& served, double mean) {
    choice = served;
    if (served.served == Served::kNewest) return;
    const std::size_t slots = model.weights.size();
    withheld = std::make_shared<Model>(std::exchange(model, served.model(slots, mean)));
    // An earlier one knew fewer categories, or had products of other attributes.
    model.weights.resize(std::max(slots, model.products.all()));
  }
  /// From the learner's units to the user's, once.
  void outward(std::shared_ptr<const SolutionUnits> learners) {
    units = SolutionUnits::of(std::move(learners), model);
    if (!units) return;
    units->outward(model);
    if (withheld) units->outward(*withheld);
    if (classes) classes = units->outward(*classes);
    units->outward(model, weight_errors);
    for (SmallModel& small : small_models) {
      units->outward(small.model);
      small.loss_of_mean = told_square(small.loss_of_mean);
      for (SmallModel::Step& step : small.steps) {
        step.loss = told_square(step.loss);
        step.loss_error = told_square(step.loss_error);
      }
    }
  }
  std::size_t known_slots() const { return slots > 0 ? slots : model.weights.size(); }
  std::size_t feature_count() const { return features > 0 ? features : model.weights.size(); }
  /// What was solved for.
  const Model& newest() const { return withheld ? *withheld : model; }
  double inward(Attribute i, double x) const { return units ? std::ldexp(x, units->exponents[i]) : x; }
  double outward(Attribute i, double x) const { return units ? std::ldexp(x, -units->exponents[i]) : x; }
  double weight_inward(Attribute i) const {
    return units ? std::ldexp(model.weights[i], units->label - units->exponents[i]) : model.weights[i];
  }
  double label_inward(double y) const { return units ? std::ldexp(y, units->label) : y; }
  double label_outward(double y) const { return units ? std::ldexp(y, -units->label) : y; }
  /// TargetMoments::noise.
  double noise() const { return square_outward(moments.noise); }
  double square_outward(double y) const { return units ? std::ldexp(y, -2 * units->label) : y; }
  /// The same to be told: NaN where squares of the label's unit are no doubles, as of labels of 1e-200.
  double told_square(double y) const {
    const double square = square_outward(y);
    return square == 0 && y != 0 ? std::numeric_limits<double>::quiet_NaN() : square;
  }
};

/// What a learner offers beside Learner when its model is solved for from statistics, not kept up step by
/// step (Learner::solving()). The solution can be computed on another thread, from a copy, while learning
/// goes on.
///
///     begin_capture();                   // the learner's thread, between two examples
///     while (!capture(bytes)) learn;     // the same: slices of the copy, and examples between them
///     auto solution = solve();           // any thread; learning goes on
///     adopt(solution);                   // the learner's thread: predict() and model() use it from now on
///
/// Until the first adopt() such a learner solves by itself, on the thread that asks: model() whenever
/// examples came since, predict() when the last solution is older than 2 % of them. That form is
/// deterministic. A capture must not be under way then, nor solve().
///
/// One capture, and one solve() after it, at a time. A caller of solve() on another thread makes sure that it
/// begins after the capture and ends before the next one, as a queue or a mutex does.
class Solving {
 public:
  /// Asked now and then by solve(), on its thread: true gives it up.
  using Cancelled = std::function<bool()>;

  virtual ~Solving() = default;

  /// Threads that may add pairs of examples from now on; nullptr: none. The sums are the same to the bit. The
  /// threads outlive the last example.
  virtual void set_helpers(std::shared_ptr<Helpers> /*helpers*/) {}

  /// Starts to copy what a solution needs; gives up a copy that was begun before. From the first call on
  /// solutions come from elsewhere: the learner solves nothing of its own accord. O(d).
  virtual void begin_capture() = 0;
  /// Copies about `bytes` more; true once the copy is complete. A copy during which the examples became
  /// more by a quarter, or the stream changed, is begun again: its parts would belong to different times.
  virtual bool capture(std::size_t bytes) = 0;
  /// The solution of what was captured; nullptr when it was cancelled.
  virtual std::shared_ptr<const Solution> solve(const Cancelled& cancelled) = 0;
  virtual void adopt(std::shared_ptr<const Solution> solution) = 0;

  /// What the next solution is to have as well: that of the next copy that begins, or the next that the
  /// learner makes by itself, which it then does although nothing has changed. O(1).
  virtual void wish(const SolutionWish& wish) = 0;

  /// What the learner will need soon and could be solved for by others, given once each; nullptr: nothing
  /// now. Beside captures and their solutions, and independent of them. Cheap.
  virtual std::shared_ptr<SolveAhead> take_ahead() { return nullptr; }
  /// Whether there is something. Cheaper.
  virtual bool has_ahead() const { return false; }
  /// From now on somebody calls take_ahead() now and then, and runs what it gives: the learner solves for it
  /// only where it was not there in time. begin_capture() says the same. O(1).
  virtual void leave_ahead_to_others() {}
};

}  // namespace glimpse
