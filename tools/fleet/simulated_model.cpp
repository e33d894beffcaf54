#include "fleet/simulated_model.h"

namespace glimpse {

void SimulatedModel::note(std::uint32_t partition, std::uint64_t offset) {
  // A partition waits once, however many of its states come.
  if (read_[partition] == folding_[partition] && offset != read_[partition]) news_.push_back(partition);
  read_[partition] = offset;
}

void SimulatedModel::advance(double now) {
  if (ends_at_ >= 0 && now >= ends_at_) {
    inside_ = folding_;
    ends_at_ = -1;
  }
  if (ends_at_ >= 0 || news_.empty()) return;
  ends_at_ = now + costs_.solution + costs_.state * static_cast<double>(news_.size());
  for (const std::uint32_t partition : news_) folding_[partition] = read_[partition];
  news_.clear();
}

}  // namespace glimpse
