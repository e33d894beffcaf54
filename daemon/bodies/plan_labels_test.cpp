#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "daemon/training/plan_desk.h"
#include "daemon/training/plan_desk_test_support.h"

namespace plan_labels_test {

using namespace glimpse;
using namespace glimpse::plan_desk_test;

namespace {

const std::vector<std::string> kLabels = {"temp", "cnt"};
const std::string kValues = R"("values":[1,2,3])";

Desk desk_of_two(const std::string& algorithm = "pairwise") {
  return Desk(algorithm, {}, nullptr, 100, kLabels);
}

struct Whole {
  std::vector<double> x;
  double temp = 0;
  double cnt = 0;
};

Whole whole_example(Random& random) {
  Whole example{std::vector<double>(kDimension)};
  for (double& value : example.x) value = random.uniform() - 0.5;
  example.temp = example.x[0] - 2 * example.x[3] + 0.1 * random.uniform();
  example.cnt = 1000 * example.x[1] + 5;
  return example;
}

void push(StreamProcessor& processor, const std::shared_ptr<Feed>& feed, const Whole& example) {
  Block block;
  block.feed = feed;
  block.bytes = Bytes(fmt::format("{{\"labels\":{{\"cnt\":{},\"temp\":{}}},\"values\":[{}]}}\n", example.cnt,
                                  example.temp, fmt::join(example.x, ",")));
  BlockResult result;
  REQUIRE(processor.process(block, true, result));
}

// `parts`: in one item, or the labels one after the other and the values between them.
void tell(Desk& desk, const Whole& example, int parts) {
  AskedPlans plans;
  REQUIRE(desk.ask(1, plans).has_value());
  std::string values;
  for (const Attribute i : plans.attributes)
    values += fmt::format("{}\"{}\":{}", values.empty() ? "" : ",", i, example.x[i]);
  values = fmt::format("\"values\":{{{}}}", values);
  const std::string id = format_plan_id(plans.rows[0].id);
  if (parts == 0) {
    const auto labels = fmt::format(R"("labels":{{"temp":{},"cnt":{}}},)", example.temp, example.cnt);
    CHECK(status(desk.tell(item(id, labels + values))) == "learned");
    return;
  }
  CHECK(status(desk.tell(item(id, fmt::format(R"("labels":{{"cnt":{}}})", example.cnt)))) == "incomplete");
  CHECK(status(desk.tell(item(id, values))) == "incomplete");
  CHECK(status(desk.tell(item(id, fmt::format(R"("labels":{{"temp":{},"cnt":null}})", example.temp)))) ==
        "learned");
}

}  // namespace

TEST_CASE("a plan told of several labels teaches each model to the bit what pushing the example does") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    INFO(algorithm);
    Desk told = desk_of_two(algorithm);
    Desk pushed = desk_of_two(algorithm);
    FormatOptions options;
    options.dimension = kDimension;
    options.table.label = parse_column("temp");
    options.table.further_labels.push_back(parse_column("cnt"));
    const auto feed =
        pushed.processor().make_feed(std::make_shared<Door>(), Format::kNdjson, options, 10000, "");
    Random random(3);
    for (int n = 0; n < 300; ++n) {
      const Whole example = whole_example(random);
      push(pushed.processor(), feed, example);
      tell(told, example, n % 2);
    }
    for (std::size_t l = 0; l < 2; ++l) {
      const Learner& a = told.processor().learner().of_label(l);
      const Learner& b = pushed.processor().learner().of_label(l);
      CHECK(a.shared_model()->weights == b.shared_model()->weights);
      CHECK(a.shared_model()->bias == b.shared_model()->bias);
      CHECK(a.progressive_loss().total().mean == b.progressive_loss().total().mean);
      CHECK(a.shared_model()->weights[l == 0 ? 3 : 1] != 0);
    }
    CHECK(told.learned() == 300);
  }
}

TEST_CASE("a plan waits for each of its labels, and says which are missing") {
  Desk desk = desk_of_two();
  const std::string id = desk.ask_one();
  CHECK(desk.tell(item(id, R"("labels":{"cnt":5})")).message ==
        "kept; the label 'temp' is still to be told, and the values are still to be told");
  const TellAnswer again = desk.tell(item(id, R"("labels":{"cnt":6,"temp":null})"));
  CHECK(again.message ==
        "kept; label 'cnt' 6 takes the place of 5, which was told before; the label 'temp' is still to be "
        "told, "
        "and the values are still to be told");
  REQUIRE(again.told_labels.size() == 1);
  CHECK(again.told_labels[0].first == "cnt");
  CHECK(again.told_labels[0].second == 5);
  CHECK(desk.tell(item(id, kValues)).message == "kept; the label 'temp' is still to be told");
  CHECK(desk.learned() == 0);
  CHECK(status(desk.tell(item(id, R"("labels":{"temp":"1.5"})"))) == "learned");
  CHECK(desk.processor().learner().labels().max() == 1.5);
  CHECK(desk.processor().learner().of_label(1).labels().max() == 6);
  CHECK(desk.tell(item(desk.ask_one(), kValues)).message ==
        "kept; the labels 'temp', 'cnt' are still to be told");
}

