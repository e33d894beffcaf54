#include "merging/merge_tree.h"

#include <utility>

namespace glimpse {

MergeTree::MergeTree(std::size_t parts) {
  for (std::size_t width = parts > 0 ? parts : 1;; width = (width + 1) / 2) {
    levels_.emplace_back(width);
    are_known_.emplace_back(width, true);
    if (width == 1) return;
  }
}

void MergeTree::replace(std::size_t i, Node part) {
  levels_[0][i] = std::move(part);
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    i /= 2;
    levels_[level][i].reset();
    are_known_[level][i] = false;
  }
}

Status MergeTree::set(std::size_t i, const State& state, std::uint64_t checksum) {
  auto part = MergePart::restore(state);
  if (!part) return part.error();
  if (checksum != 0)
    if (const Status status = part->inputs().add_checkpoint(checksum); !status) return status;
  replace(i, std::make_shared<const MergePart>(std::move(*part)));
  return {};
}

void MergeTree::clear(std::size_t i) { replace(i, nullptr); }

Result<MergeTree::Node> MergeTree::node(std::size_t level, std::size_t i) {
  if (are_known_[level][i]) return levels_[level][i];
  const auto left = node(level - 1, 2 * i);
  if (!left) return left.error();
  Node result = *left;
  if (2 * i + 1 < levels_[level - 1].size()) {
    const auto right = node(level - 1, 2 * i + 1);
    if (!right) return right.error();
    if (result == nullptr) {
      result = *right;
    } else if (*right != nullptr) {
      auto both = result->copy();
      if (!both) return both.error();
      if (const Status status = both->merge(**right, anyhow_); !status) return status.error();
      result = std::make_shared<const MergePart>(std::move(*both));
    }
  }
  levels_[level][i] = result;
  are_known_[level][i] = true;
  return result;
}

Result<State> MergeTree::fold() {
  const auto all = merged();
  if (!all) return all.error();
  if (*all == nullptr) return failure(ErrorCode::kUnavailable, "there is nothing to be merged");
  State state;
  if ((*all)->parts() < 2) {
    (*all)->save(state);
    return state;
  }
  auto finished = (*all)->copy();
  if (!finished) return finished.error();
  finished->finish();
  finished->save(state);
  return state;
}

}  // namespace glimpse
