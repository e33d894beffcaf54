#pragma once

#include <cstddef>

#include "base/large_array.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// The large arrays of a copy of the sums and of what solves from it, kept for the next: their pages would
/// take longer to come from the system than the copy does. Thread-safety: none.
struct SolveMemory {
  PairMemory pairs;
  LargeArray<float> matrix;

  std::size_t bytes() const { return pairs.bytes() + matrix.size() * sizeof(float); }
  /// Exchanges them with those that two have which are not in use.
  void exchange(PairSnapshot& snapshot, PairwiseSolver& solver) {
    snapshot.exchange(pairs);
    solver.exchange(matrix);
  }
};

/// In a scope two have this memory in place of theirs; nullptr: they keep their own.
class LentMemory {
 public:
  LentMemory(SolveMemory* memory, PairSnapshot& snapshot, PairwiseSolver& solver)
      : memory_(memory), snapshot_(snapshot), solver_(solver) {
    exchange();
  }
  ~LentMemory() { exchange(); }
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;

 private:
  void exchange() {
    if (memory_ != nullptr) memory_->exchange(snapshot_, solver_);
  }

  SolveMemory* const memory_;
  PairSnapshot& snapshot_;
  PairwiseSolver& solver_;
};

}  // namespace glimpse
