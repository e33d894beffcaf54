#include <algorithm>
#include <cmath>
#include <span>

#include "learn/options/options.h"
#include "learn/plans/plan_book.h"

namespace glimpse {

// How a PlanBook is kept in a checkpoint: of every list, those of all open plans one after the other. Labels
// behind the first have lists of their own, which are not there where a plan has one label.

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

void PlanBook::save(State& state, double clock_shift, double now) const {
  const std::vector<const OpenPlan*> plans = list(0, open());
  const std::uint64_t counts[] = {next_number_,        counts_.given,   counts_.learned,
                                  counts_.not_learned, counts_.expired, counts_.abandoned};
  state.put_copy<std::uint64_t>("plans.counts", counts);
  const auto fates = state.put<std::uint64_t>("plans.closed", remembered_.size());
  const auto kinds = state.put<std::uint8_t>("plans.fates", remembered_.size());
  const auto labels = state.put<double>("plans.labels", remembered_.size());
  for (std::size_t k = 0; k < remembered_.size(); ++k) {
    const Closed& closed = remembered_[(oldest_ + k) % remembered_.size()];  // the oldest first
    fates[k] = closed.id;
    kinds[k] = static_cast<std::uint8_t>(closed.fate);
    labels[k] = closed.labels.first();
  }
  if (label_count_ > 1) {
    const auto further = state.put<double>("plans.further_labels", remembered_.size() * (label_count_ - 1));
    for (std::size_t k = 0; k < remembered_.size(); ++k)
      std::ranges::copy(remembered_[(oldest_ + k) % remembered_.size()].labels.further(),
                        further.subspan(k * (label_count_ - 1)).begin());
  }
  const auto whole = state.put<std::uint64_t>("plans.open", 2 * plans.size());
  const auto reals = state.put<double>("plans.numbers", 4 * plans.size());
  if (!plans.empty()) state.put_number("plans.saved_at", now + clock_shift);
  const auto sizes = state.put<std::uint32_t>("plans.sizes", 6 * plans.size());
  const auto generations = state.put<std::uint32_t>("plans.generations", plans.size());
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const OpenPlan& p = *plans[k];
    whole[2 * k] = p.id;
    whole[2 * k + 1] = p.cost;
    reals[4 * k] = p.expires_at + clock_shift;
    reals[4 * k + 1] = p.labels.first();
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
  if (label_count_ > 1)
    writer.write<double>(
        "plans.open_labels", plans, [this](const OpenPlan&) { return label_count_ - 1; },
        [](const OpenPlan& p, std::size_t l) { return p.labels.further()[l]; });
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
  PlanReader() = default;
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

/// What save() wrote, as arrays of the sizes that belong together.
struct SavedPlans {
  std::span<const std::uint64_t> whole;        // id and cost of each plan
  std::span<const double> reals;               // 4 of each
  std::span<const std::uint32_t> sizes;        // 6 of each
  std::span<const std::uint32_t> generations;  // empty: checkpoints of earlier builds have none
  PlanReader<std::uint32_t> attributes;
  PlanReader<double> centres;
  PlanReader<double> values;
  PlanReader<std::uint32_t> positions;
  PlanReader<double> coefficients;

  std::size_t size() const { return whole.size() / 2; }
  bool done() const {
    return attributes.done() && centres.done() && values.done() && positions.done() && coefficients.done();
  }
};

template <class T>
Status read_into(const State& state, std::string_view name, PlanReader<T>& reader) {
  GLIMPSE_TRY_ASSIGN(const auto values, state.get<T>(name));
  reader = PlanReader<T>(values);
  return {};
}

Status read_plans(const State& state, SavedPlans& saved) {
  GLIMPSE_TRY_ASSIGN(const auto whole, state.get<std::uint64_t>("plans.open"));
  if (whole.size() % 2 != 0) return failure(ErrorCode::kCorrupt, "plans.open is not 2 numbers for each plan");
  saved.whole = whole;
  GLIMPSE_TRY_ASSIGN(const auto reals, state.get<double>("plans.numbers", 4 * saved.size()));
  saved.reals = reals;
  GLIMPSE_TRY_ASSIGN(const auto sizes, state.get<std::uint32_t>("plans.sizes", 6 * saved.size()));
  saved.sizes = sizes;
  if (state.find("plans.generations") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto found, state.get<std::uint32_t>("plans.generations", saved.size()));
    saved.generations = found;
  }
  if (const Status read = read_into(state, "plans.attributes", saved.attributes); !read) return read;
  if (const Status read = read_into(state, "plans.centres", saved.centres); !read) return read;
  if (const Status read = read_into(state, "plans.values", saved.values); !read) return read;
  if (const Status read = read_into(state, "plans.positions", saved.positions); !read) return read;
  return read_into(state, "plans.coefficients", saved.coefficients);
}

constexpr double kLargestOffset = 1e130;  // of a plan: products of values and weights

// Seconds from 1970 on, or before: "never" of the Python package.
constexpr double kLastExpiry = 1e15;

bool none_infinite(std::span<const double> values) {
  return std::ranges::none_of(values, [](double value) { return std::isinf(value); });
}

/// Takes plan `k`, the next, and what was told of it. Returns the array that is not sound; nullptr: all are.
const char* take_plan(SavedPlans& saved, std::size_t k, std::size_t dimension, Plan& plan,
                      std::span<const double>& told) {
  const auto size = saved.sizes.subspan(6 * k, 6);
  std::span<const std::uint32_t> attributes;
  std::span<const std::uint32_t> positions;
  std::span<const double> coefficients;
  std::span<const double> centres;
  const std::size_t draws = std::size_t{size[2]} + size[3];
  if (!saved.attributes.take(size[0], attributes) || !saved.centres.take(size[1], centres) ||
      !saved.values.take(size[4], told) || !saved.positions.take(draws, positions) ||
      !saved.coefficients.take(draws, coefficients) || (size[1] != 0 && size[1] != size[0]) ||
      (size[4] != 0 && size[4] != size[0]))
    return "plans.sizes";
  plan.clear();
  for (const std::uint32_t attribute : attributes) {
    if (attribute >= dimension || (!plan.attributes.empty() && plan.attributes.back() >= attribute))
      return "plans.attributes";
    plan.attributes.push_back(attribute);
  }
  plan.centres.assign(centres.begin(), centres.end());
  for (std::size_t r = 0; r < draws; ++r) {
    if (positions[r] >= plan.attributes.size()) return "plans.positions";
    (r < size[2] ? plan.data_point : plan.inner_product).push_back({positions[r], coefficients[r]});
  }
  plan.population = size[5];
  plan.offset = saved.reals[4 * k + 3];
  if (!saved.generations.empty()) plan.generation = saved.generations[k];
  // Only what is not known is NaN: a label, and told values that were refused.
  const auto number = saved.reals.subspan(4 * k, 4);
  const bool is_sound = std::abs(number[0]) <= kLastExpiry && !std::isinf(number[1]) && number[2] >= 0 &&
                        number[2] <= kLargestMagnitude && std::abs(number[3]) <= kLargestOffset;
  if (!is_sound) return "plans.numbers";
  return none_infinite(told) ? nullptr : "plans.values";
}

Error unsound(std::size_t k, const char* array) {
  return failure(ErrorCode::kCorrupt, "open plan {} of the checkpoint is not sound: {}", k, array);
}

// Of labels behind the first, `labels` of each of `plans`; empty: there are none.
Result<std::span<const double>> read_further(const State& state, std::string_view name, std::size_t plans,
                                             std::size_t labels) {
  // There were no plans of several labels in earlier builds.
  if (labels == 0 || (plans == 0 && state.find(name) == nullptr)) return std::span<const double>();
  GLIMPSE_TRY_ASSIGN(const auto further, state.get<double>(name, plans * labels));
  if (!none_infinite(further)) return failure(ErrorCode::kCorrupt, "{} holds a label that is infinite", name);
  return further;
}

}  // namespace

