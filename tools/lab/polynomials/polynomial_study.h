#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/experiments/experiment.h"

namespace glimpse {

/// How the figures and tables of ABHLT14 are carried out.
struct PolynomialStudy {
  std::vector<std::string> folders;  ///< of tables; a set that none has is left out with a word
  std::vector<std::string> only;     ///< names of sets; empty: all
  std::uint64_t seeds = 3;           ///< splits
  std::size_t examples = SIZE_MAX;   ///< for training, at most
  std::vector<double> rates;         ///< that are tried; empty: kRates
  std::string output;                ///< folder
  Execution execution;
};

}  // namespace glimpse
