// One value decides nothing for good: what is not learned leaves no names, classes, categories and kinds.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "daemon/training/plan_desk_test_support.h"
#include "daemon/training/stream_processor_test_support.h"
#include "data/formats.h"

namespace unlearned_names_test {

using namespace glimpse;
using glimpse::stream_processor_test::make_feed;
using glimpse::stream_processor_test::make_processor;
using glimpse::stream_processor_test::work;

namespace {

// What a checkpoint holds of names, words and kinds.
std::vector<std::string> names_in(const StreamProcessor& processor) {
  const State state = glimpse::stream_processor_test::saved(processor);
  std::vector<std::string> all;
  for (const Tensor& tensor : state.tensors()) {
    const bool is_of_names = tensor.name == "names/text" || tensor.name == "names/numbers" ||
                             tensor.name == "learner.classes" || tensor.name.starts_with("categories/") ||
                             tensor.name.starts_with("label_words/") || tensor.name.starts_with("features.");
    if (!is_of_names) continue;
    all.push_back(tensor.name + "=");
    for (const std::byte byte : tensor.bytes) all.back() += fmt::format(" {}", static_cast<unsigned>(byte));
  }
  return all;
}

std::shared_ptr<Feed> make_feed_of_desk(StreamProcessor& processor) {
  FormatOptions options;
  options.dimension = glimpse::plan_desk_test::kDimension;
  return processor.make_feed(std::make_shared<Door>(), Format::kNdjson, options, 1000, "");
}

}  // namespace

TEST_CASE("a record that is not learned from leaves no names, classes, categories and kinds") {
  const struct {
    Format format;
    const char* record;
    const char* why;
  } cases[] = {
      {Format::kVw, "1e31 | fresh:1\n", "its label is out of range"},
      {Format::kVw, "1 1e300 | fresh:1\n", "its importance is out of range"},
      {Format::kVw, "1 0 | fresh:1\n", "its importance is 0"},
      {Format::kVw, "1 | fresh:nan\n", "it cannot be read"},
      {Format::kVw, "1 | fresh:1 3:1 2:1 1:1 0:1 none:1\n", "it has too many attributes"},
      {Format::kVw, "| fresh:1\n", "it asks"},
      {Format::kCsv, "yes,red,1,1\n", "its row is too short"},
      {Format::kCsv, "1e31,red,1,1,1\n", "its label is out of range"},
      {Format::kCsv, "yes,red,1,1,2020-01-02\n", "it has a date"},
      {Format::kCsv, "red,1,1,1\n", "it asks"},
      {Format::kNdjson, "{\"label\":1e31,\"values\":{\"x\":\"red\",\"y\":1,\"z\":1,\"w\":1}}\n",
       "out of range"},
      {Format::kNdjson, "{\"label\":\"yes\",\"importance\":0,\"values\":{\"x\":\"red\"}}\n", "importance 0"},
      {Format::kNdjson, "{\"label\":\"yes\",\"importance\":1e300,\"values\":{\"x\":\"red\"}}\n",
       "out of range"},
      {Format::kNdjson, "{\"label\":\"yes\",\"values\":{\"x\":\"red\",\"y\":\"12:30\"}}\n", "it has a time"},
      {Format::kNdjson, "{\"label\":\"yes\",\"values\":{\"x\":\"red\"\n", "it is cut short"},
      {Format::kNdjson, "{\"values\":{\"x\":\"red\"}}\n", "it asks"},
  };
  for (const char* algorithm : {"pairwise", "two-phase-ddaerr", "online-ridge"})
    for (const bool is_validated : {false, true})
      for (const auto& [format, record, why] : cases) {
        INFO(algorithm, " ", record, " ", why);
        auto processor = make_processor(algorithm);
        const auto feed = make_feed(processor, "", format);
        if (is_validated) feed->reader = std::make_unique<ValidatingReader>(std::move(feed->reader));
        const auto before = names_in(processor);
        work(processor, feed, record);
        CHECK(names_in(processor) == before);
        CHECK_FALSE(processor.is_classifier());
        CHECK_FALSE(processor.names().categories().has_label_words());
        // Labels and the attribute may be numbers.
        CHECK(work(processor, make_feed(processor, "", Format::kCsv), "1,1,2,3,4\n").result.learned == 1);
      }
}

TEST_CASE("a label that is left out as an outlier leaves no names behind, and no kinds") {
  auto processor = make_processor("pairwise");
  const auto feed = make_feed(processor, "", Format::kNdjson);
  for (int i = 0; i < 60; ++i)
    work(processor, feed,
         fmt::format("{{\"label\":{},\"values\":{{\"a\":{},\"b\":{}}}}}\n", i % 5, i % 3, i % 7));
  const auto before = names_in(processor);
  const auto worked =
      work(processor, feed, "{\"label\":1e12,\"values\":{\"a\":1,\"b\":1,\"fresh\":\"red\"}}\n");
  CHECK(worked.result.skipped == 1);
  CHECK(names_in(processor) == before);
  CHECK(processor.learner().features().is_plain());
  work(processor, feed, "{\"label\":1,\"values\":{\"a\":1,\"b\":1,\"fresh\":4}}\n");
  CHECK(processor.names().find("fresh").has_value());
  CHECK(processor.names().categories().empty());
}

TEST_CASE("an example that was withdrawn is not learned again with the other first examples") {
  for (const bool is_withdrawn : {false, true}) {
    LearnerOptions options;
    options.dimension = 4;
    options.budget = 4;
    const auto learner = make_learner(options).value();
    Random random(7);
    Plan plan;
    const auto learn = [&](double label, double value) {
      learner->plan(random, plan);
      learner->learn(plan, std::vector<double>(plan.attributes.size(), value), label, 1);
    };
    learn(-99999, 1);
    learn(1, 2);
    if (is_withdrawn) learner->withdraw_last();
    for (int i = 0; i < 60; ++i) learn(i % 5, i % 7);
    CHECK(learner->counts().bounded_labels == 1);
    CHECK(learner->counts().left_out == (is_withdrawn ? 2 : 1));
  }
}

TEST_CASE("what is learned keeps its names, and one of importance above 0 its class") {
  auto processor = make_processor("pairwise");
  const auto feed = make_feed(processor, "", Format::kNdjson);
  work(processor, feed, "{\"label\":\"no\",\"importance\":0,\"values\":{\"x\":\"blue\"}}\n");
  work(processor, feed, "{\"label\":\"yes\",\"values\":{\"x\":\"red\"}}\n");
  CHECK(processor.names().categories().label_words() == std::vector<std::string>{"yes"});
  CHECK(processor.names().categories().codes(0) == 1);
  CHECK(processor.learner().classes().size() == 1);
  // Of an example without a value the label alone is learned, where it is no new class.
  for (const char* const label : {"maybe", "yes"})
    work(processor, feed,
         fmt::format(R"({{"label":"{}","values":{{"x":null,"1":null,"2":null,"3":null}}}})", label) + "\n");
  CHECK(processor.names().categories().label_words() == std::vector<std::string>{"yes"});
  CHECK(processor.learner().classes().size() == 1);
  CHECK(processor.learner().classes().count(0) == 2);
}

TEST_CASE("a plan that was given up leaves no class, category or kind of what was told") {
  using glimpse::plan_desk_test::Desk;
  using glimpse::plan_desk_test::item;
  for (const bool expires : {false, true})
    for (const std::string told : {R"("label":"yes")", R"("values":["red",1,2])"}) {
      INFO(told, " ", expires);
      Desk desk;
      const auto before = names_in(desk.processor());
      const std::string id = desk.ask_one();
      REQUIRE(glimpse::plan_desk_test::status(desk.tell(item(id, told))) == "incomplete");
      if (expires)
        desk.processor().expire_plans(glimpse::plan_desk_test::kLater + 1);
      else
        REQUIRE(abandon(desk.processor(), id, glimpse::plan_desk_test::kNow).has_value());
      CHECK(names_in(desk.processor()) == before);
      CHECK_FALSE(desk.processor().names().categories().has_label_words());
      CHECK(glimpse::plan_desk_test::status(desk.tell(item(id, told), glimpse::plan_desk_test::kLater + 2)) ==
            (expires ? "expired" : "abandoned"));
      CHECK(names_in(desk.processor()) == before);
      const std::string next = desk.ask_one(glimpse::plan_desk_test::kLater + 9);
      CHECK(glimpse::plan_desk_test::status(desk.tell(item(next, R"("label":2,"values":[1,2,3])"))) ==
            "learned");
    }
  // Refused as a whole, and not learned.
  for (const std::string told :
       {R"("label":"yes","importance":-1)", R"("label":"yes","values":["red",1])",
        R"("label":"yes","values":["red",1,1e31])", R"("label":"yes","values":["red",1,"12:30"])",
        R"("label":"yes","importance":0,"values":["red",1,2])"}) {
    INFO(told);
    Desk desk;
    const auto before = names_in(desk.processor());
    desk.tell(item(desk.ask_one(), told));
    CHECK(names_in(desk.processor()) == before);
  }
}

TEST_CASE("a restart changes nothing of what an open plan's words become") {
  using glimpse::plan_desk_test::Desk;
  using glimpse::plan_desk_test::item;
  using glimpse::plan_desk_test::status;
  const std::string rest = R"("values":{"0":1,"1":2,"2":1.5,"3":1,"4":3,"5":1})";
  const auto end_of = [&](const std::string& told, const std::string& end, bool restarts, bool others) {
    auto desk = std::make_unique<Desk>();
    const std::string id = desk->ask_one();
    const std::string word = told == "label" ? R"("label":"zz")" : R"("values":["red",1,2])";
    REQUIRE(status(desk->tell(item(id, word))) == "incomplete");
    if (others) {
      // Learned of other attributes: the kind of the plan's is not learned with it.
      const auto feed = make_feed_of_desk(desk->processor());
      for (int i = 0; i < 3; ++i)
        work(desk->processor(), feed,
             R"({"label":1e31,"values":[1,2,3,4,5,6]})"
             "\n");
    }
    if (restarts) {
      const State state = glimpse::stream_processor_test::saved(desk->processor());
      CHECK(StreamProcessor::check(state, glimpse::plan_desk_test::kDimension).has_value());
      desk = std::make_unique<Desk>();
      REQUIRE(desk->processor().restore(state).has_value());
      desk->processor().words().note_declared(desk->processor().names(), desk->processor().learner());
    }
    if (end == "abandon") REQUIRE(abandon(desk->processor(), id, glimpse::plan_desk_test::kNow).has_value());
    if (end == "expire") desk->processor().expire_plans(glimpse::plan_desk_test::kLater + 1);
    if (end == "complete") {
      const std::string others_of = told == "label" ? R"("values":[1,2,3])" : R"("label":1)";
      CHECK(status(desk->tell(item(id, others_of))) == "learned");
    }
    auto names = names_in(desk->processor());
    names.push_back(desk->processor().is_classifier() ? "classes" : "numbers");
    return names;
  };
  for (const std::string told : {"label", "values"})
    for (const std::string end : {"wait", "abandon", "expire", "complete"})
      for (const bool others : {false, true}) {
        INFO(told, " ", end, " ", others);
        const auto names = end_of(told, end, false, others);
        CHECK(end_of(told, end, true, others) == names);
        auto untouched = names_in(Desk().processor());
        untouched.emplace_back("numbers");
        if (end == "abandon" || end == "expire") CHECK(names == untouched);
        if (end == "complete") CHECK(names.back() == (told == "label" ? "classes" : "numbers"));
      }
}

TEST_CASE("a kind that a plan brought and nobody learned goes with the plan, also behind other examples") {
  using glimpse::plan_desk_test::Desk;
  using glimpse::plan_desk_test::item;
  for (const bool restarts : {false, true}) {
    auto desk = std::make_unique<Desk>();
    AskedPlans plans;
    const std::vector<Attribute> available = {0, 5};
    REQUIRE(ask(desk->processor(), 1, available, glimpse::plan_desk_test::kNow,
                glimpse::plan_desk_test::kLater, plans)
                .has_value());
    const std::string id = format_plan_id(plans.rows[0].id);
    desk->tell(item(id, R"("values":{"5":"n/k"})"));
    const auto feed = make_feed_of_desk(desk->processor());
    for (int i = 0; i < 20; ++i)
      work(desk->processor(), feed,
           fmt::format(R"({{"label":{},"values":[{},2,1,{},0,null]}})", i % 3, i % 4, i % 5) + "\n");
    REQUIRE(desk->learned() == 20);
    if (restarts) {
      const State state = glimpse::stream_processor_test::saved(desk->processor());
      desk = std::make_unique<Desk>();
      REQUIRE(desk->processor().restore(state).has_value());
      desk->processor().words().note_declared(desk->processor().names(), desk->processor().learner());
    }
    REQUIRE(abandon(desk->processor(), id, glimpse::plan_desk_test::kNow).has_value());
    CHECK(desk->processor().names().categories().empty());
    CHECK(desk->processor().learner().features().is_plain());
  }
}

TEST_CASE("a new class whose first record has no value that can be learned from leaves a sound state") {
  for (const char* algorithm : {"pairwise", "pairwise-screened", "online-ridge"})
    for (const char* values : {"[1e31,1e31,1e31,1e31]", "[1e31,null,-1e31,null]", "[null,null,null,null]"}) {
      INFO(algorithm, " ", values);
      LearnerOptions options;
      options.algorithm = algorithm;
      options.dimension = 4;
      options.budget = 2;
      StreamProcessor processor(*make_learner(options), AttributeNames(4), 7);
      REQUIRE(processor.set_classes({}).has_value());
      const auto feed = make_feed(processor, "", Format::kNdjson);
      work(processor, feed,
           R"({"label":"x","values":[1,2,3,4]})"
           "\n");
      const std::string line = std::string(R"({"label":"z","values":)") + values + "}\n";
      for (int i = 0; i < 5; ++i) work(processor, feed, line);
      const auto& words = processor.names().categories().label_words();
      CHECK(words == std::vector<std::string>{"x"});
      CHECK(processor.learner().classes().size() == 1);
      work(processor, feed,
           R"({"label":"w","values":[2,1,3,3]})"
           "\n");
      CHECK(processor.learner().classes().count(1) == 1);
      const State state = glimpse::stream_processor_test::saved(processor);
      CHECK(StreamProcessor::check(state, 4).has_value());
      StreamProcessor restored(*make_learner(options), AttributeNames(4), 7);
      REQUIRE(restored.set_classes({}).has_value());
      CHECK(restored.restore(state).has_value());
    }
}

TEST_CASE("a state of more classes than label words is not saved, as no start would restore it") {
  auto processor = make_processor("pairwise");
  const auto feed = make_feed(processor, "", Format::kNdjson);
  work(processor, feed,
       R"({"label":"x","values":[1,2,3,4]})"
       "\n");
  processor.learner().make_classifier(2);
  const State state = glimpse::stream_processor_test::saved(processor);
  const Status refused = make_processor("pairwise").restore(state);
  REQUIRE_FALSE(refused.has_value());
  const Status checked = StreamProcessor::check(state, 4);
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().message == refused.error().message);
}

