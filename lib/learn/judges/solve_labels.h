#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "learn/core/solving.h"
#include "learn/judges/solve_memory.h"
#include "learn/solver/pairwise_solver.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

// How several labels are solved for from one copy of the sums. Each gives back what it lends, also where
// there was no memory for what is made with it.

/// The first label's copy, lent to the learner of another one, of whose label it is meanwhile.
class LentCopy {
 public:
  LentCopy(PairSnapshot& copy, PairSnapshot& other, PairSnapshot::LabelSide& side)
      : copy_(copy), other_(other), side_(side) {
    copy_.exchange(side_);
    std::swap(copy_, other_);
  }
  ~LentCopy() {
    std::swap(copy_, other_);
    copy_.exchange(side_);
  }
  LentCopy(const LentCopy&) = delete;
  LentCopy& operator=(const LentCopy&) = delete;

 private:
  PairSnapshot& copy_;
  PairSnapshot& other_;
  PairSnapshot::LabelSide& side_;
};

/// The memory of the first label's solver, lent to another one's, which has none.
class LentMatrix {
 public:
  LentMatrix(PairwiseSolver& solver, PairwiseSolver& other) : solver_(solver), other_(other) { exchange(); }
  ~LentMatrix() { exchange(); }
  LentMatrix(const LentMatrix&) = delete;
  LentMatrix& operator=(const LentMatrix&) = delete;

 private:
  // What the other one had meanwhile.
  void exchange() {
    SolveMemory memory;
    solver_.exchange(memory.matrix);
    other_.exchange(memory.matrix);
    solver_.exchange(memory.matrix);
  }

  PairwiseSolver& solver_;
  PairwiseSolver& other_;
};

/// A solution of the first label with those of the others; nullptr where one was cancelled. `beside(l)`
/// solves for label l, `own()` for the first.
template <class Beside, class Own>
std::shared_ptr<const Solution> solve_all(std::size_t labels, const Beside& beside, const Own& own) {
  std::vector<std::shared_ptr<const Solution>> further;
  for (std::size_t l = 1; l < labels; ++l) {
    further.push_back(beside(l));
    if (!further.back()) return nullptr;
  }
  const auto first = own();
  if (!first) return nullptr;
  auto all = std::make_shared<Solution>(*first);
  all->further = std::move(further);
  return all;
}

}  // namespace glimpse
