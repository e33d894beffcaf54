#include "learn/core/monomial_check.h"

#include <algorithm>
#include <vector>

namespace glimpse {

namespace {

constexpr std::uint8_t kMostFactors = 32;  // as Monomials has it

Error not_of(const char* name, auto... values) {
  std::string text;
  ((text += fmt::format("{}{}", text.empty() ? "" : " and ", values)), ...);
  return failure(ErrorCode::kCorrupt, "{} does not describe products of attributes: {}", name, text);
}

}  // namespace

std::optional<Attribute> added_factor(std::span<const Attribute> monomial,
                                      std::span<const Attribute> product) {
  if (product.size() != monomial.size() + 1) return std::nullopt;
  const auto at = static_cast<std::size_t>(
      std::mismatch(monomial.begin(), monomial.end(), product.begin()).first - monomial.begin());
  if (!std::ranges::equal(monomial.subspan(at), product.subspan(at + 1))) return std::nullopt;
  return product[at];
}

Result<MonomialArrays> check_monomials(const State& state, std::size_t attributes) {
  GLIMPSE_TRY_ASSIGN(const auto factors, state.get<std::uint32_t>("monomials.factors"));
  GLIMPSE_TRY_ASSIGN(const auto degrees, state.get<std::uint8_t>("monomials.degrees"));
  GLIMPSE_TRY_ASSIGN(const auto owners, state.get<std::uint32_t>("monomials.owners", degrees.size()));
  GLIMPSE_TRY_ASSIGN(const auto parents, state.get<std::uint32_t>("expansion.parents"));

  std::vector<std::size_t> begins{0};
  begins.reserve(degrees.size() + 1);
  for (const std::uint8_t degree : degrees) {
    if (degree < 2 || degree > kMostFactors || degree > factors.size() - begins.back())
      return not_of("monomials.degrees", degree);
    begins.push_back(begins.back() + degree);
  }
  if (begins.back() != factors.size()) return not_of("monomials.factors", factors.size(), begins.back());
  for (std::size_t at = 0; at < degrees.size(); ++at) {
    const auto product = factors.subspan(begins[at], degrees[at]);
    if (!std::ranges::is_sorted(product) || product.back() >= attributes)
      return not_of("monomials.factors", product.front(), product.back());
    const std::uint32_t owner = owners[at];
    if (owner >= attributes + at) return not_of("monomials.owners", owner);
    const auto made_of = owner < attributes
                             ? std::span<const std::uint32_t>(&owner, 1)
                             : factors.subspan(begins[owner - attributes], degrees[owner - attributes]);
    if (!added_factor(made_of, product)) return not_of("monomials.owners", owner);
  }
  for (const std::uint32_t parent : parents)
    if (parent >= attributes + degrees.size()) return not_of("expansion.parents", parent);
  return MonomialArrays{factors, degrees, owners};
}

Status check_monomials(const State& state) {
  const Tensor* attributes = state.find("moments.max_abs");
  if (state.find("monomials.degrees") == nullptr || attributes == nullptr) return {};
  GLIMPSE_TRY(check_monomials(state, attributes->count()));
  struct Bound {
    const char* name;
    double least;
  };
  for (const auto& [name, least] :
       {Bound{"expansion.squares", 0}, Bound{"expansion.scales", 0}, Bound{"expansion.seconds", 0},
        Bound{"expansion.sums", 0}, Bound{"expansion.losses", 0}, Bound{"expansion.averages", 1}})
    if (const auto values = state.get<double>(name); values)
      for (const double value : *values)
        if (!(value >= least))
          return failure(ErrorCode::kCorrupt, "{} holds {}, must be from {}", name, value, least);
  return {};
}

}  // namespace glimpse
