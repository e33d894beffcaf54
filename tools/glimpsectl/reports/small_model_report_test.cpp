#include "glimpsectl/reports/small_model_report.h"

#include <cstddef>
#include <doctest/doctest.h>
#include <string>

namespace small_model_report_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

constexpr const char* kAnswer =
    R"({"algorithm":"pairwise","examples":9,"attributes_revealed":27,"age_seconds":0,"attributes":[2,0],
        "names":["b&mi","age"],"cost":3,"loss":0.25,"loss_error":0.0625,"loss_of_mean":1,"bias":2,
        "weights":{"b&mi":-1,"age":0.5},"curve":[
          {"attributes":0,"added":[],"removed":[],"features":0,"cost":0,"loss":1,"loss_error":0},
          {"attributes":1,"added":[1],"removed":[],"added_names":["sex"],"removed_names":[],"features":1,
           "cost":1.5,"loss":0.5,"loss_error":0.125},
          {"attributes":2,"added":[2,0],"removed":[1],"added_names":["b&mi","age"],"removed_names":["sex"],
           "features":2,"cost":3,"loss":0.25,"loss_error":0.0625}]})";

}  // namespace

TEST_CASE("a small model is shown with its weights, and the curve as a table with bars") {
  const std::string report = small_model_report(kAnswer).value();
  CHECK(report.find("weight\n     2  bias\n    -1  b&mi\n   0.5  age\n") != std::string::npos);
  CHECK(report.find("attributes  added") != std::string::npos);
  CHECK(report.find("b&mi + age − sex") != std::string::npos);
  CHECK(report.find("0.25 ± 0.062") != std::string::npos);
  CHECK(report.find("0.5 ± 0.12     ████████████████████\n") != std::string::npos);
}

TEST_CASE("the picture has a point for each number of attributes, and names as text") {
  const std::string picture = small_model_picture(kAnswer).value();
  CHECK(picture.starts_with("<svg xmlns="));
  CHECK(picture.ends_with("</svg>\n"));
  std::size_t points = 0;
  for (std::size_t at = 0; (at = picture.find("<circle", at)) != std::string::npos; ++at) ++points;
  CHECK(points == 3);
  CHECK(picture.find("b&amp;mi + age") != std::string::npos);
}

TEST_CASE("losses that are not known are a dash in the table, and nothing is drawn of them") {
  std::string body = kAnswer;
  for (const char* known : {"\"loss\":0.25", "\"loss\":0.5", "\"loss\":1,", "\"loss_of_mean\":1"}) {
    const std::string name = std::string(known).substr(0, std::string(known).find(':'));
    for (std::size_t at = 0; (at = body.find(known, at)) != std::string::npos; ++at)
      body.replace(at, std::string(known).size(),
                   name + ":null" + (std::string(known).back() == ',' ? "," : ""));
  }
  const auto report = small_model_report(body);
  REQUIRE(report.has_value());
  CHECK(report->find("b&mi + age − sex     3  –") != std::string::npos);
  CHECK(report->find("nan") == std::string::npos);
  CHECK(small_model_picture(body).error().message.find("a loss is not known") != std::string::npos);
}

TEST_CASE("answers that are no small model are refused") {
  for (const char* body : {"[", "{}", "[]", R"({"curve":3})", R"({"curve":[{"loss":"x"}]})"}) {
    CHECK(small_model_report(body).error().code == ErrorCode::kCorrupt);
    CHECK(small_model_picture(body).error().code == ErrorCode::kCorrupt);
  }
}

}  // namespace small_model_report_test
