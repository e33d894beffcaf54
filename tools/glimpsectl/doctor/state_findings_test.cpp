#include <doctest/doctest.h>
#include <filesystem>
#include <stdlib.h>

#include "glimpsectl/doctor/finding.h"

namespace state_findings_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

/// Of one folder, whose names may be read and whose files may not.
class LockedFiles final : public FileSystem {
 public:
  explicit LockedFiles(std::vector<std::string> names) : names_(std::move(names)) {}

  Result<std::vector<std::string>> list(const std::string&) override { return names_; }
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path, Links) override {
    return failure(ErrorCode::kSystem, "cannot open {}: Permission denied", path);
  }
  Result<std::unique_ptr<WritableFile>> create(const std::string&) override { return unasked(); }
  Result<std::vector<std::byte>> read(const std::string&) override { return unasked(); }
  Result<FileKind> kind(const std::string&) override { return unasked(); }
  Status rename(const std::string&, const std::string&) override { return unasked(); }
  Status remove(const std::string&) override { return unasked(); }
  Status sync_directory(const std::string&) override { return unasked(); }
  Status create_directories(const std::string&) override { return unasked(); }

 private:
  static Error unasked() { return failure(ErrorCode::kSystem, "only names are read here"); }

  std::vector<std::string> names_;
};

Finding newest_of(std::vector<std::string> names) {
  LockedFiles files(std::move(names));
  std::string folder = (std::filesystem::temp_directory_path() / "glimpse-doctor-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);  // that nobody else may write to
  const Findings all = state_findings({folder, std::chrono::system_clock::now(), -1}, files);
  std::filesystem::remove(folder);
  for (const Finding& found : all)
    if (found.what == "newest checkpoint") return found;
  return {};
}

}  // namespace

TEST_CASE("a checkpoint that may not be read is said to be so, and not to be missing") {
  const Finding locked =
      newest_of({"checkpoint-000000000002-9.safetensors", "checkpoint-000000000010-8.safetensors", "notes"});
  CHECK(locked.verdict == Verdict::kWarning);
  CHECK(locked.value.ends_with("/checkpoint-000000000010-8.safetensors: Permission denied"));
  CHECK(locked.mend == "ask as root, or as the daemon's user");
  CHECK(newest_of({"notes"}).value == "there is none");
}

}  // namespace state_findings_test
