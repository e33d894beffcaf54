#include <cmath>
#include <doctest/doctest.h>

#include "learn/core/model_products.h"
#include "learn/inference/incomplete_example.h"
#include "learn/products/product_test_support.h"

namespace triples_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

LearnerOptions triple_options(std::size_t budget = 6) {
  LearnerOptions options = product_options(budget);
  options.products = 3;
  return options;
}

Stream triples(std::uint64_t seed, double offset = 0) {
  Stream stream(seed);
  stream.has_triples = true;
  stream.offset = offset;
  return stream;
}

}  // namespace

TEST_CASE(
    "products of three are learned from six of eight attributes, about any offset, with missing values") {
  for (const auto& [offset, missing] : {std::pair{0.0, 0.0}, {100.0, 0.0}, {0.0, 0.1}}) {
    INFO(offset);
    double losses[2];
    for (const std::size_t degree : {2, 3}) {
      LearnerOptions options = triple_options();
      options.products = degree;
      auto learner = make_learner(options).value();
      Stream stream = triples(1, offset);
      Random random(2);
      learn(*learner, stream, random, 12000, missing);
      losses[degree - 2] = loss_of(*learner, stream);
    }
    CHECK(losses[0] > 0.4);
    CHECK(losses[1] < 0.1);
  }
}

TEST_CASE("where no product of three enters, those of two do") {
  auto learner = make_learner(triple_options()).value();
  Stream stream(1);
  Random random(2);
  learn(*learner, stream, random, 8000);
  CHECK(loss_of(*learner, stream) < 0.1);
}

TEST_CASE("on a linear stream the model with products of three allowed is the linear one, to the bit") {
  LearnerOptions linear = triple_options();
  linear.products = 0;
  auto with = make_learner(triple_options()).value();
  auto without = make_learner(linear).value();
  Random draws[2] = {Random(2), Random(2)};
  Stream streams[2] = {Stream(1), Stream(1)};
  for (Stream& stream : streams) stream.has_products = false;
  for (int step = 0; step < 6; ++step) {
    learn(*with, streams[0], draws[0], 500);
    learn(*without, streams[1], draws[1], 500);
    const auto a = with->shared_model();
    const auto b = without->shared_model();
    for (std::size_t i = 0; i < kAttributes; ++i) CHECK(a->weights[i] == b->weights[i]);
    CHECK(count_products(*a) == 0);
  }
}

TEST_CASE("an exported model with products of three of the attributes themselves predicts the same") {
  auto learner = make_learner(triple_options()).value();
  Stream stream = triples(1, 3);
  Random random(2);
  learn(*learner, stream, random, 8000);
  const auto model = learner->shared_model();
  const ProductSlots slots(kAttributes, 3);
  REQUIRE(model->weights.size() == slots.all());
  REQUIRE(model->weights[slots.of(1, 2, 4)] != 0);
  const Model plain = with_plain_products(*model);
  CHECK(plain.centres.empty());
  for (int t = 0; t < 100; ++t) {
    stream.next();
    const auto& x = stream.x;
    double prediction = plain.bias;
    for (Attribute i = 0; i < kAttributes; ++i) {
      prediction += plain.weights[i] * x[i];
      for (Attribute j = i; j < kAttributes; ++j) {
        prediction += plain.weights[slots.of(i, j)] * x[i] * x[j];
        for (Attribute k = j; k < kAttributes; ++k)
          prediction += plain.weights[slots.of(i, j, k)] * x[i] * x[j] * x[k];
      }
    }
    CHECK(learner->predict_with(*model, stream.entries()) == doctest::Approx(prediction).epsilon(1e-9));
  }
}

TEST_CASE("with products of three a learner that was saved and restored goes on to the bit") {
  for (const bool forgets : {false, true}) {
    LearnerOptions options = triple_options();
    if (forgets) options.half_life = 3000;
    for (const int before : {10, 700, 5000}) {
      check_goes_on(options, triples(1), before, 2500);
    }
  }
}

TEST_CASE("the progressive loss with products of three is that of the models that judge, within its error") {
  for (const std::size_t budget : {std::size_t{6}, kAttributes}) {
    auto learner = make_learner(triple_options(budget)).value();
    Stream stream = triples(1);
    Random random(2);
    learn(*learner, stream, random, 8192);
    CHECK(deviation_of_progressive_loss(*learner, stream, random, 4000) < 4);
  }
}

TEST_CASE("from all attributes the prediction is the model's with products of three, and a part helps") {
  auto learner = make_learner(triple_options()).value();
  Stream stream = triples(1);
  Random random(2);
  learn(*learner, stream, random, 12000);
  const auto basis = prediction_basis(*learner);
  IncompleteExamples incomplete;
  double errors = 0;
  double blind = 0;
  for (int t = 0; t < 300; ++t) {
    stream.next();
    std::vector<Entry> entries = stream.entries();
    const auto whole = incomplete.predict(*learner, entries, basis);
    CHECK(whole.prediction == doctest::Approx(learner->predict(entries)).epsilon(1e-6));
    for (const Attribute i : {0, 3, 5, 6, 7}) entries[i].value = NAN;
    const auto part = incomplete.predict(*learner, entries, basis);
    CHECK(part.standard_error > whole.standard_error);
    errors += (part.prediction - stream.label) * (part.prediction - stream.label);
    blind += (1.0 - stream.label) * (1.0 - stream.label);  // 1: the mean of 3·x²
  }
  CHECK(errors < 0.7 * blind);
}

TEST_CASE("of more than eight attributes the first that were drawn give products") {
  LearnerOptions options = triple_options(12);
  options.dimension = 14;
  auto learner = make_learner(options).value();
  Random random(2);
  Stream stream = triples(1);
  Plan plan;
  for (int t = 0; t < 6000; ++t) {
    stream.next();
    std::vector<double> x = stream.x;
    for (std::size_t i = kAttributes; i < options.dimension; ++i) x.push_back(stream.random.uniform());
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, x), stream.label, 1);
  }
  const auto model = learner->shared_model();
  CHECK(model->weights[ProductSlots(14, 3).of(1, 2, 4)] == doctest::Approx(8).epsilon(0.2));
  CHECK(model->weights[ProductSlots(14, 3).of(5, 5, 6)] == doctest::Approx(6).epsilon(0.3));
}

}  // namespace triples_test
