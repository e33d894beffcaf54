#pragma once

#include <cstdint>

#include "base/double_double.h"
#include "base/state.h"

namespace glimpse {

/// ⟨w, μ⟩ for weights w = s·u and means μ of which a step changes a few, and its average over the
/// iterates, with the weights ρ that they have in theirs, in time proportional to what changes:
///
///   ⟨w, μ⟩ = s·C    C = Σ u_i μ_i: before u_i or μ_i changes the term is taken out, and put back afterwards
///   Σ_τ ρ_τ⟨w_τ, μ_τ⟩  one number that grows by ρ·s·C with every iterate
///
/// Both are kept in twice the precision of a double, and the term taken out is to 106 bits the one put in. So
/// nothing drifts on long streams. All d terms are added up only where the weights go through all coordinates
/// anyway (rescaling, a new phase). A projection changes s, and so costs nothing here. Thread-safety: that of
/// a value type.
class MeanProduct {
 public:
  void take_out(double u, double mean) { product_.add_product(-u, mean); }
  void put_in(double u, double mean) { product_.add_product(u, mean); }
  /// C = 0: all terms are put in again afterwards. The average stays.
  void clear() { product_ = DoubleDouble(); }

  /// Counts the present iterate, whose scale is s, into the average, with weight ρ.
  void count_iterate(double scale, double rho = 1) {
    past_.add_product(rho * scale, product_.value());
    iterate_weight_ += rho;
  }
  /// Multiplies all ρ so far by `factor`, a power of two: the average stays what it is.
  void scale_average(double factor) {
    past_.scale_by_power_of_two(factor);
    iterate_weight_ *= factor;
  }
  /// The average of ⟨w_τ, μ_τ⟩; the present one while none was counted.
  double averaged(double scale) const {
    return iterate_weight_ == 0 ? scale * product_.value() : past_.value() / iterate_weight_;
  }
  /// Σ_τ ρ_τ·w_τ,i has lost `sum`, of iterates whose mean is taken to have been `mean`.
  void take_out_past(double sum, double mean) { past_.add_product(-sum, mean); }
  /// Averaging starts again.
  void forget() {
    past_ = DoubleDouble();
    iterate_weight_ = 0;
  }

  void save(State& state) const {
    const double sums[] = {product_.high(), product_.low(), past_.high(), past_.low()};
    state.put_copy<double>("centres.sums", sums);
    state.put_number("centres.iterate_weight", iterate_weight_);
  }
  Status restore(const State& state) {
    GLIMPSE_TRY_ASSIGN(const auto sums, state.get<double>("centres.sums", 4));
    GLIMPSE_TRY_ASSIGN(const auto weight, state.get_number<double>("centres.iterate_weight"));
    product_ = DoubleDouble(sums[0], sums[1]);
    past_ = DoubleDouble(sums[2], sums[3]);
    iterate_weight_ = weight;
    return {};
  }

 private:
  DoubleDouble product_;       // C
  DoubleDouble past_;          // Σ ρ_τ·s_τ·C_τ
  double iterate_weight_ = 0;  // Σ ρ_τ
};

}  // namespace glimpse
