#include "stats/progressive_loss.h"

#include <algorithm>

namespace glimpse {

// Chan, Golub & LeVeque's formula for two parts, solved for the second.
ProgressiveLoss::Part ProgressiveLoss::Part::since(const Part& earlier) const {
  if (earlier.count == 0) return *this;
  Part part;
  part.count = count - earlier.count;
  if (part.count == 0) return part;
  const auto n = static_cast<double>(count);
  const auto before = static_cast<double>(earlier.count);
  const auto after = static_cast<double>(part.count);
  part.mean = (sum() - earlier.sum()) / after;
  const double difference = part.mean - earlier.mean;
  part.squares = std::max(squares - earlier.squares - difference * difference * (before * after / n), 0.0);
  return part;
}

ProgressiveLoss::Part ProgressiveLoss::Part::with(const Part& other) const {
  if (other.count == 0) return *this;
  if (count == 0) return other;
  Part part;
  part.count = count + other.count;
  const auto n = static_cast<double>(part.count);
  const auto mine = static_cast<double>(count);
  const auto theirs = static_cast<double>(other.count);
  const double difference = other.mean - mean;
  part.mean = mean + difference * (theirs / n);
  part.squares = squares + other.squares + difference * difference * (mine * theirs / n);
  return part;
}

void ProgressiveLoss::begin_block() {
  std::ranges::move_backward(blocks_.begin(), blocks_.end() - 1, blocks_.end());
  blocks_[0] = {};
}

ProgressiveLoss::Part ProgressiveLoss::recent() const {
  Part recent;
  double baseline = 0;
  std::uint64_t baselines = 0;
  for (const Block& block : blocks_) {
    if (recent.count >= recent_) break;
    recent = recent.with(block.loss);
    baseline += block.baseline;
    baselines += block.baselines;
  }
  recent.baseline = baselines > 0 ? baseline / static_cast<double>(baselines) : std::nan("");
  return recent;
}

void ProgressiveLoss::clear() {
  total_ = with_model_ = {};
  begin_recent();
}

void ProgressiveLoss::merge(const ProgressiveLoss& other) {
  total_ = total_.with(other.total_);
  with_model_ = with_model_.with(other.with_model_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    block.loss = block.loss.with(other.blocks_[b].loss);
    block.baselines += other.blocks_[b].baselines;
    block.baseline += other.blocks_[b].baseline;
  }
}

void ProgressiveLoss::save(State& state, const std::string& name) const {
  state.put_number(name + ".count", total_.count);
  state.put_number(name + ".mean", total_.mean);
  state.put_number(name + ".squares", total_.squares);
  std::array<std::uint64_t, 2 * (kBlocks + 2)> counts{with_model_.count, 0};
  std::array<double, 3 * (kBlocks + 2)> sums{with_model_.mean, with_model_.squares, 0};
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    std::ranges::copy(std::array{block.loss.count, block.baselines}, &counts[2 * (b + 1)]);
    std::ranges::copy(std::array{block.loss.mean, block.loss.squares, block.baseline}, &sums[3 * (b + 1)]);
  }
  state.put_copy<std::uint64_t>(name + ".recent_counts", counts);
  state.put_copy<double>(name + ".recent", sums);
}

Status ProgressiveLoss::restore(const State& state, const std::string& name) {
  const auto count = state.get_number<std::uint64_t>(name + ".count");
  if (!count) return count.error();
  const auto mean = state.get_number<double>(name + ".mean");
  if (!mean) return mean.error();
  const auto squares = state.get_number<double>(name + ".squares");
  if (!squares) return squares.error();
  clear();
  with_model_ = total_ = {*count, *mean, *squares};
  if (state.find(name + ".recent") == nullptr) return restore_marks(state, name);
  const auto counts = state.get<std::uint64_t>(name + ".recent_counts", 2 * (kBlocks + 2));
  if (!counts) return counts.error();
  const auto sums = state.get<double>(name + ".recent", 3 * (kBlocks + 2));
  if (!sums) return sums.error();
  if (!std::ranges::all_of(*sums, [](double sum) { return std::isfinite(sum); }))
    return failure(ErrorCode::kCorrupt, "{}.recent has a number that is not finite", name);
  const auto counted = [&](std::size_t i) { return std::min((*counts)[i], kMostCounted); };
  with_model_ = {counted(0), (*sums)[0], (*sums)[1]};
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto of_block = sums->subspan(3 * (b + 1), 3);
    blocks_[b] = {{counted(2 * b + 2), of_block[0], of_block[1]}, counted(2 * b + 3), of_block[2]};
  }
  return {};
}

// Checkpoints of earlier builds have the totals of the last two powers of two, and the first builds' nothing:
// what came since the earlier one is a block.
Status ProgressiveLoss::restore_marks(const State& state, const std::string& name) {
  if (state.find(name + ".marks") == nullptr) return {};
  const auto counts = state.get<std::uint64_t>(name + ".mark_counts", 2);
  if (!counts) return counts.error();
  const auto marks = state.get<double>(name + ".marks", 4);
  if (!marks) return marks.error();
  if ((*counts)[0] > total_.count) return {};
  blocks_[0].loss = total_.since({(*counts)[0], (*marks)[0], (*marks)[1]});
  return {};
}

}  // namespace glimpse
