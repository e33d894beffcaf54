#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "checkpoint/checkpoint.h"
#include "learn/evaluation/watched_losses.h"
#include "learn/inference/conditioning.h"
#include "learn/pairwise/pairwise.h"
#include "learn/solver/pairwise_solver.h"
#include "merging/merge_tree.h"

// What glimpsed.lab asks of sessions beyond what estimators need.

namespace glimpse::python {

/// Reaches into sessions. Every call takes the session's mutex.
class Laboratory {
 public:
  struct Trial {
    double ridge = 0;  ///< the rule's λ
    double shrink = 1;
    std::vector<Session::Told> models;  ///< with λ times each factor, and α = 1
  };
  static Result<Trial> try_ridges(Session& s, const std::vector<double>& factors) {
    const std::lock_guard lock(s.mutex_);
    const auto* pairwise = dynamic_cast<const Pairwise*>(s.learner_.get());
    if (pairwise == nullptr)
      return failure(ErrorCode::kInvalidOption, "{} does not choose a ridge: pairwise does",
                     s.learner_->options().algorithm);
    const auto newest = pairwise->newest_solution();
    PairSnapshot moments;
    moments.take(pairwise->moments(), pairwise->options().bias);
    PairwiseSolver solver;
    Model model;
    const PairwiseChoice choice = solver.solve(moments, std::nullopt, model);
    Trial trial{choice.ridge, choice.shrink, {}};
    for (const double factor : factors) {
      solver.set_trial(factor, true);
      solver.solve(moments, std::nullopt, model);
      if (newest->units) newest->units->outward(model);
      trial.models.push_back({model.weights, model.bias});
    }
    return trial;
  }

  /// Σ of all attributes, d × d, in their own units: what incomplete examples are predicted with.
  static Result<std::vector<double>> covariances(Session& s) {
    const std::lock_guard lock(s.mutex_);
    const Conditioning* const conditioning = s.learner_->conditioning();
    if (conditioning == nullptr)
      return failure(ErrorCode::kInvalidOption, "{} knows no covariances", s.learner_->options().algorithm);
    const auto solution = conditioning->newest_solution();
    std::vector<Attribute> all(s.dimension());
    for (Attribute i = 0; i < all.size(); ++i) all[i] = i;
    std::vector<double> out(all.size() * all.size());
    conditioning->covariances(solution->moments, all, all, out);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < all.size(); ++j)
        out[i * all.size() + j] =
            solution->outward(all[i], solution->outward(all[j], out[i * all.size() + j]));
    return out;
  }

  static void set_recent(Session& s, std::uint64_t examples) {
    const std::lock_guard lock(s.mutex_);
    s.learner_->set_recent(examples);
  }
  static ProgressiveLoss::Part recent_loss(Session& s) {
    const std::lock_guard lock(s.mutex_);
    return s.learner_->progressive_loss().recent();
  }

  static Result<std::shared_ptr<const SmallModel>> small_model(Session& s, std::size_t attributes) {
    const std::lock_guard lock(s.mutex_);
    GLIMPSE_TRY(s.learner_->check_small_models());
    SolutionWish wish;
    wish.small_models.push_back({attributes, std::nullopt});
    s.learner_->solving()->wish(wish);
    (void)s.learner_->shared_model();
    return s.learner_->small_model(wish.small_models.front());
  }

  static void watch_together(Session& s) {
    const std::lock_guard lock(s.mutex_);
    s.learner_->watch_together();
  }
  static std::uint64_t alarms(Session& s) {
    const std::lock_guard lock(s.mutex_);
    return s.learner_->drift().alarms;
  }
  static bool losses_rose(const std::vector<Session*>& sessions) {
    std::vector<WatchedLosses> losses;
    for (Session* const s : sessions) {
      const std::lock_guard lock(s->mutex_);
      State state;
      state.begin();
      s->learner_->save(state);
      state.finish();
      if (auto of = WatchedLosses::restore(state)) losses.push_back(std::move(*of));
    }
    std::vector<const WatchedLosses*> all;
    for (const WatchedLosses& of : losses) all.push_back(&of);
    return glimpse::losses_rose(all).has_value();
  }

