#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/data/data_source.h"
#include "lab/experiments/experiment.h"

namespace glimpse {

/// Which learners a figure compares.
enum class Family {
  kRidge,         ///< DDAERR, Two-Phased DDAERR, AERR, online and offline ridge (KS15 §5)
  kLasso,         ///< DDAELR, Two-Phased DDAELR, AELR, online and offline lasso (KS15 §5)
  kRidgeAdaGrad,  ///< kRidge, and its learners with AdaGrad's steps (KS14, appendix A)
  kCesaBianchi,   ///< AER, Baseline, offline ridge and lasso (CSS10 §4)
  /// Not of a paper: the pairwise learner on the data as it is, against DDAERR with known moments and online
  /// ridge. Their B and step are the best in hindsight, by the test loss at the end.
  kPairwise,
};

/// A figure or table of a paper, as data: what is run and how it is drawn.
struct Figure {
  const char* name;    ///< as on the command line
  const char* title;   ///< over the picture
  const char* source;  ///< which figure of which paper
  const char* data;    ///< as --data; "covtype" is the file covtype.csv.gz below GLIMPSE_DATA
  Scaling scaling;
  Family family;
  std::size_t budget;
  std::size_t examples;     ///< training examples; 0: all there are
  std::size_t seeds;        ///< what the paper ran
  bool every_pair;          ///< a table over all 45 pairs of digits, in place of `data`
  bool pooled;              ///< the test set is a tenth of everything, drawn again with every seed
  bool regression = false;  ///< labels are standardised, and DDAERR and online ridge have an intercept
};

/// All of them, in the papers' order.
std::span<const Figure> figures();

/// The figures that `name` means: one, or several where it is the beginning of their names ("ks15-1" for
/// ks15-1a … d) or "all". Empty: none.
std::vector<Figure> find_figures(std::string_view name);

/// What a figure's --data is called for a pair of digits, or as it stands. Errors (kInvalidOption) when it
/// needs a folder that no variable of the environment names.
Result<DataOptions> data_of(const Figure& figure);

/// The curves. B and step are to be chosen as `tuning` says; those of the curve "AER 30 passes" are fixed.
std::vector<Curve> curves_of(const Figure& figure, const TuningOptions& tuning);

/// Where curves are measured on a training set of m examples. Figures of KS15 and KS14 have shares of the K·m
/// attributes that the budgeted learners may look at, so that full information stops after K·m/d examples.
/// CSS10's have numbers of examples, a table the end.
MeasuringPoints points_of(const Figure& figure, std::size_t examples);

}  // namespace glimpse
