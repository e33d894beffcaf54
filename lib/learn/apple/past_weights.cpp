#include "learn/apple/past_weights.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>
#include <utility>

namespace glimpse {

bool PastWeights::due(std::uint64_t examples) {
  constexpr std::uint64_t kFewest = 32;
  return examples >= kFewest && std::has_single_bit(examples);
}

void PastWeights::add(std::vector<double> weights, double bias) {
  models_[1] = std::move(models_[0]);
  models_[0] = {std::move(weights), bias, {}};
}

void PastWeights::forget(const std::function<bool(std::uint32_t)>& is_gone) {
  for (Watched& model : models_) {
    for (std::uint32_t slot = 0; slot < model.weights.size(); ++slot)
      if (is_gone(slot)) model.weights[slot] = 0;
    model.detector = {};
  }
}

std::optional<ChangeDetector::Rise> PastWeights::judge(std::span<const FeatureValue> features, double label) {
  std::optional<ChangeDetector::Rise> rise;
  for (Watched& model : models_) {
    if (model.weights.empty()) continue;
    double error = model.bias - label;
    for (const FeatureValue& feature : features)
      if (feature.slot < model.weights.size()) error += model.weights[feature.slot] * feature.value;
    const auto risen = model.detector.add(error * error);
    if (!rise) rise = risen;
  }
  return rise;
}

void PastWeights::save(State& state, std::size_t slots) const {
  for (std::size_t k = 0; k < models_.size() && !models_[k].weights.empty(); ++k) {
    const std::string name = fmt::format("past.{}", k);
    const auto room = state.put<double>(name + ".weights", slots);
    const auto end = std::copy(models_[k].weights.begin(), models_[k].weights.end(), room.begin());
    std::fill(end, room.end(), 0.0);
    state.put_number(name + ".at_centre", models_[k].bias);
    models_[k].detector.save(state, (name + ".detector").c_str());
  }
}

Status PastWeights::restore(const State& state, std::size_t slots) {
  clear();
  for (std::size_t k = 0; k < models_.size(); ++k) {
    const std::string name = fmt::format("past.{}", k);
    if (state.find(name + ".weights") == nullptr) return {};
    GLIMPSE_TRY_ASSIGN(const auto weights, state.get<double>(name + ".weights", slots));
    GLIMPSE_TRY_ASSIGN(const auto bias, state.get_number<double>(name + ".at_centre"));
    models_[k].weights.assign(weights.begin(), weights.end());
    models_[k].bias = bias;
    GLIMPSE_TRY(models_[k].detector.restore(state, (name + ".detector").c_str()));
  }
  return {};
}

}  // namespace glimpse
