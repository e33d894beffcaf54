#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "lab/experiments/experiment.h"

namespace glimpse {

/// A figure or table of ABHLT14.
struct PolynomialFigure {
  std::string_view name;
  std::string_view title;
  std::string_view source;
};

std::span<const PolynomialFigure> polynomial_figures();

/// How they are carried out.
struct PolynomialStudy {
  std::vector<std::string> folders;  ///< of tables; a set that none has is left out with a word
  std::vector<std::string> only;     ///< names of sets; empty: all
  std::uint64_t seeds = 3;           ///< splits
  std::size_t examples = SIZE_MAX;   ///< for training, at most
  std::string output;                ///< folder
  Execution execution;
};

/// Runs what is missing, which all these figures share, and writes each of `names`: CSV, and a picture or a
/// page. Times are of the processor, but two jobs at once slow each other a little. Errors: kInvalidOption
/// for a set that is unknown; those of files; kNotFound where no set was found.
Status run_polynomial_figures(FileSystem& files, std::span<const std::string> names,
                              const PolynomialStudy& study);

}  // namespace glimpse
