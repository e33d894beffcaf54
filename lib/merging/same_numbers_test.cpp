#include <map>

#include "merging/merge_part.h"
#include "merging/merging_test_support.h"

namespace same_numbers_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kDimension = 4;

const std::vector<std::string> kColours = {"red", "green", "blue"};
const std::vector<std::string> kKinds = {"cat", "dog", "cow", "owl"};

// Of attributes a, b and c, which are numbers, and one of colours; the label a number or a kind.
struct Record {
  std::map<std::string, double> numbers;
  std::string colour;
  double label;
  std::string kind;
};
Record record_of(std::uint64_t number) {
  const Example example = example_of(number, 3);
  const std::size_t colour = Random(number + 77).below(3);
  const double label = example.label + 4 * static_cast<double>(colour);
  const std::size_t kind = colour + (example.x[0] > 3 ? 1 : 0);
  return {
      {{"a", example.x[0]}, {"b", example.x[1]}, {"c", example.x[2]}}, kColours[colour], label, kKinds[kind]};
}

// Names get numbers in the order that a record of this part has them in.
NamedLearner learned(const LearnerOptions& options, const std::vector<std::string>& order, std::uint64_t from,
                     std::uint64_t to, bool of_kinds) {
  NamedLearner named{make_learner(options).value(), AttributeNames(kDimension)};
  Categories& words = named.names.categories();
  if (of_kinds) {
    words.set_label_limit(16, "");
    named.learner->make_classifier();
  }
  Random random(from + 1);
  Plan plan;
  for (std::uint64_t t = from; t < to; ++t) {
    const Record record = record_of(t);
    std::vector<double> x(kDimension);
    for (const std::string& name : order) {
      const Attribute i = *named.names.find_or_add(name);
      if (name != "colour") x[i] = record.numbers.at(name);
      if (name == "colour") x[i] = *named.names.read_word(i, record.colour, true);
      if (name == "colour") named.learner->make_category(i);
    }
    const double label = of_kinds ? *words.read_label(record.kind, true) : record.label;
    named.names.keep();
    named.learner->plan(random, plan);
    std::vector<double> values;
    for (const Attribute i : plan.attributes) values.push_back(x[i]);
    REQUIRE(named.learner->learn(plan, values, label, 1) == Outcome::kLearned);
  }
  return named;
}

State state_of_named(const NamedLearner& named) { return state_of(*named.learner, named.names); }

// The prediction of a record, or the scores of kinds in the order of kKinds.
std::vector<double> answers(const State& state, const LearnerOptions& options, std::uint64_t number) {
  const auto learner = learner_of(state, options);
  AttributeNames names(kDimension);
  REQUIRE(names.restore(state).has_value());
  const Record record = record_of(number);
  std::vector<Entry> entries(kDimension);
  for (const std::string name : {"a", "b", "c", "colour"}) {
    const Attribute i = *names.find(name);
    entries[i] = {i, name == "colour" ? names.categories().find(i, record.colour) : record.numbers.at(name)};
  }
  if (!learner->is_classifier()) return {learner->predict(entries)};
  std::vector<double> scores(learner->classes().size());
  learner->class_scores(nullptr, entries, scores);
  std::vector<double> in_order;
  for (const std::string& kind : kKinds) {
    const auto& words = names.categories().label_words();
    const auto at = std::ranges::find(words, kind);
    if (at == words.end()) continue;  // no record was of that kind
    in_order.push_back(scores[static_cast<std::size_t>(at - words.begin())] - scores[0]);
  }
  REQUIRE(in_order.size() >= 3);
  for (std::size_t c = in_order.size(); c-- > 0;) in_order[c] -= in_order[0];
  return in_order;
}

}  // namespace

