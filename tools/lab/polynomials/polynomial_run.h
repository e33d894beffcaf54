#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/data/dense_set.h"
#include "lab/polynomials/example_text.h"
#include "lab/polynomials/polynomial_method.h"

namespace glimpse {

/// One run of a method: a pass over 80 % of a set in random order, and the other 20 % predicted.
struct PolynomialRow {
  std::string set;
  std::string method;
  std::uint64_t seed = 0;
  double rate = 0;         ///< η, the one with the lowest progressive loss
  double error = 0;        ///< of the test set: the share of wrong signs, or the mean square
  double progressive = 0;  ///< the mean square of predictions before each training example, clipped
  double seconds = 0;      ///< of processor: the pass, with the reading of its lines
  double reading = 0;      ///< of processor: reading alone
  double features = 0;     ///< the mean number of an example, of the pass
  std::uint64_t slots = 0;
  std::uint64_t parents = 0;
};

/// A split of a set: as ABHLT14 has it, 80 % for training. The same for all methods with this seed.
struct PolynomialSplit {
  RowOrder train;
  RowOrder test;
  std::vector<bool> idempotent;  ///< attributes whose values other than 0 are all one, in the training set
};

/// `most`: training examples at most. Errors: kInvalidInput for fewer than 10 examples.
Result<PolynomialSplit> split_examples(const ExampleText& text, std::uint64_t seed, std::size_t most);

/// Learning rates that are tried: the paper chose one for each set and method by progressive loss as well.
inline constexpr double kRates[] = {0.25, 0.5, 1, 2, 4, 8};

/// Runs a method with each of `rates`, and keeps the run with the lowest progressive loss. Predictions are
/// clipped to the range of the training labels. `set` and `seed` are left to the caller.
Result<PolynomialRow> run_polynomial(const PolynomialMethod& method, const ExampleText& text,
                                     const PolynomialSplit& split, bool is_binary,
                                     std::span<const double> rates);

/// "set,method,seed,rate,error,progressive_loss,seconds,reading_seconds,features,slots,parents\n".
std::string_view polynomial_header();
std::string to_csv(const std::vector<PolynomialRow>& rows);
/// What to_csv() wrote. Errors: kCorrupt.
Result<std::vector<PolynomialRow>> parse_polynomial_rows(std::string_view text);

/// Seconds of processor that this thread has used.
double thread_seconds();

}  // namespace glimpse
