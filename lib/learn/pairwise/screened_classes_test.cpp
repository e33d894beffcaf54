#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "learn/classes/class_scores.h"
#include "learn/core/class_model.h"
#include "learn/factory.h"
#include "learn/learner_test_support.h"
#include "learn/pairwise/grown_state.h"
#include "learn/pairwise/screened_pairwise.h"

// What the screened learner does about classes where not all attributes are active.

namespace glimpse::screened_classes_test {
namespace {

constexpr std::size_t kDim = 120;
constexpr std::size_t kClasses = 4;
constexpr std::size_t kTelling = 8;

LearnerOptions screened_options() {
  LearnerOptions options;
  options.algorithm = "pairwise-screened";
  options.dimension = kDim;
  options.budget = 12;
  options.active = 20;
  return options;
}

std::unique_ptr<ScreenedPairwise> classifier(const LearnerOptions& options = screened_options()) {
  auto learner = std::make_unique<ScreenedPairwise>(options);
  learner->make_classifier();
  return learner;
}

// Attribute first + i tells class i % classes from the others, for i below kTelling.
struct Stream {
  explicit Stream(std::uint64_t seed, std::size_t classes = kClasses) : random(seed), classes(classes) {}
  std::size_t next(std::vector<double>& x) {
    const std::size_t c = random.below(classes);
    x.resize(kDim);
    for (std::size_t i = 0; i < kDim; ++i) {
      const double noise = random.uniform() + random.uniform() + random.uniform() - 1.5;
      x[i] = noise + (i >= first && i < first + kTelling && (i - first) % classes == c ? 1 : 0);
    }
    return c;
  }

