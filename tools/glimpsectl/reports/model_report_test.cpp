#include "glimpsectl/reports/model_report.h"

#include <doctest/doctest.h>

namespace model_report_test {

using namespace glimpse;
using namespace glimpse::ctl;

TEST_CASE("the model shows its origin and what is worth most to it, with errors and names") {
  CHECK(model_report(R"({"names":["age","größe","c","d"],"algorithm":"pairwise","bias":0.5,
                        "weights":[0.1,-3,2.00000001,0],"importances":[0.25,0.0625,0.125,0],
                        "importance_errors":[0.01,0.002,null,0.003],"examples":1000})",
                     3)
            .value() ==
        "algorithm  pairwise\n"
        "bias       0.5\n"
        "examples   1,000\n"
        "\n"
        "most important (3 of 4); importance: share of the label's variance\n"
        "attribute  importance      weight  name\n"
        "        0  0.25 ± 0.01        0.1  age\n"
        "        2  0.125                2  c\n"
        "        1  0.0625 ± 0.002      -3  größe\n");
}

TEST_CASE("weights that came with errors are shown with these and their intervals") {
  CHECK(model_report(R"({"weights":[2,-3],"importances":[0.25,null],"importance_errors":[0.01,null],
                        "interval":0.9,"weight_errors":[0.5,null],"weight_lows":[1.1776,null],
                        "weight_highs":[2.8224,null]})",
                     2)
            .value() ==
        "\nmost important (2 of 2); importance: share of the label's variance\n"
        "attribute  importance   weight   90 % interval\n"
        "        0  0.25 ± 0.01  2 ± 0.5  1.178 to 2.822\n"
        "        1  –            -3       –\n");
}

TEST_CASE("attributes of unknown importance come last, by the size of their weights") {
  const char* const rows =
      "attribute  importance  weight\n"
      "        2  0.1              2\n"
      "        1  –               -3\n"
      "        3  –                1\n"
      "        0  –                0\n";
  CHECK(model_report(R"({"weights":[0,-3,2,1],"importances":[null,null,0.1,null],
                        "importance_errors":[null,null,null,null]})",
                     20)
            .value()
            .ends_with(rows));
}

TEST_CASE("a model without importances, as older daemons answer, is shown by its weights") {
  CHECK(model_report(R"({"weights":[1,2]})", 20).value() ==
        "\nmost important (2 of 2); importance: share of the label's variance\n"
        "attribute  importance  weight\n"
        "        1  –                2\n"
        "        0  –                1\n");
}

TEST_CASE("a model with categories shows the attribute of each feature") {
  CHECK(model_report(R"({"algorithm":"pairwise","dimension":2,"weights":[0.5,-3,2],
                        "importances":[0.1,0.3,0.2],"importance_errors":[0.01,0.02,0.03],
                        "names":["age","sex=M","sex=F"],"attributes":[0,1,1]})",
                     2)
            .value()
            .ends_with("attribute  importance  weight  name\n"
                       "        1  0.3 ± 0.02      -3  sex=M\n"
                       "        1  0.2 ± 0.03       2  sex=F\n"));
}

TEST_CASE("an attribute of categories is a row as well, with what all of them are worth") {
  const char* const body = R"({"dimension":2,"weights":[0.5,-3,2],"importances":[0.35,0.3,0.2],
                              "importance_errors":[0.01,0.02,0.03],"names":["age","sex=M","sex=F"],
                              "attributes":[0,1,1],"categories":[{"attribute":1,"name":"sex","importance":0.4,
                              "importance_error":0.05,"features":2}]})";
  CHECK(model_report(body, 3).value().ends_with(
      "most important (3 of 4); importance: share of the label's variance\n"
      "attribute  importance   weight  name\n"
      "        1  0.4 ± 0.05        –  sex (2 categories)\n"
      "        0  0.35 ± 0.01     0.5  age\n"
      "        1  0.3 ± 0.02       -3  sex=M\n"));
  CHECK(model_report(R"({"weights":[1],"categories":[{"importance":1}]})", 3).error().code ==
        ErrorCode::kCorrupt);
}

TEST_CASE("a product shows its attributes and their names") {
  CHECK(model_report(R"({"algorithm":"apple","dimension":2,"weights":[0.5,-3,2],
                        "importances":[0.1,0.3,0.2],"importance_errors":[null,null,null],
                        "names":["hr","temp","hr*temp"],"attributes":[0,1,[0,1]]})",
                     2)
            .value()
            .ends_with("attribute  importance  weight  name\n"
                       "        1  0.3             -3  temp\n"
                       "      0*1  0.2              2  hr*temp\n"));
  CHECK(model_report(R"({"weights":[1],"importances":[1],"attributes":[[]]})", 1).error().code ==
        ErrorCode::kCorrupt);
}

TEST_CASE("a model that is something else is refused with the reason") {
  for (const char* bad : {"", "[]", "hello", "{", "{\"x\":1}"}) {
    CAPTURE(bad);
    CHECK(model_report(bad, 3).error().code == ErrorCode::kCorrupt);
  }
  CHECK(model_report(R"({"weights":[1,"x"]})", 3).error().message == "'\"x\"' is not a number");
  CHECK(model_report(R"({"weights":[1,2],"importances":[1]})", 3).error().message ==
        "it has 2 weights, but 1 importances");
  CHECK_FALSE(model_report(R"({"weights":[1],"importances":[1],"importance_errors":[{}]})", 3).has_value());
}

}  // namespace model_report_test
