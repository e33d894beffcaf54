#include "daemon/inputs.h"

#include <utility>

#include "daemon/support/prepared_post.h"

namespace glimpse {

Status Inputs::add(std::unique_ptr<InputSource> source, std::shared_ptr<Feed> feed, bool can_resume) {
  const std::size_t index = inputs_.size();
  const auto door = feed->door;
  if (can_resume)
    feed->gave_up = [this, index, door, post = std::make_shared<PreparedPost>()] {
      (*post)(io_, [this, index, door] {
        events_.gave_up(door, inputs_[index]->source().name());
        inputs_[index]->stop();
      });
    };
  GLIMPSE_TRY_ASSIGN(
      auto input,
      FileInput::make(std::move(source), std::move(feed), queue_, replies_,
                      [this, index, door, post = std::make_shared<PreparedPost>()](Status status) {
                        (*post)(io_, [this, index, door, status = std::move(status)] {
                          ended(index, door, status);
                        });
                      }));
  inputs_.push_back(std::move(input));
  return {};
}

void Inputs::start() {
  for (const auto& input : inputs_) {
    if (input->source().is_regular()) {
      waiting_files_.push_back(input.get());
    } else {
      ++open_;
      input->start();
    }
  }
  for (const auto& input : running_) {
    ++open_;
    input->start();
  }
  start_next_file();
}

std::function<void(Status)> Inputs::end_of_running(std::shared_ptr<Door> door) {
  return [this, door = std::move(door), post = std::make_shared<PreparedPost>()](Status status) {
    (*post)(io_, [this, door, status = std::move(status)] {
      --open_;
      events_.ended(door, status);
    });
  };
}

void Inputs::start_next_file() {
  if (waiting_files_.empty()) return;
  ++open_;
  waiting_files_.front()->start();
  waiting_files_.pop_front();
}

void Inputs::stop() {
  stopping_ = true;
  waiting_files_.clear();
  for (const auto& input : inputs_) input->stop();
  for (const auto& input : running_) input->stop();
}

void Inputs::ended(std::size_t index, const std::shared_ptr<Door>& door, const Status& status) {
  --open_;
  if (!stopping_ && inputs_[index]->source().is_regular()) start_next_file();
  events_.ended(door, status);
}

}  // namespace glimpse