TEST_CASE("a plan that was given up leaves its numbers free for names, and one that was learned does not") {
  using glimpse::plan_desk_test::Desk;
  using glimpse::plan_desk_test::item;
  Desk desk;
  StreamProcessor& processor = desk.processor();
  const auto feed = make_feed(processor, "", Format::kVw);
  const auto free_names = [&] {
    work(processor, feed, "\n");  // names come with records, before which what was given up is free
    std::size_t count = 0;
    while (processor.names().find_or_add(fmt::format("name {}", count))) ++count;
    processor.names().take_back();
    return count;
  };
  const auto give_up = [&](const std::string& id) {
    REQUIRE(abandon(processor, id, glimpse::plan_desk_test::kNow).has_value());
  };
  REQUIRE(free_names() == glimpse::plan_desk_test::kDimension);
  const std::string first = desk.ask_one();
  CHECK(free_names() < glimpse::plan_desk_test::kDimension);
  give_up(first);
  CHECK(free_names() == glimpse::plan_desk_test::kDimension);
  const std::string waiting = desk.ask_one();
  const std::size_t free = free_names();
  give_up(desk.ask_one());
  CHECK(free_names() == free);
  REQUIRE(glimpse::plan_desk_test::status(desk.tell(item(waiting, R"("label":2,"values":[1,2,3])"))) ==
          "learned");
  give_up(desk.ask_one());
  CHECK(free_names() == free);
}

