#include "learn/core/past_model.h"

#include <utility>

namespace glimpse {

Model PastModel::model() const {
  Model result;
  result.weights = weights;
  result.bias = at_centre;
  for (std::size_t i = 0; i < weights.size(); ++i) result.bias -= weights[i] * centre[i];
  return result;
}

void save(State& state, const std::string& name, const PastModel& model) {
  state.put_copy<double>(name + ".weights", model.weights);
  state.put_copy<double>(name + ".centre", model.centre);
  state.put_number(name + ".at_centre", model.at_centre);
  state.put_number(name + ".examples", model.examples);
}

Result<std::shared_ptr<const PastModel>> restore_past_model(const State& state, const std::string& name,
                                                            std::size_t least, std::size_t most) {
  if (state.find(name + ".weights") == nullptr) return std::shared_ptr<const PastModel>();
  const auto weights = state.get<double>(name + ".weights", least == most ? most : State::kAnyCount);
  if (!weights) return weights.error();
  if (weights->size() < least || weights->size() > most)
    return failure(ErrorCode::kCorrupt, "{}.weights has {} numbers, must be from {} to {}", name,
                   weights->size(), least, most);
  const auto centre = state.get<double>(name + ".centre", weights->size());
  if (!centre) return centre.error();
  const auto at_centre = state.get_number<double>(name + ".at_centre");
  if (!at_centre) return at_centre.error();
  // Checkpoints of earlier builds do not say when their models came.
  const auto examples = state.get_number<std::uint64_t>(name + ".examples", 0);
  if (!examples) return examples.error();
  auto model = std::make_shared<PastModel>();
  model->weights.assign(weights->begin(), weights->end());
  model->centre.assign(centre->begin(), centre->end());
  model->at_centre = *at_centre;
  model->examples = *examples;
  return std::shared_ptr<const PastModel>(std::move(model));
}

std::shared_ptr<const PastModel> without(const PastModel& model, std::size_t attribute) {
  auto result = std::make_shared<PastModel>(model);
  result->weights[attribute] = 0;
  return result;
}

}  // namespace glimpse
