#pragma once

#include <Eigen/Core>

namespace glimpse {

/// The Cholesky factor L of a positive definite matrix whose rows come and go: A_SS = LLᵀ for a list S of
/// indices. O(a²) to append, remove or solve. Thread-safety: none.
class ActiveFactor {
 public:
  /// For at most `capacity` rows.
  explicit ActiveFactor(Eigen::Index capacity) : l_(capacity, capacity) {}

  Eigen::Index size() const { return size_; }

  /// Appends an index: `column` is A_Sj for the present S, `diagonal` is A_jj. A pivot that rounding would
  /// make 0 or less becomes `smallest_pivot` > 0.
  void append(const Eigen::VectorXd& column, double diagonal, double smallest_pivot);

  /// Removes the index at `position` of S; those behind it move up.
  void remove(Eigen::Index position);

  /// A_SS⁻¹v.
  Eigen::VectorXd solve(const Eigen::VectorXd& v) const;

 private:
  Eigen::MatrixXd l_;  // the lower triangle of the leading size_ × size_ block
  Eigen::Index size_ = 0;
};

}  // namespace glimpse
