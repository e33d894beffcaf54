#include "stats/progressive_loss.h"

#include <algorithm>
#include <numeric>

namespace glimpse {

namespace {
constexpr int kLargestExponent = 128;
constexpr int kBinsAPower = 4;
constexpr std::size_t kBins = 2 * kLargestExponent * kBinsAPower;

std::size_t bin_of(double size) {
  int exponent = 0;
  const double part = std::frexp(size, &exponent);  // 0.5 to 1, or 0
  if (part == 0 || exponent <= -kLargestExponent) return 0;
  if (exponent > kLargestExponent) return kBins - 1;
  const auto within = static_cast<int>((2 * part - 1) * kBinsAPower);
  return static_cast<std::size_t>((exponent - 1 + kLargestExponent) * kBinsAPower + within);
}

double lower_end(std::size_t bin) {
  const int power = static_cast<int>(bin) / kBinsAPower - kLargestExponent;
  return std::ldexp(1 + static_cast<double>(bin % kBinsAPower) / kBinsAPower, power);
}
}  // namespace

void AbsoluteErrors::add(double error) {
  const double size = std::abs(error);
  if (!std::isfinite(size)) return;
  if (bins_.empty()) bins_.resize(kBins);
  ++bins_[bin_of(size)];
  ++count_;
  mean_ += (size - mean_) / static_cast<double>(count_);
}

double AbsoluteErrors::median() const {
  if (count_ == 0) return std::nan("");
  double below = static_cast<double>(count_) / 2;
  std::size_t bin = 0;
  for (; below > static_cast<double>(bins_[bin]); ++bin) below -= static_cast<double>(bins_[bin]);
  if (bin == 0) return 0;
  return std::lerp(lower_end(bin), lower_end(bin + 1), below / static_cast<double>(bins_[bin]));
}

void AbsoluteErrors::merge(const AbsoluteErrors& other) {
  if (other.count_ == 0) return;
  bins_.resize(kBins);
  for (std::size_t b = 0; b < kBins; ++b) bins_[b] += other.bins_[b];
  count_ += other.count_;
  mean_ += (other.mean_ - mean_) * (static_cast<double>(other.count_) / static_cast<double>(count_));
}

void AbsoluteErrors::save(State& state, const std::string& name) const {
  if (count_ == 0) return;
  state.put_number(name + ".absolute_mean", mean_);
  state.put_copy<std::uint64_t>(name + ".absolute_counts", bins_);
}

Status AbsoluteErrors::restore(const State& state, const std::string& name) {
  *this = AbsoluteErrors();
  if (state.find(name + ".absolute_counts") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>(name + ".absolute_counts", kBins));
  GLIMPSE_TRY_ASSIGN(const auto mean, state.get_number<double>(name + ".absolute_mean"));
  if (!(mean >= 0 && std::isfinite(mean)) || std::ranges::max(counts) > ProgressiveLoss::kMostCounted / kBins)
    return failure(ErrorCode::kCorrupt,
                   "{0}.absolute_mean is {1}, or {0}.absolute_counts are beyond counting", name, mean);
  count_ = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  mean_ = mean;
  bins_.assign(counts.begin(), counts.end());
  return {};
}

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
  Block recent;
  for (const Block& block : blocks_)
    if (recent.loss.count < recent_) recent.add(block);
  if (recent.baselines > 0) recent.loss.baseline = recent.baseline / static_cast<double>(recent.baselines);
  return recent.loss;
}

ProgressiveLoss::Part ProgressiveLoss::beside_baseline() const {
  Part part = with_model_.loss;
  if (with_model_.baselines == part.count)
    part.baseline = with_model_.baseline / static_cast<double>(part.count);
  return part;
}

void ProgressiveLoss::Block::add(const Block& other) {
  loss = loss.with(other.loss);
  baselines += other.baselines;
  baseline += other.baseline;
}

