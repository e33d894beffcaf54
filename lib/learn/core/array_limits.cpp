#include "learn/core/array_limits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "base/types.h"

namespace glimpse {

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

// What numbers can be, by a letter each: 0, or no nearer to it than `nearest`.
struct Family {
  char letter;
  double least;
  double most;
  double nearest = 0;
};
constexpr Family kFamilies[] = {
    {'c', 0, 0x1p60},         // counts: kMostExamples
    {'b', 0, 0x1p50},         // counts in a part of many
    {'u', 1, 0x1p100},        // units of sums that are forgotten
    {'t', 0x1p-300, 1},       // scales of weights
    {'1', 0, 1},              // probabilities
    {'v', -1e31, 1e31},       // values, labels: kLargestMagnitude, and what a mean is rounded by
    {'d', 0, 1e150, 1e-150},  // what values are divided by
    {'w', 0, 1e90},           // importances, added up in units
    {'i', 0, 1e90, 1e-120},   // the same where sums are divided by them
    {'l', -1e150, 1e150},     // losses of an example, weights, terms of pairs, also of products
    {'q', 0, 1e150},          // squares of values, weighed and added up
    {'s', -1e280, 1e280},     // cubes of values, weighed and added up
    {'p', 0, 1e280},          // fourth powers, and squared losses, weighed and added up
    {'a', 0, 1e305},          // squared losses that a design effect multiplies
    {'.', -kAny, kAny},
};

// The letters of an array's numbers, again and again, which an array of another length does not have. Names
// are those of arrays without the components that are numbers, or what they end with. The first row counts.
struct Limits {
  std::string_view letters;
  std::string_view names;  // with a blank behind each
};
constexpr Limits kLimits[] = {
    {"c",
     "count mark_counts recent_counts bins confusion learner.counts learner.steps learner.outliers "
     "learner.beyond learner.classes shrunk.steps step.examples "},
    {"b", "absolute_counts "},
    {"1", "shares priors "},
    {"u", "unit gradient.rho "},
    {"v",
     "plans.centres moments.mean expansion.label_mean expansion.label_range "
     "aer.origin baseline.origin gradient.origin "},
    {"vq", "labels.spread "},
    {"i", "iterate_weight "},
    {"w", "learner.importances weights.owed pairs.target_totals "},
    {"q",
     "held_out.mean frozen.mean wrong.mean log_loss.mean brier.mean moments.second "
     "moments.max_abs "},
    {"d", "expansion.scales "},
    {"s", "weights.c shrunk.c centres.sums expansion.firsts expansion.lags "},
    {"p",
     "slopes bin_sums gradient.squares step.means step.importances units.pooled expansion.squares "
     "expansion.seconds expansion.averages expansion.losses counted squared "},
    {"a", "squares absolute_mean guard.sizes "},
    {"sp", "guard.sums "},
    {"psp", "rests "},
    {"laq", "recent "},
    {"la", "marks "},
    {"bsa", "buckets "},
    {"lilq", "pairs.label "},
    {"isss", "pairs.sums "},
    {"ttl..", "weights.scalars "},
    {"qqvwq", "gradient.scalars "},
    {"qqlsl", "shrunk.scalars "},
    {"ipppu", "expansion.sums "},
    {"lwspssd", "screen.sums magnitudes.sums "},
    {"lpsplwssswsss", "pairs.attributes "},
};
constexpr std::string_view kOthers = "l";

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
    if (is_number(last.substr(last.starts_with("label") ? 5 : 0))) continue;
    const std::size_t end_dot = end.rfind('.');
    if (last != (end_dot == end.npos ? end : end.substr(end_dot + 1))) return false;
    if (end_dot == end.npos) return true;
    end = end.substr(0, end_dot);
  }
  return true;
}

bool is_one_of(std::string_view name, std::string_view ends) {
  for (; !ends.empty(); ends.remove_prefix(ends.find(' ') + 1))
    if (ends_with(name, ends.substr(0, ends.find(' ')))) return true;
  return false;
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
Status check_finite(const Tensor& tensor) {
  const auto values = tensor.values<T>();
  if constexpr (std::is_floating_point_v<T>)
    if (!all_finite(values)) {
      const auto bad = std::ranges::find_if(values, [](T value) { return !std::isfinite(value); });
      return failure(ErrorCode::kCorrupt, "the array '{}' holds a number that is not finite: {}, at place {}",
                     tensor.name, *bad, bad - values.begin());
    }
  std::string_view letters = std::is_floating_point_v<T> ? kOthers : "";
  for (const Limits& limits : kLimits)
    if (values.size() % limits.letters.size() == 0 && is_one_of(tensor.name, limits.names)) {
      letters = limits.letters;
      break;
    }
  for (std::size_t first = 0; first < letters.size(); ++first) {
    const Family& family = *std::ranges::find(kFamilies, letters[first], &Family::letter);
    for (std::size_t k = first; k < values.size(); k += letters.size())
      if (const auto value = static_cast<double>(values[k]);
          value < family.least || value > family.most || (value != 0 && std::abs(value) < family.nearest))
        return failure(ErrorCode::kCorrupt, "the array '{}' holds {} at place {}, must be from {} to {}{}",
                       tensor.name, values[k], k, family.least, family.most,
                       family.nearest > 0 ? fmt::format(", and 0 or at least {}", family.nearest) : "");
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
      return check_finite<double>(tensor);
    case ElementType::kF32:
      return check_finite<float>(tensor);
    case ElementType::kU64:
      return check_finite<std::uint64_t>(tensor);
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
