#pragma once

#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "lab/experiments/experiment.h"

namespace glimpse {

/// A folder for the time of a test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "glimpse-lab-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The value of an environment variable that names test data, or nullptr after saying 'skipped'.
inline const char* data_folder(const char* variable) {
  const char* folder = std::getenv(variable);
  if (folder == nullptr) fmt::print("skipped: {} names no folder\n", variable);
  return folder;
}

}  // namespace glimpse