TEST_CASE("attributes, categories and classes are matched by name, whatever numbers they have") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    for (const bool of_kinds : {false, true}) {
      CAPTURE(std::string(algorithm));
      CAPTURE(of_kinds);
      const LearnerOptions options = merging_options(algorithm, kDimension, kDimension);
      const auto whole = learned(options, {"a", "b", "c", "colour"}, 0, 1500, of_kinds);
      const State first = state_of_named(learned(options, {"a", "b", "c", "colour"}, 0, 600, of_kinds));
      const State second = state_of_named(learned(options, {"colour", "c", "a", "b"}, 600, 1500, of_kinds));
      const State merged = folded({&first, &second});
      const State all = state_of_named(whole);
      for (std::uint64_t t = 5000; t < 5020; ++t) {
        const auto a = answers(merged, options, t);
        const auto b = answers(all, options, t);
        REQUIRE(a.size() == b.size());
        for (std::size_t k = 0; k < a.size(); ++k) CHECK(a[k] == doctest::Approx(b[k]).epsilon(2e-3));
      }
      AttributeNames names(kDimension);
      REQUIRE(names.restore(merged).has_value());
      CHECK(names.name(0) == "a");  // the first part's numbers stay
      if (of_kinds)
        CHECK(learner_of(merged, options)->label_variance() ==
              doctest::Approx(whole.learner->label_variance()));
    }
  }
}

TEST_CASE("a class or a category that only one part has is there, and those it has only are too") {
  const LearnerOptions options = merging_options("pairwise", kDimension, kDimension);
  const auto of_few = [&](std::uint64_t from, std::uint64_t to, const std::string& kind) {
    NamedLearner named{make_learner(options).value(), AttributeNames(kDimension)};
    named.names.categories().set_label_limit(16, "");
    named.learner->make_classifier();
    Random random(1);
    Plan plan;
    for (std::uint64_t t = from; t < to; ++t) {
      const Example example = example_of(t, kDimension);
      const double label = *named.names.categories().read_label(t % 3 == 0 ? kind : "both", true);
      named.names.keep();
      named.learner->plan(random, plan);
      REQUIRE(named.learner->learn(plan, example.x, label, 1) == Outcome::kLearned);
    }
    return state_of_named(named);
  };
  const State first = of_few(0, 90, "one");
  const State second = of_few(91, 391, "other");
  const State merged = folded({&first, &second});
  AttributeNames names(kDimension);
  REQUIRE(names.restore(merged).has_value());
  const auto learner = learner_of(merged, options);
  CHECK(names.categories().label_words() == std::vector<std::string>{"one", "both", "other"});
  REQUIRE(learner->classes().size() == 3);
  CHECK(learner->classes().count(0) == 30);
  CHECK(learner->classes().count(1) == 260);
  CHECK(learner->classes().count(2) == 100);
}

TEST_CASE("learners whose numbers cannot be matched are refused") {
  const LearnerOptions options = merging_options("pairwise", kDimension, 2);
  const auto with_header = [&](const std::vector<std::string>& header) {
    AttributeNames names(kDimension);
    REQUIRE(names.fix(header).has_value());
    return state_of(*learned_from(options, 1, 0, 20), names);
  };
  const State ours = with_header({"a", "b", "c", "d"});
  const State theirs = with_header({"a", "b", "c", "e"});
  CHECK(error_of_fold({&ours, &theirs}).code == ErrorCode::kMismatch);
  const State numbers = state_of(*learned_from(options, 2, 20, 40));
  const State named = folded({&numbers, &ours});  // a header names what was numbered alike
  AttributeNames names(kDimension);
  REQUIRE(names.restore(named).has_value());
  CHECK(names.name(3) == "d");
  AttributeNames found(kDimension);
  REQUIRE(found.find_or_add("a").has_value());
  found.keep();
  const State dictionary = state_of(*learned_from(options, 3, 40, 60), found);
  CHECK(error_of_fold({&dictionary, &numbers}).code == ErrorCode::kMismatch);
  CHECK(error_of_fold({&numbers, &dictionary}).code == ErrorCode::kMismatch);
}

}  // namespace same_numbers_test
