#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/sweeps/sweep_run.h"

namespace glimpse {

/// Whose loss a learner's is divided by.
enum class SweepReference {
  kTrainingMean,  ///< that of predicting the mean label of the training set
  kPrefixMean,    ///< the mean label of the examples so far, which is all that a learner can know
};

/// "training" or "prefix". The Error (kInvalidOption) names --mean-of.
Result<SweepReference> parse_reference(std::string_view text);

/// A cell is harmful above the first: who predicts the mean has less loss.
inline constexpr double kHarmful = 1.02;
inline constexpr double kVeryHarmful = 1.1;

/// One form of the answers of a cell, over its seeds. Losses are means over the seeds; a quotient is one of
/// such means.
struct CellForm {
  double loss = 0;       ///< over that of the training set's mean
  double over_mean = 0;  ///< over the reference's
  double error = 0;      ///< standard error of over_mean: the seeds' deviation over √seeds; 0 of one
  double worst = 0;      ///< the largest of a seed's loss over the reference's
  std::optional<double> best_factor;  ///< of λ, whose mean loss is least; the rule's own α is not among them
  std::optional<double> over_best;    ///< over the loss with that
  std::optional<double> over_offline;
};

/// A data set, learner, K and prefix.
struct SweepCell {
  std::string set;
  std::string learner;
  std::string budget;
  std::string prefix;
  std::size_t dimension = 0;
  std::size_t attributes_each = 0;
  std::uint64_t examples = 0;
  std::size_t seeds = 0;
  double attributes = 0;  ///< revealed, mean over the seeds
  CellForm exported;
  CellForm clipped;
};

/// Which of the two forms.
using FormOfCell = CellForm SweepCell::*;

/// In the order in which they first occur. Quotients take a loss below 1e-9 as that. `factors` are those of
/// the rows' trials.
std::vector<SweepCell> cells_of(const std::vector<SweepRow>& rows, const std::vector<double>& factors,
                                SweepReference reference);

/// Some cells of one learner together, in one form. Means are geometric.
struct SweepGroup {
  std::string learner;
  std::string key;  ///< what the cells have in common beside the learner
  std::size_t cells = 0;
  double over_mean = 0;
  std::optional<double> over_best;  ///< of the cells that have it
  std::optional<double> over_offline;
  std::size_t harmful = 0;       ///< cells with over_mean above kHarmful
  std::size_t very_harmful = 0;  ///< above kVeryHarmful
  double worst = 0;              ///< the largest over_mean
};

/// By learner and key, in the order in which they first occur.
std::vector<SweepGroup> groups_of(const std::vector<SweepCell>& cells, FormOfCell form,
                                  const std::function<std::string(const SweepCell&)>& key);

/// The cells of learners, offline ridge left out, with over_mean above `bound`, the largest first and at most
/// `count`; of equal ones the first first.
std::vector<const SweepCell*> worst_cells(const std::vector<SweepCell>& cells, FormOfCell form, double bound,
                                          std::size_t count);

}  // namespace glimpse
