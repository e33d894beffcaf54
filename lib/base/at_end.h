#pragma once

#include <utility>

namespace glimpse {

/// Calls `work` at the end of its scope, also where that is left by an exception: for flags and counters that
/// say what is under way. `work` must not throw.
template <class Work>
class AtEnd {
 public:
  explicit AtEnd(Work work) : work_(std::move(work)) {}
  ~AtEnd() { work_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Work work_;
};

}  // namespace glimpse