Status PlanBook::restore(const State& state, std::size_t dimension, double clock_shift, double now) {
  if (state.find("plans.counts") == nullptr) return {};  // a checkpoint from before there were plans
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("plans.counts", 6));
  SavedPlans saved;
  if (const Status read = read_plans(state, saved); !read) return read;
  const std::size_t labels = label_count_ - 1;
  GLIMPSE_TRY_ASSIGN(const auto further, read_further(state, "plans.open_labels", saved.size(), labels));
  GLIMPSE_TRY_ASSIGN(const auto saved_at, state.get_number<double>("plans.saved_at", now + clock_shift));
  Plan plan;
  for (std::size_t k = 0; k < saved.size(); ++k) {
    std::span<const double> told;
    const PlanId id = saved.whole[2 * k];
    if (const char* const array = take_plan(saved, k, dimension, plan, told)) return unsound(k, array);
    if (index_.contains(id)) return unsound(k, "plans.open");
    const double expires_at = saved.reals[4 * k];
    OpenPlan& entry = enter(id, plan, saved.whole[2 * k + 1],
                            std::min(expires_at - clock_shift, now + (expires_at - saved_at)));
    entry.values.assign(told.begin(), told.end());
    entry.labels.restore(saved.reals[4 * k + 1], further.subspan(k * labels, labels));
    entry.importance = saved.reals[4 * k + 2];
  }
  if (!saved.done()) return unsound(saved.size(), "plans.sizes");
  next_number_ = counts[0];
  counts_ = {counts[1], counts[2], counts[3], counts[4], counts[5]};
  return restore_closed(state);
}

Status PlanBook::restore_closed(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto closed, state.get<std::uint64_t>("plans.closed"));
  GLIMPSE_TRY_ASSIGN(const auto fates, state.get<std::uint8_t>("plans.fates", closed.size()));
  std::span<const double> first;  // empty: checkpoints of earlier builds have none
  if (state.find("plans.labels") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto found, state.get<double>("plans.labels", closed.size()));
    first = found;
  }
  const std::size_t labels = label_count_ - 1;
  GLIMPSE_TRY_ASSIGN(const auto further, read_further(state, "plans.further_labels", closed.size(), labels));
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (fates[k] > static_cast<std::uint8_t>(PlanFate::kAbandoned))
      return failure(ErrorCode::kCorrupt, "plans.fates holds {}", fates[k]);
    if (index_.contains(closed[k]) || (!first.empty() && std::isinf(first[k])))
      return failure(ErrorCode::kCorrupt,
                     "closed plan {} of the checkpoint is not sound: plans.closed or plans.labels", k);
    ToldLabels& told = remember(closed[k], static_cast<PlanFate>(fates[k])).labels;
    told.begin(label_count_);
    if (!first.empty()) told.restore(first[k], further.subspan(k * labels, labels));
  }
  return {};
}

}  // namespace glimpse
