#include "glimpsectl/reports/plan_reports.h"

#include <doctest/doctest.h>

namespace plan_reports_test {

using namespace glimpse;
using namespace glimpse::ctl;

TEST_CASE("a question says what was given, and leaves the rest to the server") {
  PlanRequest request;
  CHECK(ask_body(request) == "{}");
  request.count = 3;
  request.available = {"age", "17", "a\"b"};
  request.ttl = "12h";
  CHECK(ask_body(request) == R"({"count":3,"available":["age","17","a\"b"],"ttl":"12h"})");
  PlanRequest prediction;
  prediction.for_prediction = true;
  CHECK(ask_body(prediction) == R"({"for":"prediction","known":{}})");
  prediction.count = 2;
  prediction.known = {{"age", 3}, {"17", 0.1}, {"sex", 0, "M"}};
  CHECK(ask_body(prediction) == R"({"for":"prediction","count":2,"known":{"age":3,"17":0.1,"sex":"M"}})");
  prediction.label = "cnt";
  CHECK(ask_body(prediction) ==
        R"({"for":"prediction","count":2,"known":{"age":3,"17":0.1,"sex":"M"},"label":"cnt"})");
}

TEST_CASE("plans are a table with all their attributes") {
  CHECK(asked_report(R"({"plans":[
          {"id":"3f9a2b-1","attributes":[0,3],"names":["age","sgot"],"cost":9.37,"expires_at":"2026-11-28T10:00:00Z"},
          {"id":"3f9a2b-12","attributes":[1],"names":["x\u001b"],"cost":1,"expires_at":"2026-11-28T10:00:00Z"}]})")
            .value() ==
        "plan       cost  expires               attributes\n"
        "3f9a2b-1   9.37  2026-11-28T10:00:00Z  age, sgot\n"
        "3f9a2b-12     1  2026-11-28T10:00:00Z  x\\x1b\n");
  const auto many =
      asked_report(
          R"({"plans":[{"id":"a-1","attributes":[1000,1001,1002,1003,1004,1005,1006,1007,1008,1009,1010,1011]}]})")
          .value();
  CHECK(many.find("1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011\n") !=
        std::string::npos);
}

TEST_CASE("an answer to ask without a plan is refused") {
  CHECK(asked_report(R"({"plans":[]})").error().message == "it has no plan");
}

TEST_CASE("open plans show what was told of them, and where the next page begins") {
  const auto text = plans_report(R"({"plans":[
          {"id":"a-1","attributes":[7],"cost":1,"expires_at":"T","label_told":true,"values_told":false},
          {"id":"a-2","attributes":[8],"cost":1,"expires_at":"T","label_told":false,"values_told":true},
          {"id":"a-3","attributes":[9],"cost":1,"expires_at":"T","label_told":false,"values_told":false}],
          "next":"a-3","open":1234,"given":2000})")
                        .value();
  CHECK(text ==
        "plan  cost  expires  told    attributes\n"
        "a-1      1  T        label   7\n"
        "a-2      1  T        values  8\n"
        "a-3      1  T        –       9\n"
        "\n"
        "open   1,234\n"
        "given  2,000\n"
        "\n"
        "more are open: glimpsectl plans --after a-3\n");
  CHECK(plans_report(R"({"plans":[],"next":null,"open":0})").value() == "open  0\n");
}

TEST_CASE("an answer to several items, and to one, which may be an error, are read alike") {
  const auto several = parse_tell_reply(R"({"results":[{"id":"a-1","status":"learned"},
          {"id":"a-2","status":"wrong_attributes","message":"2 values","expected":{"attributes":[3,1700]}},
          {"id":"","status":"invalid","message":"no id"}],"learned":1})")
                           .value();
  REQUIRE(several.size() == 3);
  CHECK(several[0].id == "a-1");
  CHECK(is_settled(several[0]));
  CHECK(several[1].message == "2 values; expected: 3, 1700");
  CHECK(is_refused(several[1]));
  CHECK(several[2].message == "no id");

  const auto one =
      parse_tell_reply(
          R"({"id":"z","status":"unknown","message":"m","error":{"code":"unknown","message":"m"}})")
          .value();
  REQUIRE(one.size() == 1);
  CHECK(one[0].status == "unknown");
}

TEST_CASE("what has to be done about is told apart from what is fine") {
  for (const char* fine : {"learned", "duplicate", "incomplete", "not_learned"})
    CHECK_FALSE(is_refused({"", fine, ""}));
  for (const char* bad :
       {"expired", "abandoned", "unknown", "wrong_attributes", "invalid_value", "invalid", "new"})
    CHECK(is_refused({"", bad, ""}));
  CHECK_FALSE(is_settled({"", "incomplete", ""}));
  CHECK(is_settled({"", "duplicate", ""}));
}

TEST_CASE("the summary begins with what was learned") {
  CHECK(told_summary({}) == "0 plans learned");
  CHECK(told_summary({{"duplicate", 2}, {"learned", 1}}) == "1 plan learned, 2 duplicate");
  CHECK(told_summary({{"learned", 1234}, {"unknown", 1}}) == "1,234 plans learned, 1 unknown");
}

TEST_CASE("answers about plans that are something else are refused with the reason") {
  for (const char* bad : {"", "[]", "hello", "{", "{\"x\":1}", "{\"plans\":[1]}", "{\"results\":[1]}"}) {
    CAPTURE(bad);
    CHECK(asked_report(bad).error().code == ErrorCode::kCorrupt);
    CHECK(plans_report(bad).error().code == ErrorCode::kCorrupt);
    CHECK(parse_tell_reply(bad).error().code == ErrorCode::kCorrupt);
  }
}

}  // namespace plan_reports_test
