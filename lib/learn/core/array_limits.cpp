#include "learn/core/array_limits.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "base/types.h"

namespace glimpse {

namespace {

constexpr double kAny = std::numeric_limits<double>::max();
constexpr double kCount = 0x1p60;  // kMostExamples
constexpr double kValue = 1e31;    // kLargestMagnitude, and what a mean is rounded by
constexpr double kWeight = 1e90;   // importances, added up in the units of sums that are forgotten
constexpr double kLoss = 1e150;    // of an example; squares of values, weighed and added up
constexpr double kPowers = 1e280;  // fourth powers, and squared losses, weighed and added up

// What the numbers of an array can be: of every step-th from `first` on. The name is the array's without the
// components that are numbers, or what that ends with.
struct Limits {
  std::string_view name;
  double least;
  double most;
  std::size_t first = 0;
  std::size_t step = 1;
};
constexpr Limits kLimits[] = {
    {"count", 0, kCount},
    {"mark_counts", 0, kCount},
    {"recent_counts", 0, kCount},
    {"absolute_mean", 0, kAny},
    {"absolute_counts", 0, 0x1p50},
    {"step.examples", 0, kCount},
    {"labels.spread", -kValue, kValue, 0, 2},
    {"labels.spread", 0, kLoss, 1, 2},
    {"learner.importances", 0, kWeight},
    {"progressive.mean", -kLoss, kLoss},
    {"progressive.squares", 0, kAny},
    {"plans.centres", -kValue, kValue},
    {"plans.coefficients", -kLoss, kLoss},
    {"moments.mean", -kValue, kValue},
    {"moments.second", 0, kLoss},
    {"gradient.scalars", -kLoss, kLoss},
    {"gradient.scalars", 0, kWeight, 3, 5},  // of the labels
    {"weights.u", -1e160, 1e160},
    {"expansion.sums", 0, kPowers},
    {"expansion.label_mean", -kValue, kValue},
    {"expansion.label_range", -kValue, kValue},
    // Sums of examples, as AttributeSums, LabelSums, PairSums and AttributeScreen have them: weights, squares
    // and fourth powers are not below 0.
    {"pairs.attributes", -kPowers, kPowers},
    {"pairs.attributes", 0, kPowers, 1, 13},
    {"pairs.attributes", 0, kPowers, 3, 13},
    {"pairs.attributes", 0, kWeight, 5, 13},
    {"pairs.attributes", 0, kWeight, 9, 13},
    {"pairs.label", -kLoss, kLoss},
    {"pairs.label", 0, kLoss, 1, 2},
    {"pairs.sums", -kPowers, kPowers},
    {"pairs.sums", 0, kWeight, 0, 4},
    {"pairs.target_totals", 0, kWeight},
    {"pairs.targets", -kLoss, kLoss},
    {"screen.sums", -kPowers, kPowers},
    {"screen.sums", 0, kWeight, 1, 7},
    {"screen.sums", 0, kPowers, 3, 7},
    {"magnitudes.sums", -kPowers, kPowers},
    {"magnitudes.sums", 0, kWeight, 1, 7},
    {"magnitudes.sums", 0, kPowers, 3, 7},
    {"detector.partial", -1e153, 1e153},
};

// What is only reported, by the last component of a name, which `mark` ends with: these arrays of the same
// name up to there go together.
struct Report {
  std::string_view mark;
  std::string_view arrays[5];
};
constexpr Report kReports[] = {
    {"recent_counts", {"count", "mean", "squares", "recent_counts", "recent"}},  // ProgressiveLoss
    {"labels.spread", {"spread", "count"}},
    {"bin_sums", {"bin_sums", "bins"}},
    {"best_wait", {"best_wait"}},
    {"best.wait", {"wait"}},
    {"drift.losses", {"losses"}},
};

bool is_number(std::string_view component) {
  return !component.empty() && std::ranges::all_of(component, [](char c) { return c >= '0' && c <= '9'; });
}

// "products.screen.0.sums" ends with "screen.sums".
bool ends_with(std::string_view name, std::string_view end) {
  while (!end.empty()) {
    const std::size_t dot = name.rfind('.');
    const std::string_view last = dot == name.npos ? name : name.substr(dot + 1);
    name = dot == name.npos ? std::string_view() : name.substr(0, dot);
    if (is_number(last)) continue;
    const std::size_t end_dot = end.rfind('.');
    if (last != (end_dot == end.npos ? end : end.substr(end_dot + 1))) return false;
    if (end_dot == end.npos) return true;
    end = end.substr(0, end_dot);
  }
  return true;
}

template <class T>
std::span<const T> values_of(const Tensor& tensor) {
  return {reinterpret_cast<const T*>(tensor.bytes.data()), tensor.count()};
}

// In blocks without a branch, which the compiler takes several numbers at a time: an exponent of ones alone
// is that of NaN and of the infinities.
template <class T>
bool all_finite(std::span<const T> values) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  constexpr std::size_t kBlock = 1024;
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    Bits found = 0;
    for (const T value : values.subspan(begin, std::min(kBlock, values.size() - begin)))
      found |= static_cast<Bits>((std::bit_cast<Bits>(value) & kExponent) == kExponent);
    if (found != 0) return false;
  }
  return true;
}

