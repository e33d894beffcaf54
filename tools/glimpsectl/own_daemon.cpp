#include "glimpsectl/own_daemon.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <span>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/file.h"
#include "checkpoint/checkpoint_folder.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/doctor/process.h"

namespace glimpse::ctl {

Result<std::string> checkpoint_of(const std::string& model) {
  std::error_code error;
  const auto refuse = [&](std::string_view why) {
    return failure(ErrorCode::kInvalidOption, "--model '{}' {}", model, why);
  };
  if (!std::filesystem::exists(model, error)) return refuse("is not there");
  if (!std::filesystem::is_directory(model, error)) {
    char begin[9]{};  // of safetensors: a length, and JSON
    if (std::ifstream(model, std::ios::binary).read(begin, sizeof begin) && begin[8] != '{')
      return failure(ErrorCode::kInvalidInput,
                     "--model '{}' is not a glimpse checkpoint: glimpsectl fit makes one of a table", model);
    return model;
  }
  PosixFileSystem files;
  GLIMPSE_TRY_ASSIGN(const auto listed, CheckpointFolder(files, model).list());
  if (listed.empty()) return refuse("is a folder without a checkpoint");
  return model + "/" + listed.front().name;
}

std::string daemon_program(const std::string& given) {
  if (!given.empty()) return given;
  std::string self(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", self.data(), self.size());
  if (size > 0) {
    self.resize(static_cast<std::size_t>(size));
    self = self.substr(0, self.rfind('/') + 1) + "glimpsed";
    if (::access(self.c_str(), X_OK) == 0) return self;
  }
  return "glimpsed";
}

Status check_output(std::string_view option, const std::string& output, const std::string& input) {
  std::error_code none;
  if (output.empty() || output == "-") return {};
  const auto folder = std::filesystem::absolute(output, none).parent_path();
  if (!std::filesystem::is_directory(folder, none))
    return failure(ErrorCode::kSystem, "cannot write '{}': there is no folder '{}'", output, folder.string());
  if (input.empty()) return {};
  if (std::filesystem::equivalent(output, input, none))
    return failure(ErrorCode::kInvalidOption, "{} '{}' is '{}' itself, which is read: name another file",
                   option, output, input);
  if (std::filesystem::is_directory(input, none) && std::filesystem::equivalent(folder, input, none))
    return failure(ErrorCode::kInvalidOption,
                   "{} '{}' lies in the state directory '{}': name a file elsewhere", option, output, input);
  return {};
}

namespace {

// The folders that there are, for signals.
struct Folders {
  std::mutex mutex;
  std::vector<std::string> all;
};
Folders& folders() {
  static auto* const kFolders = new Folders;  // outlives the thread that waits for signals
  return *kFolders;
}

void remove_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

constexpr const char* kLocked = ".locked";  // ends the names of folders that have an owner, or had one

// Removes the folders of processes that were killed: nobody holds their locks.
void remove_left_over(const std::filesystem::path& parent) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    struct stat status{};
    if (!entry->path().filename().string().starts_with("glimpsectl-") || !path.ends_with(kLocked) ||
        ::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
      continue;
    if (const auto lock = FileLock::take(path + "/lock"); lock) remove_folder(path);
  }
}

// Holds the lock for good: no other folder is made.
void remove_folders() {
  folders().mutex.lock();
  for (const std::string& path : folders().all) remove_folder(path);
}

}  // namespace

Result<std::unique_ptr<ScratchFolder>> ScratchFolder::make() {
  clean_up_at_signals(remove_folders);
  const std::lock_guard lock(folders().mutex);
  const std::filesystem::path parent = std::filesystem::temp_directory_path();
  remove_left_over(parent);
  std::string path = (parent / "glimpsectl-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr)
    return failure(ErrorCode::kSystem, "cannot make a folder '{}': {}", path, std::strerror(errno));
  // It gets its name once it is locked: until then nobody takes it for one that was left over.
  auto owned = FileLock::take(path + "/lock");
  if (owned && ::rename(path.c_str(), (path + kLocked).c_str()) == 0) path += kLocked;
  folders().all.push_back(path);
  std::optional<FileLock> held;
  if (owned) held = std::move(*owned);
  return std::unique_ptr<ScratchFolder>(new ScratchFolder(std::move(path), std::move(held)));
}

ScratchFolder::~ScratchFolder() {
  const std::lock_guard lock(folders().mutex);
  remove_folder(path_);
  std::erase(folders().all, path_);
}

Result<std::string> ScratchFolder::spool(const std::string& file, Console& console) {
  std::error_code none;
  const bool is_stdin = file == "-";
  if (!is_stdin && !std::filesystem::is_other(file, none)) return file;
  std::ifstream opened;
  if (!is_stdin) opened.open(file, std::ios::binary);
  if (!is_stdin && !opened)
    return failure(ErrorCode::kSystem, "cannot open '{}': {}", file, std::strerror(errno));
  std::istream& in = is_stdin ? console.in : opened;
  copied_.push_back(is_stdin ? "stdin" : file);
  const std::string path = *this / fmt::format("input{}", copied_.size() - 1);
  const auto copy = [&]() -> Status {
    PosixFileSystem files;
    GLIMPSE_TRY_ASSIGN(const auto to, files.create(path));
    for (std::vector<char> piece(std::size_t{1} << 18); in;) {
      in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      GLIMPSE_TRY(to->append(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(in.gcount())))));
    }
    return {};
  };
  if (const auto status = copy(); !status)
    return failure(ErrorCode::kSystem,
                   "{} must be copied to be read twice: {}; TMPDIR=FOLDER names another place",
                   copied_.back(), status.error().message);
  if (in.bad()) return failure(ErrorCode::kSystem, "'{}' cannot be read to its end", copied_.back());
  return path;
}

