#include <algorithm>
#include <doctest/doctest.h>
#include <sstream>

#include "glimpsectl/client/http_test_support.h"
#include "glimpsectl/commands.h"
#include "report/units.h"

namespace plan_commands_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

struct Outcome {
  int exit = -1;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& arguments, const TestServer& server, const std::string& in = "",
            bool terminal = false) {
  std::istringstream in_stream(in);
  std::ostringstream out;
  std::ostringstream err;
  Console console{in_stream, out, err, terminal};
  const auto exit = glimpsectl(arguments, server.address().text, console);
  return {static_cast<int>(exit), out.str(), err.str()};
}

}  // namespace

TEST_CASE("a plan is asked for, and shown as a table or as it is") {
  const std::string body = R"({"plans":[{"id":"a-1","attributes":[7],"cost":1.50,"expires_at":"T"}]})";
  const TestServer server([&](const TestRequest&) { return http_reply(200, body); });
  CHECK(run({"ask", "--count", "1"}, server).out ==
        "plan  cost  expires  attributes\na-1    1.5  T        7\n");
  CHECK(run({"ask", "--json"}, server).out == body + "\n");
  const auto requests = server.requests();
  CHECK(requests[0].method == "POST");
  CHECK(requests[0].target == "/v1/ask");
  CHECK(requests[0].body == R"({"count":1})");
  CHECK(requests[1].body == "{}");
}

TEST_CASE("of a fleet what another instance has is asked for and told there") {
  const TestServer owner([](const TestRequest& request) {
    if (request.target == "/v1/ask?partition=3")
      return http_reply(200, R"({"plans":[{"id":"p3-a-1","attributes":[7],"cost":1,"expires_at":"T"}]})");
    return http_reply(200, R"({"results":[{"id":"p3-a-1","status":"learned"}],"learned":1})");
  });
  const std::string there = R"("owner":")" + owner.address().text.substr(4) + '"';
  const TestServer other([&](const TestRequest& request) {
    if (request.target == "/v1/tell")
      return http_reply(200, R"({"results":[{"id":"p0-a-1","status":"learned"},)"
                             R"({"id":"p3-a-1","status":"elsewhere",)" +
                                 there + R"(}],"learned":1})");
    return http_reply(409, R"({"error":{"code":"elsewhere","message":"M"},)" + there + '}');
  });
  CHECK(run({"ask", "--partition", "3"}, other).out.find("p3-a-1") != std::string::npos);
  const std::string lines = "{\"id\":\"p0-a-1\",\"label\":1}\n{\"id\":\"p3-a-1\",\"label\":2}\n";
  const Outcome told = run({"tell"}, other, lines);
  CHECK(told.out == "2 plans learned\n");
  CHECK(told.exit == 0);
  CHECK(owner.requests().back().body == R"([{"id":"p3-a-1","label":2}])");
}

TEST_CASE("what to buy for a prediction is shown with what each purchase would give") {
  const TestServer server([&](const TestRequest&) {
    return http_reply(200, R"({"choices":[{"attribute":1700,"name":"age","cost":1,"standard_error":0.31}],)"
                           R"("prediction":0.5,"standard_error":0.4})");
  });
  CHECK(run({"ask", "--for", "prediction", "--known", "3=1"}, server).out ==
        "prediction      0.5\n"
        "standard_error  0.4\n"
        "\n"
        "choices\n"
        "attribute  name  cost  standard_error\n"
        "     1700  age      1            0.31\n");
  CHECK(server.requests()[0].body == R"({"for":"prediction","known":{"3":1}})");
}

TEST_CASE("the page of plans that is wanted is asked for") {
  const TestServer server([](const TestRequest&) { return http_reply(200, R"({"plans":[],"open":0})"); });
  CHECK(run({"plans"}, server).out == "open  0\n");
  run({"plans", "--after", "a-1&x"}, server);
  run({"plans", "--limit", "5"}, server);
  run({"plans", "--limit", "5", "--after", "a-1"}, server);
  const auto requests = server.requests();
  CHECK(requests[0].target == "/v1/plans");
  CHECK(requests[1].target == "/v1/plans?after=a-1%26x");
  CHECK(requests[2].target == "/v1/plans?limit=5");
  CHECK(requests[3].target == "/v1/plans?after=a-1&limit=5");
}

TEST_CASE("items that were not learned are named by their line, blank ones left out") {
  const TestServer server([](const TestRequest&) {
    return http_reply(200, R"({"results":[{"id":"a-1","status":"learned"},{"id":"a-2","status":"duplicate"},
        {"id":"a-3","status":"incomplete","message":"no label"},{"id":"","status":"invalid","message":"no id"}]})");
  });
  const std::string items = "{\"id\":1}\n\n{\"id\":2}\n \r\n{\"id\":3}\n{}";
  const auto told = run({"tell"}, server, items);
  CHECK(told.exit == 1);
  CHECK(told.out == "1 plan learned, 1 duplicate, 1 incomplete, 1 invalid\n");
  CHECK(told.err ==
        "glimpsectl: '-' line 5: plan a-3: incomplete: no label\n"
        "glimpsectl: '-' line 6: invalid: no id\n"
        "glimpsectl: '-': 1 of 4 items refused\n");
  CHECK(server.requests()[0].body == items);
  CHECK(server.requests()[0].content_type == "application/x-ndjson");

  const auto shown = run({"tell"}, server, items, true);
  CHECK(shown.out ==
        "where   plan  status      message\n"
        "line 5  a-3   incomplete  no label\n"
        "line 6        invalid     no id\n"
        "1 plan learned, 1 duplicate, 1 incomplete, 1 invalid\n");
  CHECK(shown.err == "glimpsectl: '-': 1 of 4 items refused\n");

  const auto array = run({"tell"}, server, "[{},{},{},{}]");
  CHECK(array.err.find("'-' item 3: plan a-3: incomplete: no label\n") != std::string::npos);
  CHECK(server.requests().back().content_type == "application/json");
}