  static Money spent(const Session& s) {
    const std::lock_guard lock(s.mutex_);
    return s.spent_;
  }
};

namespace {

std::size_t sound_rows(const Session& session, const HeldRows& held, std::size_t labels) {
  if (columns_of(held.rows) != session.dimension() || rows_of(held.rows) != labels)
    throw nb::value_error("rows of another dimension, or not a label for each");
  return labels;
}

nb::tuple model_of(Session::Told told) {
  return nb::make_tuple(to_numpy(std::move(told.weights)), told.bias);
}

nb::object try_ridges(Session& session, const std::vector<double>& factors) {
  auto trial = take(Laboratory::try_ridges(session, factors));
  nb::list models;
  for (Session::Told& told : trial.models) models.append(model_of(std::move(told)));
  return nb::make_tuple(trial.ridge, trial.shrink, models);
}

// None: there is none of so many attributes.
nb::object small_model(Session& session, std::size_t attributes) {
  const auto small = take(Laboratory::small_model(session, attributes));
  if (!small || small->chosen.size() < attributes || small->steps.empty()) return nb::none();
  const SmallModel::Step& step = small->steps.back();
  return nb::make_tuple(model_of({small->model.weights, small->model.bias}), small->chosen, step.added.size(),
                        step.loss, step.loss_error);
}

using Labels = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void hold_out(Session& session, Temperature& temperature, const HeldRows& held, const Labels& codes) {
  const std::size_t rows = sound_rows(session, held, codes.shape(0));
  const std::size_t classes = session.learner().classes().size();
  for (std::size_t r = 0; r < rows; ++r)
    if (!(codes.data()[r] >= 0 && codes.data()[r] < static_cast<double>(classes)))
      throw nb::value_error("a code is of no class");
  check(session.hold_out(held.rows, {codes.data(), rows}, temperature));
}

void learn_by(Session& session, Session& planner, const HeldRows& held, const Labels& labels) {
  const std::size_t rows = sound_rows(session, held, labels.shape(0));
  if (&session == &planner || planner.dimension() != session.dimension())
    throw nb::value_error("the planner is another session of the same dimension");
  for (std::size_t r = 0; r < rows; ++r) check(session.learn_by(planner, held.rows, r, labels.data()[r]));
}

// A checkpoint that goes on from all of these.
nb::bytes merge(const std::vector<nb::bytes>& checkpoints) {
  MergeTree tree(checkpoints.size());
  for (std::size_t p = 0; p < checkpoints.size(); ++p) {
    const auto* const data = reinterpret_cast<const std::byte*>(checkpoints[p].data());
    check(tree.set(p, take(decode_checkpoint({data, checkpoints[p].size()}))));
  }
  const auto bytes = take(encode_checkpoint(take(tree.fold())));
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void bind_laboratory(nb::module_& module, nb::class_<Session>& session) {
  module.def("merge", &merge);
  module.def("losses_rose", &Laboratory::losses_rose);
  nb::class_<Temperature>(module, "Temperature", "Fits the slope of a classifier's probabilities.")
      .def(nb::init<>())
      .def_prop_ro("count", &Temperature::count);
  session.def("try_ridges", &try_ridges)
      .def("covariances",
           [](Session& s) {
             const std::size_t d = s.dimension();
             return to_numpy(take(Laboratory::covariances(s)), {d, d});
           })
      .def("set_recent", &Laboratory::set_recent)
      .def("recent_loss",
           [](Session& s) {
             const auto part = Laboratory::recent_loss(s);
             return nb::make_tuple(part.mean, part.standard_error(), part.count);
           })
      .def("small_model", &small_model)
      .def("hold_out", &hold_out)
      .def("learn_by", &learn_by)
      .def("watch_together", &Laboratory::watch_together)
      .def_prop_ro("alarms", &Laboratory::alarms)
      .def_prop_ro("spent", [](const Session& s) { return money_in_units(Laboratory::spent(s)); });
}

}  // namespace glimpse::python
