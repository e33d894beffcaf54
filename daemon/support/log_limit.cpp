#include "daemon/support/log_limit.h"

#include <spdlog/spdlog.h>

namespace glimpse {

namespace {
constexpr std::uint64_t kMostASecond = 10;
}

LogLimit::~LogLimit() { tell_left_out(); }

void LogLimit::warn(const std::string& message, Clock::time_point now) {
  if (in_window_ == 0 || now - window_ > std::chrono::seconds(1)) {
    tell_left_out();
    window_ = now;
    in_window_ = 0;
  }
  if (++in_window_ > kMostASecond) {
    ++left_out_;
    return;
  }
  spdlog::warn("{}", message);
}

void LogLimit::tell_left_out() {
  if (left_out_ > 0) spdlog::warn("{} more warnings like this were left out", left_out_);
  left_out_ = 0;
}

}  // namespace glimpse
