#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "learn/plans/plan_book.h"

namespace glimpse {

// How a PlanBook is kept in a checkpoint: of every list, those of all open plans one after the other.

namespace {

class PlanWriter {
 public:
  explicit PlanWriter(State& state) : state_(state) {}

  template <class T, class Plans, class Count, class Fill>
  void write(const char* name, const Plans& plans, const Count& count, const Fill& fill) {
    std::size_t total = 0;
    for (const OpenPlan* plan : plans) total += count(*plan);
    const auto room = state_.put<T>(name, total);
    std::size_t at = 0;
    for (const OpenPlan* plan : plans)
      for (std::size_t k = 0; k < count(*plan); ++k) room[at++] = fill(*plan, k);
  }

 private:
  State& state_;
};

}  // namespace

void PlanBook::save(State& state) const {
  const std::vector<const OpenPlan*> plans = list(0, open());
  const std::uint64_t counts[] = {next_number_,        counts_.given,   counts_.learned,
                                  counts_.not_learned, counts_.expired, counts_.abandoned};
  state.put_copy<std::uint64_t>("plans.counts", counts);
  const auto fates = state.put<std::uint64_t>("plans.closed", remembered_.size());
  const auto kinds = state.put<std::uint8_t>("plans.fates", remembered_.size());
  for (std::size_t k = 0; k < remembered_.size(); ++k) {
    fates[k] = remembered_[(oldest_ + k) % remembered_.size()];  // the oldest first
    kinds[k] = static_cast<std::uint8_t>(*fate(fates[k]));
  }
  const auto whole = state.put<std::uint64_t>("plans.open", 2 * plans.size());
  const auto reals = state.put<double>("plans.numbers", 4 * plans.size());
  const auto sizes = state.put<std::uint32_t>("plans.sizes", 6 * plans.size());
  const auto generations = state.put<std::uint32_t>("plans.generations", plans.size());
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const OpenPlan& p = *plans[k];
    whole[2 * k] = p.id;
    whole[2 * k + 1] = p.cost;
    reals[4 * k] = p.expires_at;
    reals[4 * k + 1] = p.label.value_or(std::numeric_limits<double>::quiet_NaN());
    reals[4 * k + 2] = p.importance;
    reals[4 * k + 3] = p.plan.offset;
    generations[k] = p.plan.generation;
    const std::size_t parts[] = {p.plan.attributes.size(),    p.plan.centres.size(), p.plan.data_point.size(),
                                 p.plan.inner_product.size(), p.values.size(),       p.plan.population};
    for (std::size_t part = 0; part < 6; ++part)
      sizes[6 * k + part] = static_cast<std::uint32_t>(parts[part]);
  }
  PlanWriter writer(state);
  writer.write<std::uint32_t>(
      "plans.attributes", plans, [](const OpenPlan& p) { return p.plan.attributes.size(); },
      [](const OpenPlan& p, std::size_t a) { return p.plan.attributes[a]; });
  writer.write<double>(
      "plans.centres", plans, [](const OpenPlan& p) { return p.plan.centres.size(); },
      [](const OpenPlan& p, std::size_t a) { return p.plan.centres[a]; });
  writer.write<double>(
      "plans.values", plans, [](const OpenPlan& p) { return p.values.size(); },
      [](const OpenPlan& p, std::size_t a) { return p.values[a]; });
  const auto draws = [](const OpenPlan& p) { return p.plan.data_point.size() + p.plan.inner_product.size(); };
  const auto draw = [](const OpenPlan& p, std::size_t r) {
    const std::size_t n = p.plan.data_point.size();
    return r < n ? p.plan.data_point[r] : p.plan.inner_product[r - n];
  };
  writer.write<std::uint32_t>("plans.positions", plans, draws,
                              [&](const OpenPlan& p, std::size_t r) { return draw(p, r).position; });
  writer.write<double>("plans.coefficients", plans, draws,
                       [&](const OpenPlan& p, std::size_t r) { return draw(p, r).coefficient; });
}

namespace {

// Reads the lists of plans one after the other; what is not there was never written.
template <class T>
class PlanReader {
 public:
  explicit PlanReader(std::span<const T> values) : values_(values) {}
  bool take(std::size_t count, std::span<const T>& part) {
    if (count > values_.size()) return false;
    part = values_.first(count);
    values_ = values_.subspan(count);
    return true;
  }
  bool done() const { return values_.empty(); }

 private:
  std::span<const T> values_;
};

}  // namespace

