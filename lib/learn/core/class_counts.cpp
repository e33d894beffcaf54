#include "learn/core/class_counts.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

void ClassCounts::begin(std::size_t expected) {
  are_classes_ = true;
  if (counts_.size() < expected) counts_.resize(expected);
}

void ClassCounts::add(std::size_t c) {
  if (c >= counts_.size()) counts_.resize(c + 1);
  ++counts_[c];
}

void ClassCounts::merge(const ClassCounts& other, std::span<const std::uint32_t> codes) {
  for (std::size_t c = 0; c < other.size(); ++c) {
    const std::size_t mine = codes.empty() ? c : codes[c];
    if (mine >= counts_.size()) counts_.resize(mine + 1);
    counts_[mine] += other.counts_[c];
  }
}

double ClassCounts::variance() const {
  double all = 0;
  double squares = 0;
  for (const std::uint64_t count : counts_) {
    const auto n = static_cast<double>(count);
    all += n;
    squares += n * n;
  }
  return all > 1 ? std::max(1 - squares / (all * all), 0.0) / 2 : std::nan("");
}

void ClassCounts::save(State& state) const {
  if (are_classes_) state.put_copy<std::uint64_t>("learner.classes", counts_);
}

Status ClassCounts::restore(const State& state, std::uint64_t examples) {
  if (state.find("learner.classes") == nullptr) {
    if (are_classes_ && examples > 0)
      return failure(ErrorCode::kMismatch,
                     "the checkpoint is of a regression, but this start asks for classes");
    return {};
  }
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("learner.classes"));
  if (counts.size() > kMost)
    return failure(ErrorCode::kCorrupt, "learner.classes has {} classes, must have up to {}", counts.size(),
                   kMost);
  const std::size_t expected = counts_.size();
  counts_.assign(counts.begin(), counts.end());
  begin(expected);
  return {};
}

}  // namespace glimpse
