#include "daemon/bodies/explanation_bodies.h"

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "daemon/api/http_bodies.h"

namespace explanation_bodies_test {

using namespace glimpse;

namespace {

Result<std::size_t> read(std::string query) {
  HttpRequest request;
  request.query = std::move(query);
  return read_explain(request);
}

}  // namespace

TEST_CASE("how many parts are told is from 1 to 1000, 20 where nothing is said, and none without explain") {
  CHECK(read("").value() == 0);
  CHECK(read("explain=false").value() == 0);
  CHECK(read("explain=true").value() == 20);
  CHECK(read("explain=true&top=1000").value() == 1000);
  for (const char* query : {"explain=1", "top=5", "explain=false&top=5", "explain=true&top=0",
                            "explain=true&top=1001", "explain=true&top=-1", "explain=true&top=x"})
    CHECK(read(query).error().code == ErrorCode::kInvalidOption);
}

TEST_CASE("a request is bounded by the features that are gone through and by the parts") {
  CHECK(most_explained(1, 1) == kMostExplainedParts);
  CHECK(most_explained(1000, 20) == 4000);
  CHECK(most_explained(0, 1000) == 200);
  CHECK(most_explained(100000000, 20) == 1);
}

TEST_CASE("parts are named by their features, and what is not known is null") {
  Explanation e;
  e.at_means = 0.5;
  e.parts = {{1, 2, 3}, {4, 1, -1}, {7, 6, 0.25}};
  e.rest = 0.125;
  e.noise = NAN;
  SlotNames names;
  names.names = {"", "age", "sex"};
  CHECK(with_explanations(predictions_json({1}, {}, 9), {e}, names) ==
        "{\"predictions\":[1],\"examples\":9,\"explanations\":[{\"at_means\":0.5,\"contributions\":["
        "{\"attribute\":1,\"name\":\"age\",\"value\":2,\"contribution\":3},"
        "{\"attribute\":4,\"value\":1,\"contribution\":-1},"
        "{\"attribute\":7,\"value\":6,\"contribution\":0.25}],\"rest\":0.125,\"unknown\":0,"
        "\"clipped\":0,\"variance\":{\"noise\":null,\"unknown\":0}}]}\n");
  names.features = {{1, 1, {}, false, {}}, {2, 4, "M", true, {}}, {1, 7, {}, false, {2}}};
  const std::string body = with_explanations(predictions_json({1}, {}, 9), {e}, names);
  CHECK(body.find("{\"attribute\":2,\"name\":\"sex=M\",\"value\":1") != std::string::npos);
  CHECK(body.find("{\"attribute\":[1,2],\"name\":\"age*sex\"") != std::string::npos);
}

}  // namespace explanation_bodies_test
