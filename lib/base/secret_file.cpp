#include "base/secret_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>

namespace glimpse {

Status check_secret_file(const char* option, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    return failure(ErrorCode::kInvalidOption, "--{} {}: {}", option, path, why);
  };
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return refuse(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return refuse("is not a regular file");
  if ((status.st_mode & (S_IROTH | S_IWOTH | S_IWGRP)) != 0)
    return refuse(
        fmt::format("has mode {:04o}: nobody but its owner may change it, and nobody but owner and group may "
                    "read it (chmod 640)",
                    status.st_mode & 07777U));
  return {};
}

}  // namespace glimpse
