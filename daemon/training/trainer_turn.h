#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <utility>

#include "daemon/training/block_queue.h"

namespace glimpse {

/// How long one request should keep the trainer at most, before others have their turn.
inline constexpr std::chrono::milliseconds kTrainerTurn{4};

/// Runs `work(StreamProcessor&)` on the trainer's thread, to which `post` takes it as a BlockQueue::Task, and
/// waits until it is done. False: it was given up, as there was no memory for it or the trainer has ended.
/// Not to be called on the I/O thread or on the trainer's.
template <class Post, class Work>
bool take_trainer_turn(const Post& post, Work work) {
  auto promise = std::make_shared<std::promise<void>>();
  std::future<void> done = promise->get_future();
  post(BlockQueue::Task([&work, promise = std::move(promise)](StreamProcessor& processor) {
    work(processor);
    promise->set_value();
  }));
  try {
    done.get();
    return true;
  } catch (const std::future_error&) {  // the task went, and the promise with it
    return false;
  }
}

/// The rest of what takes several turns: after a block that waits.
template <class Work>
bool take_another_turn(BlockQueue& queue, Work work) {
  return take_trainer_turn([&](BlockQueue::Task task) { queue.post_rest(std::move(task)); }, std::move(work));
}

}  // namespace glimpse
