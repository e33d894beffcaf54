#include "daemon/bodies/class_bodies.h"

#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include <boost/json.hpp>

namespace glimpse::class_bodies_test {
namespace {

HttpRequest asking(const std::string& query) {
  HttpRequest request;
  request.query = query;
  return request;
}

TEST_CASE("what is told of classes is label, probabilities or scores") {
  CHECK(*read_predict_as(asking("")) == PredictAs::kUsual);
  CHECK(*read_predict_as(asking("predict=label")) == PredictAs::kLabel);
  CHECK(*read_predict_as(asking("predict=scores&format=csv")) == PredictAs::kScores);
  CHECK(read_predict_as(asking("predict=all")).error().message ==
        "predict 'all' must be label, probabilities or scores");
}

TEST_CASE("an answer has names, probabilities, margins and what was asked for, and is JSON") {
  const std::vector<std::string> words{"a \"b\"",
                                       "gr\xc3\xb6\xc3\x9f"
                                       "e"};
  const auto names = class_names_json(words);
  ClassifiedRecords records;
  records.classes = 2;
  records.probabilities = {0.75, 1};
  records.margins = {1.5, std::numeric_limits<double>::infinity()};
  records.numbers = {0.75, 0.25, 0, 1};
  const auto body = [&](PredictAs as) {
    return boost::json::parse("{\"predictions\":[" + class_predictions_json({0, 1}, names, true) +
                              class_numbers_json(records, names, as) + "]}")
        .as_object();
  };
  const auto whole = body(PredictAs::kProbabilities);
  CHECK(whole.at("predictions").at(0).as_string() == "a \"b\"");
  CHECK(whole.at("classes").as_array().size() == 2);
  CHECK(whole.at("margins").at(1).is_null());
  CHECK(whole.at("probabilities").at(1).as_array().size() == 2);
  CHECK(whole.at("probabilities").at(0).at(0).as_double() == 0.75);
  CHECK(body(PredictAs::kScores).contains("scores"));
  CHECK_FALSE(body(PredictAs::kLabel).contains("probabilities"));
  CHECK(class_predictions_json({5}, names, false) == ",null");
}

TEST_CASE("too many numbers are refused with what to ask for") {
  const HttpResponse response = too_many_class_numbers(70000);
  CHECK(response.status == 413);
  CHECK(response.body.find("70000 for each example: ask with predict=label") != std::string::npos);
}

}  // namespace
}  // namespace glimpse::class_bodies_test
