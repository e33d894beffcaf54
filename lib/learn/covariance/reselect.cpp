#include "learn/covariance/reselect.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/state.h"

namespace glimpse {

namespace {

constexpr std::size_t kPair = sizeof(PairSums) / sizeof(double);
constexpr std::size_t kCell = sizeof(TargetSums::Cell) / sizeof(double);
constexpr std::size_t kTotal = sizeof(TargetSums::Total) / sizeof(double);
constexpr std::size_t kAttribute = sizeof(AttributeSums) / sizeof(double);

std::size_t row(std::size_t i, std::size_t d) { return i * (2 * d - i - 1) / 2 - i - 1; }

void copy(std::span<const double> source, std::size_t at, std::span<double> target, std::size_t to,
          std::size_t count) {
  std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(at * count), count,
              target.begin() + static_cast<std::ptrdiff_t>(to * count));
}

std::size_t targets_of(const State& state) {
  const auto totals = state.get<double>("pairs.target_totals");
  return totals ? totals->size() / kTotal : 0;
}

void put_targets(const State& before, std::size_t old, std::span<const std::size_t> from,
                 std::span<const std::size_t> targets, State& after) {
  const std::size_t known = targets_of(before);
  if (targets.empty()) return;
  const auto cells = known > 0 ? *before.get<double>("pairs.targets") : std::span<const double>();
  const auto totals = known > 0 ? *before.get<double>("pairs.target_totals") : std::span<const double>();
  const auto room = after.put<double>("pairs.targets", targets.size() * from.size() * kCell);
  const auto room_of_totals = after.put<double>("pairs.target_totals", targets.size() * kTotal);
  std::fill(room.begin(), room.end(), 0.0);
  std::fill(room_of_totals.begin(), room_of_totals.end(), 0.0);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (targets[t] >= known) continue;
    copy(totals, targets[t], room_of_totals, t, kTotal);
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] != kNewSlot) copy(cells, targets[t] * old + from[i], room, t * from.size() + i, kCell);
  }
}

// Σ u of the second attribute stands behind that of the first.
void turn(std::span<double> pairs, std::size_t at) {
  std::swap(pairs[at * kPair + 1], pairs[at * kPair + 2]);
}

}  // namespace

PairMoments reselect(const PairMoments& moments, std::span<const std::size_t> from) {
  std::vector<std::size_t> targets(moments.targets());
  std::iota(targets.begin(), targets.end(), std::size_t{0});
  return renumber(moments, from, targets);
}

// By way of the saved form, whose layout checkpoints fix.
PairMoments renumber(const PairMoments& moments, std::span<const std::size_t> from,
                     std::span<const std::size_t> targets) {
  const std::size_t old = moments.dimension();
  const std::size_t a = from.size();
  State before;
  before.begin();
  moments.save(before);
  before.finish();
  State after;
  after.begin();
  const PairMoments* const shared = moments.shared_pairs();
  const auto old_pairs = shared != nullptr ? std::span<const double>() : *before.get<double>("pairs.sums");
  const auto old_attributes = *before.get<double>("pairs.attributes");
  for (const Tensor& tensor : before.tensors()) {
    if (tensor.name == "pairs.sums" || tensor.name == "pairs.attributes" || tensor.name == "pairs.targets" ||
        tensor.name == "pairs.target_totals")
      continue;
    if (tensor.type == ElementType::kF64) after.put_copy(tensor.name, *before.get<double>(tensor.name));
    if (tensor.type == ElementType::kU64)
      after.put_copy(tensor.name, *before.get<std::uint64_t>(tensor.name));
  }
  const auto attributes = after.put<double>("pairs.attributes", a * kAttribute);
  std::fill(attributes.begin(), attributes.end(), 0.0);
  const auto pairs = after.put<double>("pairs.sums", a > 0 ? a * (a - 1) / 2 * kPair : 0);
  std::fill(pairs.begin(), pairs.end(), 0.0);
  for (std::size_t i = 0; i < a; ++i) {
    if (from[i] == kNewSlot) continue;
    copy(old_attributes, from[i], attributes, i, kAttribute);
    for (std::size_t j = i + 1; j < a; ++j) {
      if (shared != nullptr || from[j] == kNewSlot) continue;
      const auto [first, second] = std::minmax(from[i], from[j]);
      copy(old_pairs, row(first, old) + second, pairs, row(i, a) + j, kPair);
      if (from[j] < from[i]) turn(pairs, row(i, a) + j);
    }
  }
  put_targets(before, old, from, targets, after);
  after.finish();
  PairMoments result = shared != nullptr ? PairMoments(a, *shared) : PairMoments(a);
  (void)result.restore(after);  // cannot fail: the sizes are those of `a`
  return result;
}

}  // namespace glimpse
