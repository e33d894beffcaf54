#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <vector>

#include "learn/core/solving.h"
#include "learn/inference/conditioning.h"
#include "learn/inference/incomplete_example.h"
#include "learn/inference/known_features.h"
#include "learn/inference/partial_prediction.h"
#include "learn/products/placed_moments.h"
#include "learn/products/screened_test_support.h"
#include "stats/pair_moments.h"

// Predictions from a part of the attributes by pairwise-screened with products.
namespace screened_partial_test {

using namespace glimpse;
using namespace glimpse::test;
using namespace glimpse::test::wide;

namespace {

std::unique_ptr<Learner> learned(const LearnerOptions& options, int examples, std::uint64_t seed = 1) {
  auto learner = make_learner(options).value();
  Wide stream(seed);
  Random random(2);
  learn(*learner, stream, random, examples);
  return learner;
}

LearnerOptions without_products() {
  LearnerOptions options = screened();
  options.products = 0;
  return options;
}

// All but some of the attributes are missing.
std::vector<Entry> only(std::vector<Entry> entries, std::initializer_list<Attribute> known) {
  std::vector<Entry> result = entries;
  for (Entry& entry : result) entry.value = NAN;
  for (const Attribute i : known) result[i].value = entries[i].value;
  return result;
}

// Mean squared errors over the variance of the labels, and over the squared standard errors that were told.
struct PartialScore {
  double loss = 0;
  double honest = 0;
};

PartialScore score_of(const Learner& learner, Wide stream, std::initializer_list<Attribute> known) {
  constexpr int kExamples = 1000;
  IncompleteExamples incomplete;
  const auto basis = prediction_basis(learner);
  PartialScore score;
  double square = 0;
  for (int t = 0; t < kExamples; ++t) {
    stream.next();
    const auto answer = incomplete.predict(learner, only(stream.entries(), known), basis);
    const double error = (answer.prediction - stream.label) * (answer.prediction - stream.label);
    score.loss += error;
    score.honest += error / (answer.standard_error * answer.standard_error) / kExamples;
    square += stream.label * stream.label;
  }
  score.loss /= square;
  return score;
}

std::vector<double> cells_of(const Learner& learner, const TargetMoments& about,
                             const std::vector<Attribute>& slots) {
  std::vector<double> cells(slots.size() * slots.size());
  learner.conditioning()->covariances(about, slots, slots, cells);
  return cells;
}

std::vector<Attribute> with_weights(const Solution& solution) {
  std::vector<Attribute> slots;
  for (Attribute slot = 0; slot < solution.model.weights.size(); ++slot)
    if (solution.model.weights[slot] != 0) slots.push_back(slot);
  return slots;
}

}  // namespace

TEST_CASE("factors of a product are those that its slot was given for") {
  for (const std::size_t degree : {2, 3})
    for (const std::size_t places : {1, 2, 7}) {
      std::vector<Attribute> members(places);
      std::iota(members.begin(), members.end(), Attribute{3});
      const ProductSlots slots(20, degree, members);
      std::size_t seen = 0;
      slots.for_each([&](std::uint32_t slot, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
        CHECK(slots.factors(slot) == std::array{i, j, k});
        ++seen;
      });
      CHECK(seen == slots.all() - 20);
    }
}

TEST_CASE("where the factors of a product are known, so is it; errors that are told are about right") {
  const auto with = learned(screened(), 30000);
  const auto without = learned(without_products(), 30000);
  REQUIRE(products_of_model(*with->shared_model()).contains({3, 48}));
  const PartialScore both = score_of(*with, Wide(9), {3, 48});
  CHECK(both.loss < 0.15);  // x37 is unknown: .075 of the label
  CHECK(both.honest > 0.5);
  CHECK(both.honest < 2);
  CHECK(score_of(*without, Wide(9), {3, 48}).loss > 0.6);
  // One factor is not the product: what is not known of it is in the error.
  const PartialScore one = score_of(*with, Wide(9), {3});
  CHECK(one.loss < 0.8);
  CHECK(one.honest > 0.5);
  CHECK(one.honest < 2);
}

TEST_CASE("products of three are known from their three factors") {
  LearnerOptions options = screened(3);
  auto learner = make_learner(options).value();
  Wide stream(1);
  stream.has_triples = true;
  Random random(2);
  learn(*learner, stream, random, 60000);
  REQUIRE(products_of_model(*learner->shared_model()).contains({3, 37, 48}));
  const PartialScore all = score_of(*learner, stream, {3, 37, 48});
  CHECK(all.loss < 0.1);
  CHECK(all.honest < 2);
  CHECK(score_of(*learner, stream, {3, 48}).loss > 2 * all.loss);
}

TEST_CASE("the other factor of a product is the next attribute to buy") {
  const auto learner = learned(screened(), 30000);
  const auto solution = learner->conditioning()->newest_solution();
  std::vector<Attribute> all(kMany);
  std::iota(all.begin(), all.end(), Attribute{0});
  const std::vector<Entry> known{{3, 3.9}};
  const std::vector<Attribute> given{3};
  const OwnedFeatures features = features_of(all, learner->features(), *solution, given);
  PartialPrediction prediction(solution, features.slots, features.owners);
  std::vector<double> row(features.slots.size());
  for (const Entry& entry : known_features(known, learner->features(), *solution)) {
    learner->conditioning()->covariances(solution->moments, std::vector{entry.attribute}, features.slots,
                                         row);
    REQUIRE(prediction.add_known(entry.attribute, entry.value, row));
  }
  const auto next = prediction.best_next([](Attribute) { return 1.0; });
  REQUIRE(next);
  CHECK(next->attribute == 48);
}

TEST_CASE("moments of a solution are those of its covariances") {
  const auto learner = learned(screened(), 30000);
  const auto solution = learner->conditioning()->newest_solution();
  const TargetMoments& moments = solution->moments;
  REQUIRE(moments.means.size() == solution->model.weights.size());
  CHECK(moments.products == solution->model.products);
  const std::vector<Attribute> slots = with_weights(*solution);
  const std::vector<double> cells = cells_of(*learner, moments, slots);
  double total = 0;
  for (std::size_t a = 0; a < slots.size(); ++a) {
    double target = 0;
    for (std::size_t b = 0; b < slots.size(); ++b) {
      target += cells[a * slots.size() + b] * solution->weight_inward(slots[b]);
      CHECK(cells[a * slots.size() + b] == cells[b * slots.size() + a]);
    }
    const double deviation = std::sqrt(moments.variances[slots[a]] * moments.total);
    CHECK(std::abs(target - moments.target[slots[a]]) < 1e-3 * deviation);
    total += solution->weight_inward(slots[a]) * target;
  }
  CHECK(moments.total == doctest::Approx(total).epsilon(1e-3));
}

TEST_CASE("what is told of a part agrees with pairwise where all attributes are active") {
  LearnerOptions options = screened();
  options.dimension = 60;
  options.active = 60;
  options.pair_memory = PairMoments::memory_bytes(60 + 30 * 31 / 2);  // of some
  REQUIRE(dynamic_cast<const ScreenedProducts*>(make_learner(options).value().get()) != nullptr);
  LearnerOptions pairs = options;
  pairs.algorithm = "pairwise";
  pairs.active.reset();
  pairs.pair_memory = PairMoments::memory_bytes(60 + 60 * 61 / 2);  // of all
  std::unique_ptr<Learner> learners[] = {make_learner(options).value(), make_learner(pairs).value()};
  for (const auto& learner : learners) {
    Wide stream(1);
    Random random(2);
    Plan plan;
    for (int t = 0; t < 40000; ++t) {
      stream.next();
      learner->plan(random, plan);
      learner->learn(plan, reveal(plan, stream.x), stream.label, 1);
    }
  }
  IncompleteExamples incomplete;
  Wide stream(7);
  for (int t = 0; t < 100; ++t) {
    stream.next();
    std::vector<Entry> entries = stream.entries();
    entries.resize(60);
    const std::vector<Entry> known = t % 3 == 0   ? only(entries, {3})
                                     : t % 3 == 1 ? only(entries, {3, 48})
                                                  : only(entries, {3, 37, 48});
    IncompleteExamples::Answer answers[2];
    for (int k = 0; k < 2; ++k)
      answers[k] = incomplete.predict(*learners[k], known, prediction_basis(*learners[k]));
    CHECK(std::abs(answers[0].prediction - answers[1].prediction) < 0.15);  // labels have a deviation of 2.1
    CHECK(answers[0].standard_error == doctest::Approx(answers[1].standard_error).epsilon(0.2));
  }
}

TEST_CASE("with everything known it is the model's prediction, and explanations add up to it") {
  for (const double size : {1.0, 1e-6, 1e9}) {
    auto learner = make_learner(screened()).value();
    Wide stream(1);
    stream.size = size;
    stream.offset = 3 * size;
    Random random(2);
    learn(*learner, stream, random, 30000);
    CAPTURE(size);
    const auto basis = prediction_basis(*learner);
    IncompleteExamples incomplete;
    for (int t = 0; t < 20; ++t) {
      stream.next();
      const double whole = learner->predict(stream.entries());
      const auto answer = incomplete.predict(*learner, stream.entries(), basis);
      CHECK(answer.prediction == doctest::Approx(whole).epsilon(1e-6));
      const std::vector<Entry> part = only(stream.entries(), {3, 48});
      const Explanation told = incomplete.explain(*learner, part, basis, 2);
      double sum = told.at_means + told.rest + told.unknown;
      bool has_product = false;
      for (const Explanation::Part& each : told.parts) {
        sum += each.amount;
        has_product = has_product || each.slot >= kMany;
      }
      CHECK(sum == doctest::Approx(told.prediction).epsilon(1e-6));
      CHECK(told.unknown_variance > 0);
      if (std::abs((stream.x[3] - 3 * size) * (stream.x[48] - 3 * size)) > 0.3 * size * size)
        CHECK(has_product);
    }
  }
}

TEST_CASE("before there are products, or examples, a part is told of by the attributes alone") {
  for (const int examples : {0, 1, 5, 40, 700}) {
    const auto learner = learned(screened(), examples);
    IncompleteExamples incomplete;
    Wide stream(5);
    stream.next();
    const auto basis = prediction_basis(*learner);
    CHECK(basis->moments.means.size() == basis->model.weights.size());
    const auto answer = incomplete.predict(*learner, only(stream.entries(), {3, 48}), basis);
    CHECK(std::isfinite(answer.prediction));
    CHECK(!(answer.standard_error < 0));
    const auto whole = incomplete.predict(*learner, stream.entries(), basis);
    CHECK(whole.prediction == doctest::Approx(learner->predict(stream.entries())).epsilon(1e-6));
  }
}

TEST_CASE("a solution goes on giving sound numbers while members and attributes change") {
  auto learner = learned(screened(), 30000);
  learner->solving()->begin_capture();
  while (!learner->solving()->capture(1000)) continue;
  learner->solving()->adopt(learner->solving()->solve({}));
  const auto old = prediction_basis(*learner);
  Wide stream(5);
  stream.size = -2;
  stream.is_linear = false;
  stream.offset = 40;
  Random random(3);
  IncompleteExamples incomplete;
  for (int part = 0; part < 8; ++part) {
    learn(*learner, stream, random, 3000);
    for (const auto& known : {only(stream.entries(), {3, 48}), only(stream.entries(), {3, 37, 100, 150})}) {
      const auto answer = incomplete.predict(*learner, known, old);
      CHECK(std::isfinite(answer.prediction));
      CHECK(answer.standard_error > 0);
      CHECK(std::isfinite(answer.standard_error));
    }
  }
}

TEST_CASE("the model that judges tells of parts as well, also after a restart") {
  const auto learner = learned(screened(), 30000);
  const State state = saved(*learner);
  auto restored = make_learner(screened()).value();
  REQUIRE(restored->restore(state).has_value());
  IncompleteExamples incomplete;
  Wide stream(5);
  double errors = 0;
  double squares = 0;
  for (int t = 0; t < 300; ++t) {
    stream.next();
    const std::vector<Entry> known = only(stream.entries(), {3, 48});
    double answers[2];
    for (int k = 0; k < 2; ++k) {
      const Learner& each = k == 0 ? *learner : *restored;
      const auto basis = each.judged_basis();
      REQUIRE(basis != nullptr);
      answers[k] = incomplete.predict(each, known, basis).prediction;
    }
    CHECK(answers[0] == answers[1]);
    errors += (answers[0] - stream.label) * (answers[0] - stream.label);
    squares += stream.label * stream.label;
  }
  CHECK(errors < 0.3 * squares);
}

TEST_CASE("a model of another time is described by what is known of it, the rest counts as independent") {
  // Two attributes are kept of four, and the product of both about 1.
  PairMoments moments(3);
  Random random(1);
  for (int t = 0; t < 500; ++t) {
    const double x = random.uniform();
    const double y = random.uniform();
    moments.add(std::vector<Attribute>{0, 1, 2}, std::vector<double>{x, y, (x - 1) * (y - 1)}, x, 1);
  }
  PairSnapshot sums;
  sums.take(moments, true);
  const std::vector<Attribute> active{1, 3};
  const ProductSlots kept(2, 2, {0, 1});
  const std::vector<double> centres{1, 1};
  Model model;
  model.products = ProductSlots(4, 2, {3, 1, 0});
  model.centres = {1, 1, 1};
  model.weights.assign(model.products.all(), 0.0);
  model.weights[0] = 5;
  model.weights[1] = 7;
  model.weights[model.products.of(0, 1)] = 2;  // of 3 and 1
  model.weights[model.products.of(0, 2)] = 3;  // of 3 and 0
  const PlacedSlots places(model, active, sums, kept, centres);
  const Model placed = places.placed();
  CHECK(placed.weights[0] == 7);
  CHECK(placed.weights[kept.of(0, 1)] == 2);
  CHECK(std::accumulate(placed.weights.begin(), placed.weights.end(), 0.0) == 9);
  TargetMoments described = no_moments(placed.weights.size());
  described.means[0] = 0.5;
  described.means[kept.of(0, 1)] = 0.25;
  described.target[0] = 6;
  described.total = 10;
  described.expected = 4;
  std::vector<double> centre(model.weights.size());
  centre[model.products.of(0, 2)] = 0.125;
  const TargetMoments told =
      places.unplaced(described, std::vector<double>{2, 9, 9, 9}, std::vector<double>{3, 9, 9, 9}, centre);
  CHECK(told.means[1] == 0.5);
  CHECK(told.target[1] == 6);
  CHECK(told.means[model.products.of(0, 1)] == 0.25);
  CHECK(told.means[0] == 2);
  CHECK(told.variances[0] == 3);
  CHECK(told.target[0] == 15);
  CHECK(told.means[model.products.of(0, 2)] == 0.125);
  CHECK(told.variances[3] == 0);
  CHECK(told.total == 10 + 75);
  CHECK(told.expected == 4 + 10 + 3 * 0.125);
  // About other centres it is another product.
  const PlacedSlots others(model, active, sums, kept, std::vector<double>{1, 2});
  CHECK(others.placed().weights[kept.of(0, 1)] == 0);
}

}  // namespace screened_partial_test
