#include "daemon/api/http_bodies.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include <boost/json.hpp>

#include "base/date_parts.h"
#include "daemon/bodies/model_bodies.h"
#include "learn/pairwise/pairwise.h"

namespace http_bodies_test {

using namespace glimpse;

namespace {

ModelSnapshot some_model() {
  ModelSnapshot snapshot;
  snapshot.model = std::make_shared<const Model>(Model{{0.1, -2, 1e-300}, 1.0 / 3});
  snapshot.algorithm = "aerr";
  snapshot.examples = 5;
  snapshot.attributes_revealed = 10;
  snapshot.age_seconds = 1.5;
  return snapshot;
}

}  // namespace

TEST_CASE("numbers of a model come back as the same doubles") {
  const ModelSnapshot snapshot = some_model();
  CHECK(model_json(snapshot) ==
        "{\"algorithm\":\"aerr\",\"dimension\":3,\"examples\":5,\"attributes_revealed\":10,"
        "\"age_seconds\":1.5,\"bias\":0.3333333333333333,\"weights\":[0.1,-2,1e-300],"
        "\"importances_from\":null,\"importances\":[null,null,null],\"importance_errors\":[null,null,null],"
        "\"bounds\":{\"label\":[null,null]}}\n");
  CHECK(model_csv(snapshot) ==
        "attribute,name,weight,importance,importance_error\nbias,,0.3333333333333333,,\n0,,0.1,,\n1,,-2,,\n"
        "2,,1e-300,,\n");
}

TEST_CASE("importances are beside the weights, and what is not known is null or an empty field") {
  ModelSnapshot snapshot = some_model();
  snapshot.importances =
      std::make_shared<const Importances>(Importances{{0.25, NAN, 1e-9}, {0.125, NAN, INFINITY}});
  snapshot.importances_from = "moments";
  CHECK(model_json(snapshot).ends_with(
      "\"importances_from\":\"moments\",\"importances\":[0.25,null,1e-09],\"importance_errors\":[0.125,null,"
      "null],\"bounds\":{\"label\":[null,null]}}\n"));
  CHECK(model_csv(snapshot).ends_with("\n0,,0.1,0.25,0.125\n1,,-2,,\n2,,1e-300,1e-09,\n"));
}

TEST_CASE("errors of weights are there where they were asked for, with the ends of intervals") {
  ModelSnapshot snapshot = some_model();
  snapshot.has_errors = true;
  CHECK(model_json(snapshot).ends_with(
      ",\"interval\":0.9,\"weight_errors\":[null,null,null],\"weight_lows\":[null,null,null],"
      "\"weight_highs\":[null,null,null],\"bounds\":{\"label\":[null,null]}}\n"));
  snapshot.weight_errors = std::make_shared<const std::vector<double>>(std::vector<double>{1, NAN, 0});
  const auto model = boost::json::parse(model_json(snapshot));
  CHECK(model.at("weight_errors").at(0).to_number<double>() == 1);
  CHECK(model.at("weight_lows").at(0).to_number<double>() == doctest::Approx(0.1 - 1.64485));
  CHECK(model.at("weight_highs").at(0).to_number<double>() == doctest::Approx(0.1 + 1.64485));
  CHECK(model.at("weight_lows").at(1).is_null());
  const std::string csv = model_csv(snapshot);
  CHECK(csv.starts_with(
      "attribute,name,weight,importance,importance_error,weight_error,weight_low,weight_high\n"
      "bias,,0.3333333333333333,,,,,\n0,,0.1,,,1,-1.54"));
  CHECK(csv.ends_with("1,,-2,,,,,\n2,,1e-300,,,0,1e-300,1e-300\n"));
}

TEST_CASE("names are quoted as JSON and CSV need it") {
  ModelSnapshot snapshot = some_model();
  snapshot.names = {"plain", "a \"b\", c"};
  const auto names = boost::json::parse(model_json(snapshot)).at("names").as_array();
  CHECK(names.at(1).as_string() == "a \"b\", c");
  CHECK(model_csv(snapshot).find("1,\"a \"\"b\"\", c\",-2,,\n2,,1e-300,,\n") != std::string::npos);
}

TEST_CASE("a model with categories lists features, by name, with the attribute of each") {
  ModelSnapshot snapshot = some_model();
  snapshot.model = std::make_shared<const Model>(Model{{0.5, 0, 2, -1, 0}, 1});  // there is room for one more
  snapshot.names = {"age", "sex"};
  snapshot.dimension = 2;
  snapshot.features = {{0, 0, {}, false, {}}, {1, 3, "F", true, {}}, {1, 2, "M, \"x\"", true, {}}};
  CHECK(model_json(snapshot) ==
        "{\"algorithm\":\"aerr\",\"dimension\":2,\"examples\":5,\"attributes_revealed\":10,"
        "\"age_seconds\":1.5,\"bias\":1,\"weights\":[0.5,-1,2],\"importances_from\":null,"
        "\"importances\":[null,null,null],\"importance_errors\":[null,null,null],"
        "\"bounds\":{\"label\":[null,null]},\"names\":[\"age\",\"sex=F\",\"sex=M, "
        "\\\"x\\\"\"],\"attributes\":[0,1,1],"
        "\"categories\":[{\"attribute\":1,\"name\":\"sex\",\"importance\":null,\"importance_error\":null,"
        "\"features\":2}]}\n");
  snapshot.importances = std::make_shared<const Importances>(
      Importances{{0.25, 0.5, 0.125, 0.375, NAN}, {0.25, 0.0625, 0.125, 0.125, NAN}});
  CHECK(model_json(snapshot).find("\"importances\":[0.25,0.375,0.125]") != std::string::npos);
  CHECK(
      model_json(snapshot).ends_with("\"categories\":[{\"attribute\":1,\"name\":\"sex\",\"importance\":5E-1,"
                                     "\"importance_error\":6.25E-2,\"features\":2}]}\n"));
  snapshot.importances = nullptr;
  CHECK(model_csv(snapshot) ==
        "attribute,name,weight,importance,importance_error\nbias,,1,,\n0,age,0.5,,\n1,sex=F,-1,,\n1,\"sex=M, "
        "\"\"x\"\"\",2,,\n");
  snapshot.names.clear();
  CHECK(model_csv(snapshot).find("\n0,0,0.5,,\n1,1=F,-1,,\n") != std::string::npos);
}

TEST_CASE("the features of a date are called by its parts") {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = 2;
  options.budget = 2;
  Pairwise learner(options);
  learner.make_date(1, DatePart::kWeekday | DatePart::kHour);
  Plan plan;
  plan.attributes = {0, 1};
  for (const double when : {4 + 7.0 / 24, 9 + 23.5 / 24}) {  // a Monday at 7, a Saturday at 23:30
    const double values[] = {1, when};
    const double label[] = {when};
    learner.learn(plan, values, label, 1);
  }
  const auto model = learner.shared_model();
  std::vector<std::string> names;
  for (const ModelFeature& feature : features_of_model(learner, *model, Categories()))
    names.push_back(feature_name({"a", "when"}, feature));
  CHECK(names == std::vector<std::string>{"a", "when", "when: Monday", "when: Saturday", "when: hour 7",
                                          "when: hour 23"});
}

TEST_CASE("products are named by their attributes and powers, and have lists of attributes") {
  ModelSnapshot snapshot = some_model();
  snapshot.model = std::make_shared<const Model>(Model{{1, 2, 3, 4, 5}, 0});
  snapshot.names = {"age", "bmi"};
  snapshot.dimension = 2;
  snapshot.features = {{0, 0, {}, false, {}},
                       {1, 1, {}, false, {}},
                       {0, 2, {}, false, {1}},
                       {0, 3, {}, false, {0, 1}},
                       {1, 4, {}, false, {1, 1}}};
  const std::string text = model_json(snapshot);
  CHECK(
      text.ends_with("\"names\":[\"age\",\"bmi\",\"age*bmi\",\"age^2*bmi\",\"bmi^3\"],"
                     "\"attributes\":[0,1,[0,1],[0,0,1],[1,1,1]]}\n"));
  CHECK(text.find("\"dimension\":2,") != std::string::npos);
  CHECK(
      model_csv(snapshot).ends_with("\n1,bmi,2,,\n0*1,age*bmi,3,,\n0*0*1,age^2*bmi,4,,\n1*1*1,bmi^3,5,,\n"));
  const std::string tensors = model_safetensors(snapshot, "1").value();
  CHECK(tensors.find("\"degrees\":{\"dtype\":\"U32\",\"shape\":[5]") != std::string::npos);
  CHECK(tensors.find("\"attributes\":{\"dtype\":\"U32\",\"shape\":[10]") != std::string::npos);
  snapshot.names.clear();
  CHECK(model_csv(snapshot).ends_with("\n1*1*1,1^3,5,,\n"));
}

TEST_CASE("what is not known yet is null in the status") {
  Statistics statistics;
  Door one;
  one.name = "tcp:x";
  one.parse_errors = 2;
  statistics.doors = {one, one};
  const auto status =
      boost::json::parse(status_json(statistics, CheckpointStatus(), {7, 1.5, 0, "1"})).as_object();
  CHECK(status.at("progressive_loss").is_null());
  CHECK(status.at("clip").as_string() == "auto");
  CHECK(status.at("label_min").is_null());
  CHECK(status.at("label_max").is_null());
  CHECK(status.at("checkpoint_age_seconds").is_null());
  CHECK(status.at("checkpoint_pause_seconds").is_null());
  CHECK(status.at("checkpoint_duration_seconds").is_null());
  CHECK(status.at("parse_errors").to_number<int>() == 4);
  CHECK(status.at("queue_bytes").to_number<int>() == 7);
  CHECK(status.at("attribute_grid").is_null());
}

TEST_CASE("the status tells of the picture that attributes are") {
  ServerFacts facts;
  facts.grid = AttributeGrid{3, 2};
  const auto status = boost::json::parse(status_json(Statistics(), CheckpointStatus(), facts));
  CHECK(boost::json::serialize(status.at("attribute_grid")) == R"({"columns":3,"rows":2})");
}

TEST_CASE("the status tells how predictions are clipped, and the labels seen") {
  Statistics statistics;
  statistics.clip = {Clip::Kind::kRange, 0, 1};
  statistics.labels.add(-0.5);
  statistics.labels.add(3);
  const auto status = boost::json::parse(status_json(statistics, CheckpointStatus(), {})).as_object();
  CHECK(status.at("clip").as_string() == "0:1");
  CHECK(status.at("label_min").to_number<double>() == -0.5);
  CHECK(status.at("label_max").to_number<double>() == 3);
}

TEST_CASE("the status tells of the model: nothing before the first, age 0 while it lacks nothing") {
  Statistics statistics;
  const auto field = [&](const char* name) {
    ServerFacts facts;
    facts.now_seconds = 100;
    return boost::json::parse(status_json(statistics, CheckpointStatus(), facts)).at(name);
  };
  CHECK(field("model_examples").is_null());
  CHECK(field("model_age_seconds").is_null());
  CHECK(field("solve_seconds").is_null());
  statistics.counts.examples = 7;
  statistics.solve_seconds = 0.25;
  statistics.model = ModelFacts{7, 14, std::chrono::steady_clock::time_point(std::chrono::seconds(90))};
  CHECK(field("model_examples").to_number<int>() == 7);
  CHECK(field("model_age_seconds").to_number<double>() == 0);
  CHECK(field("solve_seconds").to_number<double>() == 0.25);
  statistics.counts.examples = 8;
  CHECK(field("model_age_seconds").to_number<double>() == 10);
}

TEST_CASE("moments of an attribute that was never seen") {
  MomentsSnapshot snapshot;
  snapshot.rows.resize(1);
  snapshot.rows[0].probability = 1;
  CHECK(boost::json::parse(moments_json_head(1) + moments_json_rows(snapshot) + "]}\n")
            .at("moments")
            .as_array()
            .size() == 1);
  CHECK((moments_csv_head() + moments_csv_rows(snapshot))
            .starts_with("attribute,name,count,mean,second_moment,max_abs,probability\n0,,0,"));
}

TEST_CASE("answers to predict, learn and checkpoint are JSON") {
  CHECK(predictions_json({1, 0.5}, {}, 3) == "{\"predictions\":[1,0.5],\"examples\":3}\n");
  CHECK(predictions_json({1}, {0.5}, 3) ==
        "{\"predictions\":[1],\"standard_errors\":[0.5],\"examples\":3}\n");
  BlockResult result;
  result.learned = 1;
  result.error_count = 1;
  result.errors = {{2, "no \"x\""}};
  CHECK(learned_json(result) ==
        "{\"accepted\":1,\"skipped\":0,\"error_count\":1,\"errors\":[{\"line\":2,\"message\":\"no "
        "\\\"x\\\"\"}]}\n");
  BlockResult unlabelled;
  unlabelled.unlabelled = 3;
  CHECK(learned_json(unlabelled, std::nullopt, TableFacts{'\t', 2}) ==
        "{\"accepted\":0,\"skipped\":0,\"error_count\":0,\"errors\":[],\"unlabelled\":3,"
        "\"table\":{\"delimiter\":\"tab\",\"header_line\":2}}\n");
  BlockResult spent;
  spent.skipped = 3;
  spent.beyond_budget = 2;
  CHECK(learned_json(spent) ==
        "{\"accepted\":0,\"skipped\":3,\"error_count\":0,\"errors\":[],\"beyond_budget\":2}\n");
  BlockResult refused;
  refused.error_count = 1;
  refused.errors = {{2, "gr\xf6\xdf"}};
  CHECK(none_read_json(refused, "{\"error\":{\"code\":\"x\"}}\n") ==
        "{\"error\":{\"code\":\"x\"},\"accepted\":0,\"skipped\":0,\"error_count\":1,\"errors\":[{\"line\":2,"
        "\"message\":\"gr\uFFFD\uFFFD\"}]}\n");
  CHECK(predictions_json({1}, {}, 3, TableFacts{',', 0}) ==
        "{\"predictions\":[1],\"examples\":3,\"table\":{\"delimiter\":\",\",\"header_line\":null}}\n");
  CheckpointStatus status;
  status.name = "c";
  CHECK(boost::json::parse(checkpoint_json(status)).at("name").as_string() == "c");
}

}  // namespace http_bodies_test
