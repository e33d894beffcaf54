#include <ctime>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "polynomials/example_text.h"
#include "polynomials/polynomial_learner.h"

// The learners of polynomials that glimpsed.lab compares apple with (ABHLT14): they live nowhere else.

namespace glimpse::python {

namespace {

using Factors = std::vector<Attribute>;
using Places = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::uint32_t> rows_in(const Places& rows, const ExampleText& text) {
  const std::span<const std::uint32_t> all(rows.data(), rows.shape(0));
  for (const std::uint32_t row : all)
    if (row >= text.size()) throw nb::index_error("a row is beyond the examples");
  return all;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of a sparse matrix by rows: entries begins[r] to begins[r + 1] are those of row r.
std::shared_ptr<ExampleText> examples_of(const Array<std::int64_t>& begins,
                                         const Array<std::uint32_t>& columns, const Array<double>& values,
                                         const Array<double>& labels) {
  auto text = std::make_shared<ExampleText>();
  if (begins.shape(0) != labels.shape(0) + 1 || columns.shape(0) != values.shape(0))
    throw nb::value_error("begins needs a number more than labels, and columns one for each value");
  std::vector<Entry> entries;
  for (std::size_t r = 0; r < labels.shape(0); ++r) {
    entries.clear();
    if (begins.data()[r] < 0 || begins.data()[r + 1] > static_cast<std::int64_t>(values.shape(0)))
      throw nb::value_error("begins are beyond the values");
    for (std::int64_t e = begins.data()[r]; e < begins.data()[r + 1]; ++e)
      if (values.data()[e] != 0) entries.push_back({columns.data()[e], values.data()[e]});
    text->append(entries, labels.data()[r]);
  }
  return text;
}

// Attributes whose values other than 0 are all one, in these rows.
std::vector<bool> idempotent_of(const ExampleText& text, const Places& rows) {
  std::vector<bool> idempotent(text.dimension(), true);
  std::vector<double> values(text.dimension(), 0);
  check(text.read(rows_in(rows, text), [&](std::span<const Entry> entries, double) {
    for (const auto& [attribute, value] : entries) {
      if (values[attribute] == 0) values[attribute] = value;
      if (values[attribute] != value) idempotent[attribute] = false;
    }
  }));
  return idempotent;
}

Expander expander_of(const std::string& name) {
  constexpr std::pair<const char*, Expander> kNames[] = {{"lin", Expander::kLin},
                                                         {"quad", Expander::kQuad},
                                                         {"cubic", Expander::kCubic},
                                                         {"apple", Expander::kApple},
                                                         {"ssm", Expander::kSsm}};
  for (const auto& [known, expander] : kNames)
    if (name == known) return expander;
  throw nb::value_error("an expander is lin, quad, cubic, apple or ssm");
}

// Bigrams of these rows, numbered before anything is learned, as learners over shards need them.
std::shared_ptr<const Bigrams> bigrams_of(const ExampleText& text, const Places& rows) {
  auto bigrams = std::make_shared<Bigrams>(text.dimension(), PolynomialOptions().most_bigrams);
  std::vector<Entry> all;
  check(text.read(rows_in(rows, text), [&](std::span<const Entry> entries, double) {
    all.assign(entries.begin(), entries.end());
    bigrams->extend(all, true);
  }));
  bigrams->close();
  return bigrams;
}

// The predictions before each example, and seconds of this thread's processor, reading among them.
nb::object learn_lines(PolynomialLearner& learner, const ExampleText& text, const Places& rows) {
  const auto chosen = rows_in(rows, text);
  std::vector<double> before;
  before.reserve(chosen.size());
  double seconds = 0;
  const Status status = [&] {
    const nb::gil_scoped_release released;
    const double begin = thread_seconds();
    const Status read = text.read(chosen, [&](std::span<const Entry> entries, double label) {
      before.push_back(learner.learn(entries, label));
    });
    seconds = thread_seconds() - begin;
    return read;
  }();
  check(status);
  return nb::make_tuple(to_numpy(std::move(before)), seconds);
}

nb::object predict_lines(const PolynomialLearner& learner, const ExampleText& text, const Places& rows) {
  std::vector<double> predictions;
  check(text.read(rows_in(rows, text), [&](std::span<const Entry> entries, double) {
    predictions.push_back(learner.predict(entries));
  }));
  return to_numpy(std::move(predictions));
}

double reading_seconds(const ExampleText& text, const Places& rows) {
  const double begin = thread_seconds();
  double sum = 0;
  check(text.read(rows_in(rows, text), [&](std::span<const Entry> entries, double label) {
    sum += label + (entries.empty() ? 0 : entries[0].value);
  }));
  return sum == sum ? thread_seconds() - begin : 0;  // the sum is what keeps the reading from being left out
}

Factors factors_of(const PolynomialLearner& learner, std::uint32_t slot) {
  if (learner.tree() == nullptr) return {slot};
  const auto factors = learner.tree()->monomials().factors(slot);
  return {factors.begin(), factors.end()};
}

nb::list parents_of(const PolynomialLearner& learner) {
  nb::list parents;
  if (learner.tree() != nullptr)
    for (const std::uint32_t slot : learner.tree()->parents())
      parents.append(nb::tuple(nb::cast(factors_of(learner, slot))));
  return parents;
}

// Of each weight: its factors, itself, its evidence and scale; of the bias no factors.
nb::list shares_of(const PolynomialLearner& learner) {
  nb::list shares;
  const auto add = [&](const Factors& factors, const NormalisedSteps::Share& share) {
    shares.append(nb::make_tuple(nb::tuple(nb::cast(factors)), share.weight, share.evidence, share.scale));
  };
  add({}, learner.steps().bias_share());
  for (std::uint32_t slot = 0; slot < learner.steps().slots(); ++slot)
    if (const auto share = learner.steps().share(slot); share.scale > 0)
      add(factors_of(learner, slot), share);
  return shares;
}

void take_share(PolynomialLearner& learner, const Factors& factors, double weight, double scale) {
  if (factors.empty()) return learner.steps().take_bias(weight);
  if (const std::uint32_t slot = learner.slot_of(factors); slot != Monomials::kNone)
    learner.steps().take(slot, weight, scale);
}

}  // namespace

void bind_polynomials(nb::module_& module) {
  nb::class_<ExampleText>(module, "ExampleText", "Examples as lines of svmlight in memory.")
      .def_static("sparse", &examples_of)
      .def_prop_ro("size", &ExampleText::size)
      .def_prop_ro("dimension", &ExampleText::dimension)
      .def("idempotent", &idempotent_of)
      .def("bigrams", &bigrams_of)
      .def("reading_seconds", &reading_seconds);
  nb::class_<Bigrams>(module, "Bigrams", "Numbers of pairs of neighbours.");
  nb::class_<PolynomialLearner>(module, "PolynomialLearner", "apple and its rivals over one base learner.")
      .def(
          "__init__",
          [](PolynomialLearner* self, const std::string& expander, double exponent, bool has_bigrams,
             const std::vector<bool>& idempotent, std::uint64_t examples, double rate,
             std::shared_ptr<const Bigrams> bigrams) {
            PolynomialOptions options;
            options.method = {expander_of(expander), exponent, has_bigrams};
            options.idempotent = idempotent;
            options.examples = examples;
            options.rate = rate;
            options.bigrams = std::move(bigrams);
            new (self) PolynomialLearner(options);
          },
          nb::arg("expander"), nb::arg("exponent"), nb::arg("has_bigrams"), nb::arg("idempotent"),
          nb::arg("examples"), nb::arg("rate"), nb::arg("bigrams").none() = nb::none())
      .def("learn", &learn_lines)
      .def("predict", &predict_lines)
      .def("parents", &parents_of)
      .def("freeze_parents", &PolynomialLearner::freeze_parents)
      .def("shares", &shares_of)
      .def("take_share", &take_share)
      .def_prop_ro("mean_features", &PolynomialLearner::mean_features)
      .def_prop_ro("slots", &PolynomialLearner::slots);
}

}  // namespace glimpse::python