  Random random;
  std::size_t classes;
  std::size_t first = 10;
};

// Of every active attribute each example that showed it is of one class.
void check_sums(const ScreenedPairwise& learner) {
  const PairMoments& moments = learner.moments();
  for (std::size_t i = 0; i < learner.active().size(); ++i) {
    double seen = 0;
    for (std::size_t c = 0; c < moments.targets(); ++c) {
      const TargetSums::Cell cell = moments.target_cell(i, c);
      seen += cell.label[0] + cell.label[1];
    }
    CHECK(seen == doctest::Approx(moments[i].weight()).epsilon(1e-9));
  }
}

// How often the set of active attributes changed.
int learn(ScreenedPairwise& learner, Random& random, Stream& stream, int examples) {
  Plan plan;
  std::vector<double> x;
  int changes = 0;
  std::vector<Attribute> active = learner.active();
  for (int n = 0; n < examples; ++n) {
    const auto c = static_cast<double>(stream.next(x));
    learner.plan(random, plan);
    learner.learn(plan, test::reveal(plan, x), c, 1);
    if (active == learner.active()) continue;
    active = learner.active();
    ++changes;
    check_sums(learner);
  }
  return changes;
}

double error_of(const Learner& learner, Stream& stream) {
  constexpr int kExamples = 1000;
  int wrong = 0;
  std::vector<double> x;
  std::vector<Entry> entries(kDim);
  std::vector<double> scores(learner.classes().size());
  const auto model = learner.class_model();
  for (int n = 0; n < kExamples; ++n) {
    const std::size_t c = stream.next(x);
    for (std::size_t i = 0; i < kDim; ++i) entries[i] = {static_cast<Attribute>(i), x[i]};
    learner.class_scores(model.get(), entries, scores);
    wrong += greatest(scores) != c ? 1 : 0;
  }
  return wrong / static_cast<double>(kExamples);
}

std::size_t found(const ScreenedPairwise& learner, std::size_t first) {
  return static_cast<std::size_t>(std::ranges::count_if(
      learner.active(), [&](Attribute i) { return i >= first && i < first + kTelling; }));
}

TEST_CASE("what tells any class from the others becomes active, and its sums begin with it") {
  auto learner = classifier();
  CHECK(learner->learns_classes());
  Random random(1);
  Stream stream(2);
  CHECK(learn(*learner, random, stream, 20000) > 1);
  CHECK(found(*learner, 10) == kTelling);
  CHECK(learner->active().size() < kTelling + 5);
  Stream test(3);
  CHECK(error_of(*learner, test) < 0.15);  // of all the same: 0.75
  const auto scores = learner->class_model();
  REQUIRE(scores);
  CHECK(scores->slots() == kDim);
  CHECK(learner->progressive_loss().recent().mean < 0.7 * learner->label_variance());
}

TEST_CASE("with a half-life the places go to what tells classes apart now") {
  LearnerOptions options = screened_options();
  options.half_life = 2000;
  auto learner = classifier(options);
  Random random(1);
  Stream stream(2);
  learn(*learner, random, stream, 15000);
  CHECK(found(*learner, 10) == kTelling);
  stream.first = 60;
  learn(*learner, random, stream, 30000);
  CHECK(found(*learner, 60) == kTelling);
  CHECK(found(*learner, 10) < kTelling / 2);
  check_sums(*learner);
  Stream test(3);
  test.first = 60;
  CHECK(error_of(*learner, test) < 0.2);
}

TEST_CASE("an attribute that begins again does so with the sums of all classes") {
  LearnerOptions options = screened_options();
  options.active = kDim;
  auto learner = classifier(options);
  Random random(1);
  Stream stream(2);
  Plan plan;
  std::vector<double> x;
  int falls = 0;
  bool was_seen = false;
  for (int n = 0; n < 2000; ++n) {
    const auto c = static_cast<double>(stream.next(x));
    if (!was_seen) x[10] = 1e6;  // which those that follow refute
    learner->plan(random, plan);
    const auto before = learner->sampling_row(10).moment.count;
    learner->learn(plan, test::reveal(plan, x), c, 1);
    was_seen = learner->sampling_row(10).moment.count > 0 || was_seen;
    const bool is_revealed = std::ranges::find(plan.attributes, 10U) != plan.attributes.end();
    if (!is_revealed || learner->sampling_row(10).moment.count > before) continue;  // but without the first
    ++falls;
    check_sums(*learner);
  }
  CHECK(falls == 1);
  check_sums(*learner);
}

std::vector<std::byte> bytes_of(const Learner& learner) {
  State state;
  state.begin();
  learner.save(state);
  state.finish();
  std::vector<std::byte> all;
  for (const Tensor& tensor : state.tensors())
    all.insert(all.end(), reinterpret_cast<const std::byte*>(tensor.bytes.data()),
               reinterpret_cast<const std::byte*>(tensor.bytes.data()) + tensor.bytes.size());
  return all;
}

TEST_CASE("a screened classifier comes back from its state and goes on to the bit") {
  for (const int before : {5, 70, 700, 5000}) {
    CAPTURE(before);
    auto learner = classifier();
    Random random(1);
    Stream stream(2);
    learn(*learner, random, stream, before);
    State state;
    state.begin();
    learner->save(state);
    state.finish();
    auto restored = std::make_unique<ScreenedPairwise>(screened_options());
    REQUIRE(restored->restore(state).has_value());
    Random same = random;
    Stream copy = stream;
    learn(*learner, random, stream, 3000);
    learn(*restored, same, copy, 3000);
    CHECK(bytes_of(*learner) == bytes_of(*restored));
    CHECK(learner->class_model()->weights == restored->class_model()->weights);
  }
}

TEST_CASE("a screened classifier whose sums of classes do not fit is refused") {
  auto learner = classifier();
  Random random(1);
  Stream stream(2);
  learn(*learner, random, stream, 100);
  State state;
  state.begin();
  learner->save(state);
  state.put_copy<double>("screen.classes", std::vector<double>(2 * kDim + 1));
  state.finish();
  auto restored = std::make_unique<ScreenedPairwise>(screened_options());
  const Status status = restored->restore(state);
  CHECK(!status.has_value());
}

TEST_CASE("a class that comes late is told apart as well") {
  auto learner = classifier();
  Random random(1);
  Stream two(2, 2);
  learn(*learner, random, two, 3000);
  Stream all(5);
  learn(*learner, random, all, 30000);
  REQUIRE(learner->classes().size() == kClasses);
  Stream test(3);
  CHECK(error_of(*learner, test) < 0.25);
}

TEST_CASE("of noise no attribute becomes active, and classes have their shares") {
  auto learner = classifier();
  Random random(1);
  Random source(8);
  Plan plan;
  std::vector<double> x(kDim);
  std::size_t most = 0;
  for (int n = 0; n < 6000; ++n) {
    for (double& value : x) value = source.uniform();
    learner->plan(random, plan);
    const std::size_t draw = source.below(10);
    learner->learn(plan, test::reveal(plan, x), draw < 7 ? 0 : draw < 9 ? 1 : 2, 1);
    most = std::max(most, learner->active().size());
  }
  CHECK(most <= 3);
  std::vector<double> p(3);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < kDim; ++i) entries.push_back({static_cast<Attribute>(i), x[i]});
  learner->class_scores(learner->class_model().get(), entries, p);
  to_probabilities(1, p);
  CHECK(p[0] == doctest::Approx(0.7).epsilon(0.1));
  CHECK(p[2] == doctest::Approx(0.1).epsilon(0.3));
  learner->judged_class_scores(entries, p);
  to_probabilities(1, p);
  CHECK(p[0] == doctest::Approx(0.7).epsilon(0.1));
  // Half of what all indicators vary.
  CHECK(learner->progressive_loss().recent().mean ==
        doctest::Approx(learner->label_variance()).epsilon(0.05));
}

TEST_CASE("a solution made elsewhere is that of the thread that learns") {
  auto learner = classifier();
  auto twin = classifier();
  Random random(1);
  Random same(1);
  Stream stream(2);
  Stream copy(2);
  learn(*learner, random, stream, 6000);
  learn(*twin, same, copy, 6000);
  twin->begin_capture();
  while (!twin->capture(1000)) {
  }
  const auto solution = twin->solve({});
  REQUIRE(solution->classes);
  CHECK(solution->classes->weights == learner->class_model()->weights);
  CHECK(twin->solve([] { return true; }) == nullptr);
}

TEST_CASE("a screened classifier takes more attributes") {
  auto learner = classifier();
  Random random(1);
  Stream stream(2);
  learn(*learner, random, stream, 5000);
  State state;
  state.begin();
  learner->save(state);
  state.finish();
  const auto grown = with_more_attributes(state, kDim + 3, 20);
  REQUIRE(grown.has_value());
  LearnerOptions options = screened_options();
  options.dimension = kDim + 3;
  auto more = std::make_unique<ScreenedPairwise>(options);
  REQUIRE(more->restore(*grown).has_value());
  CHECK(more->active() == learner->active());
  Stream test(3);
  Stream again(3);
  CHECK(error_of(*more, test) == error_of(*learner, again));
}

TEST_CASE("categories tell classes apart beside numbers") {
  LearnerOptions options = screened_options();
  auto learner = classifier(options);
  learner->make_category(3);
  Random random(1);
  Stream stream(2);
  Random words(9);
  Plan plan;
  std::vector<double> x;
  for (int n = 0; n < 20000; ++n) {
    const std::size_t c = stream.next(x);
    x[3] = static_cast<double>(words.uniform() < 0.8 ? c : words.below(kClasses));
    learner->plan(random, plan);
    learner->learn(plan, test::reveal(plan, x), static_cast<double>(c), 1);
  }
  check_sums(*learner);
  const auto scores = learner->class_model();
  REQUIRE(scores);
  for (std::size_t c = 0; c < kClasses; ++c) {
    const std::uint32_t slot = learner->features().indicator(3, static_cast<double>(c));
    REQUIRE(slot < scores->slots());
    CHECK(greatest(scores->weights_of(slot)) == c);
  }
}

}  // namespace
}  // namespace glimpse::screened_classes_test
