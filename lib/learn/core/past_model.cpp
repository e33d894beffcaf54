#include "learn/core/past_model.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace glimpse {

namespace {
void find_bias(PastModel& model) {
  model.bias = model.at_centre;
  for (std::size_t i = 0; i < model.weights.size(); ++i) model.bias -= model.weights[i] * model.centre[i];
}

constexpr const char* kMomentArrays[] = {".means", ".variances", ".ridge", ".target", ".shrinkage"};

// In their order.
auto arrays_of(auto& moments) {
  return std::array{&moments.means, &moments.variances, &moments.ridge, &moments.target, &moments.shrinkage};
}

// What products the weights behind those of `attributes` attributes are of, `slots` with these.
Status restore_products(const State& state, const std::string& name, std::size_t attributes,
                        PastModel& model) {
  if (state.find(name + ".centres") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto centres, state.get<double>(name + ".centres", State::kAnyCount));
  std::vector<Attribute> members;
  if (state.find(name + ".members") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto saved, state.get<std::uint32_t>(name + ".members", centres.size()));
    members.assign(saved.begin(), saved.end());
    GLIMPSE_TRY(check_members(members, attributes, name));
  } else if (centres.size() != attributes) {
    return failure(ErrorCode::kCorrupt, "{}.centres has {} numbers, must have {}", name, centres.size(),
                   attributes);
  }
  for (const std::size_t degree : {2, 3}) {
    model.products =
        members.empty() ? ProductSlots(attributes, degree) : ProductSlots(attributes, degree, members);
    if (model.products.all() == model.weights.size()) break;
  }
  if (model.products.all() != model.weights.size())
    return failure(ErrorCode::kCorrupt, "{}.weights has {} numbers, as no products of {} attributes have",
                   name, model.weights.size(), model.products.places());
  model.centres.assign(centres.begin(), centres.end());
  return {};
}

// Checkpoints of earlier builds have none, and neither have models of some learners.
Status restore_moments(const State& state, const std::string& name, PastModel& model) {
  if (state.find(name + ".moments") == nullptr) return {};
  std::size_t dimension = model.weights.size();
  // A linear model of a learner with products has those of the attributes.
  const auto means = state.get<double>(name + ".means", State::kAnyCount);
  if (means && !model.products.empty() && means->size() == model.products.attributes())
    dimension = means->size();
  auto moments = std::make_shared<TargetMoments>();
  const auto arrays = arrays_of(*moments);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    GLIMPSE_TRY_ASSIGN(const auto array, state.get<double>(name + kMomentArrays[k], dimension));
    arrays[k]->assign(array.begin(), array.end());
  }
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>(name + ".moments", 5));
  if (dimension > model.products.attributes()) moments->products = model.products;
  moments->total = numbers[0];
  moments->ridge_total = numbers[1];
  moments->expected = numbers[2];
  moments->margin = numbers[3];
  moments->noise = numbers[4];
  model.moments = std::move(moments);
  return {};
}
std::string indicator_name(const std::string& name, std::size_t c) {
  return name + ".indicator" + std::to_string(c);
}
}  // namespace

Status check_members(const std::vector<Attribute>& members, std::size_t attributes, const std::string& name) {
  std::vector<Attribute> sorted = members;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end() && (sorted.empty() || sorted.back() < attributes))
    return {};
  return failure(ErrorCode::kCorrupt, "{}.members is no set of attributes below {}", name, attributes);
}

Model PastModel::model() const { return {weights, bias, centres, products}; }

double PastModel::term_of_indicators(std::size_t i, double x, const FeatureMap& features) const {
  double sum = (features.is_date(i) ? weights[i] * x : 0) - at_centre_of(i, features);
  for (const double code : features.codes(i, x))
    if (const std::uint32_t slot = features.indicator(i, code); slot < weights.size()) sum += weights[slot];
  return sum;
}

double PastModel::at_centre_of(std::size_t i, const FeatureMap& features) const {
  if (!features.is_date(i)) return centre[i];
  double sum = weights[i] * centre[i];
  for (const std::uint32_t slot : features.indicators(i))
    if (slot < weights.size()) sum += weights[slot] * centre[slot];
  return sum;
}

PastModel past_model(const Model& model, std::vector<double> centre, std::uint64_t examples,
                     const FeatureMap& features) {
  PastModel result;
  result.weights = model.weights;
  result.centre = std::move(centre);
  result.at_centre = model.bias;
  result.examples = examples;
  result.centres = model.centres;
  result.products = model.products;
  for (std::size_t i = 0; i < result.centre.size(); ++i)
    result.at_centre += model.weights[i] * result.centre[i];
  find_bias(result);
  const std::size_t slots = std::min(result.centre.size(), features.slots());
  for (std::size_t i = features.attributes(); i < slots; ++i)
    if (const std::size_t owner = features.owner(i); features.is_category(owner))
      result.centre[owner] += model.weights[i] * result.centre[i];
  return result;
}

