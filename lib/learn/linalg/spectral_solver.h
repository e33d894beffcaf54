#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace glimpse {

/// y ← A x for a symmetric A; n numbers each.
using Multiply = std::function<void(std::span<const double> x, std::span<double> y)>;

/// What KrylovSpace::build() has found out about A and b: enough to apply any function of A to b.
///
/// Lanczos' three-term recurrence from b, with full reorthogonalisation: A ≈ Q T Qᵀ on the space that b, Ab,
/// A²b, … span, T tridiagonal. Then f(A)b ≈ ‖b‖·Q f(T) e₁, exactly when f is a polynomial of a degree below
/// the number of steps, and bᵀf(A)b ≈ ‖b‖²·e₁ᵀf(T)e₁, exactly below twice that (Golub & Meurant, "Matrices,
/// moments and quadrature", 1994). One space serves all f, such as 1/(x + λ) for every λ. A may be
/// indefinite. Deterministic: the order of additions is fixed. Memory: 8·n·steps bytes. Thread-safety: none.
class KrylovSpace {
 public:
  /// At most `steps` products with A; fewer where the space ends before.
  void build(std::span<const double> b, std::size_t steps, const Multiply& multiply);

  /// The eigenvalues of T: those of A that matter to b, the extreme ones first to be accurate.
  std::span<const double> eigenvalues() const { return values_; }
  /// What bᵀf(A)b has of f(eigenvalues()[e]).
  double weight(std::size_t e) const {
    const double first = vectors_[e * values_.size()];
    return norm_ * norm_ * (first * first);
  }
  /// w ← f(A)b; f is given an eigenvalue.
  void apply(const std::function<double(double)>& f, std::span<double> w) const;
  /// Vectors z of n numbers, one after another, with Σ zzᵀ = f(A) as far as the space knows A: one for each
  /// eigenvalue at which f is above 0.
  void factors(const std::function<double(double)>& f, std::vector<double>& z) const;
  /// bᵀf(A)b.
  double quadratic(const std::function<double(double)>& f) const;

 private:
  std::size_t n_ = 0;
  double norm_ = 0;              // ‖b‖
  std::vector<double> basis_;    // Q, vector after vector
  std::vector<double> values_;   // θ of T
  std::vector<double> vectors_;  // eigenvectors of T, vector after vector
};

}  // namespace glimpse
