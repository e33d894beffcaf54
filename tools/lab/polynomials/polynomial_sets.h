#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/polynomials/example_text.h"

namespace glimpse {

/// What becomes of the labels of a set.
enum class LabelKind {
  kClass,    ///< +1 where the label is `value`, −1 elsewhere
  kAtLeast,  ///< +1 from `value` on, −1 below
  kUnit,     ///< less the smallest, over the range
  kAsIs,
};

/// A data set of the study.
struct PolynomialSet {
  std::string_view name;   ///< as in the paper's tables, where it is there (paper_table.h)
  std::string_view file;   ///< below a folder of tables; empty: made here
  std::string_view label;  ///< the column, as TableReading has it
  LabelKind kind;
  double value;
  bool all_are_words = false;

  bool is_binary() const { return kind == LabelKind::kClass || kind == LabelKind::kAtLeast; }
};

/// All of them, those of the paper first.
std::span<const PolynomialSet> polynomial_sets();

/// The examples of a set, from the first of `folders` that has its file. Errors: kNotFound where none has it;
/// those of parse_examples(); kInvalidInput where all labels are the same.
Result<ExampleText> load_set(const PolynomialSet& set, const std::vector<std::string>& folders);

/// Hands of five cards: rank from 1 to 13 and suit from 1 to 4 of each, and label +1 where the hand is
/// nothing (no pair, straight or flush), −1 elsewhere. UCI's set "poker" is such hands.
ExampleText poker_hands(std::size_t hands, std::uint64_t seed);

}  // namespace glimpse
