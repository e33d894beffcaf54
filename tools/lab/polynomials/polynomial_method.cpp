#include "lab/polynomials/polynomial_method.h"

#include <fmt/format.h>

#include "data/text/number.h"

namespace glimpse {

namespace {

struct Name {
  std::string_view name;
  Expander expander;
};

constexpr Name kNames[] = {{"lin", Expander::kLin}, {"quad", Expander::kQuad}, {"cubic", Expander::kCubic}};

}  // namespace

std::string name_of(const PolynomialMethod& method) {
  const std::string_view front = method.bigrams ? "bigram+" : "";
  for (const auto& [name, expander] : kNames) {
    if (method.expander != expander) continue;
    return method.bigrams && expander == Expander::kLin ? "bigram" : fmt::format("{}{}", front, name);
  }
  return fmt::format("{}{}-{}", front, method.expander == Expander::kApple ? "apple" : "ssm",
                     method.exponent);
}

Result<PolynomialMethod> parse_polynomial_method(std::string_view text) {
  PolynomialMethod method;
  std::string_view rest = text;
  if (rest == "bigram") {
    method.bigrams = true;
    return method;
  }
  if (rest.starts_with("bigram+")) {
    method.bigrams = true;
    rest.remove_prefix(7);
  }
  for (const auto& [name, expander] : kNames) {
    if (rest != name) continue;
    method.expander = expander;
    return method;
  }
  const std::size_t dash = rest.find('-');
  const std::string_view name = rest.substr(0, dash);
  if ((name == "apple" || name == "ssm") && dash != std::string_view::npos &&
      read_number(rest.substr(dash + 1), method.exponent) && method.exponent > 0 && method.exponent <= 4) {
    method.expander = name == "apple" ? Expander::kApple : Expander::kSsm;
    return method;
  }
  return failure(ErrorCode::kInvalidOption,
                 "'{}' is no method: lin, quad, cubic, bigram, apple-ALPHA or ssm-ALPHA, with 'bigram+' in "
                 "front or without",
                 text);
}

std::vector<PolynomialMethod> paper_methods() {
  std::vector<PolynomialMethod> methods{
      {Expander::kLin}, {Expander::kQuad}, {Expander::kCubic}, {Expander::kLin, 1, true}};
  for (const Expander expander : {Expander::kApple, Expander::kSsm})
    for (const double exponent : kExponents) methods.push_back({expander, exponent});
  return methods;
}

}  // namespace glimpse
