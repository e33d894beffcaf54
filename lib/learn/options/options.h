#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "learn/options/algorithms.h"
#include "learn/options/prices.h"

namespace glimpse {

/// The step size η: of the papers' theorems, anytime and untuned, fixed, or per coordinate.
enum class StepKind {
  kTheory,
  kAuto,
  kNumber,
  kAdaGrad,  ///< η/√Σ g̃_i² for coordinate i (KS14, appendix A)
};

/// How the K draws are shared between the data-point part (k_x) and the inner-product part (k_p).
enum class Split {
  kEven,   ///< k_x = ⌊K/2⌋, k_p = K − k_x: what the papers' experiments use
  kPaper,  ///< k_x = K − 1, k_p = 1: what their theorems assume
};

/// The distribution p of the inner-product draws.
enum class InnerSampling {
  kImproved,  ///< p_j ∝ |w_j|√M_j (KS15 §5)
  kPlain,     ///< p_j ∝ w_j² (Cesa-Bianchi et al. 2011)
};

/// What to do about streams whose law changes.
enum class Drift {
  kOff,
  kAuto,  ///< notice that the loss rises (ChangeDetector), and forget what came before
};

/// What to do about values and labels far beyond all that were seen: see ValueGauge.
enum class Outliers {
  kBound,
  kKeep,  ///< learn from them
};

/// Which of the K draws an estimator is made of. See DRAWS.md.
enum class Draws {
  kSeparate,  ///< k_x for the data-point part, k_p for the inner-product part: the papers'
  kPairs,     ///< all K serve both, through all pairs of distinct draws
};

/// What pairwise's looks go by.
enum class Looks {
  kLearned,
  kUniform,  ///< all attributes alike, whatever was learned: to compare with
};

/// What attributes are drawn by under a limit of cost. The last two are to compare with. See COSTS.md.
enum class Buying {
  kPriced,   ///< moments and prices: lowest error for the money
  kMoments,  ///< moments alone: the distribution without prices
  kUniform,  ///< all alike
};

/// The algorithm of those who name none: see automatic_algorithm(). No learner has this name.
inline constexpr const char* kAutomatic = "auto";

/// The largest |x| and |y| that are learned from: squares and products of such numbers stay well inside a
/// double.
inline constexpr double kLargestMagnitude = 1e30;

/// Everything that chooses and tunes a learner. The defaults need neither the stream's length nor tuning.
struct LearnerOptions {
  std::string algorithm{kFirstOrder};  ///< one of kAlgorithms
  std::size_t dimension = 0;           ///< d ≥ 1
  std::size_t budget = 0;              ///< K: draws an example, 2 ≤ K ≤ d

  /// B: the model stays in the ball ‖w‖₂ ≤ B; none: no projection. The lasso learners, aer and baseline need
  /// it: ‖w‖₁ ≤ B. With the auto step the ball is in units of each attribute's largest absolute value,
  /// elsewhere in the attributes' own.
  std::optional<double> radius;
  /// Which ball; none: the algorithm's own. Only pairwise has both, L2 being its own.
  std::optional<Ball> ball;
  StepKind step = StepKind::kAuto;
  double step_number = 0;  ///< η > 0, for StepKind::kNumber and kAdaGrad; aer: S > 0, where η_t = S/t
  /// B and η of the uniform phase where they differ from those above, as in KS15 §5, which chose both for
  /// each phase. The radius needs `radius`, the step a step that is a number.
  std::optional<double> phase1_radius;
  std::optional<double> phase1_step;
  std::optional<std::uint64_t> horizon;  ///< m, where it is known; the theory step needs it

