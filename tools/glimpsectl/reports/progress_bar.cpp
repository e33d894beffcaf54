#include "glimpsectl/reports/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "report/units.h"

namespace glimpse::ctl {

ProgressBar::ProgressBar(const std::vector<std::string>& files, Console& console) : console_(console) {
  for (const std::string& file : files) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (!error) bytes_ += static_cast<double>(size);
  }
}

ProgressBar::~ProgressBar() {
  if (shown_ != Clock::time_point()) console_.err << "\r\033[K" << std::flush;
}

bool ProgressBar::is_due() const {
  const auto now = Clock::now();
  return console_.err_is_terminal && now - begin_ >= std::chrono::seconds(1) &&
         now - shown_ >= std::chrono::milliseconds(100);
}

void ProgressBar::show(double bytes, double rows) {
  if (!is_due()) return;
  constexpr int kBar = 30;
  shown_ = Clock::now();
  const std::chrono::duration<double> taken = shown_ - begin_;
  const auto part = static_cast<std::size_t>(kBar * std::min(1.0, bytes_ > 0 ? bytes / bytes_ : 0));
  console_.err << fmt::format("\r[{:<{}}] {}, {}/s ", std::string(part, '#'), kBar, counted(rows, "row"),
                              readable_number(std::round(rows / taken.count())))
               << std::flush;
}

}  // namespace glimpse::ctl
