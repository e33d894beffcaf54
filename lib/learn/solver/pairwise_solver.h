#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/large_array.h"
#include "learn/core/learner.h"
#include "learn/core/target_moments.h"
#include "learn/covariance/pair_kernels.h"
#include "learn/covariance/unseen_pairs.h"
#include "learn/linalg/dense_kernels.h"
#include "learn/linalg/l1_ridge.h"
#include "learn/linalg/ridge_evidence.h"
#include "learn/linalg/spectral_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// What a solution chose, in the units of balanced_units().
struct PairwiseChoice {
  double ridge = 0;   ///< λ
  double shrink = 1;  ///< α: what the weights were multiplied by, from 0 to 1
};

/// Where weights must stay: Σ|w_i| ≤ radius (kL1) or ‖w‖₂ ≤ radius (kL2), in the attributes' own units.
struct NormBall {
  Ball norm = Ball::kL2;
  double radius = 0;  ///< above 0
};

/// What a model was solved from, in the units of the solution: Ĉ, d × d, of which the diagonal and what is
/// above it is read, and b̂. Spans are valid until the next solve.
struct SolvedMoments {
  std::span<const double> units;
  std::span<const float> covariances;  ///< the diagonal has what doubt of a variance adds
  std::span<const double> variance;    ///< Ĉ_ii without that
  std::span<const double> target;
  double label_square = 0;  ///< the mean of (y − centre)²
  double ridge = 0;
  double shrink = 1;
  double least_value = 0;  ///< of Ĉ's eigenvalues that the solution knows
};

