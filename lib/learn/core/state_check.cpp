#include "learn/core/state_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

#include "learn/core/array_limits.h"
#include "learn/core/first_examples.h"
#include "learn/core/further_state.h"
#include "learn/core/monomials.h"
#include "learn/gauge/value_gauge.h"
#include "sampling/level_table.h"

namespace glimpse {

namespace {

constexpr std::uint64_t kMostCauses = 8;  // LookPhase::Cause

// Others may hold what is not finite, and are looked at by those who restore them.
constexpr std::string_view kMayBeInfinite[] = {
    "labels.min",    "labels.max",   "plans.labels",    "plans.further_labels", "plans.open_labels",
    "plans.numbers", "plans.values", "history.samples", "history.labels",       "first.examples"};

Status check_all_numbers(const State& state) {
  for (const Tensor& tensor : state.tensors()) {
    if (tensor.name.starts_with(kFurtherLabel)) continue;  // looked at as a state of its own
    if (std::ranges::find(kMayBeInfinite, tensor.name) != std::end(kMayBeInfinite)) continue;
    GLIMPSE_TRY(check_limits(tensor));
  }
  return {};
}

// The arrays whose names end so; of another type or too short they are refused by those who restore them.
template <class T>
const Tensor* array(const State& state, std::string_view name, std::size_t least) {
  const Tensor* tensor = state.find(name);
  return tensor != nullptr && tensor->type == element_type_of<T>() && tensor->count() >= least ? tensor
                                                                                               : nullptr;
}

Status check_phases(const State& state) {
  if (const Tensor* phase = array<std::uint64_t>(state, "phase.counts", 1))
    if (const std::uint64_t number = phase->values<std::uint64_t>()[0]; number < 1 || number > 2)
      return failure(ErrorCode::kCorrupt, "phase.counts names phase {}", number);
  if (const Tensor* phase = array<std::uint64_t>(state, "looks.phase", 3)) {
    const auto numbers = phase->values<std::uint64_t>();
    if (numbers[0] < 1 || numbers[0] > 2 || numbers[2] > kMostCauses)
      return failure(ErrorCode::kCorrupt, "looks.phase names phase {} for cause {}", numbers[0], numbers[2]);
  }
  return {};
}

Status check_labels(const State& state) {
  const Tensor* min = array<double>(state, "labels.min", 1);
  const Tensor* max = array<double>(state, "labels.max", 1);
  if (min != nullptr && max != nullptr) {
    const double least = min->values<double>()[0];
    const double most = max->values<double>()[0];
    const bool empty = std::isinf(least) && least > 0 && std::isinf(most) && most < 0;
    if (!empty && !(std::isfinite(least) && least <= most && std::isfinite(most)))
      return failure(ErrorCode::kCorrupt, "labels.min and labels.max hold {} and {}: no range of labels",
                     least, most);
  }
  return {};
}

Status check_shares(const State& state) {
  for (const Tensor& tensor : state.tensors()) {
    if (!tensor.name.ends_with(".shares") || tensor.type != ElementType::kF64) continue;
    const auto shares = tensor.values<double>();
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (!(std::abs(sum - 1) <= 1e-6))
      return failure(ErrorCode::kCorrupt, "the array '{}' adds up to {}, must to 1", tensor.name, sum);
  }
  return {};
}

Status check_table(const char* name, std::span<const std::uint8_t> levels, std::uint64_t lowest,
                   std::uint64_t shift) {
  // As learners restore it: by the lower half.
  if (LevelTable::is_sound(levels, static_cast<std::uint32_t>(lowest), static_cast<std::uint32_t>(shift)))
    return {};
  return failure(ErrorCode::kCorrupt, "{} is of no distribution: {} and {}", name, lowest, shift);
}

Status check_sampling(const State& state) {
  if (const Tensor* levels = array<std::uint8_t>(state, "sampling.levels", 1)) {
    const auto of = levels->values<std::uint8_t>();
    if (const Tensor* keys = array<std::uint32_t>(state, "sampling.keys", 2)) {
      const auto numbers = keys->values<std::uint32_t>();
      GLIMPSE_TRY(check_table("sampling.keys", of, numbers[0], numbers[1]));
    }
    for (const char* name : {"pairwise.sampling", "screened.sampling"})
      if (const Tensor* keys = array<std::uint64_t>(state, name, 2)) {
        const auto numbers = keys->values<std::uint64_t>();
        GLIMPSE_TRY(check_table(name, of, numbers[0], numbers[1]));
      }
  }
  const Tensor* levels = array<std::uint8_t>(state, "costs.levels", 1);
  if (levels == nullptr) return {};
  auto of = levels->values<std::uint8_t>();
  if (const Tensor* keys = array<std::uint64_t>(state, "costs.sampling", 3)) {
    const auto numbers = keys->values<std::uint64_t>();
    return check_table("costs.sampling", of, numbers[1], numbers[2]);
  }
  const Tensor* keys = array<std::uint32_t>(state, "costs.keys", 2);
  const Tensor* sizes = array<std::uint64_t>(state, "costs.sizes", 1);  // earlier builds wrote none
  if (keys == nullptr || sizes == nullptr) return {};
  const auto numbers = keys->values<std::uint32_t>();
  std::size_t t = 0;
  const Error unfit = failure(ErrorCode::kCorrupt, "costs.sizes does not fit costs.levels and costs.keys");
  for (const std::uint64_t size : sizes->values<std::uint64_t>()) {
    if (size > of.size() || 2 * t + 1 >= numbers.size()) return unfit;
    GLIMPSE_TRY(check_table("costs.keys", of.first(size), numbers[2 * t], numbers[2 * t + 1]));
    of = of.subspan(size);
    ++t;
  }
  if (!of.empty() || 2 * t != numbers.size()) return unfit;
  return {};
}

Status check_active(const State& state) {
  const Tensor* active = array<std::uint32_t>(state, "screened.active", 1);
  const Tensor* levels = array<std::uint8_t>(state, "sampling.levels", 0);
  if (active == nullptr || levels == nullptr) return {};
  const auto values = active->values<std::uint32_t>();
  if (std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end() &&
      values.back() < levels->count())
    return {};
  return failure(ErrorCode::kCorrupt, "screened.active is no set of attributes below {}", levels->count());
}

Status check_gauge(const State& state) {
  const Tensor* centres = state.find("gauge.centres");
  return centres == nullptr ? Status() : ValueGauge::check(state, centres->count());
}

// Exponents are of numbers that add up to what is kept of them beside.
Status check_exponents(const State& state) {
  const Tensor* exponents = array<double>(state, "weights.theta", 1);
  const Tensor* scalars = array<double>(state, "weights.scalars", 4);
  if (exponents == nullptr || scalars == nullptr) return {};
  const auto numbers = scalars->values<double>();
  double sum = 0;
  for (const double theta : exponents->values<double>())
    sum += std::exp(theta - numbers[0]) + std::exp(-theta - numbers[0]);
  if (std::abs(sum - (numbers[1] + numbers[2])) <= 1e-3 * sum && std::isfinite(sum)) return {};
  return failure(ErrorCode::kCorrupt, "weights.theta adds up to {} by weights.scalars, which hold {}", sum,
                 numbers[1] + numbers[2]);
}

Status check_first(const State& state) {
  const Tensor* centres = state.find("gauge.centres");
  if (centres == nullptr || state.find("first.examples") == nullptr) return {};
  std::size_t labels = 1;
  while (further_state(state, labels)) ++labels;
  return FirstExamples(true).restore(state, centres->count() - 1, labels, false);
}

Status check_epochs(const State& state) {
  const Tensor* epochs = array<std::uint8_t>(state, "weights.epochs", 1);
  const Tensor* owed = array<double>(state, "weights.owed", 0);
  if (epochs == nullptr || owed == nullptr) return {};
  const auto values = epochs->values<std::uint8_t>();
  if (const auto largest = *std::max_element(values.begin(), values.end()); largest > owed->count())
    return failure(ErrorCode::kCorrupt, "weights.epochs holds {}, but there are {}", largest, owed->count());
  return {};
}

}  // namespace

Status check_state(const State& state) {
  for (const auto check : {+[](const State& s) { return check_all_numbers(s); }, &check_phases, &check_labels,
                           &check_shares, &check_sampling, &check_active, &check_gauge, &check_exponents,
                           &check_first, &check_epochs, +[](const State& s) { return check_monomials(s); }})
    GLIMPSE_TRY(check(state));
  for (std::size_t label = 1; const auto part = further_state(state, label); ++label)
    if (Status status = check_state(*part); !status)
      return failure(status.error().code, "label {} ({}{}.): {}", label + 1, kFurtherLabel, label,
                     status.error().message);
  return {};
}

}  // namespace glimpse
