#include "daemon/service.h"

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <mutex>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "base/file.h"
#include "daemon/config/command_line.h"

namespace service_test {

using namespace glimpse;

namespace {

/// The real file system, whose fsync of a folder can be made to hang.
class HangingFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    return files_.create(path);
  }
  Result<std::vector<std::byte>> read(const std::string& path) override { return files_.read(path); }
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path, Links links) override {
    return files_.open(path, links);
  }
  Result<FileKind> kind(const std::string& path) override { return files_.kind(path); }
  Status rename(const std::string& from, const std::string& to) override { return files_.rename(from, to); }
  Status remove(const std::string& path) override { return files_.remove(path); }
  Result<std::vector<std::string>> list(const std::string& path) override { return files_.list(path); }
  Status create_directories(const std::string& path) override { return files_.create_directories(path); }
  Status sync_directory(const std::string& path) override {
    std::unique_lock lock(mutex_);
    reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !hangs_; });
    return files_.sync_directory(path);
  }

  void hang(bool hangs) {
    const std::lock_guard lock(mutex_);
    hangs_ = hangs;
    reached_ = false;
    changed_.notify_all();
  }
  void wait_until_it_hangs() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
  }

 private:
  PosixFileSystem files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool hangs_ = false;    // under mutex_
  bool reached_ = false;  // under mutex_
};

class Folder {
 public:
  Folder() { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "glimpse-service-XXXXXX";
};

/// One HTTP request over a Unix socket.
class Request {
 public:
  Request(const std::string& path, const std::string& line) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const std::string text = line + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
    REQUIRE(::send(socket_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  }
  ~Request() { ::close(socket_); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  std::string answer() const {
    std::string text;
    char piece[4096];
    for (ssize_t count = 0; (count = ::recv(socket_, piece, sizeof piece, 0)) > 0;)
      text.append(piece, static_cast<std::size_t>(count));
    return text;
  }

 private:
  int socket_;
};

}  // namespace

TEST_CASE("a model is given out while the disk keeps a checkpoint waiting") {
  const Folder folder;
  const std::string door = folder / "http";
  const std::vector<std::string> arguments{
      "--dimension", "4", "--budget", "2", "--state-directory", folder / "state", "--http", "unix:" + door};
  Configuration configuration = parse_command_line(arguments)->configuration;
  HangingFileSystem files;
  auto prepared = prepare(configuration, files);
  REQUIRE(prepared.has_value());
  Service service(configuration, arguments, std::move(*prepared));
  REQUIRE(service.open().has_value());
  int status = -1;
  std::thread running([&] { status = service.run(); });

  CHECK(Request(door, "GET /healthz").answer().starts_with("HTTP/1.1 200"));  // signals are awaited now
  files.hang(true);
  const Request checkpoint(door, "POST /v1/checkpoint");
  files.wait_until_it_hangs();
  CHECK(Request(door, "GET /v1/model").answer().find("\"weights\"") != std::string::npos);
  CHECK(Request(door, "GET /v1/moments").answer().starts_with("HTTP/1.1 200"));
  files.hang(false);
  CHECK(checkpoint.answer().starts_with("HTTP/1.1 200"));

  ::kill(::getpid(), SIGTERM);
  running.join();
  CHECK(status == 0);
}

}  // namespace service_test
