#include "daemon/predictions/class_prediction.h"

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace glimpse::class_prediction_test {
namespace {

const std::vector<double> kScores{0.5, -1, 2};
const std::vector<double> kProbabilities{0.25, 0.125, 0.625};
const std::vector<std::string> kNames{"red", "light green", "a:b"};
const ClassPrediction kPrediction{kScores, kProbabilities, 2};

std::string reply(const ClassPrediction& prediction, PredictAs as) {
  std::string text;
  append_reply(text, prediction, kNames, as);
  return text;
}

TEST_CASE("names that would divide a line are JSON strings on it") {
  CHECK(class_text("red") == "red");
  CHECK(class_text("größe") == "größe");
  CHECK(class_text("light green") == R"("light green")");
  CHECK(class_text("a:b") == R"("a:b")");
  CHECK(class_text("\"x") == R"("\"x")");
  CHECK(class_text("a\tb") == R"("a\tb")");
  CHECK(class_text("") == R"("")");
}

TEST_CASE("a reply is the likeliest class and its probability, or the numbers of all") {
  CHECK(reply(kPrediction, PredictAs::kLabel) == R"("a:b" 0.625)");
  CHECK(reply(kPrediction, PredictAs::kProbabilities) == R"(red:0.25 "light green":0.125 "a:b":0.625)");
  CHECK(reply(kPrediction, PredictAs::kScores) == R"(red:0.5 "light green":-1 "a:b":2)");
  CHECK(reply({}, PredictAs::kLabel) == "?");
  CHECK(reply({}, PredictAs::kScores) == "?");
}

TEST_CASE("the margin is log of the probability over the next likely one's") {
  CHECK(kPrediction.margin() == doctest::Approx(std::log(0.625 / 0.25)));
  const std::vector<double> one{1.0};
  CHECK(std::isinf(ClassPrediction{one, one, 0}.margin()));
}

TEST_CASE("the Brier score is 0 for certain and right, 2 for certain and wrong, 1 more for a class unknown") {
  const std::vector<double> certain{0.0, 1.0};
  const ClassPrediction prediction{certain, certain, 1};
  CHECK(prediction.brier(1) == 0);
  CHECK(prediction.brier(0) == 2);
  CHECK(prediction.brier(7) == 2);
  CHECK(kPrediction.brier(0) == doctest::Approx(0.75 * 0.75 + 0.125 * 0.125 + 0.625 * 0.625));
}

TEST_CASE("records of blocks add up, with the numbers that are asked for") {
  ClassifiedRecords all;
  ClassifiedRecords block;
  add_to(block, kPrediction, PredictAs::kScores);
  all.append(block);
  all.append(block);
  CHECK(all.classes == 3);
  CHECK(all.probabilities == std::vector<double>{0.625, 0.625});
  CHECK(all.numbers == std::vector<double>{0.5, -1, 2, 0.5, -1, 2});
  add_to(block, kPrediction, PredictAs::kLabel);
  CHECK(block.numbers.size() == 3);
}

}  // namespace
}  // namespace glimpse::class_prediction_test
