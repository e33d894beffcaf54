#include "daemon/bodies/history_body.h"

#include <cmath>
#include <doctest/doctest.h>
#include <string>

namespace history_body_test {

using namespace glimpse;
using C = HistoryColumn;
using Kind = HistoryEvent::Kind;

HistoryCopy some() {
  HistoryCopy history;
  for (const double examples : {1.0, 2.0, 40.0}) {
    HistorySample s;
    s[C::kTime] = 1790000000.0625 + examples;
    s[C::kExamples] = examples;
    s[C::kRecentLoss] = 1 / examples / 3;
    s[C::kRecentLossError] = examples > 1 ? 0.125 : std::nan("");
    s[C::kLabelVariance] = 0.5;
    history.samples.push_back(s);
  }
  history.events.push_back({Kind::kPhase, 1790000003, 2, 2});
  history.events.push_back({Kind::kFreeze, 1790000004.5, 40, 0});
  return history;
}

std::string body(const std::string& query, const HistoryCopy& history = some()) {
  const auto read = read_history_query(query);
  REQUIRE(read.has_value());
  return history_json(history, *read, {1790000000123, 41, 1});
}

TEST_CASE("a history is told by columns, in the order in which they were asked for") {
  CHECK(body("columns=examples,time,recent_loss,recent_loss_error") ==
        "{\"run\":1790000000123,\"examples\":41,\"promotions\":1,\"samples\":3,\"columns\":{\"examples\":[1,"
        "2,40],"
        "\"time\":[1790000001.062,1790000002.062,1790000040.062],"
        "\"recent_loss\":[0.3333333,0.1666667,0.008333333],\"recent_loss_error\":[null,0.125,0.125]},"
        "\"events\":[{\"event\":\"phase\",\"time\":1790000003.000,\"examples\":2,\"value\":2},"
        "{\"event\":\"freeze\",\"time\":1790000004.500,\"examples\":40,\"value\":null}]}\n");
}

TEST_CASE("the root is told of each loss, and is 0 of an estimate below 0") {
  HistoryCopy history = some();
  history.samples[1][C::kRecentLoss] = 0.25;
  history.samples[2][C::kRecentLoss] = -1;
  CHECK(body("columns=recent_rmse,rmse&since=1", history)
            .find(R"("columns":{"recent_rmse":[0.5,0],"rmse":[null,null]})") != std::string::npos);
}

TEST_CASE("R2 is told of each loss, with its error") {
  CHECK(
      body("columns=recent_r2,recent_r2_error,held_out_r2&since=2")
          .find(
              "\"columns\":{\"recent_r2\":[0.9833333],\"recent_r2_error\":[0.25],\"held_out_r2\":[null]}") !=
      std::string::npos);
}

TEST_CASE(
    "a loss that was estimated below 0 is 0 and its R2 1; R2 of recent examples is beside their baseline") {
  HistoryCopy history = some();
  history.samples[1][C::kRecentLoss] = -0.25;
  history.samples[2][C::kRecentLoss] = 0.25;
  history.samples[2][C::kRecentBaseline] = 1;
  CHECK(body("columns=recent_loss,recent_r2,recent_r2_error&since=1", history)
            .find(R"({"recent_loss":[0,0.25],"recent_r2":[1,0.75],"recent_r2_error":[0.25,0.125]})") !=
        std::string::npos);
}

TEST_CASE("of several labels the losses of one are told, with what all have in common") {
  HistoryCopy history = some();
  for (HistorySample& s : history.samples) {
    s.further.assign(kLabelColumns.size(), std::nan(""));
    s.further[0] = 2;    // the variance
    s.further[3] = 0.5;  // the recent loss
  }
  HistoryQuery query = *read_history_query("columns=examples,recent_loss,recent_r2&since=2&label=any");
  query.label = 1;
  CHECK(history_json(history, query, {1, 41, 1})
            .find(R"({"examples":[40],"recent_loss":[0.5],"recent_r2":[0.75]})") != std::string::npos);
  query.label = 0;
  CHECK(history_json(history, query, {1, 41, 1}).find(R"("recent_loss":[0.008333333])") != std::string::npos);
}

TEST_CASE("an event of one of several labels says which") {
  HistoryCopy history;
  history.events = {{Kind::kWithheld, 1, 2, 2}, {Kind::kServedAgain, 1, 3, 1}, {Kind::kWithheld, 1, 4, 0}};
  const std::string told =
      history_json(history, *read_history_query("columns=examples"), {1790000000123, 4, 0}, {"a", "\"b"});
  CHECK(told.find(
            R"("events":[{"event":"model_withheld","time":1.000,"examples":2,"value":null,"label":"\"b"},)"
            R"({"event":"model_served_again","time":1.000,"examples":3,"value":null,"label":"a"},)"
            R"({"event":"model_withheld","time":1.000,"examples":4,"value":null}]})") != std::string::npos);
}

TEST_CASE("since leaves out what was told before, but an event of the same count") {
  CHECK(body("since=40&columns=examples") ==
        "{\"run\":1790000000123,\"examples\":41,\"promotions\":1,\"samples\":0,\"columns\":{\"examples\":[]},"
        "\"events\":["
        "{\"event\":\"freeze\",\"time\":1790000004.500,\"examples\":40,\"value\":null}]}\n");
}

TEST_CASE("without columns all are told, and without samples none has a number") {
  const std::string all = body("", HistoryCopy());
  for (const std::string& column : history_columns())
    CHECK(all.find("\"" + column + "\":[]") != std::string::npos);
  CHECK(all.find("\"events\":[]") != std::string::npos);
}

TEST_CASE("a question that is none is refused by what is wrong") {
  for (const auto& [query, words] : {std::pair{"since=-1", "since='-1' must be"},
                                     {"since=x", "since='x'"},
                                     {"columns=time,size", "'size'"},
                                     {"columns=time,time", "'time'"},
                                     {"columns=,time", "''"}}) {
    CAPTURE(query);
    const auto read = read_history_query(query);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().message.find(words) != std::string::npos);
  }
}

}  // namespace history_body_test
