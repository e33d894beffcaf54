#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "learn/core/solving.h"
#include "learn/judges/judge_basis.h"

namespace glimpse {

/// Solves for a model that judges, once, on the thread that comes first. Thread-safety: any thread.
class JudgeSolve final : public SolveAhead {
 public:
  /// REQUIRES: the snapshot is whole.
  JudgeSolve(std::unique_ptr<JudgeBasis> basis, const JudgeForm& form);
  explicit JudgeSolve(std::shared_ptr<const PastModel> model) : model_(std::move(model)) {}

  void run(const Cancelled& cancelled) override;
  /// The model: solves for it here where nobody does, and waits for who does.
  std::shared_ptr<const PastModel> model();
  /// What there is: the model, and what it is solved for from, where that is not gone with its end.
  struct Known {
    std::shared_ptr<const PastModel> model;
    std::shared_ptr<const JudgeBasis> basis;
  };
  Known known() const;
  /// Once, after model(): what it was solved for from, where the memory of that is lent; else nullptr.
  std::shared_ptr<JudgeBasis> spent();

 private:
  enum class Stage : std::uint8_t { kFree, kRunning };

  const JudgeForm form_{};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Stage stage_ = Stage::kFree;
  std::shared_ptr<JudgeBasis> basis_;       // until it is done, or spent()
  std::shared_ptr<const PastModel> model_;  // from then on
};

/// A model that will judge from a fixed example on. First the sums of the moment at which it began are
/// copied while learning goes on (FrozenSnapshot), then the first thread with time solves for it.
/// Thread-safety: none; what take() gives is for any thread.
class PendingJudge {
 public:
  /// `basis`: its snapshot has begun. `judges_from`: see there.
  PendingJudge(std::unique_ptr<JudgeBasis> basis, const JudgeForm& form, std::uint64_t judges_from);

  /// The learner's steps after which it is to judge.
  std::uint64_t judges_from() const { return judges_from_; }
  bool is_copying() const { return copying_ != nullptr; }
  /// FrozenSnapshot::keep() and finish(). REQUIRES: is_copying().
  void keep(const PairMoments& moments, std::span<const Attribute> attributes);
  void finish_copy(const PairMoments& moments);

  /// What was known of an attribute is of no use any more. REQUIRES: the copy is whole.
  void forget_attribute(Attribute attribute) { forgotten_.push_back(attribute); }
  /// Can be solved for, and was not given to anybody yet.
  bool is_to_be_taken() const { return solve_ != nullptr && !taken_; }
  std::shared_ptr<SolveAhead> take();
  /// REQUIRES: the copy is whole. May throw std::bad_alloc.
  std::shared_ptr<const PastModel> model();

  /// See JudgeSolve::spent(). REQUIRES: the copy is whole.
  std::shared_ptr<JudgeBasis> spent() { return solve_->spent(); }

  std::size_t memory_bytes() const;

  /// Under names that begin with "judge". REQUIRES: the copy is whole. `as_model`: waits for the model, or
  /// solves for it; else what is not solved for yet is saved as what it is solved for from.
  void save(State& state, bool as_model) const;
  /// nullptr where the state has none; of `dimension` attributes and up to `most_slots` slots. Errors:
  /// kCorrupt.
  static Result<std::unique_ptr<PendingJudge>> restore(const State& state, const JudgeForm& form,
                                                       std::size_t dimension, std::size_t most_slots);

 private:
  void begin_solve();

  const JudgeForm form_;
  std::uint64_t judges_from_;
  std::unique_ptr<JudgeBasis> copying_;
  std::size_t bytes_ = 0;  // of it, and of what solves
  std::shared_ptr<JudgeSolve> solve_;
  bool taken_ = false;
  std::vector<Attribute> forgotten_;  // since it began
};

}  // namespace glimpse