ProgressiveLoss ProgressiveLoss::of_baseline() const {
  ProgressiveLoss loss;
  loss.set_recent(recent_);
  const auto take = [](Block& to, const Block& from) {
    if (from.baselines == 0) return;
    to = from;
    const double mean = from.baseline / static_cast<double>(from.baselines);
    to.loss = {from.baselines, mean, 2 * mean * from.baseline};
  };
  take(loss.with_model_, with_model_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) take(loss.blocks_[b], blocks_[b]);
  loss.total_ = loss.with_model_.loss;
  return loss;
}

void ProgressiveLoss::clear() {
  total_ = {};
  with_model_ = {};
  absolute_ = {};
  begin_recent();
}

void ProgressiveLoss::merge(const ProgressiveLoss& other) {
  total_ = total_.with(other.total_);
  with_model_.add(other.with_model_);
  absolute_.merge(other.absolute_);
  for (std::size_t m = 0; m < marks_.size(); ++m) marks_[m] = marks_[m].with(other.marks_[m]);
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].add(other.blocks_[b]);
}

void ProgressiveLoss::save(State& state, const std::string& name) const {
  state.put_number(name + ".count", total_.count);
  state.put_number(name + ".mean", total_.mean);
  state.put_number(name + ".squares", total_.squares);
  const std::uint64_t mark_counts[] = {marks_[0].count, marks_[1].count};
  state.put_copy<std::uint64_t>(name + ".mark_counts", mark_counts);
  const double marks[] = {marks_[0].mean, marks_[0].squares, marks_[1].mean, marks_[1].squares};
  state.put_copy<double>(name + ".marks", marks);
  std::array<std::uint64_t, 2 * (kBlocks + 2)> counts{};
  std::array<double, 3 * (kBlocks + 2)> sums{};
  for (std::size_t b = 0; b < kBlocks + 2; ++b) {
    const Block& block = b == 0 ? with_model_ : blocks_[b - 1];
    std::ranges::copy(std::array{block.loss.count, block.baselines}, &counts[2 * b]);
    std::ranges::copy(std::array{block.loss.mean, block.loss.squares, block.baseline}, &sums[3 * b]);
  }
  state.put_copy<std::uint64_t>(name + ".recent_counts", counts);
  state.put_copy<double>(name + ".recent", sums);
  absolute_.save(state, name);
}

Status ProgressiveLoss::restore(const State& state, const std::string& name) {
  GLIMPSE_TRY_ASSIGN(const auto count, state.get_number<std::uint64_t>(name + ".count"));
  GLIMPSE_TRY_ASSIGN(const auto mean, state.get_number<double>(name + ".mean"));
  GLIMPSE_TRY_ASSIGN(const auto squares, state.get_number<double>(name + ".squares"));
  clear();
  with_model_.loss = total_ = {count, mean, squares};
  begin_recent();
  if (state.find(name + ".marks") != nullptr) {  // the first builds have none
    GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>(name + ".mark_counts", 2));
    GLIMPSE_TRY_ASSIGN(const auto marks, state.get<double>(name + ".marks", 4));
    if (counts[0] <= total_.count)
      marks_ = {Part{counts[0], marks[0], marks[1]}, Part{counts[1], marks[2], marks[3]}};
  }
  blocks_[0].loss = later();
  if (state.find(name + ".recent") == nullptr) return {};  // nor have earlier ones
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>(name + ".recent_counts", 2 * (kBlocks + 2)));
  GLIMPSE_TRY_ASSIGN(const auto sums, state.get<double>(name + ".recent", 3 * (kBlocks + 2)));
  if (!std::ranges::all_of(sums, [](double sum) { return std::isfinite(sum); }))
    return failure(ErrorCode::kCorrupt, "{}.recent has a number that is not finite", name);
  const auto counted = [&](std::size_t i) { return std::min(counts[i], kMostCounted); };
  for (std::size_t b = 0; b < kBlocks + 2; ++b) {
    const auto of_block = sums.subspan(3 * b, 3);
    (b == 0 ? with_model_ : blocks_[b - 1]) =
        Block{{counted(2 * b), of_block[0], of_block[1]}, counted(2 * b + 1), of_block[2]};
  }
  return absolute_.restore(state, name);
}

}  // namespace glimpse
