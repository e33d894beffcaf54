#pragma once

#include <vector>

#include "learn/apple/expansion.h"
#include "learn/core/monomials.h"

namespace glimpse {

/// All monomials of an example's attributes up to a degree from 1 to 3: the baselines lin, quad and cubic of
/// ABHLT14 §3.1. Each monomial is one feature; of an attribute that is 0 or one other number the square is
/// none. An example of s attributes other than 0 has up to C(s + degree, degree) − 1 features.
/// Thread-safety: none.
class FullExpansion final : public Expansion {
 public:
  /// `idempotent`, of every attribute: its values other than 0 are all the same. At most `most` products.
  FullExpansion(unsigned degree, std::vector<bool> idempotent, std::size_t most);

  void expand(std::span<const Entry> entries, std::vector<FeatureValue>& features) override;
  void expand_known(std::span<const Entry> entries, std::vector<FeatureValue>& features) const override;
  std::size_t slots() const override { return monomials_.slots(); }
  const Monomials& monomials() const { return monomials_; }

 private:
  template <class Find>
  void enumerate(std::span<const Entry> entries, std::vector<FeatureValue>& features, const Find& find) const;

  unsigned degree_;
  std::vector<bool> idempotent_;
  Monomials monomials_;
  struct Pending {
    std::uint32_t slot;
    double value;
    std::size_t last;  // the entry of its last factor
  };
  mutable std::vector<Pending> level_;
  mutable std::vector<Pending> next_;
};

}  // namespace glimpse