void save(State& state, const std::string& name, const PastModel& model) {
  state.put_copy<double>(name + ".weights", model.weights);
  state.put_copy<double>(name + ".centre", model.centre);
  state.put_number(name + ".at_centre", model.at_centre);
  state.put_number(name + ".examples", model.examples);
  if (!model.centres.empty()) state.put_copy<double>(name + ".centres", model.centres);
  if (!model.products.has_all_attributes())
    state.put_copy<std::uint32_t>(name + ".members", model.products.members());
  if (model.linear) save(state, name + ".linear", *model.linear);
  if (model.scores) save(state, name + ".classes", *model.scores);
  for (std::size_t c = 0; c < model.indicators.size(); ++c)
    save(state, indicator_name(name, c), *model.indicators[c]);
  if (model.class_moments) save(state, name + ".classes", *model.class_moments);
  if (model.best) state.put_copy<std::uint32_t>(name + ".best", *model.best);
  model.best_wait.save(state, name + ".best_wait");
  if (!model.moments) return;
  const TargetMoments& m = *model.moments;
  const auto arrays = arrays_of(m);
  for (std::size_t k = 0; k < arrays.size(); ++k) state.put_copy<double>(name + kMomentArrays[k], *arrays[k]);
  const double numbers[] = {m.total, m.ridge_total, m.expected, m.margin, m.noise};
  state.put_copy<double>(name + ".moments", numbers);
}

namespace {
Status restore_classes(const State& state, const std::string& name, std::size_t most, PastModel& model) {
  GLIMPSE_TRY_ASSIGN(model.scores, restore_class_model(state, name + ".classes", most));
  if (!model.scores) return {};
  GLIMPSE_TRY_ASSIGN(
      model.class_moments,
      restore_class_moments(state, name + ".classes", model.scores->classes(), model.weights.size()));
  if (model.scores->classes() <= 2) return {};
  for (std::size_t c = 0; c < model.scores->classes(); ++c) {
    GLIMPSE_TRY_ASSIGN(auto indicator, restore_past_model(state, indicator_name(name, c),
                                                          model.weights.size(), model.weights.size()));
    if (!indicator)
      return failure(ErrorCode::kCorrupt, "{} is missing, of {} classes", indicator_name(name, c),
                     model.scores->classes());
    model.indicators.push_back(std::move(indicator));
  }
  return {};
}
}  // namespace

Result<std::shared_ptr<const PastModel>> restore_past_model(const State& state, const std::string& name,
                                                            std::size_t least, std::size_t most) {
  if (state.find(name + ".weights") == nullptr) return std::shared_ptr<const PastModel>();
  GLIMPSE_TRY_ASSIGN(const auto weights,
                     state.get<double>(name + ".weights", least == most ? most : State::kAnyCount));
  if (weights.size() < least || weights.size() > most)
    return failure(ErrorCode::kCorrupt, "{}.weights has {} numbers, must be from {} to {}", name,
                   weights.size(), least, most);
  GLIMPSE_TRY_ASSIGN(const auto centre, state.get<double>(name + ".centre", weights.size()));
  GLIMPSE_TRY_ASSIGN(const auto at_centre, state.get_number<double>(name + ".at_centre"));
  // Checkpoints of earlier builds do not say when their models came.
  GLIMPSE_TRY_ASSIGN(const auto examples, state.get_number<std::uint64_t>(name + ".examples", 0));
  auto model = std::make_shared<PastModel>();
  model->weights.assign(weights.begin(), weights.end());
  model->centre.assign(centre.begin(), centre.end());
  model->at_centre = at_centre;
  model->examples = examples;
  GLIMPSE_TRY(restore_products(state, name, least, *model));
  GLIMPSE_TRY_ASSIGN(model->linear, restore_past_model(state, name + ".linear", least, most));
  if (model->linear && (model->centres.empty() || model->linear->centres != model->centres ||
                        model->linear->products != model->products))
    return failure(ErrorCode::kCorrupt, "{}.linear has other centres than {}", name, name);
  find_bias(*model);
  GLIMPSE_TRY(restore_classes(state, name, most, *model));
  GLIMPSE_TRY(restore_moments(state, name, *model));
  GLIMPSE_TRY_ASSIGN(model->best_wait, BestWait::restore(state, name + ".best_wait"));
  if (state.find(name + ".best") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto best, state.get<std::uint32_t>(name + ".best"));
    const bool ascends = std::adjacent_find(best.begin(), best.end(), std::greater_equal<>()) == best.end();
    if (!ascends || best.empty() || best.back() >= most)
      return failure(ErrorCode::kCorrupt, "{}.best is no set of attributes below {}", name, most);
    model->best = std::make_shared<const std::vector<Attribute>>(best.begin(), best.end());
  }
  return std::shared_ptr<const PastModel>(std::move(model));
}

std::shared_ptr<const PastModel> without(const PastModel& model, std::size_t slot) {
  auto result = std::make_shared<PastModel>(model);
  if (slot < result->weights.size()) result->weights[slot] = 0;
  const std::uint32_t place = result->products.place(static_cast<Attribute>(slot));
  if (place != ProductSlots::kNone)
    result->products.for_each([&](std::uint32_t product, std::uint32_t i, std::uint32_t j, std::uint32_t k) {
      if (i == place || j == place || k == place) result->weights[product] = 0;
    });
  result->moments.reset();
  result->class_moments.reset();
  if (result->linear) result->linear = without(*result->linear, slot);
  for (auto& indicator : result->indicators) indicator = without(*indicator, slot);
  if (result->scores && slot < model.centre.size())
    result->scores = without(*result->scores, slot, model.centre[slot]);
  find_bias(*result);
  return result;
}

}  // namespace glimpse
