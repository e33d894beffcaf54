// Replaces the global operator new of this test program by one that can be told to fail.

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <new>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "base/file.h"
#include "daemon/config/command_line.h"
#include "daemon/service.h"

namespace {

std::atomic<long> allocations_left{-1};  // until one fails; negative: none does
std::atomic<bool> has_failed{false};
thread_local bool is_of_test = false;  // this thread's allocations neither count nor fail

void* allocate(std::size_t size) {
  if (!is_of_test && allocations_left.load() >= 0 && allocations_left.fetch_sub(1) == 0) {
    has_failed = true;
    throw std::bad_alloc();
  }
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace no_memory_test {

using namespace glimpse;

namespace {

/// A daemon in this process, and requests to it over a Unix socket.
class Daemon {
 public:
  Daemon() {
    is_of_test = true;
    REQUIRE(::mkdtemp(folder_.data()) != nullptr);
    const std::vector<std::string> arguments{"--dimension",
                                             "4",
                                             "--budget",
                                             "3",
                                             "--solver",
                                             "background",
                                             "--seed",
                                             "1",
                                             "--http",
                                             "unix:" + folder_ + "/http",
                                             "--state-directory",
                                             folder_ + "/state",
                                             "--page",
                                             "off"};
    Configuration configuration = parse_command_line(arguments)->configuration;
    auto prepared = prepare(configuration, files_);
    REQUIRE(prepared.has_value());
    service_ = std::make_unique<Service>(configuration, arguments, std::move(*prepared));
    REQUIRE(service_->open().has_value());
    running_ = std::thread([this] { exit_status_ = service_->run(); });
    REQUIRE(ask("GET /healthz").starts_with("HTTP/1.1 200"));  // signals are awaited now
    std::string rows;
    for (int i = 0; i < 40; ++i) rows += fmt::format("{} 1:{} 2:{}\n", i % 3, i % 5, i % 7);
    REQUIRE(ask("POST /v1/learn?source=meter&from=0&format=svmlight", rows).starts_with("HTTP/1.1 200"));
  }
  ~Daemon() {
    ::kill(::getpid(), SIGTERM);
    running_.join();
    CHECK(exit_status_ == 0);
    service_.reset();
    std::filesystem::remove_all(folder_);
    is_of_test = false;
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// The answer, or what came of it before the connection was closed. Fails where neither comes.
  std::string ask(const std::string& line, const std::string& body = {}) const {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const timeval patience{60, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder_ + "/http").copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const std::string text =
        fmt::format("{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}", line,
                    body.size(), body);
    (void)::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    std::string answer;
    char piece[4096];
    ssize_t count = 0;
    while ((count = ::recv(socket, piece, sizeof piece, 0)) > 0)
      answer.append(piece, static_cast<std::size_t>(count));
    REQUIRE((count == 0 || errno == ECONNRESET));  // and not the end of our patience
    ::close(socket);
    return answer;
  }

  /// The same, where the n-th allocation from now fails. True: it came to that.
  bool ask_without(long n, const std::string& line) {
    has_failed = false;
    allocations_left = n;
    const std::string answer = ask(line);
    allocations_left = -1;
    refusals_ += answer.starts_with("HTTP/1.1 500") || answer.starts_with("HTTP/1.1 503") ? 1 : 0;
    if (!has_failed) CHECK(answer.starts_with("HTTP/1.1 200"));
    return has_failed;
  }
  int refusals() const { return refusals_; }

 private:
  // In memory where that can be: thousands of checkpoints are written.
  std::string folder_ = (::access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm")
                                                         : std::filesystem::temp_directory_path()) /
                        "glimpse-memory-XXXXXX";
  PosixFileSystem files_;
  std::unique_ptr<Service> service_;
  std::thread running_;
  int exit_status_ = -1;
  int refusals_ = 0;
};

// Whichever allocation fails, there is an answer, and the next checkpoint succeeds.
void check_each_allocation(Daemon& daemon, const std::string& line, const std::string& undo = {}) {
  constexpr long kMost = 100000;
  constexpr int kInARow = 3;  // other threads allocate as well: one alone may have been spared
  int spared = 0;
  for (long n = 0; spared < kInARow; ++n) {
    CAPTURE(line);
    CAPTURE(n);
    REQUIRE(n < kMost);
    spared = daemon.ask_without(n, line) ? 0 : spared + 1;
    REQUIRE(daemon.ask("POST /v1/checkpoint").starts_with("HTTP/1.1 200"));
    if (!undo.empty()) REQUIRE(daemon.ask("POST " + undo).starts_with("HTTP/1.1 200"));
  }
  CHECK(daemon.refusals() > 10);
}

}  // namespace

TEST_CASE(
    "whichever allocation fails of a checkpoint, a freeze or a promotion, it is answered, and a later "
    "checkpoint succeeds") {
  const auto logger = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("none", std::make_shared<spdlog::sinks::null_sink_mt>()));
  {
    Daemon daemon;
    SUBCASE("a checkpoint") { check_each_allocation(daemon, "POST /v1/checkpoint"); }
    SUBCASE("a freeze") { check_each_allocation(daemon, "POST /v1/freeze", "/v1/unfreeze"); }
    SUBCASE("a promotion") { check_each_allocation(daemon, "POST /v1/promote?checkpoint=40"); }
  }
  spdlog::set_default_logger(logger);
}

}  // namespace no_memory_test
