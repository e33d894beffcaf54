#include "daemon/support/log_format.h"

#include <cstdlib>
#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace glimpse {

namespace {

class Priority final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
    to.push_back(digit(message.level));
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Priority>(); }

 private:
  static char digit(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::critical:
        return '2';
      case spdlog::level::err:
        return '3';
      case spdlog::level::warn:
        return '4';
      case spdlog::level::info:
        return '6';
      default:
        return '7';
    }
  }
};

// The journal names the device and the inode of what it gave; standard error may have been redirected since.
bool writes_to_journal() {
  const char* const journal = std::getenv("JOURNAL_STREAM");
  struct stat status{};
  return journal != nullptr && ::fstat(STDERR_FILENO, &status) == 0 &&
         fmt::format("{}:{}", status.st_dev, status.st_ino) == std::string_view(journal);
}

}  // namespace

std::unique_ptr<spdlog::formatter> log_formatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  if (writes_to_journal())
    formatter->add_flag<Priority>('*').set_pattern("<%*>%l %v");
  else
    formatter->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  return formatter;
}

const char* failure_prefix() { return writes_to_journal() ? "<3>" : ""; }

}  // namespace glimpse
