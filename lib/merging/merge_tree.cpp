#include "merging/merge_tree.h"

#include <algorithm>
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
    levels_[level][i].clear();
    are_known_[level][i] = false;
  }
}

Status MergeTree::set(std::size_t i, const State& state, std::uint64_t checksum) {
  GLIMPSE_TRY_ASSIGN(auto part, MergePart::restore(state));
  if (checksum != 0) GLIMPSE_TRY(part.inputs().add_checkpoint(checksum));
  Node leaf;
  leaf.push_back({std::make_shared<const MergePart>(std::move(part)), {i}});
  replace(i, std::move(leaf));
  return {};
}

void MergeTree::clear(std::size_t i) { replace(i, {}); }

// An Error where it fits none, and none may be left out.
Status MergeTree::add(Node& node, Group group) const {
  for (Group& into : node) {
    if (into.merged == nullptr || group.merged == nullptr) continue;
    GLIMPSE_TRY_ASSIGN(auto both, into.merged->copy());
    const Status status = both.merge(*group.merged, anyhow_);
    if (status) {
      into.merged = std::make_shared<const MergePart>(std::move(both));
      into.members.insert(into.members.end(), group.members.begin(), group.members.end());
      std::ranges::sort(into.members);
      return {};
    }
    if (!leaves_out_) return status;
    if (!into.why) into.why = status.error();
    if (!group.why) group.why = status.error();
  }
  node.push_back(std::move(group));
  return {};
}

Result<MergeTree::Node> MergeTree::node(std::size_t level, std::size_t i) {
  if (are_known_[level][i]) return levels_[level][i];
  GLIMPSE_TRY_ASSIGN(auto left, node(level - 1, 2 * i));
  Node result = std::move(left);
  if (2 * i + 1 < levels_[level - 1].size()) {
    GLIMPSE_TRY_ASSIGN(const auto right, node(level - 1, 2 * i + 1));
    for (const Group& group : right) GLIMPSE_TRY(add(result, group));
    // By hand stable: std::stable_sort of GCC 12 uses what C++20 deprecates. There are few.
    for (std::size_t g = 1; g < result.size(); ++g)
      for (std::size_t to = g; to > 0 && result[to - 1].members.size() < result[to].members.size(); --to)
        std::swap(result[to - 1], result[to]);
    for (std::size_t g = kMostGroups; g < result.size(); ++g) result[g].merged = nullptr;
  }
  levels_[level][i] = result;
  are_known_[level][i] = true;
  return result;
}

Result<std::shared_ptr<const MergePart>> MergeTree::merged() {
  left_out_.clear();
  GLIMPSE_TRY_ASSIGN(const auto root, node(levels_.size() - 1, 0));
  if (root.empty()) return std::shared_ptr<const MergePart>();
  for (auto group = root.begin() + 1; group != root.end(); ++group)
    for (const std::size_t member : group->members) left_out_.push_back({member, *group->why});
  std::ranges::sort(left_out_, {}, &LeftOut::part);
  return root.front().merged;
}

Result<State> MergeTree::fold() {
  GLIMPSE_TRY_ASSIGN(const auto all, merged());
  if (all == nullptr) return failure(ErrorCode::kUnavailable, "there is nothing to be merged");
  State state;
  if (all->parts() < 2) {
    all->save(state);
    return state;
  }
  GLIMPSE_TRY_ASSIGN(auto finished, all->copy());
  finished.finish();
  finished.save(state);
  return state;
}

}  // namespace glimpse
