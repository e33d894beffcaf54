#include "glimpsectl/reports/class_reports.h"

#include <doctest/doctest.h>

#include "glimpsectl/reports/reports.h"

namespace glimpse::ctl::class_reports_test {
namespace {

TEST_CASE("a class and its probability are a line, as on stream doors") {
  CHECK(prediction_lines(R"({"predictions":["spam","a b",null],"classes":["spam","a b"],
                             "probability":[0.9,0.5,0],"margins":[2,0.1,null],"examples":3})")
            .value() == "spam 0.9\n\"a b\" 0.5\n?\n");
}

TEST_CASE("numbers of all classes are a line") {
  CHECK(prediction_lines(R"({"predictions":["b"],"classes":["a","b"],"probability":[0.75],"margins":[1],
                             "probabilities":[[0.25,0.75]],"examples":3})")
            .value() == "a:0.25 b:0.75\n");
  CHECK(prediction_lines(R"({"predictions":["b"],"classes":["a","x:y"],"probability":[0.75],"margins":[1],
                             "scores":[[-1,1e-05]],"examples":3})")
            .value() == "a:-1 \"x:y\":1e-05\n");
}

TEST_CASE("an answer whose lists do not agree is refused") {
  CHECK(prediction_lines(R"({"predictions":["b"],"classes":["a"],"probability":[]})").error().code ==
        ErrorCode::kCorrupt);
  CHECK(prediction_lines(R"({"predictions":["b"],"classes":["a"],"probability":[1],"scores":[[1,2]]})")
            .error()
            .code == ErrorCode::kCorrupt);
}

TEST_CASE("the status has confusion counts as a table, and means with their errors") {
  const std::string report =
      status_report(
          R"({"classes":{"count":2,"first":[{"name":"no","examples":3},{"name":"yes","examples":1}]},
                        "held_out_classes":{"error":0.25,"error_error":0.125,"confusion":[[2,1,0],[0,1000,0],[0,0,1]]}})")
          .value();
  CHECK_MESSAGE(report.find("0.25 ± 0.12") != std::string::npos, report);
  CHECK_MESSAGE(report.ends_with("held out: records of each class by the class that was predicted\n"
                                 " class  no    yes  others\n"
                                 "    no   2      1       0\n"
                                 "   yes   0  1,000       0\n"
                                 "others   0      0       1\n"),
                report);
  CHECK(status_report(R"({"held_out_classes":{"confusion":[[1]]}})").has_value());
}

}  // namespace
}  // namespace glimpse::ctl::class_reports_test
