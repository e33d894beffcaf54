#include "glimpsectl/send_patience.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include "glimpsectl/send_notes.h"

namespace glimpse::ctl {

SendPatience::SendPatience(const CommandLine& line, std::chrono::milliseconds longest_unmet)
    : wait_(line.wait), patience_(line.patience), longest_unmet_(longest_unmet) {}

void SendPatience::note_met() {
  if (!std::exchange(has_met_, true)) is_fruitless_ = false;
  note_moved();
}

void SendPatience::note_break(bool is_fruitful) {
  if (is_fruitful || !is_fruitless_) {
    began_ = Clock::now();
    pause_ = kFirstPause;
  }
  is_fruitless_ = !is_fruitful;
}

std::string SendPatience::limit() const {
  return fmt::format("{} ({})", readable(most()), is_waiting() ? "--wait" : "--patience");
}

void SendPatience::pause() {
  std::this_thread::sleep_for(std::min(pause_, left()));
  pause_ = std::min(2 * pause_, has_met_ ? kLongestPause : longest_unmet_);
}

std::optional<std::string> SendPatience::trying_again(const std::string& reason) {
  if (std::exchange(told_, reason) == reason) return std::nullopt;
  return fmt::format("{}; trying again for up to {}", reason, limit());
}

}  // namespace glimpse::ctl
