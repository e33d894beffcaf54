#include "base/file.h"

#include <cstring>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace file_test {

using glimpse::Error;
using glimpse::ErrorCode;
using glimpse::FileKind;
using glimpse::Links;
using glimpse::PosixFileSystem;

namespace {

/// A folder of its own for one test, removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "glimpse-file-XXXXXX").string()) {
    REQUIRE(mkdtemp(path_.data()) != nullptr);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& name = "") const { return name.empty() ? path_ : path_ + "/" + name; }

 private:
  std::string path_;
};

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write(PosixFileSystem& files, const std::string& path, std::string_view text) {
  auto file = files.create(path);
  REQUIRE(file.has_value());
  REQUIRE((*file)->append(bytes_of(text)).has_value());
  REQUIRE((*file)->sync().has_value());
}

}  // namespace

TEST_CASE("what is free where a folder is, and the size of a file") {
  TemporaryFolder folder;
  PosixFileSystem files;
  write(files, folder.path("five"), "bytes");
  CHECK(glimpse::free_bytes(folder.path()).value() > 0);
  CHECK(glimpse::file_bytes(folder.path("five")).value() == 5);
  CHECK_FALSE(glimpse::free_bytes(folder.path("none")));
  CHECK_FALSE(glimpse::file_bytes(folder.path("none")));
}

TEST_CASE("what was appended is read back, and creating again empties the file") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  {
    auto file = files.create(folder.path("a"));
    REQUIRE(file.has_value());
    CHECK((*file)->append(bytes_of("one")).has_value());
    CHECK((*file)->append({}).has_value());
    CHECK((*file)->append(bytes_of(" two")).has_value());
    CHECK((*file)->sync().has_value());
  }
  CHECK(text_of(*files.read(folder.path("a"))) == "one two");
  write(files, folder.path("a"), "3");
  CHECK(text_of(*files.read(folder.path("a"))) == "3");
  write(files, folder.path("a"), "");
  CHECK(files.read(folder.path("a"))->empty());
}

TEST_CASE("a file of several megabytes comes back to the byte") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  std::string text(5'000'001, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 2654435761U >> 24);
  write(files, folder.path("big"), text);
  CHECK(text_of(*files.read(folder.path("big"))) == text);
}

TEST_CASE("a pipe, which has no size and gives short reads, is read to its end") {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const std::string text(300'000, 'p');
  const pid_t writer = fork();
  if (writer == 0) {
    std::ofstream(path, std::ios::binary) << text;
    _exit(0);
  }
  REQUIRE(writer > 0);
  auto bytes = PosixFileSystem().read(path);
  CHECK(waitpid(writer, nullptr, 0) == writer);
  REQUIRE(bytes.has_value());
  CHECK(text_of(*bytes) == text);
}

TEST_CASE("a rename replaces the file that had the name") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  write(files, folder.path("old"), "old");
  write(files, folder.path("new"), "new");
  CHECK(files.rename(folder.path("new"), folder.path("old")).has_value());
  CHECK(files.sync_directory(folder.path()).has_value());
  CHECK(text_of(*files.read(folder.path("old"))) == "new");
  CHECK(files.list(folder.path()).value() == std::vector<std::string>{"old"});
}

TEST_CASE("a listing is sorted by byte and has no dots of its own") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  for (const char* name : {"b", "a", "Z", ".hidden"}) write(files, folder.path(name), "");
  CHECK(files.list(folder.path()).value() == std::vector<std::string>{".hidden", "Z", "a", "b"});
}

TEST_CASE("folders are made with their missing parents, and making them again is no error") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  CHECK(files.create_directories(folder.path("x/y/z")).has_value());
  CHECK(files.create_directories(folder.path("x/y/z/")).has_value());
  write(files, folder.path("x/y/z/file"), "text");
  CHECK(files.list(folder.path("x/y")).value() == std::vector<std::string>{"z"});

  const auto through_file = files.create_directories(folder.path("x/y/z/file/deeper"));
  REQUIRE(!through_file.has_value());
  CHECK(through_file.error().message ==
        "cannot create folder " + folder.path("x/y/z/file") + ": File exists");
}

