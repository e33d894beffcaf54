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

void ProgressiveLoss::merge(const ProgressiveLoss& other) {
  total_ = total_.with(other.total_);
  for (std::size_t m = 0; m < 2; ++m) marks_[m] = marks_[m].with(other.marks_[m]);
}

void ProgressiveLoss::save(State& state, const std::string& name) const {
  state.put_number(name + ".count", total_.count);
  state.put_number(name + ".mean", total_.mean);
  state.put_number(name + ".squares", total_.squares);
  const std::uint64_t counts[] = {marks_[0].count, marks_[1].count};
  state.put_copy<std::uint64_t>(name + ".mark_counts", counts);
  const double marks[] = {marks_[0].mean, marks_[0].squares, marks_[1].mean, marks_[1].squares};
  state.put_copy<double>(name + ".marks", marks);
}

Status ProgressiveLoss::restore(const State& state, const std::string& name) {
  const auto count = state.get_number<std::uint64_t>(name + ".count");
  if (!count) return count.error();
  const auto mean = state.get_number<double>(name + ".mean");
  if (!mean) return mean.error();
  const auto squares = state.get_number<double>(name + ".squares");
  if (!squares) return squares.error();
  total_ = {*count, *mean, *squares};
  begin_recent();
  // Checkpoints of earlier builds have no marks.
  if (state.find(name + ".marks") == nullptr) return {};
  const auto counts = state.get<std::uint64_t>(name + ".mark_counts", 2);
  if (!counts) return counts.error();
  const auto marks = state.get<double>(name + ".marks", 4);
  if (!marks) return marks.error();
  marks_[0] = {(*counts)[0], (*marks)[0], (*marks)[1]};
  marks_[1] = {(*counts)[1], (*marks)[2], (*marks)[3]};
  return {};
}

}  // namespace glimpse