TEST_CASE("a label of a plan all of whose values were refused leaves no class and no kind of labels") {
  using glimpse::plan_desk_test::Desk;
  using glimpse::plan_desk_test::item;
  using glimpse::plan_desk_test::status;
  for (const bool is_regression : {false, true})
    for (const bool comes_first : {false, true}) {
      Desk desk;
      if (is_regression) {
        ClassOptions options;
        options.task = Task::kRegression;
        REQUIRE(desk.processor().set_classes(options).has_value());
      }
      const auto before = names_in(desk.processor());
      const std::string id = desk.ask_one();
      if (comes_first) REQUIRE(status(desk.tell(item(id, R"("label":"yes")"))) == "incomplete");
      CHECK(status(desk.tell(item(id, R"("label":"yes","values":[null,null,null])"))) == "not_learned");
      CHECK(names_in(desk.processor()) == before);
      CHECK_FALSE(desk.processor().learner().is_classifier());
      CHECK(desk.processor().learner().labels().empty());
      CHECK(status(desk.tell(item(desk.ask_one(), R"("label":2,"values":[1,2,3])"))) == "learned");
    }
}

TEST_CASE("words that open plans wait with, and those that were learned, stay when a plan is given up") {
  using glimpse::plan_desk_test::Desk;
  using glimpse::plan_desk_test::item;
  Desk desk;
  REQUIRE(desk.processor().set_classes({}).has_value());
  const auto& words = desk.processor().names().categories().label_words();
  const std::string learned = desk.ask_one();
  desk.tell(item(learned, R"("label":"a","values":[1,2,3])"));
  const std::string given_up = desk.ask_one();
  const std::string waiting = desk.ask_one();
  const std::string last = desk.ask_one();
  desk.tell(item(given_up, R"("label":"b")"));
  desk.tell(item(waiting, R"("label":"c")"));
  desk.tell(item(last, R"("label":"d")"));
  REQUIRE(abandon(desk.processor(), given_up, glimpse::plan_desk_test::kNow).has_value());
  REQUIRE(abandon(desk.processor(), last, glimpse::plan_desk_test::kNow).has_value());
  CHECK(words == std::vector<std::string>{"a", "b", "c"});
  CHECK(glimpse::plan_desk_test::status(desk.tell(item(waiting, R"("values":[1,2,3])"))) == "learned");
  REQUIRE(desk.processor().learner().classes().size() == 3);
  CHECK(desk.processor().learner().classes().count(1) == 0);
  CHECK(desk.processor().learner().classes().count(2) == 1);
}

}  // namespace unlearned_names_test
