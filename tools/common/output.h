#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace glimpse {

/// The standard output of a tool that writes much: a buffer, and plain writes of a quarter megabyte.
///
///     while (…) { writer.append(…, output.buffer()); if (!output.write_if_full()) break; }
///     return output.finish();
///
/// A reader that goes away (`| head`) is no error: writing then returns false, and finish() succeeds.
/// Thread-safety: none.
class Output {
 public:
  /// Writes to `descriptor`, which stays the caller's. The process must ignore SIGPIPE; see
  /// ignore_broken_pipes().
  explicit Output(int descriptor = 1);

  /// What was not written yet; append to it.
  std::string& buffer() { return buffer_; }

  /// Writes when there is enough to make it worth while. False once nobody reads or the write failed.
  bool write_if_full() { return buffer_.size() < kEnough || write(); }

  /// Writes what is there. False once nobody reads or the write failed.
  bool write();

  /// Writes what is left. Without this nothing says whether the output is complete.
  Status finish();

 private:
  static constexpr std::size_t kEnough = std::size_t{1} << 18;

  int descriptor_;
  std::string buffer_;
  int error_ = 0;  // errno of the write that failed
};

/// Lets writes to a closed pipe fail instead of ending the process. Call it in main().
void ignore_broken_pipes();

/// Replaces the file `path` by `content`. The Error (kSystem) names path and cause.
Status write_file(const std::string& path, const std::string& content);

}  // namespace glimpse
