#include <doctest/doctest.h>

#include "glimpsectl/reports/reports.h"

namespace explain_report_test {

using namespace glimpse;
using namespace glimpse::ctl;

TEST_CASE("a prediction is shown with what adds up to it") {
  std::uint64_t shown = 0;
  CHECK(explained_predictions(
            R"({"predictions":[1.5,0.5],"standard_errors":[0.25,null],"examples":9,"explanations":[
                {"at_means":0.5,"contributions":[
                  {"attribute":3,"name":"age","value":61,"contribution":1.25},
                  {"attribute":[0,3],"value":2,"contribution":-0.125}],
                 "rest":0.0625,"unknown":-0.1875,"clipped":0,"variance":{"noise":0.04,"unknown":0.0225}},
                {"at_means":0.5,"contributions":[],"rest":0,"unknown":0,"clipped":0,
                 "variance":{"noise":null,"unknown":0}}]})",
            shown)
            .value() ==
        "example 1: 1.5 ± 0.25; variance: 0.04 of noise, 0.0225 of what is not known\n"
        "contribution  attribute  value\n"
        "         0.5                    the prediction at the means\n"
        "        1.25          3     61  age\n"
        "      -0.125        0*3      2\n"
        "      0.0625                    the others\n"
        "     -0.1875                    what is expected of those that are not known\n"
        "\n"
        "example 2: 0.5 ± –; variance: – of noise, 0 of what is not known\n"
        "contribution  attribute  value\n"
        "         0.5                    the prediction at the means\n");
  CHECK(shown == 2);
}

TEST_CASE("answers of daemons that explain nothing are refused") {
  std::uint64_t shown = 0;
  for (const char* body : {R"({"predictions":[1]})", R"({"predictions":[1],"explanations":[]})", "[", "{}",
                           R"({"predictions":[1],"explanations":[{"at_means":1}]})"}) {
    const auto report = explained_predictions(body, shown);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::kCorrupt);
  }
  CHECK(shown == 0);
}

}  // namespace explain_report_test
