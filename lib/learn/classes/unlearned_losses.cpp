#include "learn/classes/unlearned_losses.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "learn/options/options.h"

namespace glimpse {

namespace {
std::string name_of_label(const std::string& name, std::size_t label) {
  return label == 0 ? name : fmt::format("{}.label{}", name, label);
}
}  // namespace

void UnlearnedLosses::make_room(std::size_t labels) {
  while (losses_.size() < labels) losses_.emplace_back().loss.set_recent(recent_);
}

void UnlearnedLosses::add(std::size_t label, double value, double prediction, double mean) {
  make_room(label + 1);
  auto& [loss, labels] = losses_[label];
  const double error = prediction - value;
  loss.add(error * error);
  loss.add_baseline(mean - value);
  loss.note_exact(error);
  labels.add(value, 1);
}

void UnlearnedLosses::add_class(std::span<const double> probabilities, std::optional<std::size_t> of_class) {
  losses_[0].loss.add(classes_.add(probabilities, of_class) / 2);
  told_ = nullptr;
}

UnlearnedLoss UnlearnedLosses::report(std::size_t label) const {
  if (label >= losses_.size()) return {};
  const auto& [loss, labels] = losses_[label];
  ProgressiveLoss::Part all = loss.beside_baseline();
  // Of classes, and in states of earlier builds, there are none.
  if (labels.count > 0 && labels.count == all.count)
    all.baseline = labels.squares / static_cast<double>(labels.count);
  return {all, loss.recent(), loss.absolute().mean(), loss.absolute().median()};
}

std::shared_ptr<const ClassReport> UnlearnedLosses::classes() const {
  if (classes_.count() > 0 && !told_) told_ = std::make_shared<const ClassReport>(classes_);
  return told_;
}

void UnlearnedLosses::set_recent(std::uint64_t examples) {
  recent_ = examples;
  for (OfLabel& of : losses_) of.loss.set_recent(examples);
  classes_.set_recent(examples);
}

void UnlearnedLosses::begin_recent() {
  for (OfLabel& of : losses_) of.loss.begin_recent();
  classes_.begin_recent();
  told_ = nullptr;
}

void UnlearnedLosses::clear() {
  const std::uint64_t recent = recent_;
  *this = UnlearnedLosses();
  set_recent(recent);
}

void UnlearnedLosses::merge(const UnlearnedLosses& other, std::span<const std::uint32_t> codes) {
  make_room(other.losses_.size());
  for (std::size_t l = 0; l < other.losses_.size(); ++l) {
    losses_[l].loss.merge(other.losses_[l].loss);
    losses_[l].labels = losses_[l].labels.with(other.losses_[l].labels);
  }
  classes_.merge(other.classes_, codes);
  told_ = nullptr;
}

void UnlearnedLosses::save(State& state, const std::string& name) const {
  if (losses_.size() > 1) state.put_number(name + ".labels", std::uint64_t{losses_.size() - 1});
  for (std::size_t l = 0; l < losses_.size(); ++l) {
    const auto& [loss, labels] = losses_[l];
    loss.save(state, name_of_label(name, l));
    if (labels.count == 0) continue;
    state.put_number(name_of_label(name, l) + ".labels.count", labels.count);
    state.put_copy<double>(name_of_label(name, l) + ".labels.spread",
                           std::array{labels.mean, labels.squares});
  }
  if (classes_.count() > 0) classes_.save(state, name);
}

Status UnlearnedLosses::restore(const State& state, const std::string& name) {
  clear();
  if (state.find(name + ".count") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto further, state.get_number<std::uint64_t>(name + ".labels", std::uint64_t{0}));
  if (further >= LearnerOptions::kMostLabels)
    return failure(ErrorCode::kCorrupt, "{}.labels is {}, must be below {}", name, further,
                   LearnerOptions::kMostLabels);
  make_room(1 + further);
  for (std::size_t l = 0; l < losses_.size(); ++l) {
    GLIMPSE_TRY(losses_[l].loss.restore(state, name_of_label(name, l)));
    const std::string labels = name_of_label(name, l) + ".labels";
    if (state.find(labels + ".count") == nullptr) continue;
    GLIMPSE_TRY_ASSIGN(const auto count, state.get_number<std::uint64_t>(labels + ".count"));
    GLIMPSE_TRY_ASSIGN(const auto spread, state.get<double>(labels + ".spread", 2));
    losses_[l].labels = {count, spread[0], spread[1]};
  }
  return classes_.restore(state, name);
}

}  // namespace glimpse
