#include "lab/polynomials/polynomial_method.h"

#include <doctest/doctest.h>

namespace glimpse::polynomial_method_test {

TEST_CASE("names of methods are read as they are written") {
  CHECK(paper_methods().size() == 14);
  for (const PolynomialMethod& method : paper_methods()) {
    const auto parsed = parse_polynomial_method(name_of(method));
    REQUIRE(parsed.has_value());
    CHECK(*parsed == method);
  }
  CHECK(name_of({Expander::kApple, 0.125}) == "apple-0.125");
  CHECK(name_of({Expander::kLin, 1, true}) == "bigram");
  CHECK(parse_polynomial_method("bigram+apple-0.25")->bigrams);
}

TEST_CASE("what is no method is an error that lists them") {
  for (const char* name : {"", "apple", "apple-", "apple-0", "apple-nan", "quads", "ssm-x", "bigram+"}) {
    const auto parsed = parse_polynomial_method(name);
    REQUIRE(parsed.has_error());
    CHECK(parsed.error().message.find("lin, quad, cubic") != std::string::npos);
  }
}

}  // namespace glimpse::polynomial_method_test
