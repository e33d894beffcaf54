#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <time.h>

#include "base/result.h"

namespace glimpse::ctl {

/// The bytes of a file or a pipe by their offset, so that what was read can be read again. Of a pipe the
/// bytes that were not forgotten are kept in memory. Thread-safety: none.
class ByteTape {
 public:
  /// `name`: a file, or "-" for standard input. Errors: kSystem.
  static Result<ByteTape> open(const std::string& name);
  ByteTape(ByteTape&& other) noexcept;
  ByteTape& operator=(ByteTape&&) = delete;
  ~ByteTape();

  /// Fills `bytes` from `offset` on, and returns how many there are: fewer at the end, and in a pipe as many
  /// as have come, at least one. Waits for them. Errors: kSystem; kUnavailable for what was forgotten.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes);

  /// Nothing before `offset` will be read again.
  void forget(std::uint64_t offset);

  /// Whether read_at(offset) would wait for a producer; poll() descriptor() then.
  bool waits(std::uint64_t offset) const;
  bool is_file() const { return is_file_; }
  int descriptor() const { return descriptor_; }
  /// Whether a file was written to since it was opened, or has another name now; false for a pipe.
  bool was_touched() const;

 private:
  ByteTape(int descriptor, bool is_file, std::string name)
      : descriptor_(descriptor), is_file_(is_file), name_(std::move(name)) {}
  Error unreadable() const;

  int descriptor_;
  bool is_file_;
  off_t size_ = 0;       // of a file, when it was opened
  timespec written_{};   // likewise
  bool at_end_ = false;  // of a pipe
  std::string name_;
  std::string kept_;  // of a pipe, from kept_from_ on
  std::uint64_t kept_from_ = 0;
};

}  // namespace glimpse::ctl
