#include "learn/covariance/reselect.h"

#include <algorithm>

#include "base/state.h"

namespace glimpse {

namespace {

constexpr std::size_t kPair = sizeof(PairSums) / sizeof(double);
constexpr std::size_t kCell = sizeof(TargetSums::Cell) / sizeof(double);
constexpr std::size_t kTotal = sizeof(TargetSums::Total) / sizeof(double);
constexpr std::size_t kAttribute = sizeof(AttributeSums) / sizeof(double);

std::size_t row(std::size_t i, std::size_t d) { return i * (2 * d - i - 1) / 2 - i - 1; }

void put_targets(const State& before, std::size_t old, std::span<const std::size_t> from, State& after) {
  if (before.find("pairs.targets") == nullptr) return;
  const auto cells = *before.get<double>("pairs.targets");
  const std::size_t targets = before.get<double>("pairs.target_totals")->size() / kTotal;
  const auto room = after.put<double>("pairs.targets", targets * from.size() * kCell);
  std::fill(room.begin(), room.end(), 0.0);
  for (std::size_t t = 0; t < targets; ++t)
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] != kNewSlot)
        std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>((t * old + from[i]) * kCell), kCell,
                    room.begin() + static_cast<std::ptrdiff_t>((t * from.size() + i) * kCell));
}

}  // namespace

// By way of the saved form, whose layout checkpoints fix.
PairMoments reselect(const PairMoments& moments, std::span<const std::size_t> from) {
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
    if (tensor.name == "pairs.sums" || tensor.name == "pairs.attributes" || tensor.name == "pairs.targets")
      continue;
    if (tensor.type == ElementType::kF64) after.put_copy(tensor.name, *before.get<double>(tensor.name));
    if (tensor.type == ElementType::kU64)
      after.put_copy(tensor.name, *before.get<std::uint64_t>(tensor.name));
  }
  const auto attributes = after.put<double>("pairs.attributes", a * kAttribute);
  std::fill(attributes.begin(), attributes.end(), 0.0);
  const auto pairs = after.put<double>("pairs.sums", a > 0 ? a * (a - 1) / 2 * kPair : 0);
  std::fill(pairs.begin(), pairs.end(), 0.0);
  const auto copy = [](std::span<const double> source, std::size_t at, std::span<double> target,
                       std::size_t to, std::size_t count) {
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(at * count), count,
                target.begin() + static_cast<std::ptrdiff_t>(to * count));
  };
  for (std::size_t i = 0; i < a; ++i) {
    if (from[i] == kNewSlot) continue;
    copy(old_attributes, from[i], attributes, i, kAttribute);
    for (std::size_t j = i + 1; j < a; ++j)
      if (shared == nullptr && from[j] != kNewSlot)
        copy(old_pairs, row(from[i], old) + from[j], pairs, row(i, a) + j, kPair);
  }
  put_targets(before, old, from, after);
  after.finish();
  PairMoments result = shared != nullptr ? PairMoments(a, *shared) : PairMoments(a);
  (void)result.restore(after);  // cannot fail: the sizes are those of `a`
  return result;
}

}  // namespace glimpse