std::string ScratchFolder::with_own_names(std::string text) const {
  for (std::size_t i = copied_.size(); i-- > 0;) {
    const std::string path = *this / fmt::format("input{}", i);
    for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos; at += copied_[i].size())
      text.replace(at, path.size(), copied_[i]);
  }
  return text;
}

Status announce_when_ready(const std::function<std::string(const std::string& address)>& text) {
  if (std::getenv("NOTIFY_SOCKET") != nullptr) return {};
  // A socket of datagrams, whose abstract name the kernel chooses: what sd_notify() of glimpsed writes to.
  const int manager = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  socklen_t size = sizeof name.sun_family;
  auto* const address = reinterpret_cast<sockaddr*>(&name);
  bool is_done = manager >= 0 && ::bind(manager, address, size) == 0;
  size = sizeof name;
  is_done = is_done && ::getsockname(manager, address, &size) == 0;
  const pid_t glimpsed = ::getpid();
  const pid_t child = is_done ? ::fork() : -1;
  if (child < 0) return failure(ErrorCode::kSystem, "cannot wait for glimpsed: {}", std::strerror(errno));
  if (child > 0) {
    const std::string abstract(name.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
    ::setenv("NOTIFY_SOCKET", ("@" + abstract).c_str(), 1);
    ::signal(SIGCHLD, SIG_IGN);  // the child's end is nobody's business
    return {};
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  char message[4096];
  while (::getppid() == glimpsed) {
    const ssize_t bytes = ::recv(manager, message, sizeof message, 0);
    const std::string told(message, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    const std::size_t at = told.rfind(" at ");
    if (!told.starts_with("READY=1") || at == std::string::npos) continue;
    const std::string said = text(told.substr(at + 4, told.find('\n', at) - at - 4));
    ::_exit(::write(STDOUT_FILENO, said.data(), said.size()) > 0 ? 0 : 1);
  }
  ::_exit(1);
}

Result<std::unique_ptr<OwnDaemon>> OwnDaemon::start(const std::string& program, const std::string& model,
                                                    const std::vector<std::string>& options) {
  GLIMPSE_TRY_ASSIGN(const auto checkpoint, checkpoint_of(model));
  GLIMPSE_TRY_ASSIGN(auto folder, ScratchFolder::make());
  std::unique_ptr<OwnDaemon> daemon(new OwnDaemon(std::move(folder)));
  std::vector<std::string> words{program,          "--restore", checkpoint,    "--learn", "off",
                                 "--page",         "off",       "--log-level", "warning", "--http",
                                 daemon->address()};
  words.insert(words.end(), options.begin(), options.end());
  GLIMPSE_TRY(daemon->run(words));
  GLIMPSE_TRY(daemon->wait_until_ready());
  return daemon;
}

Status OwnDaemon::run(const std::vector<std::string>& words) {
  const int log = ::open((*folder_ / "log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const auto started = start_program(words, nothing, nothing, log);
  if (log >= 0) ::close(log);
  if (nothing >= 0) ::close(nothing);
  if (!started) return started.error();
  child_ = *started;
  return {};
}

// However long it takes to read the model: it answers, or ends.
Status OwnDaemon::wait_until_ready() {
  GLIMPSE_TRY_ASSIGN(auto server, parse_server_address(address()));
  const HttpClient client(std::move(server), std::chrono::seconds(10));
  for (;;) {
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) == child_) {
      child_ = 0;
      return failure(ErrorCode::kInvalidInput, "{}",
                     reason_of({status_of_exit(status), text_of_file(*folder_ / "log")}));
    }
    if (client.send("GET", "/healthz")) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

OwnDaemon::~OwnDaemon() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);  // it has nothing to keep
    ::waitpid(child_, nullptr, 0);
  }
}

}  // namespace glimpse::ctl
