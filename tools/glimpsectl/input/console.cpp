#include "glimpsectl/input/console.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "data/text/text.h"

namespace glimpse::ctl {
namespace {

/// A pipe, a device or the file that a link is to make cannot be replaced, only written to.
Status write_through(const std::string& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
  if (file < 0) return failure(ErrorCode::kSystem, "cannot open '{}': {}", path, std::strerror(errno));
  Status status;
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      status = failure(ErrorCode::kSystem, "cannot write '{}': {}", path, std::strerror(errno));
      break;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  ::close(file);
  return status;
}

// By way of a new file beside it, which nobody else writes to or has.
Status replace_file(const std::string& path, std::string_view bytes) {
  PosixFileSystem files;
  std::string temporary = path + ".XXXXXX";
  const int made = ::mkstemp(temporary.data());
  if (made < 0) return failure(ErrorCode::kSystem, "cannot write '{}': {}", path, std::strerror(errno));
  struct stat replaced{};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(made, ::stat(path.c_str(), &replaced) == 0 ? replaced.st_mode & 07777 : 0640 & ~mask);
  ::close(made);
  const auto write = [&]() -> Status {
    GLIMPSE_TRY_ASSIGN(auto file, files.create(temporary));
    GLIMPSE_TRY(file->append(std::as_bytes(std::span(bytes))));
    GLIMPSE_TRY(file->sync());
    return files.rename(temporary, path);
  };
  auto status = write();
  if (!status) (void)files.remove(temporary);
  return status;
}

// No answer steers the terminal that it is shown on.
std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    lines += printable(text.substr(0, length)) + (length < text.size() ? "\n" : "");
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return lines;
}

}  // namespace

ExitCode exit_code_of(const Error& error) {
  if (error.code == ErrorCode::kInvalidOption) return ExitCode::kUsage;
  if (error.code == ErrorCode::kUnavailable) return ExitCode::kUnreachable;
  return ExitCode::kRefused;
}

std::string with_final_newline(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

Status write_output(const std::string& path, std::string_view bytes, Console& console) {
  if (path.empty() || path == "-") {
    console.out << (console.out_is_terminal ? printable_lines(bytes) : bytes) << std::flush;
    if (!console.out) return failure(ErrorCode::kSystem, "the output cannot be written");
    return {};
  }
  std::error_code error;  // a link stays a link, wherever it leads
  const auto kind = std::filesystem::status(path, error).type();
  const bool leads_nowhere =
      kind == std::filesystem::file_type::not_found &&
      std::filesystem::symlink_status(path, error).type() == std::filesystem::file_type::symlink;
  const auto target = std::filesystem::weakly_canonical(path, error);
  if (leads_nowhere || error ||
      (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found))
    return write_through(path, bytes);
  return replace_file(target.string(), bytes);
}

}  // namespace glimpse::ctl
