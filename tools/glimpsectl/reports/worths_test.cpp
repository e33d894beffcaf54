#include "glimpsectl/reports/worths.h"

#include <cmath>
#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

namespace worths_test {

using namespace glimpse::ctl;

namespace {

// A number, a date with two of its parts, two categories, a number that was never seen, and a product.
std::vector<Worth> worths() {
  return worths_of(boost::json::parse(R"({
    "names": ["a=b", "when: UTC", "when: UTC: Monday", "when: UTC: Tuesday", "sky=x=rain", "sky=x=sun", "c", "a=b*c"],
    "attributes": [0, 1, 1, 1, 2, 2, 3, [0, 3]],
    "weights": [-0.5, 1, 2, -3, 1, -1, 0, 4],
    "importances": [0.25, 0.75, 0.5, 0.5, 0.1, 0.1, null, 0.01],
    "importance_errors": [0.01, 0.02, 0.03, 0.03, 0.04, 0.04, null, 0.001],
    "categories": [{"attribute": 2, "name": "sky=x", "importance": 0.125, "importance_error": 0.05, "features": 2}]})")
                       .as_object());
}

}  // namespace

TEST_CASE("an attribute is worth what the model says that it is worth as a whole, and has its own name") {
  const auto all = worths();
  REQUIRE(all.size() == 5);
  CHECK(all[0].name == "when: UTC");
  CHECK(all[0].importance == 0.75);  // and not 1.75, the sum of its features
  CHECK(all[0].error == 0.02);
  CHECK(all[0].sign == 0);
  CHECK(all[1].name == "a=b");
  CHECK(all[1].importance == 0.25);
  CHECK(all[1].sign == -1);
  CHECK(all[2].name == "sky=x");
  CHECK(all[2].importance == 0.125);
  CHECK(all[2].error == 0.05);
  CHECK(all[2].sign == 0);
  CHECK(all[3].name == "a=b*c");
  CHECK(all[3].sign == 1);
  CHECK(all[4].name == "c");
  CHECK(std::isnan(all[4].importance));
}

TEST_CASE("what an attribute is worth is not reported where it is not known") {
  CHECK(worth_report(worths()).find("c             –\n") != std::string::npos);
  CHECK(worth_chart(worths()).bars.size() == 4);
}

}  // namespace worths_test
