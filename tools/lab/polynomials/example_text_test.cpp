#include "lab/polynomials/example_text.h"

#include <cmath>
#include <doctest/doctest.h>

#include "lab/lab_test_support.h"
#include "lab/polynomials/paper_table.h"
#include "lab/polynomials/polynomial_sets.h"

namespace glimpse::example_text_test {
namespace {

std::string lines_of(const ExampleText& text) {
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) lines += std::string(text.line(i)) + "\n";
  return lines;
}

TEST_CASE("words of a table are attributes that are 0 or 1, zeros and what is missing are not there") {
  const auto text = parse_examples("y,colour,size\n5,red,2\n6,blue,0\n7,red,?\n8,?,0.1\n", "t.csv", {"y"});
  REQUIRE(text.has_value());
  CHECK(lines_of(*text) == "5 1:1 2:2\n6 3:1\n7 1:1\n8 2:0.1\n");
  CHECK(text->dimension() == 3);
  const auto words = parse_examples("1,-1.87,0.5\n-1,0.9,0.5\n1,-1.87,2\n", "t.csv", {"#1", true});
  REQUIRE(words.has_value());
  CHECK(lines_of(*words) == "1 1:1 2:1\n-1 2:1 3:1\n1 1:1 4:1\n");
}

TEST_CASE("svmlight is taken as it is, without zeros") {
  const auto text = parse_examples("+1 3:1 7:0 9:0.5\n-1 1:2\n", "t.svm", {});
  REQUIRE(text.has_value());
  CHECK(lines_of(*text) == "1 3:1 9:0.5\n-1 1:2\n");
  CHECK(text->dimension() == 9);
}

TEST_CASE("errors name the file and the line") {
  const auto bad = parse_examples("1,2,3\n1,x,3\n", "t.csv", {});
  CHECK(bad.has_value());  // a word
  const auto wide = parse_examples("1,2,3\n1,2,3,4,5\n", "t.csv", {});
  REQUIRE(wide.has_error());
  CHECK(wide.error().message.starts_with("t.csv, line 2: "));
  CHECK(parse_examples("", "t.csv", {}).error().message == "t.csv has no examples");
  CHECK(parse_examples("1 0:1\n", "t.svm", {}).has_error());
}

TEST_CASE("half of all hands of poker are nothing, as they should be") {
  const ExampleText hands = poker_hands(100000, 3);
  double nothing = 0;
  for (std::size_t i = 0; i < hands.size(); ++i) nothing += hands.label(i) > 0 ? 1 : 0;
  // 1,302,540 of 2,598,960 hands; four standard deviations.
  CHECK(std::abs(nothing / 100000 - 0.501177) < 4 * 0.5 / std::sqrt(100000.0));
  CHECK(hands.dimension() == 10);
}

TEST_CASE("sets at hand are those of the paper") {
  const char* folder = data_folder("GLIMPSE_DATA");
  if (folder == nullptr) return;
  for (const PolynomialSet& set : polynomial_sets()) {
    const PaperRow* paper = find_paper_row(set.name);
    if (paper == nullptr || set.file.empty() || set.name == "covtype") continue;
    CAPTURE(set.name);
    const auto text = load_set(set, {folder});
    if (!text && text.error().code == ErrorCode::kNotFound) continue;  // not of that folder
    REQUIRE(text.has_value());
    CHECK(text->dimension() == paper->attributes);
    if (set.name != "adult")  // whose publisher has a training file, of two thirds
      CHECK(std::abs(static_cast<double>(text->size()) - static_cast<double>(paper->examples)) <= 2);
    double entries = 0;
    std::vector<std::uint32_t> rows(text->size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
    REQUIRE(read_examples(*text, rows, [&](std::span<const Entry> e, double) {
              entries += static_cast<double>(e.size());
            }).has_value());
    CHECK(entries / static_cast<double>(text->size()) == doctest::Approx(paper->given).epsilon(0.01));
  }
}

}  // namespace
}  // namespace glimpse::example_text_test
