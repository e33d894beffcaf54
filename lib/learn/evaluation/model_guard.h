#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/served_model.h"

namespace glimpse {

/// Withholds models that are worse than predicting the mean of the labels.
///
/// Each example judges the newest model of the past before any model learns from it: d_t = (an unbiased
/// estimate of its squared error) − (the squared error of the mean label when it was made, as a mean that
/// follows the labels would beat a good model wherever their mean moves). It is worse once Σ d_t is above two
/// of its standard errors, and better again once it is below minus one of them; both ask for 32 examples.
/// What is solved for while it is judged is withheld with it. The next to be judged begins without evidence:
/// it may be several times as good. While the newest is withheld, the last that left with Σ d_t < 0 answers.
/// If examples say of that one that it is worse than the mean so far, which it stands for, the mean answers.
///
/// Costs a few operations an example, and the memory of at most one PastModel. Thread-safety: none.
class ModelGuard {
 public:
  /// Examples that a verdict asks for.
  static constexpr std::uint64_t kFewest = 32;
  static constexpr std::uint64_t kLongest = std::uint64_t{1} << 40;

  /// After `longest` examples, or kFewest if that is more, evidence is collected again; the verdict stays.
  explicit ModelGuard(std::uint64_t longest = kLongest);

  /// Another model is judged from now on, and no longer `leaving`, which may be nullptr.
  void begin(std::shared_ptr<const PastModel> leaving);

  /// From now on a sum of errors tells against a model beyond `sum` alone: what one example may bring that
  /// has not come yet. Of classes 1, the squared error of an indicator: while a rare class does not come, a
  /// model that knows it is a little worse than the mean in every example, without any spread. Not kept.
  void set_slack(double sum) { slack_ = sum; }

  /// By how much the variance of a sum of errors is larger than that of independent ones, from now on; 1 in
  /// the beginning (ProgressiveLoss::add()). Not kept.
  void set_effect(double effect) { effect_ = effect; }

  /// Squared errors of one example.
  struct Errors {
    double model = 0;
    double mean = 0;
  };
  /// Those of the newest model and of the mean when it was made, and, while served() is kEarlier, of
  /// choice().earlier and of the mean so far. What is not finite is not counted. True: another model answers
  /// from now on.
  bool add(const Errors& newest, const Errors& earlier);
  /// A model that is withheld answers again, and is judged from here: later ones know a class that the one
  /// that is judged does not. True: it was withheld.
  bool acquit();

  Served served() const { return choice_.served; }
  const ServedModel& choice() const { return choice_; }
  GuardReport report() const;

  /// See PastModels::forget_attribute(). O(d).
  void forget_attribute(std::size_t attribute);
  /// As at the beginning.
  void clear();

  /// Beyond the object itself, with models of `dimension` attributes.
  std::size_t memory_bytes(std::size_t dimension) const {
    return earlier_ ? 2 * dimension * sizeof(double) : 0;
  }

  void save(State& state) const;
  /// Models are of `least` slots, or up to `most`.
  Status restore(const State& state, std::size_t least, std::size_t most);

 private:
  struct Evidence {
    std::uint64_t count = 0;
    double sum = 0;
    double squares = 0;
    double size = 0;  // of both errors, summed

    void add(const Errors& errors, double effect);
    bool is_rounding() const;
    double deviation() const;  // of the sum
    bool is_worse(double slack) const;
    bool is_better() const;
  };

  void choose();

  std::uint64_t longest_;
  double slack_ = 0;
  double effect_ = 1;
  bool withheld_ = false;
  Evidence newest_;
  Evidence verdict_;           // newest_ when it was withheld
  Evidence earlier_evidence_;  // since the newest was withheld
  std::shared_ptr<const PastModel> earlier_;
  ServedModel choice_;  // by withheld_ and earlier_
};

/// Which examples judge a model of classes: of each class hardly more than it had a share of when the model
/// was made, and no class stays away. Where classes come one after another, or late, a model hardly knows
/// those that come most, and is worse on them than the shares of classes, as no later model is; where the
/// most frequent one comes alone, its share is a better answer than any model's. Thread-safety: none.
class ClassQuota {
 public:
  /// Another model is judged from now on.
  void begin();
  /// An example of class `c`, which had `share` of the examples when the model was made: whether it judges.
  /// One does, and then up to twice that share of the examples since begin(). O(1).
  bool admits(std::size_t c, double share);
  /// Since begin() no class came less than half as often as its share says by more than chance explains, and
  /// neither did all classes together without the most frequent one. O(classes).
  bool is_balanced(std::span<const double> shares) const;

  /// "guard.classes", where there is something to save.
  void save(State& state) const;
  /// Errors: kCorrupt.
  Status restore(const State& state);

 private:
  std::uint64_t seen_ = 0;
  std::vector<std::uint64_t> admitted_;  // by class
};

/// Withholds the products of models that are worse with them than without. Each example judges the newest
/// model of the past before any model learns from it: d_t = (an unbiased estimate of its squared error) −
/// (the same of the linear model of its moment). Products are withheld once Σ d_t is above three of its
/// standard errors, and no longer once it is below minus one of them; both ask for 32 examples. The next
/// model to be judged begins without evidence, and as the one before ended.
///
/// Under a limit of cost plans that show products whole may be rare, or none: products are then withheld from
/// the beginning, until they were judged and found useful: both take two standard errors then.
///
/// Estimates are skewed where few plans show a product whole, so that it takes three. Thread-safety: none.
class ProductGuard {
 public:
  static constexpr std::uint64_t kFewest = 32;

  explicit ProductGuard(bool withholds_at_first = false)
      : withholds_at_first_(withholds_at_first), withholds_(withholds_at_first) {}

  bool withholds() const { return withholds_; }
  /// Another model is judged from now on.
  void begin();
  /// One example's squared errors. What is not finite is not counted. True: withholds() has changed.
  bool add(double with_products, double without);
  /// As at the beginning.
  void clear() { *this = ProductGuard(withholds_at_first_); }

  /// "products.guard", where there is something to save.
  void save(State& state) const;
  /// Errors: kCorrupt.
  Status restore(const State& state);

 private:
  bool withholds_at_first_ = false;
  bool withholds_ = false;
  double count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace glimpse