TEST_CASE("what is not there is not found, and the message names operation, path and cause") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  const std::string missing = folder.path("missing");

  const auto read = files.read(missing);
  REQUIRE(!read.has_value());
  CHECK(read.error().code == ErrorCode::kNotFound);
  CHECK(read.error().message == "cannot open " + missing + ": No such file or directory");

  const auto removed = files.remove(missing);
  REQUIRE(!removed.has_value());
  CHECK(removed.error().code == ErrorCode::kNotFound);
  CHECK(removed.error().message == "cannot remove " + missing + ": No such file or directory");

  const auto listed = files.list(missing);
  REQUIRE(!listed.has_value());
  CHECK(listed.error().code == ErrorCode::kNotFound);
  CHECK(listed.error().message == "cannot list " + missing + ": No such file or directory");
}

TEST_CASE("other refusals of the operating system are system errors") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  CHECK(files.create(folder.path("no/folder")).error().code == ErrorCode::kSystem);
  CHECK(files.rename(folder.path("a"), folder.path("b")).error().code == ErrorCode::kSystem);
  CHECK(files.sync_directory(folder.path("none")).error().code == ErrorCode::kSystem);
  CHECK(files.remove(folder.path()).error().code == ErrorCode::kSystem);
  CHECK(files.read(folder.path()).error().message == "cannot read " + folder.path() + ": Is a directory");
}

TEST_CASE("a full disk is an error that says so") {
  if (!std::filesystem::exists("/dev/full")) {
    MESSAGE("skipped: no /dev/full here");
    return;
  }
  PosixFileSystem files;
  auto file = files.create("/dev/full");
  REQUIRE(file.has_value());
  const auto written = (*file)->append(bytes_of("x"));
  REQUIRE(!written.has_value());
  CHECK(written.error().message == "cannot write /dev/full: No space left on device");
  CHECK(written.error().code == ErrorCode::kSystem);
  CHECK(is_full(written.error()));
  CHECK(!is_full(files.read("/nowhere").error()));
}

TEST_CASE("only regular files are opened piece by piece: a FIFO keeps nobody waiting, a device is not read") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  write(files, folder.path("file"), "0123456789");
  REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
  std::filesystem::create_symlink("file", folder.path("link"));
  std::filesystem::create_symlink("/dev/zero", folder.path("endless"));
  std::filesystem::create_symlink("nothing", folder.path("dangling"));
  std::filesystem::create_directory(folder.path("folder"));

  const auto file = files.open(folder.path("file"), Links::kRefused);
  REQUIRE(file.has_value());
  CHECK((*file)->size() == 10);
  std::vector<std::byte> piece(3);
  REQUIRE((*file)->read(4, piece).has_value());
  CHECK(text_of(piece) == "456");
  CHECK((*file)->read(8, piece).error().code == ErrorCode::kCorrupt);

  const std::pair<const char*, FileKind> others[] = {{"fifo", FileKind::kFifo},
                                                     {"link", FileKind::kLink},
                                                     {"endless", FileKind::kLink},
                                                     {"dangling", FileKind::kLink},
                                                     {"folder", FileKind::kDirectory}};
  for (const auto& [name, kind] : others) {
    CAPTURE(name);
    const std::string path = folder.path(name);
    CHECK(files.kind(path).value() == kind);
    const Error error = files.open(path, Links::kRefused).error();
    CHECK(error.code == ErrorCode::kCorrupt);
    CHECK(error.message == path + " is " + describe(kind) + ", not a regular file");
  }
  CHECK(files.kind(folder.path("file")).value() == FileKind::kRegular);
  CHECK(files.open(folder.path("link"), Links::kFollowed).has_value());
  CHECK(files.open(folder.path("endless"), Links::kFollowed).error().message ==
        folder.path("endless") + " is a device, not a regular file");
  CHECK(files.open(folder.path("none"), Links::kRefused).error().code == ErrorCode::kNotFound);
}

TEST_CASE("a file is not created through a link, nor where a FIFO is") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  write(files, folder.path("precious"), "kept");
  std::filesystem::create_symlink("precious", folder.path("link"));
  REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
  CHECK(files.create(folder.path("link")).error().code == ErrorCode::kSystem);
  CHECK(files.create(folder.path("fifo")).error().code == ErrorCode::kSystem);
  CHECK(text_of(files.read(folder.path("precious")).value()) == "kept");
}

TEST_CASE("a new file is not readable by everybody") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  write(files, folder.path("secret"), "");
  struct stat status{};
  REQUIRE(stat(folder.path("secret").c_str(), &status) == 0);
  CHECK((status.st_mode & 07137) == 0);
}

}  // namespace file_test
