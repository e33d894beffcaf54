#include "learn/judges/pending_judge.h"

#include <new>
#include <utility>

namespace glimpse {

JudgeSolve::JudgeSolve(std::unique_ptr<JudgeBasis> basis, const JudgeForm& form)
    : form_(form), basis_(std::move(basis)) {}

void JudgeSolve::run(const Cancelled& cancelled) {
  const JudgeBasis* basis = nullptr;  // nobody else changes it while this runs
  {
    const std::lock_guard lock(mutex_);
    if (model_ || stage_ == Stage::kRunning) return;
    stage_ = Stage::kRunning;
    basis = basis_.get();
  }
  std::shared_ptr<const PastModel> model;
  const auto end = [&] {
    const std::lock_guard lock(mutex_);
    stage_ = Stage::kFree;
    model_ = model;
    if (model_ && !basis_->is_lent) basis_.reset();
    changed_.notify_all();
  };
  try {
    model = basis->solve(form_, cancelled);
  } catch (...) {
    end();
    throw;
  }
  end();
}

std::shared_ptr<const PastModel> JudgeSolve::model() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stage_ == Stage::kFree; });
      if (model_) return model_;
    }
    run({});
  }
}

JudgeSolve::Known JudgeSolve::known() const {
  const std::lock_guard lock(mutex_);
  return {model_, basis_};
}

std::shared_ptr<JudgeBasis> JudgeSolve::spent() {
  const std::lock_guard lock(mutex_);
  return model_ ? std::move(basis_) : nullptr;
}

PendingJudge::PendingJudge(std::unique_ptr<JudgeBasis> basis, const JudgeForm& form,
                           std::uint64_t judges_from)
    : form_(form),
      judges_from_(judges_from),
      copying_(std::move(basis)),
      bytes_(copying_->memory_bytes() + PairwiseSolver::memory_bytes(copying_->snapshot.dimension())) {
  begin_solve();
}

void PendingJudge::begin_solve() {
  if (!copying_->snapshot.is_whole()) return;
  copying_->leave_out_young();
  solve_ = std::make_shared<JudgeSolve>(std::move(copying_), form_);
}

void PendingJudge::keep(const PairMoments& moments, std::span<const Attribute> attributes) {
  copying_->snapshot.keep(moments, attributes);
  begin_solve();
}

void PendingJudge::finish_copy(const PairMoments& moments) {
  copying_->snapshot.finish(moments);
  begin_solve();
}

std::shared_ptr<SolveAhead> PendingJudge::take() {
  taken_ = true;
  return solve_;
}

std::shared_ptr<const PastModel> PendingJudge::model() {
  auto model = solve_->model();
  if (forgotten_.empty()) return model;
  for (const Attribute i : forgotten_) model = without(*model, i);
  return model;
}

std::size_t PendingJudge::memory_bytes() const {
  const JudgeSolve::Known known = solve_ ? solve_->known() : JudgeSolve::Known();
  if (!known.model) return bytes_;
  return 2 * sizeof(double) * known.model->weights.size() + (known.basis ? bytes_ : 0);
}

void PendingJudge::save(State& state, bool as_model) const {
  state.put_number("judge.from", judges_from_);
  state.put_copy<std::uint32_t>("judge.forgotten", forgotten_);
  if (!form_.best.chooses) state.put_number("judge.keeps_choice", std::uint64_t{1});
  JudgeSolve::Known known = solve_->known();
  if (!known.model && (as_model || known.basis->is_soon_solved())) known.model = solve_->model();
  if (known.model) return glimpse::save(state, "judge.model", *known.model);
  known.basis->save(state, "judge.basis");
}

Result<std::unique_ptr<PendingJudge>> PendingJudge::restore(const State& state, const JudgeForm& form,
                                                            std::size_t dimension, std::size_t most_slots) {
  if (state.find("judge.from") == nullptr) return std::unique_ptr<PendingJudge>();
  GLIMPSE_TRY_ASSIGN(const auto from, state.get_number<std::uint64_t>("judge.from"));
  GLIMPSE_TRY_ASSIGN(const auto forgotten, state.get<std::uint32_t>("judge.forgotten"));
  for (const Attribute i : forgotten)
    if (i >= most_slots)
      return failure(ErrorCode::kCorrupt, "judge.forgotten has {}, must be below {}", i, most_slots);
  GLIMPSE_TRY_ASSIGN(auto model, restore_past_model(state, "judge.model", dimension, most_slots));
  auto basis = std::make_unique<JudgeBasis>();
  if (!model) GLIMPSE_TRY(basis->restore(state, "judge.basis", dimension));
  JudgeForm of_then = form;
  of_then.best.chooses = state.find("judge.keeps_choice") == nullptr;
  auto pending = std::make_unique<PendingJudge>(std::move(basis), of_then, from);
  if (model) pending->solve_ = std::make_shared<JudgeSolve>(std::move(model));
  pending->forgotten_.assign(forgotten.begin(), forgotten.end());
  return pending;
}

}  // namespace glimpse
