#include "common/output.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace glimpse {

Output::Output(int descriptor) : descriptor_(descriptor) { buffer_.reserve(2 * kEnough); }

bool Output::write() {
  std::size_t done = 0;
  while (error_ == 0 && done < buffer_.size()) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
  return error_ == 0;
}

Status Output::finish() {
  if (write() || error_ == EPIPE) return {};
  return failure(ErrorCode::kSystem, "cannot write the output: {}", std::strerror(error_));
}

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

Status write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (file) return {};
  return failure(ErrorCode::kSystem, "cannot write file '{}': {}", path, std::strerror(errno));
}

}  // namespace glimpse