TEST_CASE("labels that differ from those that were learned are named, each by its own name") {
  Desk desk = desk_of_two();
  const std::string id = desk.ask_one();
  CHECK(status(desk.tell(item(id, R"("labels":{"temp":2,"cnt":5},)" + kValues))) == "learned");
  const TellAnswer answer = desk.tell(item(id, R"("labels":{"temp":2,"cnt":7})"));
  CHECK(status(answer) == "duplicate");
  CHECK(answer.message ==
        "this plan was told before with label 'cnt' 5, which stays; label 'cnt' 7 was not learned");
  REQUIRE(answer.told_labels.size() == 1);
  CHECK(answer.told_labels[0] == std::pair<std::string, double>("cnt", 5));
  CHECK_FALSE(answer.told_label.has_value());
  CHECK(desk.tell(item(id, R"("labels":{"cnt":5})")).message ==
        "this plan was told before; nothing was learned twice");
}

TEST_CASE("labels that are not those of the model are refused by name, and the plan stays open") {
  Desk desk = desk_of_two();
  const std::string id = desk.ask_one();
  const auto refusal = [&](const std::string& labels, const std::string& wanted = "invalid") {
    const TellAnswer answer = desk.tell(item(id, labels + "," + kValues));
    CHECK_MESSAGE(status(answer) == wanted, labels);
    return answer.message;
  };
  CHECK(refusal(R"("label":1)") ==
        "'label' is one, but there are 2 labels: tell {\"labels\": {\"temp\": ..., \"cnt\": ...}}");
  CHECK(refusal(R"("labels":{"tmp":1})") == "no label is called 'tmp'; did you mean 'temp'?");
  CHECK(refusal(R"("labels":{"cnt":null,"cnt":1})") == "the label 'cnt' is given twice");
  CHECK(refusal(R"("labels":[1,2])") == "'labels' must be an object of labels by their names, not an array");
  CHECK(refusal(R"("labels":{"cnt":true})") == "the label 'cnt' must be a number or null, not a truth value");
  CHECK(refusal(R"("labels":{"cnt":"many"})", "invalid_value") ==
        "the label 'cnt' must be a number or null, not the word 'many': of several labels none holds words");
  CHECK(refusal(R"("labels":{"temp":1,"cnt":1e31})", "invalid_value") ==
        "the label 'cnt' is 1e+31, beyond 1e+30, the largest magnitude that is learned from: tell another "
        "number, "
        "or null until it is known");
  CHECK(desk.tell(item(id, R"("labels":{"cnt":null})")).message ==
        "no label, value or refused attribute is given: send 'label' (of several 'labels'), 'values' or "
        "'refused'");
  CHECK(desk.tell(item(id, kValues)).message == "kept; the labels 'temp', 'cnt' are still to be told");
  CHECK(status(desk.tell(item(id, R"("labels":{"temp":1,"cnt":2})"))) == "learned");
  Desk one;
  CHECK(one.tell(item(one.ask_one(), R"("labels":{"temp":1},)" + kValues)).message ==
        "'labels' is for several labels, which --label NAME,NAME names: one is 'label'");
}

TEST_CASE("what was told of several labels goes on after a checkpoint as it would have without it") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    INFO(algorithm);
    Desk undisturbed = desk_of_two(algorithm);
    Desk before = desk_of_two(algorithm);
    Random random(9);
    std::vector<Whole> examples;
    for (int n = 0; n < 60; ++n) examples.push_back(whole_example(random));
    for (Desk* const desk : {&undisturbed, &before})
      for (int n = 0; n < 40; ++n) tell(*desk, examples[n], n % 2);
    const std::string open = before.ask_one();
    CHECK(undisturbed.ask_one() == open);
    for (Desk* const desk : {&undisturbed, &before}) {
      (void)desk->ask_one();  // nothing is told of it
      CHECK(abandon(desk->processor(), desk->ask_one(), kNow).has_value());
    }
    for (Desk* const desk : {&undisturbed, &before})
      CHECK(status(desk->tell(item(open, R"("labels":{"cnt":7})"))) == "incomplete");
    State state;
    state.begin();
    before.processor().save(state);
    state.finish();
    CHECK(StreamProcessor::check(state, kDimension).has_value());
    Desk after = desk_of_two(algorithm);
    REQUIRE(after.processor().restore(state).has_value());
    for (Desk* const desk : {&undisturbed, &after}) {
      CHECK(status(desk->tell(item(open, R"("labels":{"temp":1},)" + kValues))) == "learned");
      for (int n = 40; n < 60; ++n) tell(*desk, examples[n], n % 2);
      CHECK(desk->processor().learner().of_label(1).labels().max() ==
            undisturbed.processor().learner().of_label(1).labels().max());
    }
    for (std::size_t l = 0; l < 2; ++l)
      CHECK(after.processor().learner().of_label(l).shared_model()->weights ==
            undisturbed.processor().learner().of_label(l).shared_model()->weights);
  }
}

}  // namespace plan_labels_test
