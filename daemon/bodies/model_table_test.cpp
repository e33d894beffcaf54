#include <cmath>
#include <doctest/doctest.h>

#include "daemon/api/http_bodies.h"
#include "daemon/api/query.h"
#include "daemon/bodies/model_bodies.h"
#include "learn/core/class_model.h"

namespace model_table_test {

using namespace glimpse;

namespace {

constexpr const char* kTitle = "importance: share of the label's variance\n";

ModelSnapshot snapshot(std::vector<double> weights, std::vector<double> importances = {},
                       std::vector<double> errors = {}) {
  ModelSnapshot s;
  s.model = std::make_shared<const Model>(Model{std::move(weights), 0.5});
  s.algorithm = "pairwise";
  s.examples = 1000;
  s.attributes_revealed = 4000;
  s.age_seconds = 90;
  errors.resize(importances.size(), NAN);
  if (!importances.empty())
    s.importances =
        std::make_shared<const Importances>(Importances{std::move(importances), std::move(errors)});
  return s;
}

// The rows, with their titles.
std::string rows(const ModelSnapshot& s, std::size_t top) {
  const std::string text = model_table(s, top);
  return text.substr(text.find('\n', text.find("most important")) + 1);
}

std::string refusal(std::string query) {
  HttpRequest request;
  request.query = std::move(query);
  ModelQuery read;
  const auto refused = read_model_query(request, {}, read);
  return refused ? refused->body : std::to_string(read.top);
}

}  // namespace

TEST_CASE("a model's table shows its origin and what is worth most to it, with errors and names") {
  ModelSnapshot s = snapshot({0.1, -3, 2.00000001, 0}, {0.25, 0.0625, 0.125, 0}, {0.01, 0.002, NAN, 0.003});
  s.names = {"age", "größe", "c", "d"};
  s.importances_from = "moments";
  CHECK(model_table(s, 3) ==
        "algorithm            pairwise\n"
        "dimension            4\n"
        "examples             1,000\n"
        "attributes_revealed  4,000\n"
        "age_seconds          1 min 30 s\n"
        "bias                 0.5\n"
        "importances_from     moments\n"
        "\n"
        "most important (3 of 4); importance: share of the label's variance\n"
        "attribute  importance      weight  name\n"
        "        0  0.25 ± 0.01        0.1  age\n"
        "        2  0.125                2  c\n"
        "        1  0.0625 ± 0.002      -3  größe\n");
  s.label = "temp";
  CHECK(model_table(s, 3).starts_with("label                temp\nalgorithm"));
}

TEST_CASE("weights whose errors were asked for are shown with these and their intervals") {
  ModelSnapshot s = snapshot({2, -3}, {0.25, NAN}, {0.01, NAN});
  s.has_errors = true;
  s.weight_errors = std::make_shared<const std::vector<double>>(std::vector<double>{0.5, NAN});
  CHECK(rows(s, 2) ==
        "attribute  importance   weight   90 % interval\n"
        "        0  0.25 ± 0.01  2 ± 0.5  1.178 to 2.822\n"
        "        1  –            -3       –\n");
}

TEST_CASE("attributes of unknown importance come last, by the size of their weights") {
  CHECK(rows(snapshot({0, -3, 2, 1}, {NAN, NAN, 0.1, NAN}), 20) ==
        "attribute  importance  weight\n"
        "        2  0.1              2\n"
        "        1  –               -3\n"
        "        3  –                1\n"
        "        0  –                0\n");
  CHECK(rows(snapshot({1, 2}), 1) ==
        "attribute  importance  weight\n"
        "        1  –                2\n");
}

TEST_CASE("an attribute of categories is a row as well, with what all of them are worth") {
  // The attribute's own slot has the importance of all its categories.
  ModelSnapshot s = snapshot({0.5, 0, -3, 2}, {0.35, 0.4, 0.3, 0.2}, {0.01, 0.05, 0.02, 0.03});
  s.names = {"age", "sex"};
  s.dimension = 2;
  s.features = {{0, 0, {}, false, {}}, {1, 2, "M", true, {}}, {1, 3, "F", true, {}}};
  const std::string table = model_table(s, 3);
  CHECK_MESSAGE(table.ends_with(std::string("most important (3 of 4); ") + kTitle +
                                "attribute  importance   weight  name\n"
                                "        1  0.4 ± 0.05        –  sex (2 categories)\n"
                                "        0  0.35 ± 0.01     0.5  age\n"
                                "        1  0.3 ± 0.02       -3  sex=M\n"),
                table);
  s.importances = nullptr;
  CHECK(model_table(s, 9).find("categories)") == std::string::npos);
}

TEST_CASE("a product shows its attributes and their names") {
  ModelSnapshot s = snapshot({0.5, -3, 2}, {0.1, 0.3, 0.2});
  s.names = {"hr", "temp"};
  s.dimension = 2;
  s.features = {{0, 0, {}, false, {}}, {1, 1, {}, false, {}}, {0, 2, {}, false, {1}}};
  CHECK(rows(s, 2) ==
        "attribute  importance  weight  name\n"
        "        1  0.3             -3  temp\n"
        "      0*1  0.2              2  hr*temp\n");
}

TEST_CASE("of classes the features are shown whose weights differ most, or that are worth most") {
  ModelSnapshot s = snapshot({0, 0, 0});
  s.names = {"age", "bmi", "sex"};
  s.classes = {"no", "yes"};
  s.slope = 0.75;
  s.scores =
      std::make_shared<const ClassModel>(ClassModel{{0.5, 0.5}, {0.5, -0.5}, {0.5, 0.5, 1, -2, 0, 0.25}});
  const std::string table = model_table(s, 2);
  CHECK_MESSAGE(table.ends_with("most important (2 of 3); weights in the scores of classes\n"
                                "attribute  importance  no   yes  name\n"
                                "        1  –            1    -2  bmi\n"
                                "        2  –            0  0.25  sex\n"),
                table);
  CHECK(table.find("slope                0.75\n") != std::string::npos);
  CHECK(table.find("bias") == std::string::npos);
  s.importances = std::make_shared<const Importances>(Importances{{0.5, 0.25, NAN}, {0.1, NAN, NAN}});
  CHECK(
      rows(s, 3).starts_with("attribute  importance   no   yes  name\n"
                             "        0  0.5 ± 0.1   0.5   0.5  age\n"
                             "        1  0.25          1    -2  bmi\n"));
}

TEST_CASE("of many classes the weights of the first six are shown") {
  ModelSnapshot s = snapshot({0});
  s.classes = {"a", "b", "c", "d", "e", "f", "g"};
  s.scores = std::make_shared<const ClassModel>(
      ClassModel{std::vector<double>(7, 0.1), std::vector<double>(7, 0), {1, 2, 3, 4, 5, 6, 7}});
  const std::string table = model_table(s, 2);
  CHECK(table.find("classes              7, weights of the first 6 are shown\n") != std::string::npos);
  CHECK_MESSAGE(table.ends_with("attribute  importance  a  b  c  d  e  f\n"
                                "        0  –           1  2  3  4  5  6\n"),
                table);
}

TEST_CASE("a table has 20 rows, or as many as are asked for") {
  CHECK(refusal("format=table") == "20");
  CHECK(refusal("format=table&top=7") == "7");
  for (const char* const bad : {"0", "", "x", "-1", "1.5", "99999999999999999999999"})
    CHECK(refusal(std::string("format=table&top=") + bad).find("must be a whole number from 1") !=
          std::string::npos);
  CHECK(refusal("format=xml").find("must be json, csv, safetensors or table") != std::string::npos);
}

TEST_CASE("a table of moments has the rows that it is given, with their names") {
  MomentsSnapshot s;
  s.first = 7;
  SamplingRow row;
  row.moment.count = 1234;
  row.moment.mean = NAN;
  row.probability = 0.25;
  s.rows = {SamplingRow(), row};
  s.names.assign(9, "age");
  CHECK(moments_table(1003, {moment_json(s, 1)}) ==
        "dimension  1,003\n"
        "\n"
        "most likely to be looked at (1 of 1,003)\n"
        "attribute  count  mean  second_moment  max_abs  probability  name\n"
        "        8  1,234     –              0        0         0.25  age\n");
}

}  // namespace model_table_test
