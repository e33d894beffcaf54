#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"
#include "learn/core/solving.h"
#include "learn/inference/next_choice.h"
#include "learn/inference/partial_factor.h"

namespace glimpse {

/// Scores of classes from a few known attributes, and which further ones they would gain most from: what
/// PartialPrediction is for a number, with the same universe, rows and bounds.
///
/// It is linear discriminant analysis on the known attributes S. The indicator of each class has the
/// least-squares model w_c,S = Σ_SS⁻¹(Σw_c)_S there, w_c what was solved for with all attributes: that is w_c
/// itself where all are known, so that scores are then those of Solution::classes. From it and b_c,S
/// discriminants() makes the scores, less what noise adds to the canonical correlations of S:
/// f = s + (C − 1)·Σ_S g_i²/s, s = Σ_S g_i. With nothing known they are the logarithms of class_priors().
///
/// Where the solution has no ClassMoments, as a mean is served or the learner keeps no lasting pairs, what is
/// not known counts as its mean.
///
/// Making n of u attributes known costs n²u/2 + n·u·C multiply-adds, scores() n²C/2 + C²n + C³, best_next()
/// u·C. Thread-safety: none; the solution is only read.
class PartialClasses {
 public:
  /// REQUIRES: solution->classes.
  PartialClasses(std::shared_ptr<const Solution> solution, std::vector<Attribute> universe,
                 std::vector<Attribute> owners = {});

  /// As of PartialPrediction. Nothing is made known after one was supposed to be: false.
  bool add_known(Attribute attribute, double value, std::span<const double> row);
  /// As PartialPrediction::replace_known(). O(n).
  void replace_known(std::span<const double> values);
  /// As if it were known: scores() stay, and best_next() is about the others.
  bool suppose_known(Attribute attribute, std::span<const double> row);

  /// Log-odds up to what all have in common, as Learner::class_scores(): classes that came later have
  /// kNoScore.
  void scores(std::span<double> scores) const;

  using Choice = NextChoice;
  /// As of PartialPrediction, where the gain is half of what the expected squared errors of all indicators
  /// fall by: in the unit of a classifier's progressive loss. Nothing without ClassMoments.
  std::optional<Choice> best_next(const std::function<double(Attribute)>& cost) const;

  std::span<const Attribute> universe() const { return factor_.universe(); }
  std::size_t known() const { return factor_.known(); }

 private:
  // One that became known. Numbers of classes are in reduced_, classes() of them for each.
  struct Known {
    std::size_t slot;
    double value;  // in the solution's units
    double root;   // √R_aa; 0: it says nothing
    std::optional<std::size_t> column;
  };
  std::size_t classes() const { return solution_->class_moments ? solution_->class_moments->classes() : 0; }
  double inward(Attribute attribute, double value) const;
  bool condition(Attribute attribute, std::span<const double> row, double value);
  ClassModel model_of_known() const;
  std::vector<double> weights() const;
  void scores_at_means(std::span<double> scores) const;
  double gain(std::size_t slot) const;

  std::shared_ptr<const Solution> solution_;
  std::vector<Attribute> owners_;  // the attribute of each; empty: itself
  PartialFactor factor_;
  std::vector<Known> known_;     // in their order, without what is supposed
  std::vector<double> targets_;  // Cov(⟨w_c, x⟩, x_j | known), C of each slot
  std::vector<double> reduced_;  // the same over √R_aa of each known one, when it became known
  std::vector<double> totals_;   // Var[⟨w_c, x⟩ | known]
  bool supposes_ = false;
  mutable std::optional<ClassModel> model_;  // of what is known, once it was asked for
};

}  // namespace glimpse
