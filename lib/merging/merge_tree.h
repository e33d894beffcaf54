#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "merging/merge_part.h"

namespace glimpse {

/// Folds the states of many parts into one. Which are merged with which is fixed: parts 2k and 2k + 1, then
/// what these gave, in the same way, up to one. So the result is a function of the parts in their order, to
/// the bit, in whatever order they came; and where one part has changed, one merge for each doubling of the
/// number of parts makes the new result. Thread-safety: none.
///
/// Memory: a learner for each part and for each merge of two: twice the parts.
class MergeTree {
 public:
  explicit MergeTree(std::size_t parts);

  std::size_t parts() const { return levels_.front().size(); }
  /// Whether examples that are said to be in two parts are merged all the same: ReadInputs::merge().
  void set_anyhow(bool anyhow) { anyhow_ = anyhow; }
  /// Before any set(): parts that cannot be merged with others are no Error. Parts are gathered into groups
  /// that can: in the order of the tree, each into the first group that takes it, the largest asked first.
  /// What is folded is the group of most parts, of several the first; the others are left_out(). That is a
  /// function of the parts as well.
  void leave_out_misfits() { leaves_out_ = true; }
  /// Part i < parts() is this state from now on. `checksum`: of the checkpoint that it is, to be remembered;
  /// 0: none. Errors: those of MergePart::restore(); the part is as it was then.
  Status set(std::size_t i, const State& state, std::uint64_t checksum = 0);
  /// There is no such part, as none is at first.
  void clear(std::size_t i);

  /// A part that does not fit those that were folded.
  struct LeftOut {
    std::size_t part = 0;
    Error why;
  };
  /// Of the last merged() or fold(), in ascending order of parts.
  const std::vector<LeftOut>& left_out() const { return left_out_; }

  /// What all parts are together, before MergePart::finish(). nullptr where there is no part. Errors: those
  /// of MergePart::merge(), after which a part that can be merged may be set.
  Result<std::shared_ptr<const MergePart>> merged();
  /// The state of a learner that goes on from there. Of one part it is that part's. Errors: the same;
  /// kUnavailable where there is no part.
  Result<State> fold();

 private:
  // Parts that were merged.
  struct Group {
    std::shared_ptr<const MergePart> merged;  // nullptr: nobody would choose it
    std::vector<std::size_t> members;         // ascending
    std::optional<Error> why = std::nullopt;  // it could not be merged with another one
  };
  // No two of them can be merged.
  using Node = std::vector<Group>;

  static constexpr std::size_t kMostGroups = 4;  // of a node that are kept

  void replace(std::size_t i, Node part);
  Status add(Node& node, Group group) const;
  Result<Node> node(std::size_t level, std::size_t i);

  bool anyhow_ = false;
  bool leaves_out_ = false;
  std::vector<LeftOut> left_out_;
  std::vector<std::vector<Node>> levels_;     // from the parts up
  std::vector<std::vector<bool>> are_known_;  // which nodes of levels_ are what they should be
};

}  // namespace glimpse
