#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/records/example_reader.h"
#include "learn/core/learner.h"
#include "learn/core/solving.h"
#include "learn/inference/explanation.h"
#include "learn/inference/partial_classes.h"
#include "learn/inference/partial_prediction.h"

namespace glimpse {

/// What predictions for incomplete examples are made from, at one moment: Conditioning::newest_solution(), or
/// independent_solution() for learners without conditioning(). The latter takes O(d).
std::shared_ptr<const Solution> prediction_basis(const Learner& learner);

/// Predicts for examples of which some values are missing (NaN): by their expectation, given the others, of
/// which those that no entry gives are 0. O(d), and for n known values where these are few enough O(n³), or
/// O(n²) where the same were known of an earlier example and nothing was learned in between: the answers are
/// the same to the bit. Memory: 16 MiB at most for that. Thread-safety: none; the learner's thread.
class IncompleteExamples {
 public:
  /// The arithmetic grows with the cube of the known values; for so many it takes a millisecond.
  static constexpr std::size_t kMostConditioned = 200;

  /// A prediction from the known values, and how uncertain it is.
  struct Answer {
    double prediction = 0;
    double standard_error = 0;  ///< NaN: not known yet
  };

  /// Whether missing values are told from those given. Otherwise they count as their attributes' means, as in
  /// Learner::predict(): with more than kMostConditioned known, and for learners without conditioning().
  static bool conditions(const Learner& learner, std::span<const Entry> entries);

  /// `basis`: prediction_basis(), of now or of an earlier moment.
  Answer predict(const Learner& learner, std::span<const Entry> entries,
                 const std::shared_ptr<const Solution>& basis);

  /// Of a classifier: what Learner::class_scores() gives where no value is missing, and PartialClasses where
  /// predict() would tell missing values from those given. Elsewhere these count as their attributes' means,
  /// by class_scores() with the scores of `basis`. `basis`: prediction_basis(), or Learner::judged_basis()
  /// for held-out examples; where that is nullptr, Learner::judged_class_scores() has the answer. O(n²C + C³)
  /// more than predict().
  void class_scores(const Learner& learner, std::span<const Entry> entries,
                    const std::shared_ptr<const Solution>& basis, std::span<double> scores);

  /// Why the same prediction is what it is, `top` parts of it. Also where no value is missing: then it is
  /// that of Learner::predict(), to rounding.
  Explanation explain(const Learner& learner, std::span<const Entry> entries,
                      const std::shared_ptr<const Solution>& basis, std::size_t top);

  /// Of a classifier with `model`, the same of the margin, `scores` of all classes times `slope` being what
  /// it is told by: at least two. What is not known adds what is left of the margin. O(slots) more.
  Explanation explain_margin(const Learner& learner, std::span<const Entry> entries,
                             const std::shared_ptr<const Solution>& basis, const ClassModel& model,
                             std::span<const double> scores, double slope, std::size_t top);

  /// The standard error where no value is missing; NaN: not known yet.
  static double standard_error_of_complete(const Learner& learner, const Solution& basis);

 private:
  // What earlier examples were predicted by, by what was known of them, the latest first.
  template <class Partial>
  struct Earlier {
    struct Kept {
      std::vector<Attribute> known;
      Partial partial;
    };
    const Learner* learner = nullptr;
    std::shared_ptr<const Solution> basis;
    std::uint64_t examples = 0;  // learned by then
    std::uint64_t revealed = 0;
    std::list<Kept> all;
  };

  void find_known(const Learner& learner, std::span<const Entry> entries);
  void expand(const Learner& learner, const Solution& basis);
  // find_known() and expand(); whether covariances among the known are to be used.
  bool gather(const Learner& learner, std::span<const Entry> entries, const Solution& basis);
  // Of what gather() has found.
  template <class Partial>
  const Partial& partial(const Learner& learner, const std::shared_ptr<const Solution>& basis,
                         bool is_conditioned, Earlier<Partial>& earlier);
  const PartialPrediction& predicted(const Learner& learner, std::span<const Entry> entries,
                                     const std::shared_ptr<const Solution>& basis);

  std::vector<Attribute> known_;
  std::vector<double> values_;  // by attribute
  std::vector<double> known_values_;
  std::vector<double> covariances_;
  Earlier<PartialPrediction> numbers_;
  Earlier<PartialClasses> classes_;
};

}  // namespace glimpse
