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

/// A prediction from a few known attributes, and which further attributes it would gain most from.
///
/// The attributes x are taken as normal with the means μ and the covariances Σ of a solution's moments, and
/// the rest of the model, over what is not known, by its expectation:
///
///     E[y | known] = bias + Σ_known w_i x_i + Σ_unknown w_j E[x_j | known]
///     variance     = noise + Var[Σ_unknown w_j x_j | known]
///
/// Conditioning goes one attribute after another: R_ij = Cov(x_i, x_j | known) and c_j = Cov(⟨w, x⟩, x_j |
/// known) begin as Σ_ij and (Σw)_j; with x_a known
///
///     R_ij ← R_ij − R_ia R_ja/R_aa,   c_j ← c_j − c_a R_ja/R_aa,   Var ← Var − c_a²/R_aa.
///
/// Of R only the diagonal and the columns of what is known are kept: a partial Cholesky factor. The order of
/// the attributes matters only to rounding. c_a²/R_aa is also by how much the expected squared error falls
/// when x_a becomes known, whatever its value will be: what best_next() chooses by.
///
/// Σ holds a ridge, without which it would be indefinite and E[x_j | known] wild. The variance that
/// standard_error() tells reckons with `margin` of the ridge alone: TargetMoments, PARTIAL.md. Covariances
/// may come from moments that are newer than the solution, so that Σ is not quite one matrix. Even then no
/// pivot falls below margin·ridge, no covariance is larger than its variances allow, and no variance is
/// negative.
///
/// Attributes are features here, by their slots, where there are categories (FeatureMap): all indicators of
/// an attribute become known together, one after the other, and best_next() chooses among whole attributes.
///
/// Universe: the attributes that may be known or chosen. For a plain prediction the known ones are enough.
/// With u of them, making n known costs n²u/2 multiply-adds at most and 8·n·u bytes. The cost is least where
/// attributes become known in the order of the universe (n³/6 where no others are in it). The constructor and
/// best_next() take O(u), the rest O(1). Without covariances (an empty row: independence, whatever the
/// learner) an attribute costs O(1). Thread-safety: none; the solution is only read.
class PartialPrediction {
 public:
  /// Attributes below d, each once; `solution` with moments of its d attributes. `owners`: the attribute of
  /// each feature, those of one attribute side by side; none: itself.
  PartialPrediction(std::shared_ptr<const Solution> solution, std::vector<Attribute> universe,
                    std::vector<Attribute> owners = {});

  /// row[c]: the covariance of `attribute` and universe()[c], Conditioning::covariances(); or empty. False,
  /// and nothing changes, for an attribute that is known already or not in the universe, or for a value that
  /// is not finite.
  bool add_known(Attribute attribute, double value, std::span<const double> row);
  /// Takes other values of what is known, in the order in which it became so: the same, to the bit, as a new
  /// object to which they are added. REQUIRES: finite values; nothing was supposed. O(n·u).
  void replace_known(std::span<const double> values);
  /// As if it were known, with the value that is expected of it: the prediction stays, the variances fall.
  bool suppose_known(Attribute attribute, std::span<const double> row);

  /// What is beyond a double counts as the largest.
  double prediction() const;
  /// √(noise + variance()); `noise` ≥ 0, as of error_variance().
  double standard_error(double noise) const;
  double standard_error() const { return standard_error(solution_->noise()); }
  /// Var[⟨w, x⟩ | known]; 0 where all d attributes are known.
  double variance() const;
  /// Σ_unknown w_j E[x_j | known], in the solution's units.
  double expected_rest() const { return rest_; }

  using Choice = NextChoice;
  /// best_choice() of the universe's attributes that are not known. An attribute of categories gains Σ (1 −
  /// p_i)c_i²/R_ii over its indicators, which is c_aᵀR_aa⁻¹c_a while nothing is known of it: p_i is how often
  /// each is 1.
  std::optional<Choice> best_next(const std::function<double(Attribute)>& cost) const;

  std::span<const Attribute> universe() const { return factor_.universe(); }
  std::size_t known() const { return factor_.known(); }
  /// E[x_j | known] and Var[x_j | known] (ridge included) of universe()[slot], in the solution's units. So
  /// are the rows above.
  double expected(std::size_t slot) const { return expected_[slot]; }
  double variance(std::size_t slot) const { return factor_.variance(slot); }

 private:
  // One that became known.
  struct Known {
    std::size_t slot;
    double pivot;                       // R_aa
    double target;                      // c_a
    std::size_t first_unknown;          // behind it
    std::optional<std::size_t> column;  // of factor_; none: it says nothing of others
  };
  double gain(std::size_t slot) const;
  void begin();
  double inward(Attribute attribute, double value) const;
  void condition(std::size_t slot, double value, std::span<const double> row);
  void take(const Known& known, double value);

  std::shared_ptr<const Solution> solution_;
  std::vector<Attribute> owners_;  // the attribute of each; empty: itself
  PartialFactor factor_;
  std::vector<Known> known_;      // in their order
  std::vector<double> expected_;  // E[x_j | known]
  std::vector<double> target_;    // c_j
  double known_part_ = 0;         // bias + Σ_known w_i x_i
  double rest_ = 0;               // Σ_unknown w_j E[x_j | known]
  double total_ = 0;              // Var[⟨w, x⟩ | known], ridge included
  double ridge_left_ = 0;         // Σ_unknown w_j² ridge_j
};

}  // namespace glimpse
