#include "lab/polynomials/polynomial_summary.h"

#include <cmath>
#include <doctest/doctest.h>

#include "lab/polynomials/paper_table.h"
#include "lab/polynomials/polynomial_method.h"
#include "lab/polynomials/polynomial_page.h"

namespace glimpse::polynomial_summary_test {
namespace {

PolynomialRow row(const char* set, const std::string& method, std::uint64_t seed, double error,
                  double seconds) {
  PolynomialRow result;
  result.set = set;
  result.method = method;
  result.seed = seed;
  result.error = error;
  result.seconds = seconds;
  return result;
}

TEST_CASE("relative error and time are those of the paper's equation 2, of the means over the runs") {
  const std::vector<PolynomialRow> rows{
      row("a", "lin", 1, 0.3, 1),      row("a", "quad", 1, 0.2, 2),      row("a", "cubic", 1, 0.1, 40),
      row("a", "lin", 2, 0.5, 3),      row("a", "quad", 2, 0.2, 2),      row("a", "cubic", 2, 0.1, 40),
      row("a", "apple-1", 1, 0.04, 9), row("a", "apple-1", 2, 0.04, 11), row("a", "apple-0.5", 1, 0.2, 4)};
  const auto sets = summarise(rows);
  REQUIRE(sets.size() == 1);
  CHECK(sets[0].find("lin")->error == doctest::Approx(0.4));
  CHECK(sets[0].find("lin")->error_deviation == doctest::Approx(std::sqrt(0.02)));
  CHECK(*sets[0].relative_error("lin") == doctest::Approx(1));
  CHECK(*sets[0].relative_error("quad") == doctest::Approx(1 / 3.0));
  CHECK(*sets[0].relative_error("apple-1") == doctest::Approx(-0.2));
  CHECK(*sets[0].relative_time("apple-1") == doctest::Approx(5));
  CHECK(sets[0].find("apple-best")->method == "apple-1");
  CHECK_FALSE(sets[0].relative_error("ssm-1").has_value());
}

TEST_CASE("where the baselines are equal there is no relative error") {
  const std::vector<PolynomialRow> rows{row("a", "lin", 1, 0.1, 1), row("a", "quad", 1, 0.1, 1),
                                        row("a", "cubic", 1, 0.1, 1)};
  CHECK_FALSE(summarise(rows)[0].relative_error("lin").has_value());
}

TEST_CASE("quantiles are interpolated") {
  CHECK(quantile({4, 1, 3, 2}, 0.5) == doctest::Approx(2.5));
  CHECK(quantile({1, 2, 3, 4, 5}, 0.25) == doctest::Approx(2));
  CHECK(std::isnan(quantile({}, 0.5)));
}

TEST_CASE("rows are read as they were written") {
  PolynomialRow one = row("a", "apple-0.125", 3, 0.25, 1.5);
  one.features = 12.5;
  one.slots = 40;
  const auto back = parse_polynomial_rows(std::string(polynomial_header()) + to_csv({one, one}));
  REQUIRE(back.has_value());
  REQUIRE(back->size() == 2);
  CHECK((*back)[1].method == "apple-0.125");
  CHECK((*back)[1].error == 0.25);
  CHECK((*back)[1].slots == 40);
  const std::string text = to_csv({one});
  for (std::size_t n = 1; n < text.size(); ++n) CHECK(parse_polynomial_rows(text.substr(0, n)).has_error());
}

// The paper's own numbers, as if they were ours: α rises as its columns stand, or against them.
std::vector<PolynomialRow> paper_as_ours(bool reversed) {
  const PaperRow& paper = *find_paper_row("letter");
  std::vector<PolynomialRow> rows;
  const char* const baselines[] = {"lin", "quad", "cubic"};
  for (std::size_t b = 0; b < 3; ++b)
    rows.push_back(row("letter", baselines[b], 1, paper.errors[b], paper.seconds[b]));
  for (std::size_t a = 0; a < 5; ++a) {
    const std::size_t column = 3 + (reversed ? a : 4 - a);
    rows.push_back(row("letter", name_of({Expander::kApple, kExponents[a]}), 1, paper.errors[column],
                       paper.seconds[column]));
  }
  return rows;
}

TEST_CASE("distances tell in which order the paper's columns are") {
  const auto as_headed = summarise(paper_as_ours(false));
  CHECK(time_distance(as_headed[0]).as_headed == doctest::Approx(0));
  CHECK(time_distance(as_headed[0]).reversed > 0.5);
  const auto reversed = summarise(paper_as_ours(true));
  CHECK(error_distance(reversed[0]).reversed == doctest::Approx(0));
  CHECK(error_distance(reversed[0]).as_headed > 0.05);
  CHECK(std::isnan(time_distance({"bike_hour", {}}).as_headed));
}

TEST_CASE("the paper's claims are those of its columns reversed") {
  std::size_t headed = 0;
  std::size_t reversed = 0;
  for (const PaperRow& paper : paper_rows()) {
    const auto [least, most] = std::minmax({paper.errors[0], paper.errors[1], paper.errors[2]});
    headed += paper.errors[3] - least < 0.5 * (most - least) ? 1 : 0;
    reversed += paper.errors[7] - least < 0.5 * (most - least) ? 1 : 0;
  }
  CHECK(headed == 15);
  CHECK(reversed == 26);  // "26 out of the 30 datasets for the setting α = 1"
}

TEST_CASE("the page and the table name every set and method") {
  const auto sets = summarise(paper_as_ours(true));
  const std::string csv = summary_csv(sets);
  CHECK(csv.find("letter,apple-0.25,1,") != std::string::npos);
  const std::string page = polynomial_page(sets);
  CHECK(page.find("| letter | 0.227 | 0.192 | 0.169 |") != std::string::npos);
  CHECK(page.find("| *paper* | 0.227 | 0.192 | 0.169 |") != std::string::npos);
  CHECK(page.find("| relative error below .5, α = 1 | 26 | 1 of 1 |") != std::string::npos);
}

}  // namespace
}  // namespace glimpse::polynomial_summary_test