/// A linear model from pair moments, without anything to tune:
///
///     w = α·(Ĉ₊ + λI)⁻¹b̂,   prediction ȳ + ⟨w, x − μ⟩
///
/// Ĉ and b̂ are the moments about the means, in balanced_units(), shrunk towards pairs that are not
/// correlated. Ĉ_ij = S_ij/(N_ij + κ_ij), κ_ij ≥ 1 below, Ĉ_ii = (S_ii + ½v̄)/(n_i + ½), b̂_i = S_iy/(n_i + 1),
/// v̄ the pooled variance. Ĉ is usually indefinite. Ĉ₊ is its positive part, taken as f(Ĉ)b̂ with f(x) =
/// 1/(max(x, 0) + λ) in a Krylov space, so that no eigen-decomposition of d × d numbers is needed.
///
/// λ is the level of the noise in Ĉ that b̂ does not share. V_ij = Ĉ_iiĈ_jj/(N_ij + 1)·(1 − N_ij/(n + d/8)), n
/// the larger of n_i and n_j. It is 0 where one of the two was never seen, as neither b̂ nor Ĉ has anything of
/// it (the model is that of the others alone). Ĉ_ij is a mean over N_ij of the n examples that b̂_i is one
/// over. The noise that comes from these cancels in b̂ − Ĉw, as in ordinary least squares, where all of them
/// are the same. (d/8, of the attributes seen: not where there are few examples for as many weights.) λ =
/// h·(1.2 − 0.45·s)·√‖V‖₂. √‖V‖₂ is about half of the spectral norm that noise of these variances has (for
/// equal variances that is the edge of Wigner's semicircle). s is the mean of N_ij/(N_ij + 1), weighted with
/// Ĉ_iiĈ_jj: how often pairs were seen. Where they were, part of Ĉ's noise is that of b̂ as well and does no
/// harm; where they were not, Ĉ lacks what correlation there is, and w would be too long. That is no danger
/// where attributes are not correlated. h² is the largest mean square of correlations that Σ (S_ij² −
/// N_ijĈ_iiĈ_jj) leaves possible (two standard errors), over .02, and h is cut to [0.6, 1]. A covariance that
/// is large by chance, as those of rare attributes may be, would then be believed. So κ_ij = 1 + (max(κ_i,
/// κ_j) − 1)·(1 − h)/0.4 with κ_i from covariance_shrinkage(); it is 1 while h is.
///
/// Pairs that plans never show, as two attributes that the money does not buy in one example, have what
/// others tell of them in Ĉ, and in V only what that leaves open: UnseenPairs, COSTS.md.
///
/// A variance that is itself uncertain adds to its attribute's ridge: Ĉ_ii·(1/√n + 4/ν²). n is the effective
/// number of reveals, and ν = n − 1 + ν₀ are its degrees of freedom, of which ν₀ = 1/(2·spread) come from the
/// units of the others. (The first term is its standard error; Student's t with ν degrees is wider than the
/// normal by 2/ν + 4/ν² + ….)
///
/// α is 1 as soon as it is certain that there is something to learn. Without any signal, given the values
/// seen, c_i = √(n_i + 1)·b̂_i has covariance Q_ij = σ_y²·S_ij/√((n_i + 1)(n_j + 1)). So cᵀc/tr Q is about
/// χ²/p of p = (tr Q)²/tr Q² degrees. z is the normal deviate of the same chance (Wilson & Hilferty), and α =
/// (z − 2/√p)/1.25, cut to [0, 1]. What is predicted is then little more than the mean.
///
/// Weights are never longer than what was seen together allows. A pair that was hardly ever seen shrinks to 0
/// in Ĉ; where a few factors stand behind many attributes the sum over such pairs does not, and w would be
/// several times too long. So α also is at most A/L, where A = wᵀb̂ and L estimates E(⟨w, x − μ⟩²) without
/// shrinkage: L = Σ w_i²Ĉ_ii + Σ_{i≠j} w_iw_jS_ij/M_ij − B. M_ij = R_iR_j/(ΣR·√((1 −
/// r_i)(1 − r_j))), R_i = Σ_j N_ij, r_i = R_i/ΣR, is how often plans like these show both i and j, whatever
/// they did show (Horvitz & Thompson). B is what L is too large by, as w comes from the same examples. b̂_i
/// has x_iy of each, so that x_i²x_j²y² is in L. B = σ_y²·Σg_i·Σg_i(n_i − 1)/(n_i + 1), g_i = Ĉ_ii/(Ĉ_ii + λ
/// + Σ_jĈ_jjN_ij/(N_ij + 1)/n_i)/(n_i + 1). PAIRWISE.md.
///
/// Where attributes have categories (PairSnapshot::features()) all this is of features. Indicators of one
/// attribute are always seen together. So their pairs are not in R_i, r_i is that of all of them, and M_ij is
/// N_ij. What they have in common, that one of them is 1, is left to λ.
///
/// Where every pair of what was seen was seen in every example, the sums are those of ordinary ridge
/// regression, and nothing above is needed: units are standard deviations, Ĉ = S/n, b̂ = S_iy/n, α = 1, and λ
/// is the most likely one (RidgeEvidence). Not of more than two classes: EXPERIMENTS.md.
///
/// With a ball attributes keep their own units, up to one power of two for all, so that floats hold the
/// moments. In an L2 ball λ grows until ‖w‖₂ ≤ radius. In an L1 ball the Krylov space, with the basis Q and
/// the eigenvalues Θ there, stands for Ĉ: w minimises ½wᵀ(λI + QΘ₊Qᵀ)w − b̂ᵀw on it (L1Ridge). Without the
/// ball that minimum is the w above, so that a ball that holds it changes nothing. Moments about 0 (no bias)
/// give a model through the origin. What was tried and measured: EXPERIMENTS.md.
///
/// Every solution starts cold and takes a fixed number of steps. So a model is a function of the moments
/// alone, bit for bit, whatever was solved before. A warm start would not give that, nor save much of a fixed
/// number of products.
///
/// Cost: kSteps + 9 products with a d × d matrix of floats, 4·d² bytes of memory that are kept between calls.
/// Deterministic. Thread-safety: none; `moments` is only read.
class PairwiseSolver {
 public:
  /// Asked now and then; true: the model is not wanted any more. May be empty.
  using Cancelled = std::function<bool()>;

  /// Of Lanczos.
  static constexpr std::size_t kSteps = 60;
  /// For a model that is only to judge: its weights are within 2 % of what kSteps give (MNIST 3 against 5, K
  /// = 5 and 57, 32 to 65,536 examples), mostly where attributes hardly vary.
  static constexpr std::size_t kRoughSteps = 32;
  /// For the models of more than two classes that are only to judge: CLASSES.md has what that costs.
  static constexpr std::size_t kClassSteps = 16;

