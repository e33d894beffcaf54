#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>

#include "daemon/api/query.h"
#include "daemon/bodies/model_bodies.h"

namespace small_model_body_test {

using namespace glimpse;

namespace {

SmallModelSnapshot snapshot() {
  auto small = std::make_shared<SmallModel>();
  small->chosen = {2, 0};
  small->steps = {{{1}, {}, 1, 1500000, 0.5, 0.125}, {{2, 0}, {1}, 2, 3000000, 0.25, 0.0625}};
  small->model.weights = {0.5, 0, -1};
  small->model.bias = 2;
  small->loss_of_mean = 1;
  SmallModelSnapshot s;
  s.small = small;
  s.algorithm = "pairwise";
  s.examples = 9;
  s.attributes_revealed = 27;
  return s;
}

std::string refusal(std::string query) {
  HttpRequest request;
  request.query = std::move(query);
  ModelQuery read;
  const auto refused = read_model_query(request, {}, read);
  return refused ? std::to_string(refused->status) + refused->body : "";
}

}  // namespace

TEST_CASE("of labels whose squares are no numbers a small model has no losses") {
  const auto told = [](double loss) {
    SmallModelSnapshot s = snapshot();
    auto small = std::make_shared<SmallModel>(*s.small);
    small->loss_of_mean = loss;
    for (SmallModel::Step& step : small->steps) step.loss = step.loss_error = loss / 2;
    s.small = small;
    const std::string body = small_model_json(s);
    const bool is_told = body.find("\"loss\":null") == std::string::npos;
    CHECK(is_told == (body.find("\"loss_of_mean\":null") == std::string::npos));
    CHECK(is_told == (body.find("\"loss_error\":null") == std::string::npos));
    return is_told;
  };
  for (const double loss : {5e-324, 1e-200, 9e-141}) CHECK_FALSE(told(loss));
  for (const double loss : {0.0, 2e-140, 1.0, 1e60}) CHECK(told(loss));
}

TEST_CASE("a small model of one example has no losses, as one example leaves none to estimate") {
  SmallModelSnapshot s = snapshot();
  s.examples = 1;
  const std::string body = small_model_json(s);
  for (const char* const known : {"\"loss\":0", "\"loss\":2", "\"loss_error\":0", "\"loss_of_mean\":1"})
    CHECK(body.find(known) == std::string::npos);
  CHECK(body.find("\"loss_error\":null") != std::string::npos);
}

TEST_CASE("a small model is told with its weights by name, and the curve with what came and went") {
  SmallModelSnapshot s = snapshot();
  constexpr double kNone = std::numeric_limits<double>::infinity();
  s.bounds = {{1, 2}, {-4, -5}, {4, kNone}, {3, kNone}, -kNone, 9};
  CHECK(small_model_json(s) ==
        "{\"algorithm\":\"pairwise\",\"examples\":9,\"attributes_revealed\":27,\"age_seconds\":0E0,"
        "\"attributes\":[2,0],\"cost\":null,\"loss\":2.5E-1,\"loss_error\":6.25E-2,\"loss_of_mean\":1E0,"
        "\"bias\":2E0,\"weights\":{\"2\":-1E0,\"0\":5E-1},"
        "\"bounds\":{\"label\":[null,9E0],\"means\":[1E0,2E0],\"lows\":[-4E0,-5E0],\"highs\":[4E0,null],"
        "\"limits\":[3E0,null]},\"curve\":["
        "{\"attributes\":0,\"added\":[],\"removed\":[],\"features\":0,\"cost\":null,\"loss\":1E0,"
        "\"loss_error\":0},"
        "{\"attributes\":1,\"added\":[1],\"removed\":[],\"features\":1,\"cost\":null,\"loss\":5E-1,"
        "\"loss_error\":1.25E-1},"
        "{\"attributes\":2,\"added\":[2,0],\"removed\":[1],\"features\":2,\"cost\":null,"
        "\"loss\":2.5E-1,\"loss_error\":6.25E-2}]}\n");
  s.has_prices = true;
  s.names = {"age", "sex", "bmi"};
  const std::string named = small_model_json(s);
  CHECK(named.find("\"names\":[\"bmi\",\"age\"],\"cost\":3,") != std::string::npos);
  CHECK(named.find("\"weights\":{\"bmi\":-1E0,\"age\":5E-1}") != std::string::npos);
  CHECK(named.find("\"cost\":1.5E0") != std::string::npos);
  CHECK(named.find("\"added_names\":[\"bmi\",\"age\"],\"removed_names\":[\"sex\"]") != std::string::npos);
  s.features = {{0, 0, {}, false, {}}, {1, 1, {}, false, {}}, {2, 2, "thin", true, {}}};
  CHECK(small_model_json(s).find("\"weights\":{\"bmi=thin\":-1E0,\"age\":5E-1}") != std::string::npos);
}

TEST_CASE("what is asked for a small model is from 1 to 256 attributes, a sum of money, or both") {
  HttpRequest request;
  request.query = "attributes=256&cost=7.27";
  ModelQuery query;
  REQUIRE(!read_model_query(request, {}, query));
  CHECK(query.small_model == SmallModelQuestion{256, 7270000});
  CHECK(query.wish.small_models.size() == 1);
  for (const char* bad : {"attributes=0", "attributes=257", "attributes=-1", "attributes=ten",
                          "attributes=3.5", "attributes=99999999999999999999"})
    CHECK(refusal(bad).find("must be a whole number from 1 to 256") != std::string::npos);
  CHECK(refusal("cost=0").find("invalid_cost") != std::string::npos);
  CHECK(refusal("cost=much").find("cost 'much'") != std::string::npos);
  CHECK(refusal("attributes=3&format=csv").find("is told as json, not as csv") != std::string::npos);
  CHECK(refusal("attributes=3&errors=true").find("errors are of the weights of the whole model") !=
        std::string::npos);
}

}  // namespace small_model_body_test
