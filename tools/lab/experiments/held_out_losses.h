#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/experiments/cross_validation.h"

namespace glimpse {

/// A part of the rows to evaluate on, and the others to learn from.
struct Fold {
  RowOrder train;
  RowOrder held_out;
};

/// Fold f holds rows f, f + count, … out. REQUIRES 2 ≤ count ≤ rows.
std::vector<Fold> make_folds(std::span<const std::uint32_t> rows, std::size_t count);

double mean(const std::vector<double>& losses);

/// A candidate: indices into lists of values that are given, or exponents of two.
struct GridPoint {
  int radius;
  int step;
  auto operator<=>(const GridPoint&) const = default;
};

/// Mean held-out losses of a learner for candidates of B and step, each computed once.
class HeldOutLosses {
 public:
  /// The references must outlive this.
  HeldOutLosses(const Method& method, const TuningOptions& options, const DenseSet& train,
                std::vector<Fold> folds, std::uint64_t seed, std::size_t threads, const TuningRecord& record);

  double radius(const GridPoint& point) const;
  /// As for --step; empty for algorithms without one.
  std::string step(const GridPoint& point) const;

  /// Computes what is not known of these points, on all threads. `expected`: progress knows of their runs.
  Status compute(const std::vector<GridPoint>& points, bool expected);

  /// The point with the smallest loss. REQUIRES that one was computed.
  std::pair<GridPoint, double> best() const;

 private:
  Status run(const GridPoint& point, std::size_t run, double& loss) const;
  Result<std::string> candidate(const GridPoint& point) const;

  const Method& method_;
  const TuningOptions& options_;
  const DenseSet& train_;
  const std::vector<Fold> folds_;
  const std::uint64_t seed_;
  const std::size_t threads_;
  const TuningRecord record_;
  std::map<GridPoint, double> known_;
};

}  // namespace glimpse