  static std::uint64_t memory_bytes(std::uint64_t dimension) { return dimension * dimension * sizeof(float); }

  /// For experiments that look for a better rule: λ is multiplied by `factor`, and with `always_open` α is 1.
  void set_trial(double factor, bool always_open) {
    ridge_factor_ = factor;
    always_open_ = always_open;
  }

  /// From now on attribute i counts as in a unit `factors`[i] ≥ 1 times as large, so that λ weighs
  /// factors[i]² times as much on it. None: 1 for all. Without effect in a ball.
  void set_stretch(std::span<const double> factors) { stretch_.assign(factors.begin(), factors.end()); }

  /// Before the next solve(): exchanges the memory of the matrix, of any size, with `matrix`.
  void exchange(LargeArray<float>& matrix) { std::swap(matrix_, matrix); }

  /// `model` is of no use when it was cancelled.
  PairwiseChoice solve(const PairSnapshot& moments, const std::optional<NormBall>& ball, Model& model,
                       const Cancelled& cancelled = {}, std::size_t steps = kSteps);
  /// Before solve_target(), of the same `moments`: matrix, λ and α of all targets of the copy. For α their
  /// evidence and its null distribution are summed: one of the targets, which are indicators that sum to 1,
  /// depends on the others. O(d² + targets·d).
  void begin_targets(const PairSnapshot& moments, bool in_ball);
  /// What solve() does, for a target in place of the label: `steps` products.
  PairwiseChoice solve_target(const PairSnapshot& moments, std::size_t target,
                              const std::optional<NormBall>& ball, Model& model,
                              const Cancelled& cancelled = {}, std::size_t steps = kSteps);
  SolvedMoments solved_moments() const;
  /// After a solve(): b̂ in the attributes' own units, of slot i.
  double target_covariance(std::size_t i) const { return target_[i] * units_[i]; }
  /// The share of its label that the last model would explain were that noise, summed over the weights.
  double in_sample() const { return in_sample_; }
  /// What each weight adds to that.
  std::span<const double> leverages() const { return leverages_; }
  /// Over how many weights that is spread: (Σg_i)²/Σg_i².
  double in_sample_degrees() const { return in_squares_ > 0 ? in_sample_ * in_sample_ / in_squares_ : 1; }

  /// After solve(), of the same `moments`: describe() is to be about `model` in place of its model. O(d²).
  void replace(const PairSnapshot& moments, const Model& model);

  /// The moments of the attributes and of the prediction that belong to the last solve(), of the same
  /// `moments` and its model, or that of replace(). C_ij = S_ij/(N_ij + κ_ij) about the means, also where the
  /// model has no bias, and C_ii as in Ĉ. The ridge is max(2λ, λ/2 − θ) in the units of the solution, θ the
  /// least eigenvalue of Ĉ that the Krylov space knows: Σ's eigenvalues are then λ/2 or more, so far as the
  /// space knows them. The noise includes the ridge's own error: σ_y² − 2wᵀb̂ + wᵀ(Ĉ₊ + λI)w, which is σ_y² −
  /// wᵀb̂ without a ball and with α = 1. It is ½σ_y²·s/(1 + s) at least, s = Σg_i: about the share of the
  /// label that such a solution explains where labels are noise. PARTIAL.md. Reads each pair
  /// once: O(d²), about what two products with the matrix cost.
  void describe(const PairSnapshot& moments, const Model& model, TargetMoments& description) const;
  /// The same, and Σw of each of `others` besides, one after another: `targets`. O(others·d²) more.
  void describe(const PairSnapshot& moments, const Model& model, TargetMoments& description,
                std::span<const Model> others, std::vector<double>& targets) const;

  /// After solve() and not replace(), of the same `moments`: what attributes are worth to its `model`, see
  /// attribute_importances(). Empty where the label does not vary. With α = 0 all are worth 0, and their
  /// errors are not known. O(d²).
  Importances importances(const PairSnapshot& moments, const Model& model) const;

  /// The standard errors of the weights, see weight_errors(); where every pair was seen in every example,
  /// those of the posterior distribution whose prior is λ. Empty when it was cancelled, where α = 0, and
  /// where an L1 ball holds the weights.
  std::vector<double> weight_errors(const PairSnapshot& moments, const Cancelled& cancelled = {}) const;