Status PlanBook::restore(const State& state, std::size_t dimension) {
  if (state.find("plans.counts") == nullptr) return {};  // a checkpoint from before there were plans
  const auto counts = state.get<std::uint64_t>("plans.counts", 6);
  if (!counts) return counts.error();
  const auto closed = state.get<std::uint64_t>("plans.closed");
  if (!closed) return closed.error();
  const auto fates = state.get<std::uint8_t>("plans.fates", closed->size());
  if (!fates) return fates.error();
  const auto whole = state.get<std::uint64_t>("plans.open");
  if (!whole) return whole.error();
  if (whole->size() % 2 != 0)
    return failure(ErrorCode::kCorrupt, "plans.open is not 2 numbers for each plan");
  const std::size_t n = whole->size() / 2;
  const auto reals = state.get<double>("plans.numbers", 4 * n);
  if (!reals) return reals.error();
  const auto sizes = state.get<std::uint32_t>("plans.sizes", 6 * n);
  if (!sizes) return sizes.error();
  std::span<const std::uint32_t> generations;  // checkpoints of earlier builds have none
  if (state.find("plans.generations") != nullptr) {
    const auto found = state.get<std::uint32_t>("plans.generations", n);
    if (!found) return found.error();
    generations = *found;
  }
  const auto all_attributes = state.get<std::uint32_t>("plans.attributes");
  if (!all_attributes) return all_attributes.error();
  const auto all_centres = state.get<double>("plans.centres");
  if (!all_centres) return all_centres.error();
  const auto all_values = state.get<double>("plans.values");
  if (!all_values) return all_values.error();
  const auto all_positions = state.get<std::uint32_t>("plans.positions");
  if (!all_positions) return all_positions.error();
  const auto all_coefficients = state.get<double>("plans.coefficients");
  if (!all_coefficients) return all_coefficients.error();

  PlanReader<std::uint32_t> attributes(*all_attributes);
  PlanReader<double> centres(*all_centres);
  PlanReader<double> values(*all_values);
  PlanReader<std::uint32_t> positions(*all_positions);
  PlanReader<double> coefficients(*all_coefficients);
  const auto corrupt = [](std::size_t k) {
    return failure(ErrorCode::kCorrupt, "open plan {} of the checkpoint is not sound", k);
  };
  Plan plan;
  for (std::size_t k = 0; k < n; ++k) {
    const auto size = sizes->subspan(6 * k, 6);
    std::span<const std::uint32_t> part;
    std::span<const std::uint32_t> draw_positions;
    std::span<const double> draw_coefficients;
    std::span<const double> plan_centres;
    std::span<const double> told;
    const std::size_t draws = std::size_t{size[2]} + size[3];
    if (!attributes.take(size[0], part) || !centres.take(size[1], plan_centres) ||
        !values.take(size[4], told) || !positions.take(draws, draw_positions) ||
        !coefficients.take(draws, draw_coefficients))
      return corrupt(k);
    if ((size[1] != 0 && size[1] != size[0]) || (size[4] != 0 && size[4] != size[0])) return corrupt(k);
    plan.clear();
    for (const std::uint32_t attribute : part) {
      if (attribute >= dimension || (!plan.attributes.empty() && plan.attributes.back() >= attribute))
        return corrupt(k);
      plan.attributes.push_back(attribute);
    }
    plan.centres.assign(plan_centres.begin(), plan_centres.end());
    for (std::size_t r = 0; r < draws; ++r) {
      if (draw_positions[r] >= plan.attributes.size()) return corrupt(k);
      (r < size[2] ? plan.data_point : plan.inner_product)
          .push_back({draw_positions[r], draw_coefficients[r]});
    }
    plan.population = size[5];
    plan.offset = (*reals)[4 * k + 3];
    if (!generations.empty()) plan.generation = generations[k];
    const PlanId id = (*whole)[2 * k];
    if (index_.contains(id)) return corrupt(k);
    // Only what is not known is NaN: a label, and told values that were refused.
    const auto number = reals->subspan(4 * k, 4);
    if (!std::isfinite(number[0]) || std::isinf(number[1]) || !(number[2] >= 0) || std::isinf(number[2]) ||
        !std::isfinite(number[3]) ||
        std::any_of(told.begin(), told.end(), [](double value) { return std::isinf(value); }))
      return corrupt(k);
    OpenPlan& entry = enter(id, plan, (*whole)[2 * k + 1], (*reals)[4 * k]);
    entry.values.assign(told.begin(), told.end());
    if (const double label = (*reals)[4 * k + 1]; !std::isnan(label)) entry.label = label;
    entry.importance = (*reals)[4 * k + 2];
  }
  if (!attributes.done() || !centres.done() || !values.done() || !positions.done() || !coefficients.done())
    return corrupt(n);
  next_number_ = (*counts)[0];
  counts_ = {(*counts)[1], (*counts)[2], (*counts)[3], (*counts)[4], (*counts)[5]};
  for (std::size_t k = 0; k < closed->size(); ++k) {
    if ((*fates)[k] > static_cast<std::uint8_t>(PlanFate::kAbandoned))
      return failure(ErrorCode::kCorrupt, "plans.fates holds {}", (*fates)[k]);
    if (!index_.emplace((*closed)[k], kClosed + (*fates)[k]).second) return corrupt(k);
    remember((*closed)[k]);
  }
  return {};
}

}  // namespace glimpse
