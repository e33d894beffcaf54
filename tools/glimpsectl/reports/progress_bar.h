#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "glimpsectl/input/console.h"

namespace glimpse::ctl {

/// How far a command is with its files, as a bar and rows a second on standard error where that is a
/// terminal, from a second on. It goes with this object. Thread-safety: none; the console must outlive it.
class ProgressBar {
 public:
  ProgressBar(const std::vector<std::string>& files, Console& console);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// It would be shown now: a second has passed, and a tenth of one since the last time.
  bool is_due() const;
  /// So many bytes of the files are read, and so many rows. Nothing happens unless is_due().
  void show(double bytes, double rows);

 private:
  using Clock = std::chrono::steady_clock;

  double bytes_ = 0;  // of all files; 0: not known
  Console& console_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_ = {};  // none yet
};

}  // namespace glimpse::ctl
