#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "checkpoint/checkpoint.h"
#include "data/formats/csv_cells.h"
#include "data/text/text.h"
#include "learn/options/learner_option_table.h"
#include "learn/options/state_options.h"

namespace glimpse::python {

namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Clip clip_of(std::optional<std::pair<double, double>> range, bool is_auto) {
  if (range) return {Clip::Kind::kRange, range->first, range->second};
  return {is_auto ? Clip::Kind::kAuto : Clip::Kind::kOff};
}

std::span<const double> span_of(const Numbers& numbers) { return {numbers.data(), numbers.shape(0)}; }

// In pieces, so that Ctrl-C ends it between two of them.
std::pair<std::size_t, std::size_t> learn(Session& session, const HeldRows& held, const Numbers& labels,
                                          const std::optional<Numbers>& importances) {
  constexpr std::size_t kPiece = 1 << 18;
  const std::size_t rows = rows_of(held.rows);
  if (labels.shape(0) != rows || (importances && importances->shape(0) != rows))
    throw nb::value_error("labels and weights need a number for each row");
  if (columns_of(held.rows) != session.dimension()) throw nb::value_error("rows of another dimension");
  std::pair<std::size_t, std::size_t> sum;
  for (std::size_t begin = 0; begin < rows; begin += kPiece) {
    auto report = [&] {
      nb::gil_scoped_release released;
      return session.learn(held.rows, begin, std::min(begin + kPiece, rows), span_of(labels),
                           importances ? span_of(*importances) : std::span<const double>());
    }();
    if (!report) raise(report.error());
    sum.first += report->learned;
    sum.second += report->skipped;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  return sum;
}

nb::object predict(Session& session, const HeldRows& held, std::optional<std::pair<double, double>> range,
                   bool is_auto, bool with_errors) {
  if (columns_of(held.rows) != session.dimension()) throw nb::value_error("rows of another dimension");
  const std::size_t rows = rows_of(held.rows);
  const std::size_t labels = session.learner().label_count();
  std::vector<double> out(rows * labels);
  std::vector<double> errors(with_errors ? out.size() : 0);
  const Status status = [&] {
    nb::gil_scoped_release released;
    return session.predict(held.rows, clip_of(range, is_auto), out, errors);
  }();
  check(status);
  const auto shaped = [&](std::vector<double> numbers) {
    return labels == 1 ? to_numpy(std::move(numbers)) : to_numpy(std::move(numbers), {rows, labels});
  };
  if (!with_errors) return shaped(std::move(out));
  return nb::make_tuple(shaped(std::move(out)), shaped(std::move(errors)));
}

nb::object probabilities(Session& session, const HeldRows& held, bool is_auto) {
  if (columns_of(held.rows) != session.dimension()) throw nb::value_error("rows of another dimension");
  const std::size_t classes = session.learner().classes().size();
  const std::size_t rows = rows_of(held.rows);
  std::vector<double> out(rows * classes);
  const Status status = [&] {
    nb::gil_scoped_release released;
    return session.probabilities(held.rows, clip_of({}, is_auto), out);
  }();
  check(status);
  return to_numpy(std::move(out), {rows, classes});
}

nb::bytes save(const Session& session) {
  const auto bytes = take([&] {
    nb::gil_scoped_release released;
    return encode_checkpoint(session.save());
  }());
  return nb::bytes(bytes.data(), bytes.size());
}

std::unique_ptr<Session> restore(const nb::bytes& bytes, const Beginning& beginning) {
  const std::span all(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  return take([&]() -> Result<std::unique_ptr<Session>> {
    nb::gil_scoped_release released;
    GLIMPSE_TRY_ASSIGN(const auto state, decode_checkpoint(all));
    return Session::restore(state, beginning);
  }());
}

// What a checkpoint is of, before it is restored.
nb::dict describe(const nb::bytes& bytes) {
  const auto state =
      take(decode_checkpoint({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}));
  const std::size_t dimension = number_of(state, "dimension");
  std::size_t size = 0;
  for (const Tensor& tensor : state.tensors()) size += tensor.bytes.size();
  if (dimension == 0 || dimension > size)
    throw nb::value_error("the checkpoint has no dimension that fits it");
  AttributeNames names(dimension);
  check(names.restore(state));
  std::vector<std::string> all;
  for (std::size_t i = 0; !names.empty() && i < dimension; ++i)
    all.push_back(names.callable_name(static_cast<Attribute>(i)));
  nb::dict described;
  described["dimension"] = dimension;
  described["algorithm"] = std::string(option_of(state, "algorithm"));
  described["names"] = all;
  described["labels"] = labels_of(option_of(state, "labels"));
  described["is_classifier"] = state.find("learner.classes") != nullptr;
  described["decide"] = options_that_decide();
  described["told"] = options_told(state);
  described["chosen"] = take(options_chosen(state));
  const auto noted = state.get_text(kPackageText);
  described["noted"] = noted ? std::string(*noted) : std::string();
  return described;
}

template <class F>
auto released(F&& f) {
  nb::gil_scoped_release release;
  return f();
}

void bind_beginning(nb::module_& module) {
  nb::class_<Beginning>(module, "Beginning", "What a session is begun with.")
      .def(nb::init<>())
      .def_rw("options", &Beginning::options)
      .def_rw("moments", &Beginning::moments)
      .def_rw("costs", &Beginning::costs)
      .def_rw("buying", &Beginning::buying)
      .def_rw("names", &Beginning::names)
      .def_rw("word_attributes", &Beginning::word_attributes)
      .def_rw("classes", &Beginning::classes)
      .def_rw("labels", &Beginning::labels)
      .def_rw("max_classes", &Beginning::max_classes)
      .def_rw("max_categories", &Beginning::max_categories)
      .def_rw("process", &Beginning::process);
}

void bind_knowledge(nb::class_<Session>& session) {
  session.def("refresh", &Session::refresh, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "model",
          [](Session& s, std::size_t label) {
            auto told = released([&] { return s.model(label); });
            return nb::make_tuple(to_numpy(std::move(told.weights)), told.bias);
          },
          nb::arg("label") = 0)
      .def("class_model",
           [](Session& s) -> nb::object {
             auto scores = released([&] { return s.class_model(); });
             if (!scores) return nb::none();
             const std::size_t classes = scores->biases.size();
             const std::size_t slots = classes == 0 ? 0 : scores->weights.size() / classes;
             return nb::make_tuple(to_numpy(std::move(scores->weights), {slots, classes}),
                                   to_numpy(std::move(scores->biases)));
           })
      .def("weight_errors", [](Session& s) { return to_numpy(released([&] { return s.weight_errors(); })); })
      .def(
          "importances",
          [](Session& s, std::size_t label) {
            auto importances = released([&] { return s.importances(label); });
            return nb::make_tuple(to_numpy(std::move(importances.shares)),
                                  to_numpy(std::move(importances.errors)));
          },
          nb::arg("label") = 0)
      .def("reaches",
           [](const Session& s) {
             std::vector<double> numbers;
             for (const AttributeReach& reach : s.reaches())
               numbers.insert(numbers.end(), {reach.largest, reach.low, reach.high});
             const std::size_t rows = numbers.size() / 3;
             return to_numpy(std::move(numbers), {rows, 3});
           })
      .def("means", [](Session& s) { return to_numpy(released([&] { return s.means(); })); })
      .def("label_range",
           [](const Session& s) -> std::optional<std::pair<double, double>> {
             const LabelRange labels = s.labels();
             if (labels.empty()) return std::nullopt;
             return std::pair(labels.min(), labels.max());
           })
      .def("features",
           [](Session& s) {
             const auto features = released([&] { return s.features(); });
             nb::list told;
             for (const auto& [slot, name, attributes] : features)
               told.append(nb::make_tuple(slot, name, attributes));
             return told;
           })
      .def("label_names", &Session::label_names)
      .def("names", &Session::names)
      .def("classes", &Session::classes)
      .def_prop_ro("slope", &Session::slope)
      .def_prop_ro("dimension", &Session::dimension)
      .def_prop_ro("algorithm", [](const Session& s) { return s.learner().options().algorithm; })
      .def_prop_ro("budget", [](const Session& s) { return s.learner().options().budget; })
      .def_prop_ro("examples", [](const Session& s) { return s.counts().examples; })
      .def_prop_ro("attributes_revealed", [](const Session& s) { return s.counts().attributes_revealed; });
}

void bind_plans(nb::class_<Session>& session) {
  session
      .def("ask",
           [](Session& s, const std::vector<Attribute>& available, double now, double expires_at) {
             auto plan = take(s.ask(available, now, expires_at));
             return nb::make_tuple(plan.id, plan.attributes, plan.cost);
           })
      .def("tell",
           [](Session& s, const std::string& id, const std::vector<std::variant<double, std::string>>& values,
              double label, double importance,
              double now) { return take(s.tell(id, values, label, importance, now)); })
      .def("abandon", [](Session& s, const std::string& id, double now) { check(s.abandon(id, now)); });
}

}  // namespace

void bind_session(nb::module_& module) {
  bind_beginning(module);
  module.def("describe", &describe);
  module.def("options", [] {
    std::vector<std::string> names;
    for (const auto& row : learner_option_table()) names.emplace_back(row.name);
    return names;
  });
  module.def(
      "is_missing_word", [](const std::string& word) { return is_missing_cell(trimmed(word)); },
      nb::arg("word"));
  nb::class_<Session> session(module, "Session", "A learner in this process.");
  session.def_static("begin", [](const Beginning& beginning) { return take(Session::begin(beginning)); })
      .def_static("restore", &restore)
      .def("note", &Session::note)
      .def("save", &save)
      .def("learn", &learn, nb::arg("rows"), nb::arg("labels").noconvert(),
           nb::arg("importances").noconvert().none())
      .def("predict", &predict, nb::arg("rows"), nb::arg("range").none(), nb::arg("is_auto"),
           nb::arg("with_errors"))
      .def("probabilities", &probabilities, nb::arg("rows"), nb::arg("is_auto"))
      .def("take_numbers", &Session::take_numbers)
      .def("read_cells",
           [](Session& s, Attribute attribute, const std::vector<std::string>& cells, bool are_numbers) {
             return to_numpy(take(released([&] { return s.read_cells(attribute, cells, are_numbers); })));
           })
      .def(
          "explain",
          [](Session& s, const HeldRows& held, std::optional<std::pair<double, double>> range, bool is_auto,
             std::size_t label) {
            if (columns_of(held.rows) != s.dimension()) throw nb::value_error("rows of another dimension");
            auto told = take(released([&] { return s.explain(held.rows, clip_of(range, is_auto), label); }));
            const std::size_t rows = told.predictions.size();
            const std::size_t slots = rows == 0 ? 0 : told.amounts.size() / rows;
            const std::size_t columns = rows == 0 ? 0 : told.classes.size() / rows;
            return nb::make_tuple(to_numpy(std::move(told.predictions)), to_numpy(std::move(told.at_means)),
                                  to_numpy(std::move(told.amounts), {rows, slots}),
                                  to_numpy(std::move(told.unknown)), to_numpy(std::move(told.clipped)),
                                  to_numpy(std::move(told.classes), {rows, columns}));
          },
          nb::arg("rows"), nb::arg("range").none(), nb::arg("is_auto"), nb::arg("label") = 0)
      .def("learn_one", [](Session& s, const std::vector<NamedValue>& values, double label,
                           double importance) { return take(s.learn_one(values, label, importance)); })
      .def(
          "predict_one",
          [](Session& s, const std::vector<NamedValue>& values,
             std::optional<std::pair<double, double>> range,
             bool is_auto) { return s.predict_one(values, clip_of(range, is_auto)); },
          nb::arg("values"), nb::arg("range").none(), nb::arg("is_auto"))
      .def("probabilities_one",
           [](Session& s, const std::vector<NamedValue>& values, bool is_auto) {
             return s.probabilities_one(values, clip_of({}, is_auto));
           })
      .def("class_code", [](Session& s, const std::string& word) { return take(s.class_code(word)); });
  bind_knowledge(session);
  bind_plans(session);
  bind_laboratory(module, session);
}

}  // namespace glimpse::python
