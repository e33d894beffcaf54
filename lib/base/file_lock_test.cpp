#include "base/file_lock.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <optional>
#include <stdlib.h>
#include <string>
#include <sys/stat.h>

namespace file_lock_test {

using namespace glimpse;

namespace {

// A folder that is removed at the end.
class Folder {
 public:
  Folder() { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "glimpse-lock-XXXXXX";
};

}  // namespace

TEST_CASE("a lock is held by one at a time, and free again when its holder is gone") {
  const Folder folder;
  const std::string path = folder.path() + "/lock";
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
  CHECK(FileLock::take(folder.path() + "/missing/lock").error().code == ErrorCode::kSystem);
}

TEST_CASE("a lock whose file was removed is noticed, and taken again on a new file") {
  const Folder folder;
  const std::string path = folder.path() + "/state/lock";
  std::filesystem::create_directory(folder.path() + "/state");
  auto lock = FileLock::take(path);
  REQUIRE(lock.has_value());
  CHECK(lock->is_current());
  CHECK(lock->renew().has_value());

  std::filesystem::remove_all(folder.path() + "/state");
  CHECK_FALSE(lock->is_current());
  CHECK(lock->renew().error().code == ErrorCode::kSystem);  // there is no folder to make it in
  std::filesystem::create_directory(folder.path() + "/state");
  CHECK_FALSE(lock->is_current());
  CHECK(lock->renew().has_value());
  CHECK(lock->is_current());
  CHECK(FileLock::take(path).error().code == ErrorCode::kUnavailable);
}

TEST_CASE("a lock whose file was replaced by one that another holds is not taken from that one") {
  const Folder folder;
  const std::string path = folder.path() + "/lock";
  auto first = FileLock::take(path);
  REQUIRE(first.has_value());
  std::filesystem::remove(path);
  {
    auto second = FileLock::take(path);
    REQUIRE(second.has_value());
    CHECK_FALSE(first->is_current());
    CHECK(first->renew().error().code == ErrorCode::kUnavailable);
    CHECK_FALSE(first->is_current());
    CHECK(second->is_current());
  }
  CHECK(first->renew().has_value());
  CHECK(FileLock::take(path).error().code == ErrorCode::kUnavailable);
}

TEST_CASE("what is no regular file is no lock, and is not opened") {
  const Folder folder;
  const std::string path = folder.path() + "/lock";
  SUBCASE("a FIFO") { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }
  SUBCASE("a folder") { std::filesystem::create_directory(path); }
  SUBCASE("a link to a file") {
    REQUIRE(FileLock::take(folder.path() + "/other").has_value());
    std::filesystem::create_symlink("other", path);
  }
  SUBCASE("a link to nothing, which is not made") { std::filesystem::create_symlink("nothing", path); }
  const auto lock = FileLock::take(path);
  REQUIRE(!lock.has_value());
  CHECK(lock.error().code == ErrorCode::kSystem);
  CHECK(lock.error().message.starts_with(path + " is in the way: it must be a regular file"));
  CHECK(!std::filesystem::exists(folder.path() + "/nothing"));
}

TEST_CASE("a folder is held by one at a time, whatever happens to the files in it") {
  const Folder folder;
  auto file = FileLock::take(folder.path() + "/lock");
  REQUIRE(file.has_value());
  auto first = FileLock::take_folder(folder.path());
  REQUIRE(first.has_value());
  std::filesystem::remove(folder.path() + "/lock");
  CHECK(FileLock::take(folder.path() + "/lock").has_value());
  const auto second = FileLock::take_folder(folder.path());
  REQUIRE(second.has_error());
  CHECK(second.error().code == ErrorCode::kUnavailable);
  {
    const FileLock gone = std::move(*first);
  }
  CHECK(FileLock::take_folder(folder.path()).has_value());
}

}  // namespace file_lock_test
