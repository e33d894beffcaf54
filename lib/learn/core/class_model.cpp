#include "learn/core/class_model.h"

#include <cmath>
#include <utility>

namespace glimpse {

ClassModel class_priors(std::span<const double> counts) {
  ClassModel model;
  double all = 0;
  for (const double count : counts) all += count + 0.5;
  for (const double count : counts) {
    model.priors.push_back((count + 0.5) / all);
    model.biases.push_back(std::log(model.priors.back()));
  }
  return model;
}

std::shared_ptr<const ClassModel> without(const ClassModel& model, std::size_t slot, double value) {
  auto result = std::make_shared<ClassModel>(model);
  if (slot >= model.slots()) return result;
  const std::size_t classes = model.classes();
  for (std::size_t c = 0; c < classes; ++c)
    result->biases[c] += value * std::exchange(result->weights[slot * classes + c], 0.0);
  return result;
}

void save(State& state, const std::string& name, const ClassModel& model) {
  state.put_copy<double>(name + ".priors", model.priors);
  state.put_copy<double>(name + ".biases", model.biases);
  state.put_copy<double>(name + ".scores", model.weights);
}

Result<std::shared_ptr<const ClassModel>> restore_class_model(const State& state, const std::string& name,
                                                              std::size_t most_slots) {
  if (state.find(name + ".priors") == nullptr) return std::shared_ptr<const ClassModel>();
  GLIMPSE_TRY_ASSIGN(const auto priors, state.get<double>(name + ".priors", State::kAnyCount));
  GLIMPSE_TRY_ASSIGN(const auto biases, state.get<double>(name + ".biases", priors.size()));
  GLIMPSE_TRY_ASSIGN(const auto weights, state.get<double>(name + ".scores", State::kAnyCount));
  const std::size_t classes = priors.size();
  if (classes == 0 || weights.size() % classes != 0 || weights.size() / classes > most_slots)
    return failure(ErrorCode::kCorrupt, "{}.scores has {} numbers, must have {} for each of up to {} slots",
                   name, weights.size(), classes, most_slots);
  auto model = std::make_shared<ClassModel>();
  model->priors.assign(priors.begin(), priors.end());
  model->biases.assign(biases.begin(), biases.end());
  model->weights.assign(weights.begin(), weights.end());
  return std::shared_ptr<const ClassModel>(std::move(model));
}

}  // namespace glimpse
