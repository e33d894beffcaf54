#pragma once

#include <memory>
#include <string>
#include <sys/stat.h>

#include "base/result.h"
#include "daemon/feeds/block.h"
#include "daemon/feeds/reading_options.h"

namespace glimpse {

/// Standard input, a file or a FIFO that was opened: what it is, and where reading begins. Owns the
/// descriptor. Thread-safety: none.
class InputSource {
 public:
  /// `path` "-": standard input. Errors (kSystem) name the path.
  static Result<std::unique_ptr<InputSource>> open(const std::string& path);
  ~InputSource();
  InputSource(const InputSource&) = delete;
  InputSource& operator=(const InputSource&) = delete;

  int descriptor() const { return descriptor_; }
  /// As it was given; "stdin" for standard input.
  const std::string& name() const { return name_; }
  /// A regular file: the same bytes whenever it is read.
  bool is_regular() const { return S_ISREG(status_.st_mode); }
  /// Under which name a position in it can be kept: a regular file's canonical path; empty for others.
  const std::string& address() const { return address_; }
  /// Whether both are one file, or one FIFO, by whatever names.
  bool is_same_as(const InputSource& other) const;

  /// Goes to feed.position. Errors (kSystem) when what stands before it is not what was read there: another
  /// file, that must not be read from the middle; or when it was read by `before`, and `now` takes its
  /// records otherwise.
  Status resume(Feed& feed, const ReadingOptions& before, const ReadingOptions& now);

 private:
  InputSource(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  Error refuse(const std::string& why) const;
  Result<std::string> read_at(std::uint64_t position, std::size_t size) const;
  /// The format that the first record tells; kAuto: none does, or it is no text.
  Format show_beginning(Feed& feed) const;

  const int descriptor_;
  const std::string name_;
  std::string address_;
  struct stat status_{};
};

}  // namespace glimpse
