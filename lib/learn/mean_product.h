#pragma once

#include <cstdint>

#include "base/double_double.h"
#include "base/state.h"

namespace glimpse {

/// ⟨w, μ⟩ for weights w = s·u and means μ of which a step changes a few, and its plain average over the
/// iterates, in time proportional to what changes:
///
///   ⟨w, μ⟩ = s·C    C = Σ u_i μ_i: before u_i or μ_i changes the term is taken out, and put back afterwards
///   Σ_τ ⟨w_τ, μ_τ⟩  one number that grows by s·C with every iterate
///
/// Both are kept in twice the precision of a double, and the term taken out is to 106 bits the one put in, so
/// nothing drifts on long streams and all d terms are only ever added up where the weights go through all
/// coordinates anyway (rescaling, a new phase). A projection changes s, and so costs nothing here.
/// Thread-safety: that of a value type.
class MeanProduct {
 public:
  void take_out(double u, double mean) { product_.add_product(-u, mean); }
  void put_in(double u, double mean) { product_.add_product(u, mean); }
  /// C = 0, to be put together anew. The average stays.
  void clear() { product_ = DoubleDouble(); }

  /// Counts the present iterate, whose scale is s, into the average.
  void count_iterate(double scale) {
    past_.add_product(scale, product_.value());
    ++iterates_;
  }
  /// The average of ⟨w_τ, μ_τ⟩; the present one while none was counted.
  double averaged(double scale) const {
    return iterates_ == 0 ? scale * product_.value() : past_.value() / static_cast<double>(iterates_);
  }
  /// Σ_τ w_τ,i has lost `sum`, of iterates whose mean is taken to have been `mean`.
  void take_out_past(double sum, double mean) { past_.add_product(-sum, mean); }
  /// Averaging begins anew.
  void forget() {
    past_ = DoubleDouble();
    iterates_ = 0;
  }

  void save(State& state) const {
    const double sums[] = {product_.high(), product_.low(), past_.high(), past_.low()};
    state.put_copy<double>("centres.sums", sums);
    state.put_number("centres.iterates", iterates_);
  }
  Status restore(const State& state) {
    const auto sums = state.get<double>("centres.sums", 4);
    if (!sums) return sums.error();
    const auto iterates = state.get_number<std::uint64_t>("centres.iterates");
    if (!iterates) return iterates.error();
    product_ = DoubleDouble((*sums)[0], (*sums)[1]);
    past_ = DoubleDouble((*sums)[2], (*sums)[3]);
    iterates_ = *iterates;
    return {};
  }

 private:
  DoubleDouble product_;        // C
  DoubleDouble past_;           // Σ s_τ·C_τ
  std::uint64_t iterates_ = 0;  // T
};

}  // namespace glimpse
