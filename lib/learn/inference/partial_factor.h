#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "learn/core/target_moments.h"

namespace glimpse {

/// The covariances R of attributes given those that became known, one after another: R begins as Σ, and with
/// x_a known R_ij ← R_ij − R_iaR_ja/R_aa. Of R only the diagonal and the columns of what is known are kept: a
/// partial Cholesky factor, with the bounds that PartialPrediction speaks of.
///
/// Slots here are those of the universe. Costs are those that PartialPrediction names.
class PartialFactor {
 public:
  /// `moments` of these attributes, each once.
  PartialFactor(const TargetMoments& moments, std::vector<Attribute> universe);

  std::span<const Attribute> universe() const { return universe_; }
  /// Where it is; nothing where it is known, or not there.
  std::optional<std::size_t> unknown_slot(Attribute attribute) const;
  bool is_known(std::size_t slot) const { return is_known_[slot]; }
  std::size_t known() const { return known_; }
  /// All slots before are known.
  std::size_t first_unknown() const { return first_unknown_; }
  /// R_jj.
  double variance(std::size_t slot) const { return variances_[slot]; }

  /// What making `slot` known says of the others.
  struct Step {
    double pivot = 0;  ///< R_aa before; 0: nothing is said
    /// R_ja/√R_aa from first_unknown() on, 0 where known; none: of no other. Until the next call.
    std::span<const double> column;
  };
  /// `row`: covariances with the universe, or none. `moments`: the constructor's.
  Step condition(const TargetMoments& moments, std::size_t slot, std::span<const double> row);
  /// The column of the k-th condition() that has one.
  std::span<const double> column(std::size_t k) const { return columns_[k]; }
  std::size_t columns() const { return columns_.size(); }

 private:
  std::vector<Attribute> universe_;
  std::unordered_map<Attribute, std::size_t> slots_;
  std::vector<bool> is_known_;
  std::vector<double> variances_;
  std::vector<std::vector<double>> columns_;
  std::vector<double> column_;  // the next one
  std::size_t known_ = 0;
  std::size_t first_unknown_ = 0;
};

}  // namespace glimpse
