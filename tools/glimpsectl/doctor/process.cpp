#include "glimpsectl/doctor/process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

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

std::atomic<bool> is_ending = false;

/// Children, which a signal kills before what they write is removed.
struct Children {
  std::mutex mutex;  // of starting one as well
  std::vector<pid_t> all;
};
Children& children() {
  static auto* const kChildren = new Children;  // outlives the thread that waits for signals
  return *kChildren;
}

}  // namespace

Result<pid_t> start_program(const std::vector<std::string>& words, int in, int out, int err) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> failed{};  // closed by a program that runs
  if (in < 0 || out < 0 || err < 0 || ::pipe2(failed.data(), O_CLOEXEC) != 0)
    return failure(ErrorCode::kSystem, "cannot run {}: {}", words.front(), std::strerror(errno));
  const std::lock_guard lock(children().mutex);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // which ended meanwhile
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::execvp(arguments.front(), arguments.data());
    const int error = errno;
    if (::write(failed[1], &error, sizeof error) < 0) ::_exit(126);
    ::_exit(127);
  }
  int error = child < 0 ? errno : 0;
  ::close(failed[1]);
  while (child > 0 && ::read(failed[0], &error, sizeof error) < 0 && errno == EINTR) {
  }
  ::close(failed[0]);
  if (error == 0) children().all.push_back(child);
  if (error == 0) return child;
  if (child > 0) ::waitpid(child, nullptr, 0);
  return failure(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem, "cannot run {}: {}",
                 words.front(), std::strerror(error));
}

void clean_up_at_signals(void (*clean_up)()) {
  static std::once_flag once;
  std::call_once(once, [clean_up] {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction now{};
      if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) ::sigaddset(&ending, signal);
    }
    ::signal(SIGPIPE, SIG_IGN);  // what is written then fails, and the command ends as after any error
    ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    std::thread([clean_up, ending] {
      int signal = 0;
      if (::sigwait(&ending, &signal) != 0) return;
      is_ending = true;
      const std::lock_guard lock(children().mutex);  // for good: no other is started
      for (const pid_t child : children().all)
        if (::waitpid(child, nullptr, WNOHANG) == 0) {
          ::kill(child, SIGKILL);
          ::waitpid(child, nullptr, 0);
        }
      clean_up();
      ::signal(signal, SIG_DFL);
      ::pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
      ::raise(signal);
    }).detach();
  });
}

bool a_signal_ends_this() { return is_ending; }

bool is_output_closed() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

Result<Ended> run_program(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                          std::size_t most_output) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return failure(ErrorCode::kSystem, "cannot make a pipe: {}", std::strerror(errno));
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto started = start_program(words, nothing, pipe[1], pipe[1]);
  if (nothing >= 0) ::close(nothing);
  ::close(pipe[1]);
  if (!started) {
    ::close(pipe[0]);
    return started.error();
  }
  const pid_t child = *started;
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
  ended.status = status_of_exit(status);
  return ended;
}

int status_of_exit(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

std::vector<std::string> lines_of(const std::string& log, std::string_view level) {
  std::vector<std::string> lines;
  const std::string mark = fmt::format(" {} ", level);
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    if (const std::size_t at = line.find(mark); at == line.find(' ') && at != std::string::npos)
      lines.push_back(line.substr(at + mark.size()));
    begin = end + 1;
  }
  return lines;
}

std::string reason_of(const Ended& ended) {
  constexpr std::string_view kName = "glimpsed: ";
  std::string last = ended.output;
  while (last.ends_with('\n')) last.pop_back();
  last.erase(0, last.rfind('\n') + 1);
  if (last.starts_with(kName)) return last.substr(kName.size());
  for (const std::string_view level : {"critical", "error"}) {
    const auto errors = lines_of(ended.output, level);
    if (errors.empty()) continue;
    constexpr std::string_view kAllRefused = ": nothing of it was learned: all of its records were refused";
    if (!errors.front().ends_with(kAllRefused)) return errors.front();
    const std::string record =
        errors.front().substr(0, errors.front().size() - kAllRefused.size()) + ": line ";
    for (const std::string& said : lines_of(ended.output, "warning"))
      if (said.starts_with(record)) return errors.front() + ": " + said.substr(record.size() - 5);
    return errors.front();
  }
  if (ended.status > 128)
    return fmt::format("glimpsed was ended by signal {} ({}){}", ended.status - 128,
                       ::strsignal(ended.status - 128),
                       ended.status - 128 == SIGKILL ? ": the system may be short of memory" : "");
  return last;
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
