#include "daemon/training/judge_worker.h"

#include <sys/resource.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "daemon/support/memory_trouble.h"

namespace glimpse {

namespace {
constexpr int kExamplesForJudges = 16;
constexpr int kJudgeNiceness = 5;  // as ModelSolver's
}  // namespace

JudgeWorker::JudgeWorker() {
  // Of that thread alone.
  boost::asio::post(worker_,
                    [] { ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kJudgeNiceness); });
}

JudgeWorker::~JudgeWorker() {
  cancelled_ = true;
  worker_.join();
}

// The learner may be a new one, which does not know yet that somebody comes for its judges.
bool JudgeWorker::wants_turn(Solving& solving) {
  if (--until_look_ > 0) return false;
  until_look_ = kExamplesForJudges;
  solving.leave_ahead_to_others();
  return solving.has_ahead();
}

// The learner does it by itself where this comes too late, or there is no memory for it.
void JudgeWorker::turn(Solving& solving) {
  while (auto ahead = solving.take_ahead()) {
    boost::asio::post(worker_, [this, ahead = std::move(ahead)] {
      if_memory_allows("the trainer solves for a model that is evaluated",
                       [&] { ahead->run([this] { return cancelled_.load(std::memory_order_relaxed); }); });
    });
  }
}

}  // namespace glimpse
