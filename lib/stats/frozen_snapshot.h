#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// A PairSnapshot of PairMoments as they were at one moment, to the bit, that is made while they go on
/// learning: a row is copied before the first example that changes it, and the other rows meanwhile, a few
/// with each example. So no example waits for the whole copy, and the copy depends on no clock.
///
/// Between begin() and the end of the copy the pairs may change by PairMoments::add() alone, each time after
/// keep() of the same attributes; forget() by a factor that rewrites nothing is harmless. Before anything
/// else, finish(). Thread-safety: none; once whole, readers may be on any thread.
class FrozenSnapshot : public PairSnapshot {
 public:
  /// Sums of pairs up to so many bytes are copied at once: about a fifth of a millisecond.
  static constexpr std::size_t kAtOnceBytes = std::size_t{1} << 20;
  /// Of others so many are read with each example, beside those that it changes.
  static constexpr std::size_t kStepBytes = std::size_t{64} << 10;

  /// Begins a copy of `moments` as they are: about the means where `centred`, else about 0. O(d), and what
  /// PairMoments::settle() takes. Where there are categories all is copied at once.
  void begin(const PairMoments& moments, bool centred, const FeatureMap& features = {});
  /// Before an example of these attributes, ascending, is added. O(K·d) at the beginning.
  void keep(const PairMoments& moments, std::span<const Attribute> attributes);
  /// Copies all that is left. O(d²).
  void finish(const PairMoments& moments);
  bool is_whole() const { return rows_left_ == 0; }

  /// Under names that begin with `name`. REQUIRES: is_whole().
  void save(State& state, const std::string& name) const;
  /// Of `dimension` attributes. Errors: kCorrupt; the copy is then of no use.
  Status restore(const State& state, const std::string& name, std::size_t dimension);

 private:
  void keep_row(const PairMoments& moments, std::size_t i);
  void save_targets(State& state, const std::string& name) const;
  Status restore_targets(const State& state, const std::string& name);

  std::vector<bool> is_left_;  // of each row: not copied yet
  std::size_t rows_left_ = 0;
  std::size_t first_left_ = 0;  // none before it
};

}  // namespace glimpse
