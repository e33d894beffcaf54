#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// Which products of attributes a learner of ABHLT14 has, all over the same base learner.
enum class Expander {
  kLin,    ///< the attributes alone
  kQuad,   ///< all monomials up to degree 2
  kCubic,  ///< … 3
  kApple,  ///< products with parents of large weight (Algorithm 1)
  kSsm,    ///< parents by Ê[r²m²]/Ê[m²] of the residuals r in place of weights (§2.3)
};

struct PolynomialMethod {
  Expander expander = Expander::kLin;
  double exponent = 1;   ///< α of apple and ssm
  bool bigrams = false;  ///< products of neighbours are attributes as well

  friend bool operator==(const PolynomialMethod&, const PolynomialMethod&) = default;
};

/// The values of α in the paper's tables.
inline constexpr double kExponents[] = {0.125, 0.25, 0.5, 0.75, 1};

/// "lin", "quad", "cubic", "bigram" (lin with bigrams), "apple-0.125", "ssm-1", "bigram+apple-0.25".
std::string name_of(const PolynomialMethod& method);
/// What name_of() gives. Errors: kInvalidOption.
Result<PolynomialMethod> parse_polynomial_method(std::string_view name);

/// lin, quad, cubic, bigram, and apple and ssm with each of kExponents.
std::vector<PolynomialMethod> paper_methods();

}  // namespace glimpse
