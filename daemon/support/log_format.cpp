#include "daemon/support/log_format.h"

#include <cstdlib>
#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "data/text/text.h"

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

// The message, on one line.
class Message final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Message>(); }
};

}  // namespace

// The journal names the device and the inode of what it gave; standard error may have been redirected since.
bool writes_to_journal() {
  const char* const journal = std::getenv("JOURNAL_STREAM");
  struct stat status{};
  return journal != nullptr && ::fstat(STDERR_FILENO, &status) == 0 &&
         fmt::format("{}:{}", status.st_dev, status.st_ino) == std::string_view(journal);
}

std::unique_ptr<spdlog::formatter> log_formatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<Priority>('*').add_flag<Message>('~');
  formatter->set_pattern(writes_to_journal() ? "<%*>%l %~" : "%Y-%m-%dT%H:%M:%S.%e %l %~");
  return formatter;
}

}  // namespace glimpse