  /// After solve() or replace(): TargetMoments::noise as describe() has it. O(d).
  double expected_error(const Model& model) const;
  /// The same before it is held above what noise leaves: below 0 it follows errors of the moments. O(d).
  double bare_error(const Model& model) const;

 private:
  // Weights, and what Σ times these is added to.
  struct Described {
    const double* weights;
    double* target;
  };
  void add_pairs(const PairSnapshot& moments, std::span<const Described> models,
                 std::span<const double> offsets, std::span<const double> deviations,
                 const TargetMoments& description) const;
  double least_error() const;
  double signal_share() const {
    return signal_share(evidence_ / null_mean_, null_mean_ * null_mean_ / null_squares_);
  }
  static double signal_share(double ratio, double degrees);
  double length_share(const PairSnapshot& moments);
  PairwiseChoice solve_prepared(const PairSnapshot& moments, const std::optional<NormBall>& ball,
                                Model& model, const Cancelled& cancelled, std::size_t steps);
  void prepare(const PairSnapshot& moments, bool own_units);
  void prepare_label(const PairSnapshot& moments);
  void prepare_target(const PairSnapshot& moments, std::size_t target);
  void fill_matrix(const PairSnapshot& moments, bool in_ball);
  double label_mean(const PairSnapshot& moments) const;
  double label_centre(const PairSnapshot& moments) const;
  double label_variance(const PairSnapshot& moments) const;
  double noise_level(const PairSnapshot& moments);
  void fill_covariances(const PairSnapshot& moments);
  void enter_l2_ball(double radius, PairwiseChoice& choice);
  bool enter_l1_ball(double radius, const PairwiseChoice& choice);
  double positive_quadratic() const;
  void multiply(std::span<const double> x, std::span<double> y) const;

  bool is_complete(const PairSnapshot& moments) const;
  std::vector<double> posterior_errors() const;
  double count_of(const AttributeSums& sums) const;
  PairRow row(const PairSnapshot& moments, std::size_t i) const;

  const DenseKernels& kernels_ = fastest_dense_kernels();
  const PairKernels& pair_kernels_ = fastest_pair_kernels();
  double ridge_factor_ = 1;
  bool always_open_ = false;
  std::vector<double> stretch_;

  std::optional<std::size_t> label_;  // a target; none: the label
  std::size_t d_ = 0;
  std::vector<double> units_;
  std::vector<double> scale_;      // the snapshot's units in units_
  std::vector<double> variance_;   // Ĉ_ii
  std::vector<double> squares_;    // S_ii
  std::vector<double> shrinkage_;  // 1 + (κ_i − 1)·(1 − h)/0.4
  std::vector<double> target_;     // b̂
  std::vector<double> noise_;      // σ_y/√(n_i + 1): what S makes of c's covariance without signal
  std::vector<double> pairs_;      // R_i = Σ_j N_ij
  std::vector<double> among_;      // Σ_j Ĉ_jj·N_ij/(N_ij + 1)
  UnseenPairs unseen_;
  bool complete_ = false;  // every pair was seen in every example
  double examples_ = 0;
  RidgeEvidence evidence_of_ridge_;
  double freedom_ = 0;       // ν₀
  double evidence_ = 0;      // cᵀc
  double null_mean_ = 0;     // tr Q
  double null_squares_ = 0;  // tr Q²
  double null_pairs_ = 0;    // its part of pairs, over σ_y⁴
  std::optional<double> shared_signal_;
  std::vector<double> weights_;
  LargeArray<float> matrix_;  // d × d, the diagonal and what is above it
  KrylovSpace space_;
  std::vector<double> factors_;    // of QΘ₊Qᵀ
  PairwiseChoice choice_;          // the last
  double noise_level_ = 0;         // its λ before a ball
  double label_square_ = 0;        // the mean of (y − centre)²
  double quadratic_ = 0;           // wᵀĈ₊w, in these units
  std::vector<double> leverages_;  // g_i
  double in_sample_ = 0;           // Σg_i
  double in_squares_ = 0;          // Σg_i²
  bool in_l1_ball_ = false;
  L1Ridge l1_;
};

}  // namespace glimpse