template <class T>
Status check_numbers(const Tensor& tensor) {
  const auto values = values_of<T>(tensor);
  if constexpr (std::is_floating_point_v<T>)
    if (!all_finite(values)) {
      const auto bad = std::ranges::find_if(values, [](T value) { return !std::isfinite(value); });
      return failure(ErrorCode::kCorrupt, "the array '{}' holds a number that is not finite: {}, at place {}",
                     tensor.name, *bad, bad - values.begin());
    }
  for (const Limits& limits : kLimits) {
    if (!ends_with(tensor.name, limits.name)) continue;
    for (std::size_t k = limits.first; k < values.size(); k += limits.step)
      if (const auto value = static_cast<double>(values[k]); value < limits.least || value > limits.most)
        return failure(ErrorCode::kCorrupt, "the array '{}' holds {} at place {}, must be from {} to {}",
                       tensor.name, values[k], k, limits.least, limits.most);
  }
  return {};
}

template <class T>
void reset(State& state, const std::string& name, bool entirely) {
  for (T& value : state.put<T>(name, state.find(name)->count()))
    if (entirely || !std::isfinite(static_cast<double>(value))) value = 0;
}

}  // namespace

Status check_limits(const Tensor& tensor) {
  switch (tensor.type) {
    case ElementType::kF64:
      return check_numbers<double>(tensor);
    case ElementType::kF32:
      return check_numbers<float>(tensor);
    case ElementType::kU64:
      return check_numbers<std::uint64_t>(tensor);
    default:
      return {};
  }
}

std::vector<std::string> reset_reports(State& state) {
  std::vector<std::string> names;
  for (const Report& report : kReports)
    for (const Tensor& tensor : state.tensors()) {
      if (!ends_with(tensor.name, report.mark)) continue;
      const std::string stem = tensor.name.substr(0, tensor.name.rfind('.') + 1);
      const bool is_alone = report.arrays[1].empty();
      std::vector<std::string> arrays;
      bool is_sound = true;
      for (const std::string_view array : report.arrays) {
        const Tensor* const part = array.empty() ? nullptr : state.find(stem + std::string(array));
        if (part == nullptr) continue;
        arrays.push_back(part->name);
        is_sound = is_sound && check_limits(*part).has_value();
      }
      if (is_sound) continue;
      for (const std::string& name : arrays) {
        if (state.find(name)->type == ElementType::kF64) reset<double>(state, name, !is_alone);
        if (state.find(name)->type == ElementType::kU64) reset<std::uint64_t>(state, name, !is_alone);
        names.push_back(name);
      }
    }
  return names;
}

}  // namespace glimpse
