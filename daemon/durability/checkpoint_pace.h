#pragma once

#include <chrono>

namespace glimpse {

/// When the next checkpoint that clients ask for may begin, so that making them takes a bounded share of the
/// time however many ask. No clock: time is given.
///
/// After one that took the time t there is a rest of t (100 / share - 1). After one that failed it is at
/// least kFirstRetry, and twice as long after each further one, up to kLastRetry: a full disk is not tried
/// again and again.
///
/// Thread-safety: none.
class CheckpointPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kFirstRetry{1};
  static constexpr std::chrono::seconds kLastRetry{30};

  /// `percent`: of the time, 1 to 100; 100: without a rest.
  void set_share(unsigned percent) { percent_ = percent; }

  void began(Time now) { began_ = now; }
  void ended(Time now, bool succeeded);

  /// The next one may begin then; in the past: at once.
  Time earliest() const { return earliest_; }

 private:
  unsigned percent_ = 100;
  Time began_{};
  Time earliest_ = Time::min();
  std::chrono::seconds retry_{0};  // 0: the last one succeeded
};

}  // namespace glimpse