TEST_CASE("a label that is not the one told before is shown, though its item is settled") {
  const TestServer server([](const TestRequest&) {
    return http_reply(
        200, R"({"results":[{"id":"a-1","status":"duplicate","message":"label 2, not 3","told_label":2},
        {"id":"a-2","status":"duplicate","message":"told before"},
        {"id":"a-3","status":"learned","message":"in place of 'lived'","told_label":"lived"}]})");
  });
  const auto told = run({"tell"}, server, "{}\n{}\n{}\n");
  CHECK(told.exit == 0);
  CHECK(told.out == "1 plan learned, 2 duplicate\n");
  CHECK(told.err ==
        "glimpsectl: '-' line 1: plan a-1: duplicate: label 2, not 3\n"
        "glimpsectl: '-' line 3: plan a-3: learned: in place of 'lived'\n");
}

TEST_CASE("one item that is refused with a status of its own is told as one of many is") {
  const TestServer server([](const TestRequest&) {
    return http_reply(
        410, R"({"id":"a-1","status":"expired","message":"m","error":{"code":"expired","message":"m"}})");
  });
  const auto told = run({"tell"}, server, "{}\n");
  CHECK(told.exit == 1);
  CHECK(told.out == "0 plans learned, 1 expired\n");
  CHECK(told.err == "glimpsectl: '-' line 1: plan a-1: expired: m\nglimpsectl: '-': 1 of 1 item refused\n");
  const auto json = run({"tell", "--json"}, server, "{}\n");
  CHECK(json.exit == 1);
  CHECK(json.out.find(R"({"id":"a-1","status":"expired")") == 0);
  CHECK(json.err == "glimpsectl: '-': 1 of 1 item refused\n");
}

TEST_CASE("items go out in pieces, and when telling breaks off, what was learned is told") {
  int calls = 0;
  const TestServer server([&](const TestRequest& request) {
    if (++calls == 3) return http_reply(503, R"({"error":{"code":"stopping","message":"the end"}})");
    std::string results;
    for (auto n = std::count(request.body.begin(), request.body.end(), '\n'); n > 0; --n)
      results += std::string(results.empty() ? "" : ",") + R"({"id":"a-1","status":"learned"})";
    return http_reply(200, "{\"results\":[" + results + "]}");
  });
  std::string items;
  for (int i = 0; i < 50'000; ++i)
    items += R"({"id":"3f9a2b-1842","label":1,"values":[0.5,0.5]})"
             "\n";
  const auto told = run({"tell"}, server, items);
  const auto requests = server.requests();
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].body + requests[1].body ==
        items.substr(0, requests[0].body.size() + requests[1].body.size()));
  CHECK(told.exit == 1);
  const auto learned = std::count(items.begin(), items.end(), '\n') -
                       std::count(requests[2].body.begin(), requests[2].body.end(), '\n');
  CHECK(told.out == fmt::format("{} plans learned\n", with_thousands(static_cast<std::uint64_t>(learned))));
  CHECK(told.err == "glimpsectl: POST /v1/tell: stopping: the end\n");
  CHECK(run({"tell"}, server, "").out == "0 plans learned\n");
  CHECK(run({"tell"}, server, " \n\n").out == "0 plans learned\n");
  CHECK(run({"tell", "/nowhere/file"}, server).exit == 1);
}

TEST_CASE("plans are abandoned one after another, past those that cannot be") {
  const TestServer server([](const TestRequest& request) {
    if (request.target == "/v1/plans/a-1")
      return http_reply(409, R"({"error":{"code":"closed","message":"told already"}})");
    const bool is_odd = request.target == "/v1/plans/a%2F3";
    return http_reply(200, fmt::format(R"({{"id":"{}","status":"abandoned"}})", is_odd ? "a/3" : "a-2"));
  });
  const auto outcome = run({"abandon", "a-1", "a-2", "a/3"}, server);
  CHECK(outcome.exit == 1);
  CHECK(outcome.out == "a-2 abandoned\na/3 abandoned\n");
  CHECK(outcome.err ==
        "glimpsectl: DELETE /v1/plans/a-1: closed: told already\nglimpsectl: 1 of 3 plans not "
        "abandoned\n");
  const auto requests = server.requests();
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].method == "DELETE");
  CHECK(requests[2].target == "/v1/plans/a%2F3");
  CHECK(run({"abandon", "a-2", "--json"}, server).out == "{\"id\":\"a-2\",\"status\":\"abandoned\"}\n");
}

TEST_CASE("an answer that says something else than what was asked for is refused") {
  for (const char* body :
       {"{}", "[]", R"({"id":"a-1","status":"learned"})", R"({"id":"a-2","status":"abandoned"})"}) {
    const TestServer server([&](const TestRequest&) { return http_reply(200, body); });
    CHECK(run({"abandon", "a-1"}, server).exit == 3);
    const auto json = run({"abandon", "a-1", "--json"}, server);
    CHECK(json.exit == 3);
    CHECK(json.out.empty());
  }
  const TestServer server([](const TestRequest&) {
    return http_reply(200,
                      R"({"results":[{"id":"a-1","status":"learned"},{"id":"a-2","status":"learned"}]})");
  });
  const auto told = run({"tell"}, server, "{}\n{}\n{}\n");
  CHECK(told.exit == 3);
  CHECK(told.out == "at least 0 plans learned\n");
  CHECK(told.err.find("2 answers to 3 items") != std::string::npos);
}

}  // namespace plan_commands_test
