#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/file_lock.h"
#include "base/result.h"
#include "glimpsectl/input/console.h"

namespace glimpse::ctl {

/// glimpsed beside this program, else the one in PATH; `given` where that is not empty.
std::string daemon_program(const std::string& given);

/// The file of `model`, a checkpoint, or a state directory, of which the newest is taken. Errors:
/// kInvalidOption where there is none.
Result<std::string> checkpoint_of(const std::string& model);

/// A new folder for what one command needs, which goes with this object; where the process was killed, with
/// the next that makes one. Thread-safety: none.
class ScratchFolder {
 public:
  /// Errors: kSystem.
  static Result<std::unique_ptr<ScratchFolder>> make();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  /// `file`, or, where it can be read only once (standard input as "-", a FIFO, a device), a copy of it in
  /// this folder. Blocks until it ends. Errors: kSystem.
  Result<std::string> spool(const std::string& file, Console& console);
  /// `text` with copies called what they are copies of, standard input "stdin".
  std::string with_own_names(std::string text) const;

 private:
  ScratchFolder(std::string path, std::optional<FileLock> lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  const std::string path_;
  const std::optional<FileLock> lock_;
  std::vector<std::string> copied_;  // names of what was copied to input0, input1, …
};

/// Errors: kInvalidOption where `option`'s file `output` would take the place of `input`, which is read, or
/// lies in that state directory; kSystem where there is no folder for it.
Status check_output(std::string_view option, const std::string& output, const std::string& input);

/// Makes a child that writes `text(address)` to standard output once the glimpsed that this process becomes
/// answers over HTTP at that address; where it never does, the child ends with it. Under a service manager
/// (NOTIFY_SOCKET), which is told itself, there is none. Errors: kSystem.
Status announce_when_ready(const std::function<std::string(const std::string& address)>& text);

/// A glimpsed of one command, which restores a checkpoint, learns nothing, and answers over a Unix socket in
/// a folder of its own. It ends with this object, or with the process. Thread-safety: none.
class OwnDaemon {
 public:
  /// `model`: a checkpoint, or a state directory, of which the newest is taken; another daemon may work
  /// there. `options`: further ones of glimpsed. Blocks until it answers. Errors: kInvalidOption where there
  /// is no such model; kInvalidInput with what the daemon says where it does not start; kSystem.
  static Result<std::unique_ptr<OwnDaemon>> start(const std::string& program, const std::string& model,
                                                  const std::vector<std::string>& options = {});
  ~OwnDaemon();
  OwnDaemon(const OwnDaemon&) = delete;
  OwnDaemon& operator=(const OwnDaemon&) = delete;

  /// As --server takes it.
  std::string address() const { return "unix:" + (*folder_ / "http.sock"); }

 private:
  explicit OwnDaemon(std::unique_ptr<ScratchFolder> folder) : folder_(std::move(folder)) {}
  Status run(const std::vector<std::string>& words);
  Status wait_until_ready();

  const std::unique_ptr<ScratchFolder> folder_;
  pid_t child_ = 0;
};

}  // namespace glimpse::ctl
