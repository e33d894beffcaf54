#include "base/file_lock.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <optional>
#include <stdlib.h>
#include <string>

using namespace glimpse;

TEST_CASE("a lock is held by one at a time, and free again when its holder is gone") {
  std::string folder = std::filesystem::temp_directory_path() / "glimpse-lock-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string path = folder + "/lock";
  {
    auto first = FileLock::take(path);
    REQUIRE(first.has_value());
    const auto second = FileLock::take(path);
    REQUIRE(second.has_error());
    CHECK(second.error().code == ErrorCode::kUnavailable);
    CHECK(second.error().message == path + " is held by another process");
    const std::optional<FileLock> moved(std::move(*first));
    CHECK(FileLock::take(path).has_error());
  }
  CHECK(FileLock::take(path).has_value());
  CHECK(FileLock::take(folder + "/missing/lock").error().code == ErrorCode::kSystem);
  std::filesystem::remove_all(folder);
}