  /// m₁, the length of the uniform phase: an example count, a fraction of the horizon, or (both empty) found
  /// on the fly.
  std::optional<std::uint64_t> phase1_examples;
  std::optional<double> phase1_fraction;
  double delta = 0.01;                     ///< δ of the theory's ε, 0 < δ < 1
  std::optional<double> confidence = 0.0;  ///< ε; empty: ε = d·ln(2d/δ)/(K m₁) (KS15, Algorithm 2)
  Split split = Split::kEven;
  InnerSampling inner_sampling = InnerSampling::kImproved;
  /// The two departures of the budgeted first-order learners from the papers' estimators. Empty: as
  /// draws_of() and uses_control_variates() say.
  std::optional<Draws> draws;
  std::optional<bool> control_variates;  ///< x − mean in place of x; needs the bias
  std::optional<double>
      half_norm;  ///< H = ‖M‖½ where that scalar is known (KS14 §3.2), for the theory step of phase 2
  bool bias =
      true;  ///< one more attribute, constant 1, always revealed, that costs nothing (KS14, footnote 1)
  std::size_t pair_memory = std::size_t{1} << 30;  ///< bytes that the pairwise learners may keep for pairs
  /// pairwise-screened: at most so many attributes have their pairs kept, from 2; none: 2,048, or what fits
  /// pair_memory.
  std::optional<std::size_t> active;
  /// pairwise: the highest degree of products of attributes that may enter the model, 2 or 3; 0: none.
  std::size_t products = 0;
  /// pairwise and pairwise-screened: once the choice is sure, looks are spent on so many attributes, those
  /// that predict best together; 0: on all. It may be another after a restart.
  std::size_t look_at_best = 0;
  /// apple: at the end of an epoch ⌊s^α⌋ features become parents, of examples of s attributes that are not 0.
  double expansion_exponent = 1;
  std::size_t max_features = std::size_t{1} << 20;  ///< apple: products of attributes that may have a weight
  bool fallback_parent =
      false;  ///< apple: one new parent is of the lowest degree that is left (ABHLT14 §2.4)
  std::optional<std::uint64_t> half_life;  ///< in examples ≥ 1: what is older counts half; none: all the same
  /// Above 0: an example of more importance counts for this; none: no bound. Neither this nor `outliers` is
  /// part of what a checkpoint is of: both may be others after a restart.
  std::optional<double> max_importance;
  Outliers outliers = Outliers::kBound;
  Drift drift = Drift::kOff;
  /// What attributes cost; none: nothing is known of it. Neither prices nor the limit are part of what a
  /// checkpoint is of: both may be others after a restart. Whether there is a limit is, for the first-order
  /// learners.
  std::shared_ptr<const Prices> prices;
  /// No plan costs more. Needs `prices`; for pairwise and the budgeted first-order learners, see COSTS.md.
  std::optional<Money> budget_cost;
  Buying buying = Buying::kPriced;
  Looks looks = Looks::kLearned;
  /// pairwise, pairwise-screened: the names of several labels, each of which gets a model from the same
  /// looks; one or none: of the one label there is.
  std::vector<std::string> labels = {};
  static constexpr std::size_t kMostLabels = 100;
  std::uint64_t seed = 1;
};

/// Whether the options are in range and agree. The Error (kInvalidOption) names option, value and constraint
/// as on the command line.
Status validate(const LearnerOptions& options);

/// "theory", "auto", a number > 0, "adagrad" (η = 0.1) or "adagrad:NUMBER"; "auto", a count or "N%"; "theory"
/// or a number ≥ 0. Errors name the option.
Status parse_step(std::string_view text, LearnerOptions& options);
Status parse_phase1(std::string_view text, LearnerOptions& options);
Status parse_confidence(std::string_view text, LearnerOptions& options);

/// The options that decide what a learner computes, one `name=value` a line: two learners with the same text,
/// examples and seed have the same model to the bit. Kept in checkpoints.
std::string describe(const LearnerOptions& options);

/// m₁ as an example count where it is known beforehand.
std::optional<std::uint64_t> phase1_length(const LearnerOptions& options);

/// Of how many attributes at most pairwise-screened keeps the pairs.
std::size_t active_limit(const LearnerOptions& options);
/// Without `active`: 67 MB, and a solution in less than a second.
inline constexpr std::size_t kStandardActive = 2048;

/// `look_at_best` is from 1 to so many, and below the dimension.
inline constexpr std::size_t kMostBest = 256;

/// B of the uniform phase.
std::optional<double> radius_of_phase1(const LearnerOptions& options);

/// What the theorems behind --step theory ask for, beside what --help says of the data, and these options do
/// not give: options with what they are for. Empty with another step.
std::vector<std::string> lacks_of_theory(const LearnerOptions& options);

/// The algorithm where none is named. It is pairwise where the pairs of attributes fit into pair_memory, and
/// pairwise-screened beyond. It is two-phase-ddaerr where neither can be: under a limit of cost, or with
/// memory for no pair at all. pairwise/EXPERIMENTS.md compares them.
std::string automatic_algorithm(const LearnerOptions& options);

/// The form of the estimators that the options ask for. Where they leave it open, the budgeted first-order
/// learners draw pairs and use control variates, unless the step is the theory's, which is for the papers'
/// estimators. There are no pairs with Split::kPaper or under a limit of cost, and no control variates
/// without the bias.
Draws draws_of(const LearnerOptions& options);
bool uses_control_variates(const LearnerOptions& options);

}  // namespace glimpse
