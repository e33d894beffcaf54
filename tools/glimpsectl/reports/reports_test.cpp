#include "glimpsectl/reports/reports.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace reports_test {

using namespace glimpse;
using namespace glimpse::ctl;

TEST_CASE("the status shows every field, the loss with its error") {
  CHECK(status_report(R"({"algorithm":"aerr","examples":1234567,"progressive_loss":0.25,
                         "progressive_loss_error":0.00123,"checkpoint_age_seconds":null,"unheard_of":[1,2]})")
            .value() ==
        "algorithm               aerr\n"
        "examples                1,234,567\n"
        "progressive_loss        0.25 ± 0.0012\n"
        "checkpoint_age_seconds  –\n"
        "unheard_of              1, 2\n");
}

TEST_CASE("a loss that is not there yet is shown as absent") {
  CHECK(status_report(R"({"progressive_loss":null,"progressive_loss_error":null})").value() ==
        "progressive_loss        –\n"
        "progressive_loss_error  –\n");
}

TEST_CASE("predictions keep every digit") {
  CHECK(prediction_lines(R"({"predictions":[1.5,-0.10000000000000001,3e-7],"examples":4})").value() ==
        "1.5\n-0.10000000000000001\n3e-7\n");
  CHECK(prediction_lines(R"({"predictions":[],"examples":0})").value().empty());
}

TEST_CASE("an answer without a prediction for an example is refused") {
  for (const char* body : {R"({"predictions":[null,1],"examples":4})",
                           R"({"predictions":{"a":[1.5,2],"c":[3,null]},"examples":4})"}) {
    const auto lines = prediction_lines(body);
    REQUIRE(!lines);
    CHECK(lines.error().message == "its 'predictions' hold null, which is no number");
  }
}

TEST_CASE("standard errors stand behind their predictions") {
  CHECK(
      prediction_lines(R"({"predictions":[1.5,2],"standard_errors":[0.30000000000000004,null],"examples":4})")
          .value() == "1.5 0.30000000000000004\n2 nan\n");
  CHECK(prediction_lines(R"({"predictions":[1.5,2],"standard_errors":[0.5]})").error().code ==
        ErrorCode::kCorrupt);
}

TEST_CASE("of several labels a line has the predictions of all, and then their standard errors") {
  CHECK(prediction_lines(R"({"predictions":{"a,\"b":[1.50,2],"c":[3,4]},"examples":4})").value() ==
        "1.50 3\n2 4\n");
  CHECK(
      prediction_lines(
          R"({"predictions":{"a":[1.5,2],"c":[3,4]},"standard_errors":{"a":[0.5,null],"c":[7,8]},"examples":4})")
          .value() == "1.5 3 0.5 7\n2 4 nan 8\n");
  for (const char* body : {R"({"predictions":{"a":[1.5,2],"c":[3]},"examples":4})",
                           R"({"predictions":{"a":[1.5],"c":[3]},"standard_errors":{"a":[1,2],"c":[3,4]}})",
                           R"({"predictions":{"a":[1.5])"})
    CHECK(prediction_lines(body).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("a learn reply gives the number accepted and the lines refused") {
  const auto reply =
      parse_learn_reply(R"({"accepted":7,"errors":[{"line":3,"message":"no label"},"odd",{}]})").value();
  CHECK(reply.accepted == 7);
  REQUIRE(reply.errors.size() == 3);
  CHECK(reply.errors[0].line == 3);
  CHECK(reply.errors[0].message == "no label");
  CHECK(reply.errors[1].message == "odd");
  CHECK(reply.errors[2].message == "{}");
  CHECK(reply.error_count == 3);
  CHECK(parse_learn_reply(R"({"accepted":7})").value().errors.empty());
  const auto cut = parse_learn_reply(R"({"accepted":7,"skipped":2,"error_count":99,"errors":["a"]})").value();
  CHECK(cut.skipped == 2);
  CHECK(cut.error_count == 99);
}

TEST_CASE("answers about a table tell its delimiter and its header") {
  const auto learned = parse_learn_reply(
      R"({"accepted":1,"errors":[],"unlabelled":2,"table":{"delimiter":"tab","header_line":7}})");
  REQUIRE(learned.has_value());
  CHECK(learned->unlabelled == 2);
  REQUIRE(learned->table.has_value());
  CHECK(learned->table->delimiter == "tab");
  CHECK(learned->table->header_line == 7);
  const auto predicted = facts_of_predictions(
      R"({"predictions":[1],"examples":9,"table":{"delimiter":",","header_line":null}})");
  REQUIRE(predicted.has_value());
  CHECK(predicted->examples == 9);
  REQUIRE(predicted->table.has_value());
  CHECK_FALSE(predicted->table->header_line.has_value());
  CHECK_FALSE(facts_of_predictions(R"({"predictions":[1]})")->table.has_value());
  CHECK(facts_of_predictions(R"({"predictions":[1],"table":7})").error().code == ErrorCode::kCorrupt);
}

TEST_CASE("an interval of few examples is wider, as their standard error is an estimate") {
  const auto upper = [](const char* examples) {
    return prediction_table(fmt::format(R"({{"predictions":[0],"standard_errors":[1]{}}})", examples))
        ->rows.front()
        .substr(0, 7);
  };
  CHECK(upper("") == "0,-1.64");
  CHECK(upper(R"(,"examples":1000000)") == "0,-1.64");
  CHECK(upper(R"(,"examples":60)") == "0,-1.69");  // Student's t of 30 degrees of freedom: 1.697
  CHECK(upper(R"(,"examples":20)") == "0,-1.79");  // of 10: 1.812
}

TEST_CASE("the ends of an interval have all their digits, as the prediction") {
  const auto table =
      prediction_table(R"({"predictions":[1234567890.0625,-3e-7,null],"standard_errors":[0.015625,0.25,1]})");
  REQUIRE(table.has_value());
  CHECK(table->header == "prediction,lower,upper");
  CHECK(table->rows == std::vector<std::string>{"1234567890.0625,1234567890.0367992,1234567890.0882008",
                                                "-3e-7,-0.41121370673786806,0.41121310673786804", ",,"});
}

TEST_CASE("bodies that are something else are refused with the reason") {
  for (const char* bad : {"", "[]", "hello", "{", "{\"x\":1}"}) {
    CAPTURE(bad);
    CHECK(prediction_lines(bad).error().code == ErrorCode::kCorrupt);
    CHECK(parse_learn_reply(bad).error().code == ErrorCode::kCorrupt);
  }
  CHECK(status_report("hello").error().message == "it is not a JSON object");
  CHECK(prediction_lines(R"({"predictions":[1,true]})").error().code == ErrorCode::kCorrupt);
}

}  // namespace reports_test
