#include "glimpsectl/doctor/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

namespace glimpse::ctl {

namespace {

/// What comes out of `descriptor` until its end or the deadline; false: the deadline came first.
bool read_until(int descriptor, std::chrono::steady_clock::time_point deadline, std::size_t most,
                std::string& text) {
  std::array<char, 4096> room;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, std::max(0, static_cast<int>(left.count())));
    if (ready == 0) return false;
    if (ready < 0 && errno != EINTR) return true;
    const ssize_t count = ::read(descriptor, room.data(), room.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return true;
    if (count > 0 && text.size() < most)
      text.append(room.data(), std::min(static_cast<std::size_t>(count), most - text.size()));
  }
}

/// Whether the child ended before the deadline, and how.
bool wait_until(pid_t child, std::chrono::steady_clock::time_point deadline, int& status) {
  constexpr timespec kPause{0, 10'000'000};
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    ::nanosleep(&kPause, nullptr);
  }
}

}  // namespace

Result<Ended> run_program(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                          std::size_t most_output) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return failure(ErrorCode::kSystem, "cannot make a pipe: {}", std::strerror(errno));
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  if (failed != 0) {
    ::close(pipe[0]);
    return failure(failed == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem, "cannot run {}: {}",
                   words.front(), std::strerror(failed));
  }
  Ended ended;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const bool said_all = read_until(pipe[0], deadline, most_output, ended.output);
  ::close(pipe[0]);
  int status = 0;
  if (!said_all || !wait_until(child, deadline, status)) {
    ::kill(child, SIGKILL);
    // One that waits for a disk does not die of it.
    wait_until(child, std::chrono::steady_clock::now() + std::chrono::seconds(1), status);
    return failure(ErrorCode::kUnavailable, "{} did not end within {:g} s, and was killed", words.front(),
                   std::chrono::duration<double>(limit).count());
  }
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

std::string last_line_of(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  constexpr std::string_view kName = "glimpsed: ";
  return text.starts_with(kName) ? text.substr(kName.size()) : text;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string word_behind(const std::string& text, const std::string& key) {
  std::size_t at = text.starts_with(key) ? 0 : text.find("\n" + key);
  if (at == std::string::npos) return {};
  at = text.find_first_not_of(" \t=:", text.find(key, at) + key.size());
  if (at == std::string::npos || text[at] == '\n') return {};
  return text.substr(at, text.find_first_of(" \t\n", at) - at);
}

}  // namespace glimpse::ctl
