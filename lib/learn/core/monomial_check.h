#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"

namespace glimpse {

/// The attribute by which `product` is more than `monomial`; none: it is not one attribute more. Both
/// ascending. O(degree).
std::optional<Attribute> added_factor(std::span<const Attribute> monomial,
                                      std::span<const Attribute> product);

/// The arrays "monomials.*" of a state, one after another of each product.
struct MonomialArrays {
  std::span<const std::uint32_t> factors;
  std::span<const std::uint8_t> degrees;
  std::span<const std::uint32_t> owners;
};

/// These, once they are known to describe products of `attributes` attributes, each made of an attribute or
/// of an earlier product, and "expansion.parents" such monomials. Errors: kCorrupt, also for arrays that are
/// not there or do not fit together. Cost: one look at every number; memory for where each product begins.
Result<MonomialArrays> check_monomials(const State& state, std::size_t attributes);

/// The same of what a state has of them: nothing is no error.
Status check_monomials(const State& state);

}  // namespace glimpse
