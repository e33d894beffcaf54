#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "lab/polynomials/polynomial_study.h"

namespace glimpse {

/// A figure or table of ABHLT14.
struct PolynomialFigure {
  std::string_view name;
  std::string_view title;
  std::string_view source;
};

std::span<const PolynomialFigure> polynomial_figures();

/// Runs what is missing, which all these figures share, and writes each of `names`: CSV, and a picture or a
/// page. Times are of the processor, but two jobs at once slow each other a little. Errors: kInvalidOption
/// for a set that is unknown; those of files; kNotFound where no set was found.
Status run_polynomial_figures(FileSystem& files, std::span<const std::string> names,
                              const PolynomialStudy& study);

}  // namespace glimpse
